"""The daemon's disk, played around the real journal: SQLite itself runs, on files in memory; its commits are made to fail.

What can happen: reads that fail, a commit whose sync fails (and whose bytes are there all the same, or not), a full disk, a slow
one, and a crash inside a commit that leaves the log torn at any byte. A crash takes a copy of the files as they lie at that
moment; the next daemon opens the copy, so SQLite's and the journal's own recovery are what is tested. docs/decisions/0005 says
why so.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Any, cast

from tumbler.journal import Journal, Record
from tumbler.journal.groupcommit import Commit, GroupCommit
from tumbler.journal.head import head_file
from tumbler.journal.key import default_key_file
from tumbler.sim.clockwork import MS, Clockwork
from tumbler.sim.hostloop import VirtualLoop

NAME = "journal.db"
ROOMY_MB = 10_000


class CommitFault(StrEnum):
    """What befalls a commit."""

    SYNC_FAILS = "sync_fails"  # nothing of it is there
    SYNC_FAILS_LATE = "sync_fails_late"  # it is there, and the daemon is told that it is not
    FULL = "full"
    CRASH = "crash"  # the machine dies inside it


class MachineDied(BaseException):
    """The daemon's machine lost its power inside a commit."""


def memory_folder() -> Path:
    """A folder on a file system in memory, where there is one: the disk is played, so a real one would only cost time."""
    shared = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="tumbler-sim-", dir=shared if shared.is_dir() else None))


class Disk:
    def __init__(self, clockwork: Clockwork, key: bytes) -> None:
        self._clockwork = clockwork
        self._rng: Random = clockwork.stream("disk")
        self._root = memory_folder()
        self._generation = 0
        self._folder = self._root / "0"
        self._folder.mkdir()
        key_file = default_key_file(self._folder / NAME)
        key_file.write_text(key.hex())
        key_file.chmod(0o600)
        self.standing: CommitFault | None = None  # befalls every commit while it stands
        self.next: CommitFault | None = None  # befalls the next one
        self.unreadable = False
        self.slow_us = 2 * MS
        self.free_mb = ROOMY_MB
        self.died = False
        self.commits = self.failures = 0
        self._image: dict[str, bytes] | None = None  # what a crash inside a commit left
        self.on_written: Callable[[Record], None] = lambda record: None
        self.on_landed: Callable[[], None] = lambda: None  # records that the daemon is told have failed

    @property
    def path(self) -> Path:
        return self._folder / NAME

    def open(self, loop: VirtualLoop, clock: Callable[[], int]) -> Journal:
        disk = self

        class Connection(sqlite3.Connection):
            def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
                if sql != "COMMIT":
                    return super().execute(sql, *values)
                return disk.commit(lambda: sqlite3.Connection.execute(self, "COMMIT"))

        def group(commit: Commit) -> GroupCommit:
            return _Group(self._told(commit), disk, loop, self._clockwork)

        journal = Journal.open(self.path, clock=clock, factory=Connection, group=group, checkpoint_every=50)
        journal.reader.db = cast(sqlite3.Connection, _Reader(journal.reader.db, self))
        return journal

    def _told(self, commit: Commit) -> Commit:
        def write(drafts: Sequence[Any], sent: Any) -> list[Any]:
            outcomes = commit(drafts, sent)
            for outcome in outcomes:
                if isinstance(outcome, Record):
                    self.on_written(outcome)
            return outcomes

        return write

    def latency(self) -> int:
        return int(self._rng.random() * self.slow_us)

    def commit(self, really: Callable[[], sqlite3.Cursor]) -> sqlite3.Cursor:
        fault, self.next = self.next or self.standing, None
        if fault is None:
            self.commits += 1
            return really()
        self.failures += 1
        if fault is CommitFault.FULL:
            raise _sqlite_error("database or disk is full", sqlite3.SQLITE_FULL)
        if fault is CommitFault.SYNC_FAILS:
            raise _sqlite_error("disk I/O error", sqlite3.SQLITE_IOERR_FSYNC)
        if fault is CommitFault.SYNC_FAILS_LATE:
            really()
            self.on_landed()
            raise _sqlite_error("disk I/O error", sqlite3.SQLITE_IOERR_FSYNC)
        before = self._files()
        really()
        self._image = self._torn(before, self._wal())
        self.died = True
        raise MachineDied

    # --- crashes --------------------------------------------------------------------------------------------------------

    def _wal(self) -> bytes:
        file = self.path.with_name(NAME + "-wal")
        return file.read_bytes() if file.exists() else b""

    def _files(self) -> dict[str, bytes]:
        names = (self.path, self.path.with_name(NAME + "-wal"), head_file(self.path), default_key_file(self.path))
        return {file.name: file.read_bytes() for file in names if file.exists()}

    def _torn(self, before: dict[str, bytes], after: bytes) -> dict[str, bytes]:
        """The files as a power cut inside the commit's write leaves them: the log's new part ends at any byte."""
        old = before.get(NAME + "-wal", b"")
        if len(after) <= len(old):  # the log began anew from its start: taken as not written
            return before
        cut = self._rng.randrange(len(old), len(after) + 1)
        return {**before, NAME + "-wal": after[:cut]}

    def crash(self) -> None:
        """The daemon is gone: what it left is all that the next one gets."""
        image = self._image or self._files()
        self._image, self.died = None, False
        self._generation += 1
        old, self._folder = self._folder, self._root / str(self._generation)
        self._folder.mkdir()
        for name, data in image.items():
            file = self._folder / name
            file.touch(0o600)
            file.write_bytes(data)
        shutil.rmtree(old)

    def close(self) -> None:
        shutil.rmtree(self._root)


class _Reader:
    """The journal's reading connection, on a disk that may not be readable."""

    def __init__(self, db: sqlite3.Connection, disk: Disk) -> None:
        self._db, self._disk = db, disk

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if self._disk.unreadable:
            raise _sqlite_error("disk I/O error", sqlite3.SQLITE_IOERR_READ)
        return self._db.execute(sql, *values)

    def close(self) -> None:
        self._db.close()


class _Group(GroupCommit):
    """The journal's own group commit; in the place of its thread, virtual time."""

    def __init__(self, commit: Commit, disk: Disk, loop: VirtualLoop, clockwork: Clockwork) -> None:
        super().__init__(commit)
        self._disk, self._loop, self._clockwork = disk, loop, clockwork
        self._asked = False

    def _start(self) -> None:
        if not self._asked:
            self._asked = True
            self._clockwork.after(self._disk.latency(), self._write)

    def _write(self) -> None:
        self._asked = False
        if self._loop.dead:
            return
        try:
            self.write_waiting()
        except MachineDied:
            return  # whoever runs the simulation sees it on the disk
        if self._waiting:
            self._start()


def _sqlite_error(text: str, code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error
