"""Table time against the wall clock: how long the firmware's wait must really last.

A speed of 1 is real time. `FULL_SPEED` bounds "as fast as possible", because the daemon at the other end of the line lives in
real time and must keep up. Not for table time itself: the world has that.
"""

from __future__ import annotations

import time

FULL_SPEED = 100.0
# While the dealer only waits (for a daemon, for the end), faster would burn a core for nothing.
IDLE_SPEED = 10.0
# Host bytes may end a wait early in wall time: by so much the table may then run ahead.
LEAD_SECONDS = 0.02
# A machine that stood still (a stopped process, a slow disk) isn't caught up with a rush.
LATE_SECONDS = 0.1
# Shorter sleeps cost more than they give.
LEAST_SLEEP_SECONDS = 0.001


class Pace:
    def __init__(self, speed: float, table_us: int = 0) -> None:
        self.speed = speed if 0.0 < speed < FULL_SPEED else FULL_SPEED
        self._now = self.speed
        self._wall = time.monotonic()
        self._table_us = table_us

    def idle(self, idle: bool, table_us: int) -> None:
        """From now on with nothing to do, or with something again."""
        wanted = min(self.speed, IDLE_SPEED) if idle else self.speed
        if wanted != self._now:
            self._now, self._wall, self._table_us = wanted, time.monotonic(), table_us

    def ahead(self, table_us: int) -> float:
        """Seconds that the table is ahead of where the wall clock wants it; never much below zero."""
        wall = time.monotonic()
        ahead = (table_us - self._table_us) / 1e6 / self._now - (wall - self._wall)
        if ahead < -LATE_SECONDS:
            self._wall, self._table_us = wall, table_us
            return 0.0
        return ahead
