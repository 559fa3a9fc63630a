"""The outbox through restarts and outages: order kept, nothing lost, a repeat only with its own id, no memory held."""

from __future__ import annotations

import asyncio
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from tumbler.journal import Journal, Kind, Publication
from tumbler.journal.record import Draft

WAIT_S = 60


def add(journal: Journal, first: int, last: int, table: str = "t1", size: int = 0) -> None:
    """Results of these spins, in one transaction."""

    def publish(record: Any) -> list[Publication]:
        told = f'{{"result_id": "{record.result_id}", "spin": {record.body["spin"]}, "pad": "{"x" * size}"}}'
        return [Publication(f"tumbler/v1/demo/{table}/result", told.encode())]

    spins = range(first, last + 1)
    journal.append_many([Draft(Kind.RESULT, table, {"spin": n}, f"0badcafe-{n:08d}", publish) for n in spins])


def arrived(seen: Any, table: str = "t1") -> list[tuple[str, int]]:
    topic = f"tumbler/v1/demo/{table}/result"
    return [(m.payload["result_id"], m.payload["spin"]) for m in seen.everything if m.topic == topic]


def first_of_each(rows: list[tuple[str, int]]) -> list[int]:
    return list(dict(rows).values())


def test_items_wait_in_order_for_each_table_and_go_when_they_have_arrived(journal: Journal) -> None:
    add(journal, 1, 50)
    add(journal, 1, 5, "t2")
    add(journal, 51, 60)
    items = journal.outbox.next_items("t1", limit=100)
    assert [item.publication.payload.split(b'"spin": ')[1].split(b",")[0] for item in items] == [
        str(n).encode() for n in range(1, 61)
    ]
    assert journal.outbox.next_items("t1", after=items[9].id, limit=1) == [items[10]]
    journal.append_many([], {"t1": items[9].id})
    assert (journal.outbox.depth("t1"), journal.outbox.depth("t2")) == (50, 5)
    assert journal.outbox.oldest_at_ms("t1") == items[10].at_ms


def test_ids_are_never_used_again_even_after_the_outbox_was_empty(tmp_path: Path) -> None:
    path = tmp_path / "again.db"
    with Journal.open(path) as journal:
        add(journal, 1, 3)
        last = journal.outbox.next_items("t1")[-1].id
        journal.append_many([], {"t1": last})
        assert journal.outbox.depth("t1") == 0
    with Journal.open(path) as journal:
        add(journal, 4, 4)
        assert journal.outbox.next_items("t1")[0].id > last


async def test_after_a_restart_it_goes_on_where_it_stood(floor: Any, tmp_path: Path) -> None:
    path = tmp_path / "restart.db"
    seen_all: list[tuple[str, int]] = []
    async with asyncio.timeout(WAIT_S), floor.observer() as seen:
        for turn in range(4):
            with Journal.open(path) as journal:
                floor.journal = journal
                add(journal, 1 + turn * 100, 100 + turn * 100)
                async with floor.link():
                    # stopped in the middle: some are with the broker, some are not
                    await seen.until(lambda _, turn=turn: len(first_of_each(arrived(seen))) >= 60 + turn * 100)
        with Journal.open(path) as journal:
            floor.journal = journal
            async with floor.link():
                await seen.until(lambda _: len(first_of_each(arrived(seen))) == 400)
                await floor.until(lambda: journal.outbox.depth("t1") == 0)
        seen_all = arrived(seen)
    assert first_of_each(seen_all) == list(range(1, 401))
    assert {rid: spin for rid, spin in seen_all} == {f"0badcafe-{n:08d}": n for n in range(1, 401)}


async def test_killed_between_puback_and_removal_it_repeats_only_with_the_same_id(floor: Any, tmp_path: Path) -> None:
    """The removal is lost with the power: what the broker has already comes again, the same to the byte."""
    path = tmp_path / "killed.db"
    async with asyncio.timeout(WAIT_S), floor.observer() as seen:
        with Journal.open(path) as journal:
            floor.journal = journal
            journal.forget_sent = lambda *_: None  # type: ignore[method-assign]
            add(journal, 1, 20)
            async with floor.link():
                await seen.until(lambda _: len(arrived(seen)) == 20)
        with Journal.open(path) as journal:
            floor.journal = journal
            assert journal.outbox.depth("t1") == 20
            add(journal, 21, 25)
            async with floor.link():
                await seen.until(lambda _: len(arrived(seen)) == 45)
        contents: dict[str, set[str]] = {}
        for message in seen.everything:
            if message.topic.endswith("/result"):
                contents.setdefault(message.payload["result_id"], set()).add(str(message.payload))
    assert all(len(same) == 1 for same in contents.values())
    assert first_of_each(arrived(seen)) == list(range(1, 26))


async def test_tables_do_not_wait_for_each_other(floor: Any) -> None:
    add(floor.journal, 1, 300)
    add(floor.journal, 1, 3, "t2")
    async with asyncio.timeout(WAIT_S), floor.observer() as seen, floor.link(table="t2"):
        await seen.until(lambda _: len(arrived(seen, "t2")) == 3)
        assert arrived(seen) == []
        async with floor.link():
            await seen.until(lambda _: len(arrived(seen)) == 300)
    assert first_of_each(arrived(seen)) == list(range(1, 301))


async def test_a_week_without_a_broker_costs_disk_and_no_memory(floor: Any) -> None:
    """A busy table plays about 10 000 games a week; held in memory these would be more than 20 MB."""
    spins, size = 10_000, 2000
    floor.broker.stop()
    async with asyncio.timeout(100), floor.link() as link:
        tracemalloc.start()
        try:
            for first in range(1, spins, 500):
                add(floor.journal, first, first + 499, size=size)
                await asyncio.sleep(0)
            assert not link.connected
            assert floor.journal.outbox.depth("t1") == spins
            held, _ = tracemalloc.get_traced_memory()
            assert held < 2_000_000
            floor.broker.start()
            tracemalloc.reset_peak()
            await floor.until(lambda: floor.journal.outbox.depth("t1") <= spins - 3000)
            _, peak = tracemalloc.get_traced_memory()
            assert peak < 4_000_000
        finally:
            tracemalloc.stop()
        await floor.until(lambda: floor.journal.outbox.depth("t1") == 0)
        assert link.counters.acknowledged == link.counters.published == spins


@pytest.mark.parametrize("qos", [0, 2])
def test_the_outbox_keeps_what_was_asked(journal: Journal, qos: int) -> None:
    told = Publication("a/b", b"\x00\xff", qos=qos, expiry_s=60)
    journal.append("event", "t1", {}, publish=lambda _: [told])
    assert journal.outbox.next_items("t1")[0].publication == told
