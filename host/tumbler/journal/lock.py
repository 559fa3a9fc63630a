"""One writer: an advisory lock beside the journal, held as long as the process lives, gone with it even by kill -9.

SQLite would let two daemons take turns; the chain's end in memory, and the outbox's order, would not survive that.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from tumbler.journal.errors import JournalLocked, JournalUnwritable


class WriterLock:
    def __init__(self, journal: Path) -> None:
        self._path = journal.with_name(journal.name + ".lock")
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise JournalUnwritable(
                f"journal {journal}: {error.strerror} for its lock {self._path}; "
                "check that the folder exists and may be written"
            ) from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self._fd, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(self._fd)
            raise JournalLocked(
                f"journal {journal} is written by process {holder} already; stop that daemon or choose another path"
            ) from error
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        # The file stays: removing it would let a third process lock a name that a second one holds open.
        os.close(self._fd)
