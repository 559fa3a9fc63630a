"""A backup while the daemon writes: one moment of the journal, proved, and good to go on with."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from tumbler.journal import Journal, JournalCorrupt, JournalMissing, JournalReader, JournalUnwritable
from tumbler.journal.backup import BackupExists, backup
from tumbler.journal.key import default_key_file, read_journal_key


def test_backups_of_a_journal_that_is_being_written_are_each_one_whole_moment(
    path: Path, tmp_path: Path, games: Any
) -> None:
    stop = threading.Event()
    with Journal.open(path) as journal:
        games(journal, 1, 5)

        def write() -> None:
            n = 6
            while not stop.is_set():
                games(journal, n, n)
                n += 1

        writer = threading.Thread(target=write)
        writer.start()
        key = read_journal_key(default_key_file(path))
        try:
            reports = [backup(path, tmp_path / f"copy{n}.db", key) for n in range(5)]
        finally:
            stop.set()
            writer.join()
        last = journal.head[0]
    assert all(report.ok and report.sealed for report in reports)
    ends = [report.last for report in reports]
    assert ends == sorted(ends)
    assert ends[-1] <= last
    for n, report in enumerate(reports):
        with JournalReader(tmp_path / f"copy{n}.db") as reader:
            assert [record.body["spin"] for record in reader.records(table="t1")] == list(range(1, report.last))
    assert not list(tmp_path.glob("*.part*"))


def test_a_restored_backup_goes_on_with_its_key(written: Path, tmp_path: Path, games: Any, prove: Any) -> None:
    copy = tmp_path / "restored" / "journal.db"
    copy.parent.mkdir()
    backup(written, copy)
    assert not default_key_file(copy).exists()  # a backup travels, the key must not
    assert prove(copy, key=False).ok
    shutil.copy(default_key_file(written), default_key_file(copy))
    with Journal.open(copy) as journal:
        assert journal.recovery is None
        games(journal, 11, 12)
        assert journal.outbox.depth("t1") == 12
    assert prove(copy).ok


def test_a_backup_is_never_written_over_another_file(written: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("dear")
    with pytest.raises(BackupExists):
        backup(written, target)
    assert target.read_text() == "dear"


def test_a_journal_with_a_fault_is_not_copied_as_if_it_were_good(tamper: Any, tmp_path: Path) -> None:
    tamper.sql("DELETE FROM record WHERE seq = 4")
    with pytest.raises(JournalCorrupt, match="record 4 removed"):
        backup(tamper.path, tmp_path / "copy.db")
    assert not list(tmp_path.glob("copy.db*"))


def test_what_cannot_be_read_or_written_is_said(written: Path, tmp_path: Path) -> None:
    with pytest.raises(JournalMissing):
        backup(tmp_path / "nowhere.db", tmp_path / "copy.db")
    with pytest.raises(JournalUnwritable):
        backup(written, tmp_path / "nowhere" / "copy.db")
