"""The chain of WS2812 lamps under the layout. Colours are set one by one and go out together with show().

The buffer is made once for a layout; set() and show() allocate nothing. A whole chain of 160 takes 4.8 ms with interrupts
held off, which is less than the time between two edges of the tachometer. Not here: which lamp belongs to which area.
"""

from micropython import const
from neopixel import NeoPixel

MOST = const(160)


class Lamps:
    def __init__(self, pin, n: int = MOST):
        self._pin = pin
        self.fit(n)

    def fit(self, n: int) -> None:
        """As many lamps as the game table says. Not for the spin loop: this one allocates."""
        if not 0 < n <= MOST:
            raise ValueError("lamps: %d, the chain has 1 to %d" % (n, MOST))
        self.n = n
        self._chain = NeoPixel(self._pin, n)
        self._data = self._chain.buf

    def set(self, i: int, r: int, g: int, b: int) -> None:
        at = 3 * i
        data = self._data
        data[at] = g  # the order on the wire
        data[at + 1] = r
        data[at + 2] = b

    def clear(self) -> None:
        data = self._data
        for at in range(len(data)):
            data[at] = 0

    def show(self) -> None:
        self._chain.write()
