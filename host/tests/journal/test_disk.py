"""A disk that is full: every append says so, nothing is half done, and play goes on by itself once there is room."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tumbler.journal import Journal, JournalFull, Retention


class SmallDisk(sqlite3.Connection):
    """SQLite's own limit on pages gives its own SQLITE_FULL, at the moment a full disk would."""

    room: int | None = None

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if sql == "BEGIN IMMEDIATE":
            limit = SmallDisk.room if SmallDisk.room is not None else 2**30
            super().execute(f"PRAGMA max_page_count={limit}")
        return super().execute(sql, *values)


@pytest.fixture(autouse=True)
def roomy() -> Any:
    SmallDisk.room = None
    yield
    SmallDisk.room = None


def fill_up(journal: Journal, games: Any, first: int) -> int:
    """Pages that have room left are filled first; how many games still went in."""
    for n in range(200):
        try:
            games(journal, first + n, first + n)
        except JournalFull:
            return n
    raise AssertionError("the disk never got full")


def test_a_full_disk_is_an_error_that_changes_nothing_and_passes(path: Path, games: Any) -> None:
    with Journal.open(path, factory=SmallDisk) as journal:
        games(journal, 1, 20)
        SmallDisk.room = 1
        head, depth = journal.head, journal.outbox.depth("t1")
        n = 21 + fill_up(journal, games, 21)
        for _ in range(3):
            with pytest.raises(JournalFull, match="free some space"):
                games(journal, n, n)
        assert journal.counters.failures == 4
        assert journal.head[0] >= head[0]
        assert journal.outbox.depth("t1") == depth + n - 21
        SmallDisk.room = None
        games(journal, n, n + 10)
        assert [record.body["spin"] for record in journal.last("t1", 999)] == list(range(1, n + 11))
        assert journal.verify().ok


async def test_with_group_commit_all_that_wait_are_told(path: Path) -> None:
    with Journal.open(path, factory=SmallDisk) as journal:
        body = {"spin": 0, "padding": "x" * 3000}
        SmallDisk.room = 1
        asked = [journal.append_async("result", "t1", body, result_id=f"e-{n}") for n in range(50)]
        told = await asyncio.gather(*asked, return_exceptions=True)
        # A small first group may still fit into a page that has room; nobody is left without an answer, and who was told
        # that it is on disk finds it there.
        full = [isinstance(one, JournalFull) for one in told]
        assert sum(full) > 40
        assert not [one for one in told if isinstance(one, BaseException) and not isinstance(one, JournalFull)]
        kept = [f"e-{n}" for n in range(50) if not full[n]]
        assert [record.result_id for record in journal.last("t1", 99)] == kept
        SmallDisk.room = None
        await journal.append_async("result", "t1", body, result_id="e-50")
        assert journal.verify().ok
        assert [record.result_id for record in journal.last("t1", 99)] == [*kept, "e-50"]


# --- retention --------------------------------------------------------------------------------------------------------

DAY_MS = 86_400_000


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def play_days(journal: Journal, clock: Clock, games: Any, first: int, days: int, per_day: int = 20) -> None:
    for day in range(days):
        games(journal, first + day * per_day, first + (day + 1) * per_day - 1)
        clock.now += DAY_MS


def test_old_records_go_and_the_chain_stays_whole(path: Path, clock: Clock, games: Any, prove: Any) -> None:
    with Journal.open(path, clock=clock) as journal:
        play_days(journal, clock, games, 1, 10)
        before = journal.verify().records
        gone = journal.retain(Retention(days=3, games=10))
        assert gone > 100
        report = journal.verify()
        assert report.ok
        assert (report.pruned_upto, report.records) == (gone, before - gone + 1)
        games(journal, 500, 510)
    assert prove(path).ok
    assert prove(path, key=False).ok
    with Journal.open(path, clock=clock) as journal:
        assert journal.recovery is None


def test_what_was_removed_can_still_not_be_counted_twice(path: Path, clock: Clock, games: Any) -> None:
    with Journal.open(path, clock=clock) as journal:
        play_days(journal, clock, games, 1, 10)
        journal.retain(Retention(days=1, games=5))
        assert all(record.body["spin"] > 100 for record in journal.last("t1", 999))
        answer = journal.has_result("t1", "0badcafe-00000003")
        assert answer is not None
        with pytest.raises(Exception, match="already record"):
            games(journal, 3, 3)
        assert journal.has_result("t1", "0badcafe-00000999") is None


def test_the_last_games_stay_however_old(path: Path, clock: Clock, games: Any) -> None:
    with Journal.open(path, clock=clock) as journal:
        play_days(journal, clock, games, 1, 2)
        clock.now += 1000 * DAY_MS
        journal.retain(Retention(days=1, games=15))
        assert len(journal.last("t1", 999)) == 15
        assert journal.retain(Retention(days=1, games=15)) <= 1
        assert journal.retain(Retention(days=1, games=9999)) == 0


def test_what_waits_for_the_broker_is_not_removed(path: Path, clock: Clock, games: Any) -> None:
    with Journal.open(path, clock=clock) as journal:
        play_days(journal, clock, games, 1, 10)
        journal.retain(Retention(days=1, games=1))
        assert journal.outbox.depth("t1") == 200
        assert journal.outbox.next_items("t1", limit=1)[0].seq == 2


def test_the_file_stops_growing(path: Path, clock: Clock, games: Any) -> None:
    sizes = []
    with Journal.open(path, clock=clock) as journal:
        for turn in range(8):
            play_days(journal, clock, games, 1 + turn * 100, 5)
            journal.outbox.done("t1", 10**9)
            journal.retain(Retention(days=5, games=10))
            sizes.append(path.stat().st_size + path.with_name("journal.db-wal").stat().st_size)
    assert max(sizes[4:]) <= 1.1 * max(sizes[:4])


def test_a_beginning_removed_by_hand_is_not_taken_for_retention(
    path: Path, clock: Clock, games: Any, prove: Any
) -> None:
    with Journal.open(path, clock=clock) as journal:
        play_days(journal, clock, games, 1, 10)
        journal.retain(Retention(days=5, games=10))
    db = sqlite3.connect(path)
    first = db.execute("SELECT min(seq) FROM record").fetchone()[0]
    db.execute("DELETE FROM record WHERE seq = ?", (first,))
    db.commit()
    assert prove(path).finding.seq == first
    db.execute("UPDATE meta SET value = json_set(value, '$.upto', ?) WHERE name = 'base'", (first,))
    db.commit()
    db.close()
    assert "not signed" in prove(path).finding.why


@pytest.mark.parametrize(("days", "games_kept"), [(0, 10), (5, 0), (-1, 5)])
def test_a_rule_that_keeps_nothing_is_no_rule(days: int, games_kept: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Retention(days=days, games=games_kept)
