"""What can go wrong with the journal, one class for each thing that a caller can act on.

Every message says what failed, where, and what to do next. SQLite's own codes are translated here and nowhere else.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tumbler.journal.record import Record


class JournalError(Exception):
    """The journal cannot do what was asked. Nothing was half done: the transaction was rolled back."""

    code = "journal_error"


class JournalUnwritable(JournalError):
    """No permission, a read-only or failing disk: hold the table, call the technician, try again."""

    code = "journal_unwritable"


class JournalFull(JournalUnwritable):
    """No space left: hold the table, make room, try again."""

    code = "journal_full"


class JournalCorrupt(JournalError):
    """The file is damaged or is not a journal: stop, keep the file as evidence, restore a backup."""

    code = "journal_corrupt"


class NotAJournal(JournalCorrupt):
    """Some other file: most likely a wrong path."""

    code = "journal_foreign"


class JournalLocked(JournalError):
    """Another process writes this journal: there is exactly one writer."""

    code = "journal_locked"


class JournalKeyError(JournalError):
    """The key that seals records is missing, unreadable or another journal's."""

    code = "journal_key"


class JournalMissing(JournalError):
    """There is no journal where one was to be read."""

    code = "journal_missing"


class JournalClosed(JournalError):
    """Asked after close()."""

    code = "journal_closed"


class DuplicateResult(JournalError):
    """This result_id is in the journal already; `record` is what stands there."""

    code = "journal_duplicate"

    def __init__(self, record: Record) -> None:
        super().__init__(f"result {record.result_id} of table {record.table} is already record {record.seq}")
        self.record = record


# SQLite's primary result code -> our class and what a person should do about it
_BY_CODE: dict[int, tuple[type[JournalError], str]] = {
    sqlite3.SQLITE_FULL: (JournalFull, "the disk is full; free some space, the journal goes on by itself"),
    sqlite3.SQLITE_READONLY: (JournalUnwritable, "may not be written; check owner and permissions of file and folder"),
    sqlite3.SQLITE_PERM: (JournalUnwritable, "may not be written; check owner and permissions of file and folder"),
    sqlite3.SQLITE_CANTOPEN: (JournalUnwritable, "cannot be opened; check that the folder exists and may be written"),
    sqlite3.SQLITE_IOERR: (JournalUnwritable, "the disk reports an error; check the disk, then verify the journal"),
    sqlite3.SQLITE_CORRUPT: (JournalCorrupt, "is damaged; keep the file as evidence and restore a backup"),
    sqlite3.SQLITE_NOTADB: (NotAJournal, "is not a journal; check the path"),
    sqlite3.SQLITE_BUSY: (JournalLocked, "is held by another process; one daemon writes a journal"),
    sqlite3.SQLITE_LOCKED: (JournalLocked, "is held by another process; one daemon writes a journal"),
}


def from_sqlite(error: sqlite3.Error, path: Path) -> JournalError:
    """SQLite's error as ours; what SQLite does not number is a damaged file (a table that is not there)."""
    code = getattr(error, "sqlite_errorcode", None)
    kind, advice = _BY_CODE.get((code or 0) & 0xFF, (JournalCorrupt, "cannot be used"))
    return kind(f"journal {path}: {advice} (SQLite: {error})")
