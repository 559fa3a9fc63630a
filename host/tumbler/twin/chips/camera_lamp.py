"""The camera's two lamps, and the change-over that lights one of them: low lamp 0, high lamp 1.

It remembers its last change, because a frame whose exposure was under way then has seen both (ov2640.py). Not here: where the
lamps stand and what their light does (camera/).
"""

from __future__ import annotations


class CameraLamp:
    """`lit` is the lamp that has the current; one that is dead gives no light all the same."""

    def __init__(self) -> None:
        self.dead: set[int] = set()  # faults
        self.stuck = False
        self._level = 0
        self.before = 0
        self.changed_us = 0

    @property
    def lit(self) -> int:
        return 0 if self.stuck else self._level

    def on_level(self, level: int, now_us: int) -> None:
        """Of the pin. One that nobody drives is pulled low."""
        if level == self._level:
            return
        self.before = self.lit
        self._level = level
        self.changed_us = now_us

    def share_of_before(self, begin_us: float, end_us: float) -> float:
        """How much of this exposure was by the lamp that was lit before the last change; 0.0 to 1.0."""
        if self.before == self.lit or end_us <= begin_us:
            return 0.0
        return min(1.0, max(0.0, (self.changed_us - begin_us) / (end_us - begin_us)))
