"""The database of the recorder: SQLite, or PostgreSQL by the same statements. Each game once, by its result_id.

A second content for one id must never happen; when it does both are kept, and someone is told.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tumbler.recorder.game import Game, Gap, Void

FORMAT = 1

# {json} and {now} are the dialect's own words
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS recorder (format INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS game (site TEXT NOT NULL, tbl TEXT NOT NULL, result_id TEXT NOT NULL, kind TEXT NOT NULL,"
    " epoch TEXT NOT NULL, spin BIGINT NOT NULL, at TEXT, total INTEGER, faces TEXT, body {json} NOT NULL,"
    " PRIMARY KEY (site, tbl, result_id))",
    "CREATE INDEX IF NOT EXISTS game_by_spin ON game (site, tbl, epoch, spin)",
    "CREATE TABLE IF NOT EXISTS void (site TEXT NOT NULL, tbl TEXT NOT NULL, result_id TEXT NOT NULL, cause TEXT NOT NULL,"
    " at TEXT, PRIMARY KEY (site, tbl, result_id))",
    "CREATE TABLE IF NOT EXISTS conflict (site TEXT NOT NULL, tbl TEXT NOT NULL, result_id TEXT NOT NULL,"
    " kind TEXT NOT NULL, faces TEXT, body {json} NOT NULL)",
)
RESULTS_VIEW = (
    "SELECT game.site, game.tbl, game.result_id, game.spin, game.at, game.faces, game.total, void.cause AS void"
    " FROM game LEFT JOIN void ON void.site = game.site AND void.tbl = game.tbl AND void.result_id = game.result_id"
    " WHERE game.kind = 'result'"
)
GAPS = (
    "SELECT site, tbl, epoch, before + 1, spin - 1, newest FROM (SELECT site, tbl, epoch, spin,"
    " lag(spin) OVER (PARTITION BY site, tbl, epoch ORDER BY spin) AS before,"
    " max(spin) OVER (PARTITION BY site, tbl, epoch) AS newest FROM game) AS neighbours"
    " WHERE spin > before + 1 ORDER BY site, tbl, epoch, spin LIMIT 100"
)


class StoreFailed(Exception):
    """The database cannot be used for now; the message says why. Nothing was half done."""


class StoreUnusable(StoreFailed):
    """It will not do later either: a wrong address, a missing driver, another program's database."""


@dataclass
class Added:
    new: int = 0
    repeated: int = 0
    conflicts: int = 0


class Connection(Protocol):
    """What sqlite3 and psycopg have in common."""

    def execute(self, query: Any, params: Any = ...) -> Any: ...
    def commit(self) -> None: ...
    def rollback(self) -> None: ...
    def close(self) -> None: ...


class Store:
    """SQLite at a path. The statements are written for both; PostgreSQL is postgres.py."""

    json_type = "TEXT"
    failure: type[Exception] = sqlite3.Error

    def __init__(self, where: str) -> None:
        self.where = where
        self._connection: Connection | None = None
        with self._transaction():
            pass

    def _connect(self) -> Connection:
        db = sqlite3.connect(self.where, timeout=30, check_same_thread=False)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        return db

    def _sql(self, text: str) -> str:
        return text

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """A connection, made anew after a failure; committed at the end, or nothing happened."""
        try:
            if self._connection is None:
                self._connection = self._connect()
                self._prepare(self._connection)
            yield self._connection
            self._connection.commit()
        except self.failure as error:
            self._drop()
            raise StoreFailed(f"{self.shown}: {_one_line(error)}") from error
        except BaseException:
            self._drop()
            raise

    @property
    def shown(self) -> str:
        """Where it is, without a password."""
        return self.where

    def _prepare(self, db: Connection) -> None:
        for statement in SCHEMA:
            db.execute(statement.format(json=self.json_type))
        row = db.execute("SELECT max(format) FROM recorder").fetchone()
        if row[0] is None:
            db.execute(self._sql("INSERT INTO recorder VALUES (?)"), (FORMAT,))
        elif row[0] != FORMAT:
            raise StoreUnusable(f"{self.shown} has format {row[0]}, this program knows {FORMAT}")

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(self.failure):  # it may be lost already, which is why it is dropped
                self._connection.close()  # also rolls back
            self._connection = None

    # --- games ----------------------------------------------------------------------------------------------------------

    def add(self, entries: Sequence[Game | Void]) -> Added:
        """All of them in one transaction; a game that is there already changes nothing."""
        added = Added()
        with self._transaction() as db:
            for entry in entries:
                if isinstance(entry, Void):
                    void = (entry.site, entry.table, entry.result_id, entry.cause, entry.at)
                    db.execute(self._sql("INSERT INTO void VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"), void)
                else:
                    self._add_game(db, entry, added)
        return added

    def _add_game(self, db: Connection, game: Game, added: Added) -> None:
        row = (game.site, game.table, game.result_id, game.kind, game.epoch, game.spin, game.at, game.total)
        marks = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
        insert = f"INSERT INTO game VALUES ({marks}) ON CONFLICT DO NOTHING"
        if db.execute(self._sql(insert), (*row, game.faces, game.body)).rowcount == 1:
            added.new += 1
            return
        where = "site = ? AND tbl = ? AND result_id = ?"
        find = f"SELECT kind, faces FROM game WHERE {where}"
        there = db.execute(self._sql(find), (game.site, game.table, game.result_id)).fetchone()
        if game.same_outcome(*there):
            added.repeated += 1
            return
        added.conflicts += 1
        other = (game.site, game.table, game.result_id, game.kind, game.faces, game.body)
        db.execute(self._sql("INSERT INTO conflict VALUES (?, ?, ?, ?, ?, ?)"), other)

    def gaps(self) -> list[Gap]:
        """Spins that are missing, oldest first; at most a hundred."""
        with self._transaction() as db:
            return [Gap(*row) for row in db.execute(GAPS).fetchall()]

    def results(self, site: str, table: str) -> list[tuple[str, str, int, str | None]]:
        """(result_id, faces, total, void) of a table in the order of spins."""
        text = f"{RESULTS_VIEW} AND game.site = ? AND game.tbl = ? ORDER BY game.epoch, game.spin"
        with self._transaction() as db:
            rows = db.execute(self._sql(text), (site, table)).fetchall()
        return [(row[2], row[5], row[6], row[7]) for row in rows]

    def count(self, what: str = "game") -> int:
        with self._transaction() as db:
            return int(db.execute(f"SELECT count(*) FROM {what}").fetchone()[0])

    def close(self) -> None:
        self._drop()


def open_store(where: str) -> Store:
    """A path for SQLite, or postgresql://user@host/database. StoreFailed says why not."""
    if where.startswith(("postgresql://", "postgres://")):
        try:
            from tumbler.recorder.postgres import PostgresStore
        except ImportError as error:
            raise StoreUnusable("PostgreSQL needs psycopg: pip install 'tumbler[recorder]'") from error
        return PostgresStore(where)
    if "://" in where:
        raise StoreUnusable(f"{where} is neither a path nor a postgresql:// address")
    if not Path(where).absolute().parent.is_dir():
        raise StoreUnusable(f"{where}: its folder does not exist")
    return Store(where)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
