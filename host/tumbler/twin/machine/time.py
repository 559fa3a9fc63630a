"""`time` in table time. A driver's sleeps and time-outs must pass with the twin's physics, or no seed would repeat.

Ticks wrap at 2**30 as on the RP2040 (the unix port's own never do), so a comparison that isn't wrap-safe shows here.
"""

import tablebus as _bus
from micropython import const

_PERIOD = const(0x40000000)
_HALF = const(0x20000000)
_EPOCH = const(1609459200)  # an RP2040 starts at 2021-01-01 until it is told the time

ticks_ms = _bus.ms
ticks_us = _bus.us
ticks_cpu = _bus.us


def ticks_add(ticks, delta):
    return (ticks + delta) & (_PERIOD - 1)


def ticks_diff(end, start):
    return ((end - start + _HALF) & (_PERIOD - 1)) - _HALF


def sleep_us(us):
    if us > 0:
        _bus.wait_us(us)


def sleep_ms(ms):
    sleep_us(ms * 1000)


def sleep(seconds):
    sleep_us(int(seconds * 1000000))


def time():
    return _EPOCH + _bus.seconds()


def time_ns():
    return time() * 1000000000
