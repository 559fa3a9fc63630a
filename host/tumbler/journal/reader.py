"""Reading the journal, by the daemon itself or by any other process beside it. Never writes.

Records never change, so a batch at a time is as good as one long look, and does not keep SQLite from folding its log.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tumbler.journal.database import open_reader
from tumbler.journal.errors import JournalCorrupt, from_sqlite
from tumbler.journal.record import GAMES, Kind, Record, hash_of, parse

BATCH = 500


def statement(text: Any, name: str, path: Path) -> Any:
    """What stands in `meta` under this name, of a file that anyone may have written into."""
    try:
        return json.loads(text)
    except (ValueError, TypeError) as error:
        raise JournalCorrupt(
            f"journal {path}: what it says of itself (meta {name!r}) is not as it was written; "
            "keep the file as evidence and restore a backup"
        ) from error


def find_game(db: sqlite3.Connection, path: Path, table: str, result_id: str) -> Record | None:
    """What the spin with this id ended in. One that retention has removed is answered by the checkpoint that stands in
    for it: the journal must still know that it was counted."""
    row = db.execute("SELECT text, hash FROM record WHERE tbl = ? AND game = ?", (table, result_id)).fetchone()
    if row is not None:
        return parse(row[0], row[1])
    row = db.execute("SELECT value FROM meta WHERE name = 'base'").fetchone()
    if row is None:
        return None
    base = statement(row[0], "base", path)
    epoch, _, spin = result_id.rpartition("-")
    mark = base["marks"].get(table, {}).get(epoch)
    if mark is None or not spin.isdecimal() or int(spin) > mark:
        return None
    return Record(base["upto"], base["hash"], "", Kind.CHECKPOINT, table, result_id, base["at"], base)


class JournalReader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.db = open_reader(path)

    def close(self) -> None:
        self.db.close()

    def __enter__(self) -> JournalReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        try:
            return self.db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise from_sqlite(error, self.path) from error

    def meta(self, name: str) -> Any:
        rows = self.rows("SELECT value FROM meta WHERE name = ?", (name,))
        return statement(rows[0][0], name, self.path) if rows else None

    def has_result(self, table: str, result_id: str) -> Record | None:
        try:
            return find_game(self.db, self.path, table, result_id)
        except sqlite3.Error as error:
            raise from_sqlite(error, self.path) from error

    def last(
        self, table: str | None, n: int, kinds: Sequence[Kind] = (Kind.RESULT,), before: int | None = None
    ) -> list[Record]:
        """The last n records of these kinds (before this one), oldest first; of every table when none is named."""
        marks = ", ".join("?" * len(kinds))
        where, values = f"kind IN ({marks})", list[Any](kinds)
        if table is not None:
            where, values = where + " AND tbl = ?", [*values, table]
        if before is not None:
            where, values = where + " AND seq < ?", [*values, before]
        values.append(n)
        rows = self.rows(f"SELECT text, hash, seq FROM record WHERE {where} ORDER BY seq DESC LIMIT ?", values)
        return [self._parse(row) for row in reversed(rows)]

    def records(
        self,
        *,
        table: str | None = None,
        kinds: Sequence[Kind] | None = None,
        after: int = 0,
        upto: int | None = None,
    ) -> Iterator[Record]:
        """Records in order, a batch in memory at a time."""
        where = "seq > ?"
        fixed: list[Any] = []
        if table is not None:
            where, fixed = where + " AND tbl = ?", [*fixed, table]
        if kinds is not None:
            where, fixed = where + f" AND kind IN ({', '.join('?' * len(kinds))})", [*fixed, *kinds]
        if upto is not None:
            where, fixed = where + " AND seq <= ?", [*fixed, upto]
        while True:
            sql = f"SELECT text, hash, seq FROM record WHERE {where} ORDER BY seq LIMIT {BATCH}"
            rows = self.rows(sql, [after, *fixed])
            for row in rows:
                after = row[2]  # the place, not what a changed text may claim
                yield self._parse(row)
            if len(rows) < BATCH:
                return

    def games(self, table: str | None, n: int, before: int | None = None) -> list[Record]:
        """The last n games, or the last n before this record."""
        return self.last(table, n, GAMES, before)

    def counts(self) -> dict[str, int]:
        return dict(self.rows("SELECT kind, count(*) FROM record GROUP BY kind"))

    def _parse(self, row: tuple[Any, Any, int]) -> Record:
        """What was changed is not handed on, not even to one who didn't ask `verify` first."""
        text, digest, seq = row
        try:
            if not isinstance(text, str) or hash_of(text) != digest:
                raise ValueError("its text does not give its hash")
            return parse(text, digest)
        except (ValueError, KeyError, TypeError) as error:
            raise JournalCorrupt(
                f"journal {self.path}: record {seq} is not as it was written ({error}); run `tumbler journal verify`"
            ) from error
