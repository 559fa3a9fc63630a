"""How many results a second the journal takes, each on disk with full sync before it is acknowledged; for `tumbler bench`.

Beside a peer that does the same work plainly: one SQLite transaction for each result, same pragmas, no chain, no seal, no
group commit. Both in turn, in one run, on the same disk.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tumbler.journal.journal import Journal
from tumbler.journal.outbox import Publication
from tumbler.journal.record import Record

ROUNDS = 5
RESULTS = 1000  # a round
TABLES = 32  # each waits for its result to be on disk before it sends the next, as a ledger does
WANTED = 1000

BODY = {
    "book": "crown-melbourne-sicbo-a",
    "game_hash": "8" * 64,
    "epoch": "0badcafe",
    "faces": [3, 4, 5],
    "total": 12,
    "winning_areas": [
        "big",
        "even",
        "pair:3&4",
        "pair:3&5",
        "pair:4&5",
        "single:3",
        "single:4",
        "single:5",
        "total:12",
    ],
    "state_before": 0,
    "state_after": 0,
    "puck": 0,
    "opinions": ["tags"],
    "flags": [],
    "times": {"spin_ms": 3000, "nmb_ms": 2500, "exposed_ms": 5000, "read_ms": 5600, "uptime_ms": 913442},
    "spun_at": "2026-03-01T20:14:01.650Z",
    "notes": [],
}


def rows(rounds: int = ROUNDS, results: int = RESULTS, folder: Path | None = None) -> list[dict[str, Any]]:
    """Rows as `tumbler bench` prints them."""
    with tempfile.TemporaryDirectory(prefix="tumbler-journal-", dir=folder) as name:
        ours, plain, one_by_one = measure(Path(name), rounds, results)
    return [
        _row(f"journal, {TABLES} tables at once", ours, plain, "one SQLite transaction a result"),
        _row("journal, one result after the other", one_by_one, plain, "one SQLite transaction a result"),
        _row("journal, wanted at least", ours, float(WANTED), "the budget"),
    ]


def measure(folder: Path, rounds: int, results: int) -> tuple[float, float, float]:
    """Medians in results a second: (group commit, plain peer, ours one by one)."""
    group, peer, single = [], [], []
    plain = PlainPeer(folder / "plain.db")
    with Journal.open(folder / "journal.db") as journal:
        for turn in range(rounds):
            group.append(results / asyncio.run(_floor(journal, turn, results)))
            few = max(1, results // 10)
            peer.append(few / plain.take(turn, few))
            single.append(few / _alone(journal, turn, few))
    plain.close()
    return statistics.median(group), statistics.median(peer), statistics.median(single)


def _publish(record: Record) -> list[Publication]:
    told = {"result_id": record.result_id, **record.body, "seq": record.seq}
    return [Publication(f"tumbler/v1/bench/{record.table}/result", json.dumps(told).encode())]


async def _floor(journal: Journal, turn: int, results: int) -> float:
    """Seconds until all tables have all their results on disk."""

    async def table(name: str, count: int) -> None:
        for spin in range(count):
            body = {**BODY, "spin": spin}
            await journal.append_async("result", name, body, result_id=f"{turn:08x}-{spin:08d}", publish=_publish)

    began = time.perf_counter()
    await asyncio.gather(*(table(f"t{n}", results // TABLES) for n in range(TABLES)))
    return (time.perf_counter() - began) * results / (results // TABLES * TABLES)


def _alone(journal: Journal, turn: int, results: int) -> float:
    began = time.perf_counter()
    for spin in range(results):
        body = {**BODY, "spin": spin}
        journal.append("result", "alone", body, result_id=f"{turn:08x}-{spin:08d}", publish=_publish)
    return time.perf_counter() - began


class PlainPeer:
    """The plainest durable store of a result."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("CREATE TABLE result (tbl TEXT, result_id TEXT, body TEXT, PRIMARY KEY (tbl, result_id))")

    def take(self, turn: int, results: int) -> float:
        began = time.perf_counter()
        for spin in range(results):
            row = ("alone", f"{turn:08x}-{spin:08d}", json.dumps({**BODY, "spin": spin}))
            self._db.execute("INSERT INTO result VALUES (?, ?, ?)", row)
        return time.perf_counter() - began

    def close(self) -> None:
        self._db.close()


def _row(what: str, ours: float, peer: float, peer_name: str) -> dict[str, Any]:
    return {
        "what": what,
        "ours": round(ours),
        "peer": round(peer),
        "peer_name": peer_name,
        "ratio": round(ours / peer, 2),
        "unit": "results/s",
    }
