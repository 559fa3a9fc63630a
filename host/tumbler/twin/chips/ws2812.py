"""The chain of WS2812 pixels under the layout: takes what the data line shifts in, shows colours, draws current.

Bytes are as on the wire: green, red, blue for each pixel, first pixel first. Not here: which area a pixel is in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

IDLE_MA = 0.9  # the pixel's own controller, dark
CHANNEL_MA = 12.0  # one colour at full
BYTES_PER_PIXEL = 3

Colour = tuple[int, int, int]
BLACK: Colour = (0, 0, 0)


class Ws2812Chain:
    """`pixels` is what a person sees, in red, green, blue."""

    def __init__(self, count: int, shown: Callable[[Sequence[Colour]], None] | None = None) -> None:
        self._shown = shown
        self._latched: list[Colour] = [BLACK] * count
        self.dead: set[int] = set()  # burnt out: dark and without current, but data passes
        self.cut_at: int | None = None  # data line broken before this pixel: it and all after it keep their colour
        self.shows = 0

    @property
    def pixels(self) -> list[Colour]:
        return [BLACK if i in self.dead else colour for i, colour in enumerate(self._latched)]

    @property
    def data(self) -> bytes:
        """What the pixels hold, as on the wire."""
        return bytes(value for r, g, b in self._latched for value in (g, r, b))

    def shift(self, data: bytes) -> None:
        """One transmission as on the wire and the latch pause after it; a part of a pixel is dropped."""
        whole = range(0, len(data) - BYTES_PER_PIXEL + 1, BYTES_PER_PIXEL)
        self.latch([(data[i + 1], data[i], data[i + 2]) for i in whole])

    def latch(self, colours: Sequence[Colour]) -> None:
        """The same with colours. Pixels beyond the end of a transmission keep theirs."""
        reach = len(self._latched) if self.cut_at is None else min(self.cut_at, len(self._latched))
        taken = colours[:reach]
        self._latched[: len(taken)] = taken
        self.shows += 1
        if self._shown is not None:
            self._shown(self.pixels)

    def power_cycle(self) -> None:
        self._latched = [BLACK] * len(self._latched)

    def amps(self) -> float:
        milliamps = 0.0
        for i, colour in enumerate(self._latched):
            if i not in self.dead:
                milliamps += IDLE_MA + CHANNEL_MA * sum(colour) / 255.0
        return milliamps / 1000.0
