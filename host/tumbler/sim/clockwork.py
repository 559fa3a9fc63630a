"""Virtual time: what is to happen, in order, and seeded chance. Nothing in a simulation knows another clock.

Times are whole microseconds. Two things at the same moment happen in the order in which they were asked for, so a seed
repeats exactly. Chance comes in named streams: leaving a fault out does not change what the others draw.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable

MS = 1000
SECOND = 1_000_000
MINUTE = 60 * SECOND

Action = Callable[[], None]


class Clockwork:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.now = 0
        self._due: list[tuple[int, int, Action]] = []
        self._asked = 0

    def at(self, us: int, action: Action) -> None:
        self._asked += 1
        heapq.heappush(self._due, (us if us > self.now else self.now, self._asked, action))

    def after(self, us: int, action: Action) -> None:
        self.at(self.now + us, action)

    def next(self) -> Action:
        """The next thing, at its time. Something is always to come: the controller's next turn, if nothing else."""
        self.now, _, action = heapq.heappop(self._due)
        return action

    def stream(self, name: str) -> random.Random:
        """Chance of one's own, the same for the same seed and name."""
        return random.Random(f"{self.seed}/{name}")


def clock_text(us: int) -> str:
    """12:34.567, for a person who reads a story."""
    return f"{us // MINUTE:02d}:{us % MINUTE / SECOND:06.3f}"
