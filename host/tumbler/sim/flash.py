"""The controller's flash, played: files in memory that tear at any byte, fail, fill up and wear out.

The same methods as the controller's `Files`. What was appended whole is told to the witness, which knows from then on what
must still be there after any cut.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from random import Random

SIZE = 1_000_000
WORN_FAILS = 0.02  # of the writes to a worn flash


class PowerCut(BaseException):
    """The power went: passes every `except Exception` of the controller, as the end of power does."""


class Flash:
    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.files: dict[str, bytes] = {}
        self.cut_in: int | None = None  # bytes until the power fails inside a write
        self.fail_next = 0  # writes that end with EIO
        self.full = self.worn = self.unreadable = False
        self.writes = 0
        self.on_append: Callable[[str, bytes], None] = lambda name, data: None
        self.on_failed: Callable[[str, bytes], None] = lambda name, data: None
        self.on_remove: Callable[[str, bytes], None] = lambda name, data: None

    # --- as the controller's Files ----------------------------------------------------------------------------------------

    def names(self, ending: str) -> list[str]:
        return sorted(name for name in self.files if name.endswith(ending))

    def open(self, name: str) -> io.BytesIO:
        if name not in self.files:
            raise OSError(2, name)
        if self.unreadable:
            raise OSError(5, "EIO")
        return io.BytesIO(self.files[name])

    def load(self, name: str) -> bytes | None:
        if self.unreadable and name in self.files:
            raise OSError(5, "EIO")
        return self.files.get(name)

    def readable(self) -> bool:
        return not self.unreadable

    def append(self, name: str, data: bytes) -> None:
        old = self.files.get(name, b"")
        landed, error = self._write(bytes(data))
        self.files[name] = old + landed
        if error is None:
            self.on_append(name, landed)
            return
        self.on_failed(name, bytes(data))
        raise error

    def replace(self, name: str, data: bytes) -> None:
        """littlefs renames whole or not at all: the old file stands until the new one does."""
        _, error = self._write(bytes(data))
        if error is not None:
            raise error
        self.files[name] = bytes(data)

    def remove(self, name: str) -> None:
        if name not in self.files:
            raise OSError(2, name)
        _, error = self._write(b"\0")
        if error is not None:
            raise error
        gone = self.files.pop(name)
        self.on_remove(name, gone)

    def free_bytes(self) -> int:
        return 0 if self.full else SIZE - sum(map(len, self.files.values()))

    # --- what can go wrong ------------------------------------------------------------------------------------------------

    def _write(self, data: bytes) -> tuple[bytes, BaseException | None]:
        """What of it lands, and how it ends."""
        self.writes += 1
        if self.cut_in is not None:
            if self.cut_in <= len(data):
                landed, self.cut_in = data[: self.cut_in], None
                return landed, PowerCut()
            self.cut_in -= len(data)
        worn = self.worn and self._rng.random() < WORN_FAILS
        if worn or self.fail_next:
            self.fail_next = max(0, self.fail_next - 1)
            n = self._rng.choice((0, 1, len(data) // 2, len(data) - 1, len(data)))
            return data[:n], OSError(5, "EIO")
        return data, None
