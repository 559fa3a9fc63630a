"""The journal in order: durable, chained, each game once, read beside the writer."""

from __future__ import annotations

import asyncio
import sqlite3
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tumbler.journal import (
    DuplicateResult,
    Journal,
    JournalClosed,
    JournalReader,
    Kind,
    NotAJournal,
)
from tumbler.journal.record import GENESIS, Draft, hash_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def test_records_are_numbered_chained_and_there_after_the_next_start(path: Path, games: Any, prove: Any) -> None:
    with Journal.open(path) as journal:
        made = games(journal, 1, 5)
    with Journal.open(path) as journal:
        made += games(journal, 6, 8)
        assert [record.body["spin"] for record in journal.last("t1", 99)] == list(range(1, 9))
        everything = list(journal.reader.records())
    assert [record.seq for record in everything] == list(range(1, len(everything) + 1))
    assert everything[0].prev == GENESIS
    assert all(a.hash == b.prev for a, b in pairwise(everything))
    assert prove(path).ok
    assert prove(path, key=False).ok


def test_a_spin_is_in_the_journal_once_whatever_it_ended_in(journal: Journal, games: Any) -> None:
    (first,) = games(journal, 1, 1)
    for kind in ("result", "no_spin", "refused"):
        with pytest.raises(DuplicateResult) as refused:
            journal.append(kind, "t1", {"spin": 1, "faces": [6, 6, 6]}, result_id=first.result_id)
        assert refused.value.record == first
    journal.append("result", "t2", {"spin": 1}, result_id=first.result_id)  # another table has spins of its own
    journal.append("event", "t1", {"kind": "fault"}, result_id=first.result_id)  # speaks of it, is not it
    assert journal.has_result("t1", str(first.result_id)) == first
    assert journal.has_result("t1", "0badcafe-00000002") is None
    assert journal.outbox.depth("t1") == 1


def test_what_cannot_be_json_is_refused_and_leaves_nothing(journal: Journal, games: Any, prove: Any) -> None:
    for body in ({"x": object()}, {"x": float("nan")}, {"x": b"bytes"}):
        with pytest.raises((TypeError, ValueError)):
            journal.append("event", "t1", body)
    games(journal, 1, 1)
    assert [record.seq for record in journal.reader.records()] == [1, 2]
    assert journal.verify().ok


def test_a_publication_that_fails_takes_its_record_with_it(journal: Journal) -> None:
    def publish(_record: Any) -> Any:
        raise ValueError("cannot be told")

    with pytest.raises(ValueError, match="cannot be told"):
        journal.append("result", "t1", {"spin": 1}, result_id="a-1", publish=publish)
    assert journal.has_result("t1", "a-1") is None
    assert journal.outbox.depth("t1") == 0


async def test_everything_that_waits_shares_a_sync_and_each_gets_its_own_answer(path: Path, games: Any) -> None:
    with Journal.open(path) as journal:
        before = journal.counters.commits
        ids = [n if n != 50 else 49 for n in range(1, 201)]  # one twice
        asked = [journal.append_async("result", "t1", {"spin": n}, result_id=f"e-{n}") for n in ids]
        done = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(one).__name__ for one in done].count("DuplicateResult") == 1
        seqs = [record.seq for record in done if not isinstance(record, BaseException)]
        assert seqs == sorted(seqs)
        assert len(seqs) == 199
        assert journal.counters.commits - before < 100
        assert journal.verify().ok


async def test_a_caller_that_gives_up_does_not_undo_its_record(path: Path) -> None:
    with Journal.open(path) as journal:
        task = asyncio.create_task(journal.append_async("result", "t1", {"spin": 1}, result_id="e-1"))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    with JournalReader(path) as reader:
        assert reader.has_result("t1", "e-1") is not None


def test_one_bad_draft_of_many_leaves_the_others_alone(journal: Journal) -> None:
    drafts = [Draft(Kind.EVENT, "t1", body) for body in ({"n": 1}, {"n": object()}, {"n": 3})]
    first, second, third = journal.append_many(drafts)
    assert isinstance(second, TypeError)
    assert third.seq == first.seq + 1  # type: ignore[union-attr]
    assert third.prev == first.hash  # type: ignore[union-attr]


def test_after_closing_it_says_so(path: Path) -> None:
    journal = Journal.open(path)
    journal.close()
    journal.close()
    with pytest.raises(JournalClosed):
        journal.append("event", "t1", {})


def test_a_checkpoint_is_signed_every_so_often_and_at_the_end(path: Path, games: Any) -> None:
    with Journal.open(path, checkpoint_every=10) as journal:
        games(journal, 1, 25)
    with JournalReader(path) as reader:
        signed = list(reader.records(kinds=(Kind.CHECKPOINT,)))
    assert [record.body["why"] for record in signed] == ["created", "count", "count", "closed"]
    assert all(record.body["upto"] == record.seq - 1 and record.body["hash"] == record.prev for record in signed)


def test_the_head_is_what_may_be_published(journal: Journal, games: Any) -> None:
    last = games(journal, 1, 3)[-1]
    assert journal.head == (last.seq, last.hash)


@pytest.mark.parametrize("content", [b"this is no database at all, but long enough to be one" * 40, None])
def test_another_file_is_not_taken_for_a_journal(path: Path, content: bytes | None) -> None:
    if content is None:
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE other (x)")
        db.commit()
        db.close()
    else:
        path.write_bytes(content)
    path.with_name(path.name + ".key").write_text("5a" * 32)
    path.with_name(path.name + ".key").chmod(0o600)
    before = path.read_bytes()
    with pytest.raises(NotAJournal, match=r"journal\.db"):
        Journal.open(path)
    assert path.read_bytes() == before


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bodies=st.lists(st.dictionaries(st.text(max_size=8), JSON, max_size=5), min_size=1, max_size=6))
def test_every_body_comes_back_as_it_was(bodies: list[Any], tmp_path_factory: Any) -> None:
    path = tmp_path_factory.mktemp("any") / "journal.db"
    with Journal.open(path) as journal:
        journal.append_many([Draft(Kind.EVENT, "t1", body) for body in bodies])
        assert journal.verify().ok
    with JournalReader(path) as reader:
        assert [record.body for record in reader.records(kinds=(Kind.EVENT,))] == bodies
        text, digest = reader.rows("SELECT text, hash FROM record ORDER BY seq DESC LIMIT 1")[0]
        assert hash_of(text) == digest
