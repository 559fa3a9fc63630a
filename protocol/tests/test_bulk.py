"""Bulk transfers: whole, in order, resumed after any break, and never in the way of a result."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import pytest
from dicewire import codes
from dicewire.bulk import MemorySink, MemorySource
from dicewire.messages import EVENT, RESULT
from dicewire.session import BULK_DONE, BULK_FAILED, BULK_OFFER, CONTROLLER, HOST

from .wire import Wire

TABLE = random.Random(99).randbytes(7_777)


class CountingSource(MemorySource):
    """Says how many bytes were read from it."""

    read = 0

    def read_into(self, offset: int, view: memoryview) -> int:
        n = super().read_into(offset, view)
        self.read += n
        return n


def _accepting(wire: Wire, sinks: list[MemorySink], have: bytes = b"") -> None:
    def event(role: int, told: tuple[Any, ...]) -> None:
        if told[0] == BULK_OFFER:
            sink = MemorySink(told[2])
            sink.data[: len(have)] = have
            sink.have = len(have)
            sinks.append(sink)
            wire.sides[role].bulk_accept(sink, wire.now)

    wire.on_event = event


def _done(wire: Wire, role: int) -> bool:
    return any(event[0] in (BULK_DONE, BULK_FAILED) for event in wire.told[role])


@pytest.mark.parametrize("sender", [HOST, CONTROLLER])
@pytest.mark.parametrize("size", [0, 1, 239, 240, 241, 7_777])
def test_it_arrives_whole(sender: int, size: int) -> None:
    wire, sinks = Wire(1).join(), []
    _accepting(wire, sinks)
    source = MemorySource(TABLE[:size])
    assert wire.sides[sender].bulk_send(codes.BULK_GAME_TABLE, source, wire.now)
    assert not wire.sides[sender].bulk_send(codes.BULK_LOG, source, wire.now), "one at a time"
    wire.run(lambda: _done(wire, HOST) and _done(wire, CONTROLLER))
    assert bytes(sinks[0].data) == TABLE[:size]
    assert (BULK_DONE, codes.BULK_GAME_TABLE, hashlib.sha256(TABLE[:size]).digest(), True) in wire.told[sender]


@pytest.mark.parametrize("seed", range(5))
def test_it_resumes_where_the_line_was_cut(seed: int) -> None:
    wire, sinks = Wire(seed).join(), []
    _accepting(wire, sinks)
    source = CountingSource(TABLE)
    wire.host.bulk_send(codes.BULK_GAME_TABLE, source, wire.now)
    cut_at = wire.rng.randrange(500, 7_000)
    wire.run(lambda: bool(sinks) and sinks[0].have >= cut_at)
    for line in wire.lines:
        line.cut = True
    wire.run(lambda: not wire.host.up and not wire.controller.up, 30_000)
    for line in wire.lines:
        line.cut = False
    wire.run(lambda: _done(wire, HOST) and _done(wire, CONTROLLER))
    assert bytes(sinks[-1].data) == TABLE
    assert source.read < 2 * len(TABLE) - cut_at + 16 * 240, "what had arrived was not sent again"


def test_it_resumes_from_a_store_that_kept_a_part() -> None:
    wire, sinks = Wire(3).join(), []
    _accepting(wire, sinks, have=TABLE[:5_000])
    source = CountingSource(TABLE)
    wire.host.bulk_send(codes.BULK_GAME_TABLE, source, wire.now)
    wire.run(lambda: _done(wire, HOST))
    assert bytes(sinks[0].data) == TABLE
    assert source.read == len(TABLE) - 5_000


def test_a_kept_part_of_something_else_is_found_by_the_hash() -> None:
    wire, sinks = Wire(4).join(), []
    _accepting(wire, sinks, have=bytes(5_000))
    wire.host.bulk_send(codes.BULK_GAME_TABLE, MemorySource(TABLE), wire.now)
    wire.run(lambda: _done(wire, HOST) and _done(wire, CONTROLLER))
    assert (BULK_FAILED, codes.BULK_GAME_TABLE, codes.BULK_CODE_WRONG_HASH, True) in wire.told[HOST]
    assert (BULK_FAILED, codes.BULK_GAME_TABLE, codes.BULK_CODE_WRONG_HASH, False) in wire.told[CONTROLLER]


class FailingSource(MemorySource):
    def read_into(self, offset: int, view: memoryview) -> int:
        if offset >= 1_000:
            raise OSError(5, "read")
        return super().read_into(offset, view)


class FullSink(MemorySink):
    def write(self, view: memoryview) -> None:
        if self.have >= 1_000:
            raise OSError(28, "full")
        super().write(view)


def test_a_source_that_fails_and_a_store_that_is_full_are_told_on_both_sides() -> None:
    wire, sinks = Wire(5).join(), []
    _accepting(wire, sinks)
    wire.host.bulk_send(codes.BULK_UPDATE, FailingSource(TABLE), wire.now)
    wire.run(lambda: _done(wire, HOST) and _done(wire, CONTROLLER))
    assert (BULK_FAILED, codes.BULK_UPDATE, codes.BULK_CODE_SOURCE_FAILED, True) in wire.told[HOST]

    wire = Wire(6).join()
    wire.on_event = lambda role, told: (
        wire.sides[role].bulk_accept(FullSink(told[2]), wire.now) if told[0] == BULK_OFFER else None
    )
    wire.host.bulk_send(codes.BULK_UPDATE, MemorySource(TABLE), wire.now)
    wire.run(lambda: _done(wire, HOST) and _done(wire, CONTROLLER))
    assert (BULK_FAILED, codes.BULK_UPDATE, codes.BULK_CODE_STORE_FAILED, True) in wire.told[HOST]


def test_a_refusal_and_a_cancel_end_it() -> None:
    wire = Wire(7).join()
    wire.on_event = lambda role, told: (
        wire.sides[role].bulk_refuse(codes.BULK_CODE_TOO_LARGE, wire.now) if told[0] == BULK_OFFER else None
    )
    wire.host.bulk_send(codes.BULK_UPDATE, MemorySource(TABLE), wire.now)
    wire.run(lambda: _done(wire, HOST))
    assert (BULK_FAILED, codes.BULK_UPDATE, codes.BULK_CODE_TOO_LARGE, True) in wire.told[HOST]

    wire, sinks = Wire(8).join(), []
    _accepting(wire, sinks)
    wire.host.bulk_send(codes.BULK_UPDATE, MemorySource(TABLE), wire.now)
    wire.run(lambda: bool(sinks) and sinks[0].have > 1_000)
    assert wire.host.bulk_cancel(wire.now)
    wire.run(lambda: _done(wire, CONTROLLER))
    assert (BULK_FAILED, codes.BULK_UPDATE, codes.BULK_CODE_CANCELLED, False) in wire.told[CONTROLLER]
    assert wire.host.up


def test_a_result_does_not_wait_for_a_log() -> None:
    """With a long transfer under way a result arrives within a few frame times, not after the transfer."""
    result = {
        "spin": 1, "faces": bytes((1, 2, 3)), "dice": 3, "state_before": 0, "state_after": 0, "puck": 0, "opinions": 2,
        "reads": 3, "spin_ms": 1, "tumbles": 1, "peak_rpm": 1, "nmb_ms": 1, "exposed_ms": 1, "read_ms": 1, "flags": 0,
        "wall_ms": 0, "uptime_ms": 1, "collected": 0, "areas": b"\x01",
    }  # fmt: skip
    wire, sinks = Wire(9).join(), []
    _accepting(wire, sinks)
    wire.controller.bulk_send(codes.BULK_LOG, MemorySource(TABLE * 10), wire.now)
    wire.run(lambda: bool(sinks) and sinks[0].have > 5_000)
    wire.controller.send(RESULT, result, wire.now)
    started, had = wire.now, sinks[0].have
    wire.run(lambda: bool(wire.messages(HOST, RESULT)))
    assert wire.messages(HOST, RESULT)[0]["faces"] == bytes((1, 2, 3))
    assert sinks[0].have - had < 8 * 240
    assert wire.now - started < 60
    assert not _done(wire, HOST)
    assert not wire.messages(HOST, EVENT)
