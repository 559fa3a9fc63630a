"""What still has to reach the broker: publications in the journal's own file, in the transaction of their record.

In order for each table, kept until the broker's PUBACK, there again after a restart. Nothing is held in memory but the
batch a caller asked for, so an outage of any length costs disk only. Sending is tumbler.mqtt's business.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tumbler.journal.journal import Journal
    from tumbler.journal.record import Record

BATCH = 32


@dataclass(frozen=True, slots=True)
class Publication:
    """One message to one full topic."""

    topic: str
    payload: bytes
    qos: int = 1
    expiry_s: int | None = None


@dataclass(frozen=True, slots=True)
class OutboxItem:
    id: int  # grows, is never used again: the order of sending
    table: str
    seq: int  # the journal record it came with
    at_ms: int
    publication: Publication


def enqueue(db: sqlite3.Connection, record: Record, publications: Sequence[Publication]) -> None:
    """Inside the transaction that writes the record."""
    db.executemany(
        "INSERT INTO outbox (tbl, seq, at_ms, topic, payload, qos, expiry_s) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(record.table, record.seq, record.at_ms, p.topic, p.payload, p.qos, p.expiry_s) for p in publications],
    )


def remove(db: sqlite3.Connection, table: str, upto: int) -> None:
    db.execute("DELETE FROM outbox WHERE tbl = ? AND id <= ?", (table, upto))


class Outbox:
    """The reading side, and the way to say that an item has arrived."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._listeners: dict[str, list[Callable[[], None]]] = {}

    def next_items(self, table: str, after: int = 0, limit: int = BATCH) -> list[OutboxItem]:
        """The oldest items of a table with an id above `after`, in order."""
        rows = self._journal.reader.rows(
            "SELECT id, tbl, seq, at_ms, topic, payload, qos, expiry_s FROM outbox"
            " WHERE tbl = ? AND id > ? ORDER BY id LIMIT ?",
            (table, after, limit),
        )
        return [OutboxItem(row[0], row[1], row[2], row[3], Publication(row[4], row[5], row[6], row[7])) for row in rows]

    def done(self, table: str, upto: int) -> None:
        """Everything of this table up to that id has arrived. Returns at once; a removal that is lost to a power cut
        only means that the item is sent again, with the same id."""
        self._journal.forget_sent(table, upto)

    def depth(self, table: str) -> int:
        return int(self._journal.reader.rows("SELECT count(*) FROM outbox WHERE tbl = ?", (table,))[0][0])

    def oldest_at_ms(self, table: str) -> int | None:
        """Since when the oldest item waits, for `health`."""
        rows = self._journal.reader.rows("SELECT at_ms FROM outbox WHERE tbl = ? ORDER BY id LIMIT 1", (table,))
        return int(rows[0][0]) if rows else None

    def listen(self, table: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake` (from any thread) after items of this table were committed; returns how to stop that."""
        self._listeners.setdefault(table, []).append(wake)
        return lambda: self._listeners[table].remove(wake)

    def wake(self, tables: set[str]) -> None:
        for table in tables:
            for listener in list(self._listeners.get(table, ())):
                listener()
