"""A mechanical contact: it bounces for a few milliseconds whenever it is opened or closed, as real ones do.

Used for the dealer's keys, the cover switch and the service door. Time goes in, levels come out. Not here: which pin.
"""

from __future__ import annotations

import random
from collections.abc import Callable

BOUNCE_US = 3_000
CHATTER_US = 400


class Contact:
    """`move(closed)` is the finger or the cover; `changed(closed)` is called with what the wire then shows."""

    def __init__(self, changed: Callable[[bool], None], seed: int, closed: bool = False) -> None:
        self._changed = changed
        self._random = random.Random(seed)
        self._wanted = closed
        self._shown = closed
        self._until_us = 0
        self._next_us = 0
        self.stuck: bool | None = None  # fault: welded closed (True) or worn open (False)

    @property
    def closed(self) -> bool:
        return self._shown

    def move(self, closed: bool, now_us: int) -> None:
        if closed != self._wanted:
            self._wanted = closed
            self._until_us = now_us + self._random.randrange(CHATTER_US, BOUNCE_US)
            self._next_us = now_us
            self.advance(now_us)

    def advance(self, now_us: int) -> None:
        if self.stuck is not None:
            self._show(self.stuck)
            return
        while self._next_us <= now_us and self._next_us < self._until_us:
            self._show(not self._shown)
            self._next_us += self._random.randrange(CHATTER_US // 4, CHATTER_US)
        if now_us >= self._until_us:
            self._show(self._wanted)

    def _show(self, closed: bool) -> None:
        if closed != self._shown:
            self._shown = closed
            self._changed(closed)
