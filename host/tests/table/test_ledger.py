"""From the wire into the journal: written before committed, once, in order, whatever the disk does."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tumbler.journal import Journal, Kind, Record
from tumbler.rules.gametable import GameImage
from tumbler.rules.tableplay import Play
from tumbler.table.holds import Hold, Holds
from tumbler.table.ledger import Ledger, Limits
from tumbler.table.payloads import Identity
from tumbler.table.spin import no_spin_from, result_from

EPOCH = bytes.fromhex("0a1b2c3d")
IDENTITY = Identity("demo", "t1", "crown-melbourne-sicbo-a", "00" * 32)
CRITICAL_SECONDS = 10


class Outlet:
    """Writes down what the ledger says, and what was on disk at that moment."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.commits: list[tuple[int, bool]] = []  # (spin, was it in the journal then?)
        self.told: list[tuple[str, Mapping[str, Any]]] = []
        self.records: list[Record] = []
        self.changed = asyncio.Event()

    def commit(self, epoch: str, spin: int) -> None:
        there = self._journal.has_result("t1", f"{epoch}-{spin:08d}")
        self.commits.append((spin, there is not None))
        self.changed.set()

    def recorded(self, record: Record) -> None:
        self.records.append(record)
        self.changed.set()

    def tell(self, kind: str, payload: Mapping[str, Any]) -> None:
        self.told.append((kind, payload))
        self.changed.set()

    async def until(self, ready: Callable[[], bool]) -> None:
        async with asyncio.timeout(CRITICAL_SECONDS):
            while not ready():
                self.changed.clear()
                await self.changed.wait()


class Desk:
    def __init__(self, journal: Journal, play: Play, image: GameImage) -> None:
        self.journal, self.outlet = journal, Outlet(journal)
        self.holds = Holds(self.outlet.changed.set)
        self.ledger = Ledger(IDENTITY, journal, play, image, Limits(2000, 8, 2), self.holds, self.outlet)

    def published(self, leaf: str) -> list[dict[str, Any]]:
        topic = IDENTITY.topic(leaf)
        items = self.journal.outbox.next_items("t1", limit=1000)
        return [json.loads(item.publication.payload) for item in items if item.publication.topic == topic]


@pytest.fixture
def desk(play: Play, image: GameImage) -> Any:
    @contextlib.asynccontextmanager
    async def opened(journal: Journal) -> AsyncIterator[Desk]:
        made = Desk(journal, play, image)
        work = asyncio.create_task(made.ledger.run())
        try:
            yield made
        finally:
            work.cancel()
            await asyncio.wait([work])

    return opened


async def test_committed_only_when_on_disk_and_published_from_the_same_transaction(
    desk: Any, journal: Journal, report: Any
) -> None:
    async with desk(journal) as at:
        for spin in range(1, 21):
            at.ledger.offer(result_from(report(spin, (1 + spin % 6, 2, 5)), EPOCH))
        await at.outlet.until(lambda: len(at.outlet.commits) == 20)
        assert at.outlet.commits == [(spin, True) for spin in range(1, 21)]
        assert [told["spin"] for told in at.published("result")] == list(range(1, 21))
        first = at.published("result")[0]
        assert first["faces"] == [2, 2, 5]
        assert first["total"] == 9
        assert "total:9" in first["winning_areas"]
        assert first["result_id"] == "0a1b2c3d-00000001"
        assert "wire" not in first


async def test_what_waited_over_a_new_session_is_committed_in_the_order_that_the_controller_wants(
    desk: Any, journal: Journal, report: Any
) -> None:
    """Spin 1 was journalled while no session was up, so its commit was lost; 2 must not be committed before 1 is again."""
    spins = [result_from(report(spin, (1 + spin % 6, 2, 5)), EPOCH) for spin in range(1, 7)]
    async with desk(journal) as at:
        for spin in spins:
            at.ledger.offer(spin)
        await at.outlet.until(lambda: len(at.outlet.commits) == 1)
        at.ledger.begin_again(EPOCH.hex())
        for spin in (*spins, *spins):  # the second time within one session: they wait already
            at.ledger.offer(spin)
        await at.outlet.until(lambda: at.ledger.waiting == 0)
        committed = 0
        for number, _ in at.outlet.commits[2:]:  # as controller/store.py does
            committed += number == committed + 1
        assert committed == 6
        assert len(at.outlet.commits) <= 9
        assert [told["spin"] for told in at.published("result")] == [1, 2, 3, 4, 5, 6]


async def test_a_repeat_is_committed_again_and_published_once(desk: Any, journal: Journal, report: Any) -> None:
    async with desk(journal) as at:
        for flags in (0, 1 << 4):
            at.ledger.offer(result_from(report(1, flags=flags), EPOCH))
            await at.outlet.until(lambda flags=flags: len(at.outlet.commits) == (2 if flags else 1))
        assert len(at.published("result")) == 1
        assert len(at.journal.last("t1", 10)) == 1
        assert at.holds.names == []


async def test_same_spin_with_another_content_is_not_committed_and_holds_the_table(
    desk: Any, journal: Journal, report: Any
) -> None:
    async with desk(journal) as at:
        at.ledger.offer(result_from(report(1, (1, 1, 2)), EPOCH))
        await at.outlet.until(lambda: len(at.outlet.commits) == 1)
        at.ledger.offer(result_from(report(1, (6, 6, 6)), EPOCH))
        at.ledger.offer(result_from(report(2, (1, 2, 3)), EPOCH))
        await at.outlet.until(lambda: len(at.outlet.commits) == 2)
        assert [spin for spin, _ in at.outlet.commits] == [1, 2]
        assert Hold.RESULT_REFUSED in at.holds
        (event,) = at.published("event/refused")
        assert event["code"] == "conflict"
        assert event["findings"][0]["evidence"]["journal"]["faces"] == "010102"
        assert event["findings"][0]["evidence"]["reported"]["faces"] == "060606"
        assert [told["faces"] for told in at.published("result")] == [[1, 1, 2], [1, 2, 3]]

        await at.ledger.release("anna", "tg_area_manager", "D5 7.4")
        assert at.holds.names == []
        assert [spin for spin, _ in at.outlet.commits] == [1, 2, 1, 2]


async def test_refused_result_is_kept_with_evidence_and_never_published_as_result(
    desk: Any, journal: Journal, report: Any
) -> None:
    async with desk(journal) as at:
        at.ledger.offer(result_from(report(1, tumbles=2), EPOCH))
        at.ledger.offer(result_from(report(2, areas=b"\x01"), EPOCH))
        await at.outlet.until(lambda: len(at.outlet.commits) == 2)
        assert at.published("result") == []
        weak, lamps = at.published("event/refused")
        assert (weak["code"], weak["consequence"], weak["rule"]) == ("spin_weak", "refuse", "D5 7.1.2")
        assert (lamps["code"], lamps["consequence"], lamps["rule"]) == ("areas", "hold", "D5 7.3")
        assert lamps["findings"][0]["evidence"]["wanted"]
        kept = at.journal.last("t1", 10, (Kind.REFUSED,))
        assert [record.body["wire"]["spin"] for record in kept] == [1, 2]


async def test_a_mild_refusal_lets_play_go_on_a_grave_one_holds(desk: Any, journal: Journal, report: Any) -> None:
    async with desk(journal) as at:
        at.ledger.offer(result_from(report(1, tumbles=2), EPOCH))
        await at.outlet.until(lambda: len(at.outlet.commits) == 1)
        assert at.holds.names == []
        at.ledger.offer(result_from(report(2, dice=2), EPOCH))
        await at.outlet.until(lambda: len(at.outlet.commits) == 2)
        assert at.holds.names == ["result_refused"]


async def test_the_hold_of_a_refused_result_survives_the_daemon(desk: Any, tmp_path: Path, report: Any) -> None:
    with Journal.open(tmp_path / "j.db") as journal:
        async with desk(journal) as at:
            at.ledger.offer(result_from(report(1, areas=b"\x01"), EPOCH))
            await at.outlet.until(lambda: len(at.outlet.commits) == 1)
    with Journal.open(tmp_path / "j.db") as journal:
        async with desk(journal) as at:
            assert at.holds.names == ["result_refused"]
            await at.ledger.release("anna", "tg_area_manager", "D5 7.4")
    with Journal.open(tmp_path / "j.db") as journal:
        async with desk(journal) as at:
            assert at.holds.names == []


async def test_a_hold_by_order_survives_the_daemon_until_someone_releases_it(desk: Any, tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j.db") as journal:
        async with desk(journal) as at:
            await at.ledger.hold("anna", "tg_area_manager", "D5 7.4")
            assert at.holds.names == ["commanded"]
            (told,) = at.published("event/access")
            assert (told["code"], told["by"], told["rule"]) == ("held", "anna", "D5 7.4")
    with Journal.open(tmp_path / "j.db") as journal:
        async with desk(journal) as at:
            assert at.holds.names == ["commanded"]
            await at.ledger.release("ben", "tg_area_manager", "D5 7.4")
            assert at.holds.names == []
    with Journal.open(tmp_path / "j.db") as journal:
        async with desk(journal) as at:
            assert at.holds.names == []


async def test_the_past_is_known_after_a_restart(desk: Any, tmp_path: Path, report: Any) -> None:
    with Journal.open(tmp_path / "j.db") as journal:
        async with desk(journal) as at:
            at.ledger.offer(result_from(report(8), EPOCH))
            await at.outlet.until(lambda: len(at.outlet.commits) == 1)
    with Journal.open(tmp_path / "j.db") as journal:
        async with desk(journal) as at:
            at.ledger.offer(result_from(report(8), EPOCH))  # killed before the COMMIT went out
            at.ledger.offer(result_from(report(10), EPOCH))
            at.ledger.offer(result_from(report(3), EPOCH))
            await at.outlet.until(lambda: len(at.outlet.commits) == 3)
            (gap,) = at.published("event/fault")
            assert (gap["code"], gap["evidence"]["missing"]) == ("gap", 1)
            (back,) = at.published("event/refused")
            assert back["code"] == "goes_back"


async def test_another_epoch_counts_from_its_own_beginning(desk: Any, journal: Journal, report: Any) -> None:
    async with desk(journal) as at:
        at.ledger.offer(result_from(report(40), EPOCH))
        at.ledger.offer(result_from(report(1), b"\xff\xff\xff\xff"))
        await at.outlet.until(lambda: len(at.outlet.commits) == 2)
        assert [told["result_id"] for told in at.published("result")] == ["0a1b2c3d-00000040", "ffffffff-00000001"]
        assert at.published("event/refused") == []


async def test_no_spin_is_kept_and_told_with_cause_and_rule(desk: Any, journal: Journal) -> None:
    values = {"spin": 1, "cause": 1, "detail": 2, "by": 0, "wall_ms": 0, "uptime_ms": 9, "evidence": b"\x01\x02"}
    async with desk(journal) as at:
        at.ledger.offer(no_spin_from(values, EPOCH))
        await at.outlet.until(lambda: len(at.outlet.commits) == 1)
        (told,) = at.published("event/no_spin")
        assert (told["cause"], told["rule"], told["by"], told["evidence"]) == ("not_flat", "D5 7.1.1", "table", "0102")
        assert [record.kind for record in at.journal.last("t1", 5, (Kind.NO_SPIN,))] == [Kind.NO_SPIN]


class FailingDisk(sqlite3.Connection):
    """A database that says "disk full" at COMMIT while `full` is set."""

    full = False

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        if FailingDisk.full and sql == "COMMIT":
            raise sqlite3.OperationalError("database or disk is full")
        return super().execute(sql, *args)


async def test_full_disk_holds_the_table_and_loses_nothing(
    desk: Any, tmp_path: Path, report: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal.open(tmp_path / "j.db", factory=FailingDisk) as journal:
        async with desk(journal) as at:
            monkeypatch.setattr(FailingDisk, "full", True)
            for spin in (1, 2, 3):
                at.ledger.offer(result_from(report(spin), EPOCH))
            await at.outlet.until(lambda: Hold.JOURNAL_FAILED in at.holds)
            await at.outlet.until(lambda: at.outlet.told != [])
            assert at.outlet.commits == []
            assert at.holds.message() == {"on": 1, "reason": 2}
            ((kind, event),) = at.outlet.told
            assert (kind, event["severity"]) == ("fault", "critical")
            assert "full" in event["text"]
            for spin in (1, 2, 3):  # a new session brings them again
                at.ledger.offer(result_from(report(spin), EPOCH))
            monkeypatch.setattr(FailingDisk, "full", False)
            await at.outlet.until(lambda: len(at.outlet.commits) == 3)
            assert at.outlet.commits == [(1, True), (2, True), (3, True)]
            assert at.holds.message() == {"on": 0, "reason": 0}
            assert [told["spin"] for told in at.published("result")] == [1, 2, 3]
