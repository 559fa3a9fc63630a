"""Health: every limit is told with its gauge, each passing once, and a full disk or outbox holds the table in time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tumbler.config import TableConfig
from tumbler.journal import Journal, Kind
from tumbler.journal.errors import JournalUnwritable
from tumbler.table import health
from tumbler.table import table as table_room
from tumbler.table.access import Access
from tumbler.table.health import LIMITS, Rates, Watch
from tumbler.table.holds import Hold
from tumbler.table.table import Table

SECONDS = 10


class Broker:
    """Takes what the table says."""

    connected, detail = True, ""

    class counters:
        @staticmethod
        def as_json() -> dict[str, Any]:
            return {"ack_ms": 2.0}

    def __init__(self) -> None:
        self.retained: dict[str, Mapping[str, Any]] = {}

    def publish_retained(self, leaf: str, payload: Mapping[str, Any], *, expiry_s: int | None = None) -> None:
        self.retained[leaf] = payload

    def publish(self, leaf: str, payload: Mapping[str, Any]) -> bool:
        return True


class Seen:
    """The events that were journalled."""

    def __init__(self, table: Table) -> None:
        self.events: list[Mapping[str, Any]] = []
        self._changed = asyncio.Event()
        table.watch(self._heard)

    def _heard(self, leaf: str, payload: Mapping[str, Any]) -> None:
        if leaf.startswith("event/"):
            self.events.append(payload)
            self._changed.set()

    async def event(self, code: str, severity: str = "") -> Mapping[str, Any]:
        async with asyncio.timeout(SECONDS):
            while True:
                for event in self.events:
                    if event["code"] == code and severity in ("", event["severity"]):
                        return event
                self._changed.clear()
                await self._changed.wait()


@pytest.fixture
def playing(tmp_path: Path, journal: Journal) -> Callable[[], Any]:
    """A table whose controller is not plugged in, its ledger at work."""
    key = tmp_path / "t1.key"
    key.write_text("5a" * 32)
    key.chmod(0o600)
    config = TableConfig(id="t1", book="crown-melbourne-sicbo-a", port=str(tmp_path / "no"), key_file=key)

    @contextlib.asynccontextmanager
    async def opened() -> AsyncIterator[tuple[Table, Broker, Seen]]:
        broker = Broker()
        made = Table(config, "demo", "test", journal, broker, Access({}, lambda: 0.0))
        work = asyncio.create_task(made.ledger.run())
        try:
            yield made, broker, Seen(made)
        finally:
            work.cancel()
            await asyncio.wait([work])

    return opened


def look(table: Table, broker: Broker, journal: Journal, **changes: Any) -> dict[str, Any]:
    shared = {"interval_s": 1, "journal": health.journal_gauges(journal, 1), "daemon": health.process_gauges()}
    shared["journal"].update(changes)
    now = health.gauges(table, broker, health.outbox_gauges(journal, "t1", 1000), shared)
    table.show_health(now, 2)
    return now


async def test_every_known_gauge_is_told_with_its_limit(playing: Any, journal: Journal) -> None:
    async with playing() as (table, broker, _):
        table.controller_health = dict.fromkeys(("loop_max_ms", "heap_low", "temperature", "flash_erases"), 20_000)
        now = look(table, broker, journal)
    assert set(now["limits"]) == {limit.name for limit in LIMITS}
    assert now["limits"]["disk_low"]["limit"] == 1
    assert {"link_down", "loop_slow", "hot"} == set(now["warnings"])
    assert broker.retained["health"]["interval_s"] == 1


async def test_a_limit_is_an_event_when_it_is_passed_and_when_it_is_good_again(playing: Any, journal: Journal) -> None:
    async with playing() as (table, broker, seen):
        for slow in (3.0, 900.0, 900.0):
            look(table, broker, journal, slowest_ms=slow)
        event = await seen.event("journal_slow")
        assert (event["severity"], event["now"], event["limit"]) == ("warning", 900.0, 500)
        look(table, broker, journal, slowest_ms=4.0)
        await seen.event("journal_slow", "info")
    assert [(event["code"], event["severity"]) for event in seen.events] == [
        ("journal_slow", "warning"),
        ("journal_slow", "info"),
    ]


async def test_what_a_controller_has_not_said_is_not_guessed(playing: Any, journal: Journal) -> None:
    async with playing() as (table, broker, _):
        now = look(table, broker, journal)
    assert "heap_low" not in now["limits"]


async def test_a_journal_that_cannot_be_read_is_told_and_ends_nothing(
    playing: Any, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(_table: str) -> int:
        raise JournalUnwritable("disk I/O error")

    async with playing() as (table, broker, seen):
        table.holds.add(Hold.OUTBOX_FULL)
        with monkeypatch.context() as patch:
            patch.setattr(journal.outbox, "depth", unreadable)
            now = look(table, broker, journal)
            table.look_at_room(5000, 20, now["outbox"]["depth"], 1000)
        assert "journal_unread" in now["warnings"]
        assert Hold.OUTBOX_FULL in table.holds  # what is not known lifts nothing
        assert (await seen.event("journal_unread"))["severity"] == "warning"
        assert "journal_unread" not in look(table, broker, journal)["warnings"]


@pytest.mark.parametrize(
    ("hold", "full", "hardly", "room"),
    [
        (Hold.DISK_FULL, (19, 0), (30, 0), (40, 0)),
        (Hold.OUTBOX_FULL, (5000, 1001), (5000, 700), (5000, 500)),
    ],
)
async def test_no_room_holds_the_table_until_there_is_plenty(
    hold: Hold, full: tuple[int, int], hardly: tuple[int, int], room: tuple[int, int], playing: Any, journal: Journal
) -> None:
    async with playing() as (table, _, seen):
        table.look_at_room(full[0], 20, full[1], 1000)
        assert table.holds.names == [hold.value]
        assert table.holds.message()["on"] == 1
        assert (await seen.event(hold.value))["severity"] == "critical"
        table.look_at_room(hardly[0], 20, hardly[1], 1000)
        assert hold in table.holds
        table.look_at_room(room[0], 20, room[1], 1000)
        assert table.holds.names == []
        await seen.event(f"{hold.value}_over")


async def test_a_clock_that_jumps_is_an_event_and_keeps_the_order_of_spins(
    playing: Any, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing() as (table, _, seen):
        table.look_at_clock()
        right = table_room.wall_ms
        monkeypatch.setattr(table_room, "wall_ms", lambda: right() - 3_600_000)
        table.look_at_clock()
        event = await seen.event("clock_jump")
        assert "-3600.0 s" in event["text"]
        table.look_at_clock()
    assert len(journal.last("t1", 9, (Kind.EVENT,))) == 1


def test_a_disk_that_is_gone_has_no_room(tmp_path: Path) -> None:
    assert health.free_mb(tmp_path / "journal.db") > 0
    assert health.free_mb(tmp_path / "unmounted" / "journal.db") == 0


def test_a_watch_tells_each_change_once() -> None:
    watch = Watch()
    good = {"limits": {"hot": {"beyond": False}}}
    bad = {"limits": {"hot": {"beyond": True}}}
    told = [[limit.name for limit, _ in watch.changes(now)] for now in (good, bad, bad, good, good)]
    assert told == [[], ["hot"], [], ["hot"], []]


def test_a_cable_is_judged_by_enough_frames_or_enough_errors() -> None:
    def counted(frames: int, errors: int) -> dict[str, int]:
        return {"frames_in": frames, "frames_out": 0, "crc_errors": errors, "tag_errors": 0, "retransmits": 0}

    rates = Rates()
    assert rates.error_rate(counted(50, 1)) == 0  # a busy PC
    assert rates.error_rate(counted(100, 3)) == round(3 / 103, 4)  # slow trouble adds up
    assert rates.error_rate(counted(399, 4)) == 0
    assert rates.error_rate(counted(400, 4)) == round(1 / 301, 4)
