"""A copy of the journal while the daemon writes it: one consistent moment, proved before it gets its name.

The copy has its own head file, so it can be verified and, with the journal's key beside it, gone on with. The key itself
is not copied: a backup travels, a key must not.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from tumbler.journal.database import open_reader, sync_folder
from tumbler.journal.errors import JournalCorrupt, JournalError, JournalUnwritable, from_sqlite
from tumbler.journal.head import head_file
from tumbler.journal.key import JournalKey
from tumbler.journal.reader import JournalReader
from tumbler.journal.verify import Fault, Report, verify_database


class BackupExists(JournalError):
    """There is a file of that name; a backup is never written over another."""

    code = "backup_exists"


def backup(journal: Path, target: Path, key: JournalKey | None = None) -> Report:
    """Copy `journal` to `target`; the proof of the copy. Nothing is left behind when it fails."""
    for name in (target, head_file(target)):
        if name.exists():
            raise BackupExists(f"{name} is there already; a backup is never written over another")
    part = target.with_name(target.name + ".part")
    try:
        # The head is taken first: the journal may only be younger than its head, in a copy too.
        head = head_file(journal).read_bytes() if head_file(journal).exists() else b""
        _copy(journal, part)
        head_file(part).write_bytes(head)
        report = _prove(part, key)
        _settle(part, target)
        return report
    except OSError as error:
        raise JournalUnwritable(f"backup {target} cannot be written: {error.strerror}") from error
    finally:
        for name in (part, head_file(part), *(part.with_name(part.name + end) for end in ("-wal", "-shm"))):
            name.unlink(missing_ok=True)


def _copy(journal: Path, part: Path) -> None:
    source = open_reader(journal)
    try:
        try:
            copy = sqlite3.connect(part, isolation_level=None)
        except sqlite3.Error as error:
            raise from_sqlite(error, part) from error
        try:
            source.backup(copy)  # all pages in one read transaction: writers go on beside it
            copy.execute("PRAGMA journal_mode=DELETE")  # one file, no log beside it
        except sqlite3.Error as error:
            raise from_sqlite(error, part) from error
        finally:
            copy.close()
    finally:
        source.close()


def _prove(part: Path, key: JournalKey | None) -> Report:
    with JournalReader(part) as reader:
        report = verify_database(reader, key)
    if report.finding is not None and report.finding.fault is not Fault.LOST:
        found = report.finding
        raise JournalCorrupt(
            f"the journal has a fault, no backup was made: record {found.seq} {found.fault}: {found.why}; "
            "run `tumbler journal verify`"
        )
    return report


def _settle(part: Path, target: Path) -> None:
    for source, name in ((head_file(part), head_file(target)), (part, target)):
        with source.open("rb") as file:
            os.fsync(file.fileno())
        source.replace(name)
    sync_folder(target)
