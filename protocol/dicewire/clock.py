"""Times are integers in ms that may wrap at 2**30, as MicroPython's ticks do; this compares them. Not a clock."""

PERIOD = 1 << 30
_HALF = 1 << 29
_MASK = PERIOD - 1


def since(now: int, then: int) -> int:
    """ms from `then` to `now`, negative when `then` lies ahead; right as long as they are less than six days apart."""
    return ((now - then + _HALF) & _MASK) - _HALF
