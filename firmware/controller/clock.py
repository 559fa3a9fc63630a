"""Time on the controller: milliseconds that wrap at 2**30, compared so that the wrap doesn't matter.

The wall clock is the host's; Uptime only carries it on between two tellings. Every number here stays a small int on a
32-bit MicroPython, so that comparing times in the spin loop allocates nothing.
"""

from controller.target import const

MASK = const(0x3FFFFFFF)
_HALF = const(0x20000000)


def diff(a, b):
    """a - b in ms, negative when a is before b; right while they are less than six days apart."""
    d = (a - b) & MASK
    return d - _HALF - _HALF if d >= _HALF else d


def add(t, ms):
    return (t + ms) & MASK


class Uptime:
    """Milliseconds since start, without wrap, and the wall clock the host last gave."""

    def __init__(self, now):
        self._last = now
        self.ms = 0
        self._wall_base = 0  # wall time at uptime 0; 0 = the host never said

    def step(self, now):
        self.ms += diff(now, self._last)
        self._last = now

    def set_wall(self, wall_ms):
        """Take the host's time; return by how much the table's idea of it was off (0 the first time)."""
        off = wall_ms - self.wall_ms() if self._wall_base else 0
        self._wall_base = wall_ms - self.ms
        return off

    def wall_ms(self):
        return self._wall_base + self.ms if self._wall_base else 0
