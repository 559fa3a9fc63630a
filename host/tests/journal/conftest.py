"""A journal on a real disk, games to put into it, and a hand that tampers with the file behind its back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tumbler.journal import Journal, JournalReader, Publication, Record, Report
from tumbler.journal.key import default_key_file, read_journal_key
from tumbler.journal.record import canonical, hash_of
from tumbler.journal.verify import verify_database

EPOCH = "0badcafe"


def result_id(spin: int) -> str:
    return f"{EPOCH}-{spin:08d}"


def publications(record: Record) -> list[Publication]:
    return [Publication(f"tumbler/v1/demo/{record.table}/result", canonical({"seq": record.seq}).encode())]


def play(journal: Journal, first: int, last: int, table: str = "t1") -> list[Record]:
    """Results of these spins, each with something to publish."""
    return [
        journal.append(
            "result",
            table,
            {"spin": n, "faces": [1 + n % 6, 2, 3], "total": 6 + n % 6},
            result_id=result_id(n),
            publish=publications,
        )
        for n in range(first, last + 1)
    ]


def proof(path: Path, *, key: bool = True, anchor: tuple[int, str] | None = None) -> Report:
    with JournalReader(path) as reader:
        return verify_database(reader, read_journal_key(default_key_file(path)) if key else None, anchor)


class Tamper:
    """Changes the database with SQLite's own means, as someone with the disk in hand would."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def sql(self, *statements: str | tuple[str, tuple[Any, ...]]) -> None:
        db = sqlite3.connect(self.path)
        try:
            for statement in statements:
                db.execute(*((statement,) if isinstance(statement, str) else statement))
            db.commit()
        finally:
            db.close()

    def rows(self) -> list[dict[str, Any]]:
        db = sqlite3.connect(self.path)
        db.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in db.execute("SELECT * FROM record ORDER BY seq")]
        finally:
            db.close()

    def put(self, row: dict[str, Any]) -> None:
        marks = ", ".join("?" * len(row))
        self.sql((f"INSERT OR REPLACE INTO record ({', '.join(row)}) VALUES ({marks})", tuple(row.values())))

    def move(self, first: int, by: int) -> None:
        """Records from `first` on get other places, their texts as they were."""
        self.sql(
            f"UPDATE record SET seq = -(seq + {by}) WHERE seq >= {first}", "UPDATE record SET seq = -seq WHERE seq < 0"
        )

    def rechain(self, first: int) -> None:
        """Give every record from `first` on a fitting hash and predecessor: all that can be done without the key."""
        rows = self.rows()
        prev = next((row["hash"] for row in rows if row["seq"] == first - 1), "0" * 64)
        for row in rows:
            if row["seq"] >= first:
                text = canonical({**json.loads(row["text"]), "prev": prev, "seq": row["seq"]})
                prev = hash_of(text)
                self.put({**row, "text": text, "hash": prev})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with Journal.open(path) as journal:
        yield journal


@pytest.fixture
def written(path: Path) -> Path:
    """A closed journal: record 1 its beginning, 2 to 11 results of spins 1 to 10, 12 the closing checkpoint."""
    with Journal.open(path) as journal:
        play(journal, 1, 10)
    return path


@pytest.fixture
def tamper(written: Path) -> Tamper:
    return Tamper(written)


@pytest.fixture
def games() -> Callable[..., list[Record]]:
    return play


@pytest.fixture
def prove() -> Callable[..., Report]:
    return proof
