"""Frames: COBS( type u8, seq u8, ack u8, session u16, payload, [tag 8], crc32 u32 ) 0x00. Bytes to frames and back.

Bit 7 of the type says who sent it (set: the controller), so that an echo of one's own frames is known. Not here: what a
frame means, order, loss.
"""

import struct
from binascii import crc32

from dicewire import cobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HEAD = 5
CRC = 4
TAG = 8
LONGEST = cobs.LONGEST  # head, payload, tag and CRC, before COBS
SHORTEST = HEAD + CRC
ENCODED = LONGEST + 2
# The CRC-32 of anything followed by its own CRC-32: one call in C checks a frame without taking the CRC out of it.
_RESIDUE = 0x2144DF1C
_ZERO = b"\x00"


class FrameReader:
    """Finds frames in a stream. One buffer is all its memory, whatever comes in; a delimiter ends all damage."""

    def __init__(self, counters: dict[str, int], room: int, on_frame: "Callable[[bytearray, int, int], None]") -> None:
        self._buf = bytearray(max(room, ENCODED + 1))
        self._view = memoryview(self._buf)
        self._tail = 0
        self._skipping = False
        self._counters = counters
        self._on_frame = on_frame

    def reset(self) -> None:
        self._tail = 0
        self._skipping = False

    def feed(self, data: "bytes | bytearray | memoryview") -> None:
        """Calls on_frame(buf, start, end) for each sound frame: buf[start:end] without CRC, valid in that call only."""
        buf, n, i = self._buf, len(data), 0
        self._counters["bytes_in"] += n
        while i < n:
            take = min(len(buf) - self._tail, n - i)
            buf[self._tail : self._tail + take] = data[i : i + take]
            i += take
            self._drain(self._tail, self._tail + take)

    def _drain(self, scan: int, tail: int) -> None:
        buf, head = self._buf, 0
        zero = buf.find(_ZERO, scan, tail)
        while zero >= 0:
            if self._skipping:
                self._skipping = False
            elif zero > head:
                self._frame(head, zero)
            head = zero + 1
            zero = buf.find(_ZERO, head, tail)
        left = tail - head
        if self._skipping:
            left = 0
        elif left > LONGEST + 1:
            self._counters["resyncs"] += 1
            self._skipping = True
            left = 0
        elif head and left:
            buf[:left] = self._view[head:tail]
        self._tail = left

    def _frame(self, start: int, end: int) -> None:
        if end - start <= SHORTEST or not cobs.decode(self._buf, start, end):
            self._counters["resyncs"] += 1
        elif crc32(self._view[start + 1 : end]) != _RESIDUE:
            self._counters["crc_errors"] += 1
        else:
            self._counters["frames_in"] += 1
            self._on_frame(self._buf, start + 1, end - CRC)


class FrameWriter:
    """Encoded frames that wait for the port. Few on purpose: what is in here can't be overtaken by a result."""

    def __init__(self, counters: dict[str, int], frames: int) -> None:
        self._buf = bytearray(frames * ENCODED)
        self._view = memoryview(self._buf)
        self._head = 0
        self._tail = 0
        self._counters = counters

    def reset(self) -> None:
        """Forgets what waits. A delimiter first: the port may have taken part of a frame, which must not join the next."""
        self._head = 0
        self._buf[0] = 0
        self._tail = 1

    def room(self) -> bool:
        """Whether a full frame fits. Moves what is left to the front when that makes room."""
        if self._tail + ENCODED <= len(self._buf):
            return True
        if self._head:
            left = self._tail - self._head
            self._buf[:left] = self._view[self._head : self._tail]
            self._head = 0
            self._tail = left
        return self._tail + ENCODED <= len(self._buf)

    def put(self, kind: int, seq: int, ack: int, session: int, body: "bytes | memoryview", n: int) -> None:
        """Adds a frame with body[:n]. Ask room() first."""
        buf, start = self._buf, self._tail
        struct.pack_into("<BBBH", buf, start + 1, kind, seq, ack, session)
        end = start + 1 + HEAD + n
        if n:
            buf[start + 1 + HEAD : end] = body[:n]
        struct.pack_into("<I", buf, end, crc32(self._view[start + 1 : end]))
        self._tail = cobs.encode(buf, start, end + CRC)
        self._counters["frames_out"] += 1

    def waiting(self) -> int:
        return self._tail - self._head

    def view(self) -> memoryview:
        return self._view[self._head : self._tail]

    def sent(self, n: int) -> None:
        """The port took the first n bytes of view()."""
        self._counters["bytes_out"] += n
        self._head += n
        if self._head >= self._tail:
            self._head = self._tail = 0
