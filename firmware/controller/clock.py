"""Time on the controller: milliseconds that wrap at 2**30, compared so that the wrap doesn't matter.

The wall clock is the host's; Uptime only carries it on between two tellings. Every number that the spin loop compares
stays a small int on a 32-bit MicroPython, so that it allocates nothing.
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
    """Milliseconds since start that never wrap: of the table's clock, and of the wire's clock with the wall time on it.

    They are two clocks on a twin whose time runs faster than the host's, and one on a real board. The wall time goes
    with the wire's, because the host that told it lives there.
    """

    def __init__(self, now, wire_now):
        self._last = now
        self._wire_last = wire_now
        self._wire_ms = 0
        self._wall_base = 0  # wall time at wire time 0; 0 = the host never said
        self.ms = 0

    def step(self, now, wire_now):
        self.ms += diff(now, self._last)
        self._last = now
        self._wire_ms += diff(wire_now, self._wire_last)
        self._wire_last = wire_now

    def set_wall(self, wall_ms):
        self._wall_base = wall_ms - self._wire_ms

    @property
    def wall_known(self):
        return self._wall_base != 0

    def wall_ms(self):
        return self._wall_base + self._wire_ms if self._wall_base else 0

    def uptime_u32(self):
        """As the wire carries it."""
        return self.ms & 0xFFFFFFFF
