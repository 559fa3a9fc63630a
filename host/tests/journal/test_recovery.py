"""After a crash: what was committed is there, what was half written is set aside and said, nothing is cut in silence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tumbler.journal import (
    Fault,
    Journal,
    JournalCorrupt,
    JournalKeyError,
    JournalLocked,
    JournalReader,
    JournalUnwritable,
    Kind,
)

FILES = ("journal.db", "journal.db-wal", "journal.db.head", "journal.db.key")

WRITER = """
import sys
from tumbler.journal import Journal, Publication
journal = Journal.open(sys.argv[1])
first = int(sys.argv[2])
for n in range(first, first + 100000):
    publish = lambda record: [Publication("t", b"x" * 200)]
    journal.append("result", "t1", {"spin": n}, result_id=f"e-{n}", publish=publish)
    print(n, flush=True)
"""


def crash_copy(source: Path, target: Path) -> Path:
    """The files as they lie on disk at this moment, while the writer has them open."""
    target.mkdir()
    for name in FILES:
        shutil.copy(source.with_name(name), target / name)
    return target / "journal.db"


def test_kill_9_at_any_moment_loses_nothing_that_was_said(path: Path, prove: Any) -> None:
    said = 0
    for turn in range(6):
        with subprocess.Popen([sys.executable, "-c", WRITER, path, str(said + 1)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            for _ in range(3 + 7 * turn):
                said = int(writer.stdout.readline())
            writer.kill()
            for line in writer.stdout:  # said before it died
                said = int(line) if line.endswith(b"\n") else said
        with Journal.open(path) as journal:
            games = journal.last("t1", 100_000)
            assert [record.body["spin"] for record in games] == list(range(1, len(games) + 1))
            assert len(games) in (said, said + 1)  # one more may be on disk that it had no time to say
            said = len(games)
            assert journal.outbox.depth("t1") == said
        assert prove(path).ok


def test_a_write_cut_at_any_byte_is_recognised_kept_and_said(
    path: Path, tmp_path: Path, games: Any, prove: Any
) -> None:
    """The power goes while SQLite writes its log: before the commit is whole, so nobody was told of it."""
    with Journal.open(path) as journal:
        games(journal, 1, 5)
        before = path.with_name("journal.db-wal").stat().st_size
        head = path.with_name("journal.db.head").read_bytes()
        games(journal, 6, 6)
        whole = crash_copy(path, tmp_path / "whole")
    after = whole.with_name("journal.db-wal").stat().st_size
    step = max(1, (after - before) // 23)
    torn = 0
    for number, cut in enumerate(range(before, after, step)):
        copy = tmp_path / f"cut{number}"
        shutil.copytree(whole.parent, copy)
        os.truncate(copy / "journal.db-wal", cut)
        (copy / "journal.db.head").write_bytes(head)  # is written after the commit, so it had not been
        with Journal.open(copy / "journal.db") as journal:
            assert [record.body["spin"] for record in journal.last("t1", 99)] == [1, 2, 3, 4, 5]
            if journal.recovery is not None:
                torn += 1
                assert journal.recovery.torn_bytes == cut - before
                assert "unfinished write" in str(journal.recovery)
                (kept,) = copy.glob("journal.db.torn-*")
                assert kept.stat().st_size == cut - before
                said = journal.last("", 1, (Kind.CHECKPOINT,))[0]
                assert said.body["torn_bytes"] == cut - before
            games(journal, 6, 7)
        assert prove(copy / "journal.db").ok
    assert torn >= 20  # only a cut within the first frame's own head cannot be told from an old log


def test_bits_that_flip_in_an_unfinished_write_are_recognised(path: Path, tmp_path: Path, games: Any) -> None:
    with Journal.open(path) as journal:
        games(journal, 1, 3)
        before = path.with_name("journal.db-wal").stat().st_size
        head = path.with_name("journal.db.head").read_bytes()
        games(journal, 4, 4)
        copy = crash_copy(path, tmp_path / "copy")
    copy.with_name("journal.db.head").write_bytes(head)
    with copy.with_name("journal.db-wal").open("r+b") as wal:
        wal.seek(before + 100)
        byte = wal.read(1)[0]
        wal.seek(before + 100)
        wal.write(bytes([byte ^ 0x10]))
    with Journal.open(copy) as journal:
        assert journal.recovery is not None
        assert journal.recovery.torn_bytes > 0
        assert [record.body["spin"] for record in journal.last("t1", 99)] == [1, 2, 3]


def test_a_disk_that_lied_about_a_sync_is_said_and_numbers_are_not_used_again(
    path: Path, tmp_path: Path, games: Any, prove: Any
) -> None:
    with Journal.open(path) as journal:
        games(journal, 1, 3)
        old = crash_copy(path, tmp_path / "old")
        last = games(journal, 4, 6)[-1].seq
        head = path.with_name("journal.db.head").read_bytes()
    old.with_name("journal.db.head").write_bytes(head)
    with Journal.open(old) as journal:
        assert journal.recovery is not None
        assert journal.recovery.lost == (last - 2, last)
        assert "ask the controller" in str(journal.recovery)
        again = games(journal, 4, 6)  # the controller still has them
        assert again[0].seq == last + 2
    found = prove(old).finding
    assert (found.fault, found.seq, found.upto) == (Fault.LOST, last - 2, last)


def test_a_head_file_that_is_gone_is_said(written: Path) -> None:
    written.with_name("journal.db.head").unlink()
    with Journal.open(written) as journal:
        assert journal.recovery is not None
        assert journal.recovery.head_missing
    with Journal.open(written) as journal:
        assert journal.recovery is None  # said once, signed into the chain


def test_a_journal_with_another_past_is_not_written_to(tamper: Any, games: Any) -> None:
    tamper.sql("UPDATE record SET hash = 'f' WHERE seq = 12")
    with pytest.raises(JournalCorrupt):
        Journal.open(tamper.path)


def test_a_journal_that_vanished_is_not_silently_begun_anew(written: Path) -> None:
    written.unlink()
    with pytest.raises(JournalCorrupt, match="restore a backup"):
        Journal.open(written)
    assert not written.exists()


def test_a_lost_or_foreign_key_is_said(written: Path) -> None:
    key = written.with_name("journal.db.key")
    key.write_text("5a" * 32)
    with pytest.raises(JournalKeyError, match="its own key"):
        Journal.open(written)
    key.chmod(0o644)
    with pytest.raises(JournalKeyError, match="chmod 600"):
        Journal.open(written)
    key.unlink()
    with pytest.raises(JournalKeyError, match="cannot be read"):
        Journal.open(written)


# --- one writer -------------------------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_by_name(journal: Journal, path: Path) -> None:
    with pytest.raises(JournalLocked, match=f"process {os.getpid()}"):
        Journal.open(path)


def test_another_process_is_refused_until_the_first_is_gone_even_by_kill_9(path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, path, "1"], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        with pytest.raises(JournalLocked, match=f"process {writer.pid}"):
            Journal.open(path)
        with JournalReader(path) as reader:  # reading is free to all
            assert reader.last("t1", 1)
        writer.kill()
    Journal.open(path).close()


# --- a disk that fails ------------------------------------------------------------------------------------------------


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(JournalUnwritable, match="check that the folder exists"):
        Journal.open(tmp_path / "nowhere" / "journal.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(JournalUnwritable):
        Journal.open(tmp_path / "journal.db")
