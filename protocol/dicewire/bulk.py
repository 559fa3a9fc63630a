"""Bulk transfers, one each way at a time: offer, grant, data, end. They outlive a session and resume by offset.

The link brings the pieces in order and once; here are the window that the receiver grants (its store may be slow), the
resumption after a new session, and the SHA-256 at the end. BULK_START carries that hash under a tag, so that the content
is authentic as well. Not here: what is transferred and where it is kept; the owner brings a source or a sink.

A source has `size`, `sha256` and `read_into(offset, view) -> n`. A sink has `have` (bytes kept, in order), `write(view)`,
which adds to them, and `read_into(offset, view) -> n`, needed only where `have` is not 0 at the start. Either may raise
OSError or ValueError.
"""

import hashlib
import struct

from dicewire.codes import (
    BULK_CODE_CANCELLED,
    BULK_CODE_OK,
    BULK_CODE_OUT_OF_ORDER,
    BULK_CODE_SOURCE_FAILED,
    BULK_CODE_STORE_FAILED,
    BULK_CODE_TOO_LARGE,
    BULK_CODE_WRONG_HASH,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Source(Protocol):
        size: int
        sha256: bytes

        def read_into(self, offset: int, view: memoryview) -> int: ...

    class Sink(Protocol):
        have: int

        def write(self, view: memoryview) -> None: ...
        def read_into(self, offset: int, view: memoryview) -> int: ...


DATA_HEAD = 5
GRANT_PIECES = 16  # pieces that the receiver lets the sender run ahead
_PIECE = 240


class MemorySource:
    """Bytes to send."""

    def __init__(self, data: "bytes | bytearray") -> None:
        self.size = len(data)
        self.sha256 = hashlib.sha256(data).digest()
        self._data = memoryview(data)

    def read_into(self, offset: int, view: memoryview) -> int:
        n = min(len(view), self.size - offset)
        view[:n] = self._data[offset : offset + n]
        return n


class MemorySink:
    """A buffer of the announced size, taken once."""

    def __init__(self, size: int) -> None:
        self.data = bytearray(size)
        self.have = 0

    def write(self, view: memoryview) -> None:
        self.data[self.have : self.have + len(view)] = view
        self.have += len(view)

    def read_into(self, offset: int, view: memoryview) -> int:
        n = min(len(view), self.have - offset)
        view[:n] = memoryview(self.data)[offset : offset + n]
        return n


class BulkSender:
    """The outgoing transfer. `start_due`: BULK_START must go out; `cancel_due`: BULK_CANCEL with `code` must."""

    def __init__(self, first: int) -> None:
        self.transfer = first & 0xFF
        self.kind = 0
        self.source: Source | None = None
        self.start_due = False
        self.cancel_due = False
        self.code = 0
        self._granted = False
        self._offset = 0
        self._until = 0

    def start(self, kind: int, source: "Source") -> bool:
        """Offers a transfer. False while another one is under way."""
        if self.source is not None or self.cancel_due:
            return False
        self.transfer = (self.transfer + 1) & 0xFF
        self.kind, self.source = kind, source
        self.session_up()
        return True

    def session_up(self) -> None:
        """A new session: offer it again, the receiver says from where."""
        self.cancel_due = False
        self.start_due = self.source is not None
        self._granted = False
        self._until = self._offset = 0

    def granted(self, transfer: int, offset: int, until: int) -> None:
        if self.source is None or transfer != self.transfer:
            return
        if not self._granted:
            self._granted = True
            self._offset = min(offset, self.source.size)
        self._until = min(until, self.source.size)

    @property
    def progress(self) -> int:
        """Bytes handed to the link, of the transfer under way or of the last one."""
        return self._offset

    def has_data(self) -> bool:
        return self.source is not None and self._offset < self._until

    def fill(self, view: memoryview) -> int:
        """The next BULK_DATA payload into view. Its length, 0 where the source failed (then cancel_due)."""
        source = self.source
        if source is None:
            return 0
        want = min(len(view) - DATA_HEAD, self._until - self._offset)
        try:
            n = source.read_into(self._offset, view[DATA_HEAD : DATA_HEAD + want])
        except (OSError, ValueError):
            n = 0
        if n <= 0:
            self.cancel(BULK_CODE_SOURCE_FAILED)
            return 0
        struct.pack_into("<BI", view, 0, self.transfer, self._offset)
        self._offset += n
        return DATA_HEAD + n

    def cancel(self, code: int) -> bool:
        if self.source is None:
            return False
        self.source, self.code, self.cancel_due, self.start_due = None, code, True, False
        return True

    def ended(self, transfer: int) -> bool:
        """BULK_END came. Whether it was for the transfer under way, which is over then."""
        if self.source is None or transfer != self.transfer:
            return False
        self.source = None
        self.start_due = False
        return True


class BulkReceiver:
    """The incoming transfer. `grant_due`, `end_due`: BULK_GRANT, BULK_END must go out. `offered`: the owner answers."""

    def __init__(self) -> None:
        self.transfer = 0
        self.kind = 0
        self.size = 0
        self.sha256 = b""
        self.sink: Sink | None = None
        self.offered = False
        self.grant_due = False
        self.end_due = False
        self.code = BULK_CODE_OK
        self.offset = 0
        self._done = False
        self._hash = hashlib.sha256()

    def started(self, transfer: int, kind: int, size: int, sha256: bytes) -> int:
        """BULK_START came: 0 it goes on or has ended, 1 a new offer, 2 a new offer that ends an unfinished one."""
        same = kind == self.kind and size == self.size and sha256 == self.sha256
        if same and self.sink is not None:
            self.transfer = transfer
            self.grant_due = True
            return 0
        if same and self._done and transfer == self.transfer:
            self.end_due = True  # the last BULK_END was lost with its session
            return 0
        unfinished = self.sink is not None
        self.sink = None
        self._done = self.grant_due = self.end_due = False
        self.transfer, self.kind, self.size, self.sha256 = transfer, kind, size, sha256
        self.offered = True
        return 2 if unfinished else 1

    def session_down(self) -> None:
        """Grants and ends are of the session; what was received stays."""
        self.offered = self.grant_due = self.end_due = False

    def accept(self, sink: "Sink") -> bool:
        """Takes the offer. Reads back what the sink already has, for the hash. True when that was all of it."""
        self.offered = False
        self._hash = hashlib.sha256()
        self.offset = 0
        if sink.have > self.size:
            self._end(BULK_CODE_TOO_LARGE)
            return True
        view = memoryview(bytearray(_PIECE))
        try:
            while self.offset < sink.have:
                n = sink.read_into(self.offset, view[: min(_PIECE, sink.have - self.offset)])
                if n <= 0:
                    raise OSError
                self._hash.update(view[:n])
                self.offset += n
        except (OSError, ValueError):
            self._end(BULK_CODE_STORE_FAILED)
            return True
        self.sink = sink
        self.grant_due = True
        return self._complete()

    def refuse(self, code: int) -> None:
        self.offered = False
        self._end(code)

    def until(self) -> int:
        return min(self.size, self.offset + GRANT_PIECES * _PIECE)

    def data(self, transfer: int, offset: int, view: memoryview) -> bool:
        """BULK_DATA came. True when the transfer is over (look at `code`)."""
        if self.sink is None or transfer != self.transfer:
            return False  # of a transfer that ended here; its sender knows or will
        n = len(view)
        if offset != self.offset or not n or offset + n > self.size:
            self._end(BULK_CODE_OUT_OF_ORDER)
            return True
        try:
            self.sink.write(view)
        except (OSError, ValueError):
            self._end(BULK_CODE_STORE_FAILED)
            return True
        self._hash.update(view)
        before = self.offset // (GRANT_PIECES * _PIECE // 2)
        self.offset += n
        if self.offset // (GRANT_PIECES * _PIECE // 2) != before:
            self.grant_due = True
        return self._complete()

    def cancelled(self, transfer: int) -> bool:
        """BULK_CANCEL came. Whether a transfer ends by it."""
        if transfer != self.transfer or (self.sink is None and not self.offered):
            return False
        self.sink, self.offered, self.grant_due = None, False, False
        self.code = BULK_CODE_CANCELLED
        return True

    def _complete(self) -> bool:
        if self.offset < self.size:
            return False
        self._end(BULK_CODE_OK if self._hash.digest() == self.sha256 else BULK_CODE_WRONG_HASH)
        return True

    def _end(self, code: int) -> None:
        self.sink, self.grant_due = None, False
        self.code, self.end_due, self._done = code, True, True
