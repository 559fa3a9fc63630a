"""Consistent overhead byte stuffing, in place, for frames of at most 254 bytes: exactly one byte more, no zero inside.

In place because a copy per run of bytes is what makes COBS slow in Python and what makes MicroPython allocate: here the
cost is one `find` (in C) for each zero of the frame. Beyond 254 bytes COBS needs a second code byte; frames are no longer.
"""

LONGEST = 254
_ZERO = b"\x00"


def encode(buf: bytearray, start: int, end: int) -> int:
    """Stuffs buf[start + 1:end] where it is, its code in buf[start], the delimiter in buf[end]. The end after that."""
    at = start
    zero = buf.find(_ZERO, start + 1, end)
    while zero >= 0:
        buf[at] = zero - at
        at = zero
        zero = buf.find(_ZERO, zero + 1, end)
    buf[at] = end - at
    buf[end] = 0
    return end + 1


def decode(buf: bytearray, start: int, end: int) -> bool:
    """Unstuffs buf[start:end] (delimiter excluded) to buf[start + 1:end]. False where it is no COBS of one block."""
    if end - start > LONGEST + 1:
        return False
    while start < end:
        step = buf[start]
        if not step:
            return False
        buf[start] = 0
        start += step
    return start == end
