"""The dealer's keys on the expander, debounced, and its two outputs. Presses wait in a small queue, oldest first.

A key is down when it has read down in three samples 5 ms apart, each key by itself, so that one chattering contact does
not deafen the others. Not here: what a key means (controller/panel.py has the names of the codes).
"""

from micropython import const

# (bit of the expander, code of the key). Undo is on B6 and not on A7: that pin can't be an input (see mcp23017.py).
KEYS = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (14, 7), (8, 8), (9, 9), (10, 10))
_SUPERVISOR = const(11)
_ANNOUNCE = const(12)
_BUZZER = const(13)
INPUTS = const(0x4F7F)

_SAMPLE_MS = const(5)
_LOOK_ANYWAY_MS = const(100)  # also without an interrupt: its wire may be broken
_QUEUE = const(16)
_MASK = const(0x3FFFFFFF)
_NO_CODE = const(0xFF)


class Panel:
    def __init__(self, expander, interrupt):
        """`interrupt` is the pin on the expander's INTA, low while a change waits to be read."""
        self._expander = expander
        self._interrupt = interrupt
        self._codes = bytearray(b"\xff" * 16)
        for bit, code in KEYS:
            self._codes[bit] = code
        self._down = 0  # debounced, one bit a pin, 1 = pressed
        self._once = 0  # differed from _down in the last sample, in the last two
        self._twice = 0
        self._sampled = 0
        self._queue = bytearray(_QUEUE)
        self._first = 0
        self._waiting = 0
        self.lost = 0  # presses that found the queue full
        self.fault = ""

    def start(self, now: int) -> None:
        """A key that is held at power-on is a state, not a press."""
        self._expander.configure()
        self._down = ~self._expander.read() & INPUTS
        self._once = self._twice = 0
        self._sampled = now

    def scan(self, now: int) -> None:
        """Call it in every turn of the loop; it goes to the bus only when something may have changed."""
        since = (now - self._sampled) & _MASK
        if since < _SAMPLE_MS:
            return
        if not self._once and self._interrupt.value() and since < _LOOK_ANYWAY_MS:
            return
        self._sampled = now
        down = ~self._expander.read() & INPUTS
        differs = down ^ self._down
        changed = differs & self._once & self._twice
        self._twice = differs & self._once & ~changed
        self._once = differs & ~changed
        if changed:
            self._down ^= changed
            self._note(changed & self._down)

    def _note(self, pressed: int) -> None:
        for bit in range(16):
            if not pressed >> bit & 1 or self._codes[bit] == _NO_CODE:
                continue
            if self._waiting == _QUEUE:
                self.lost += 1
                return
            self._queue[(self._first + self._waiting) % _QUEUE] = self._codes[bit]
            self._waiting += 1

    def next_key(self) -> int:
        """Code of the oldest press that was not yet taken, or -1."""
        if not self._waiting:
            return -1
        code = self._queue[self._first]
        self._first = (self._first + 1) % _QUEUE
        self._waiting -= 1
        return code

    def held(self) -> int:
        """Keys that are down now, bit n for code n."""
        mask = 0
        for bit, code in KEYS:
            if self._down >> bit & 1:
                mask |= 1 << code
        return mask

    def supervisor(self) -> bool:
        return bool(self._down >> _SUPERVISOR & 1)

    def announce(self, on: bool) -> None:
        self._expander.put(_ANNOUNCE, on)

    def buzz(self, on: bool) -> None:
        self._expander.put(_BUZZER, on)

    def selftest(self) -> bool:
        """The expander answers, holds its settings, and no key is down. `fault` says what failed."""
        self.fault = ""
        try:
            if not self._expander.configured():
                self._expander.configure()
                if not self._expander.configured():
                    self.fault = "panel: expander forgets its settings"
            elif ~self._expander.read() & INPUTS & ~(1 << _SUPERVISOR):
                self.fault = "panel: a key is stuck"
        except OSError:
            self.fault = "panel: no answer from the expander"
        return not self.fault
