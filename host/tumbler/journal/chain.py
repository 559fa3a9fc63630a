"""The end of the chain and the connection that lengthens it: transactions, numbers, hashes, seals, checkpoints.

Knows nothing of threads, locks or the outbox's readers; the caller holds the writer's lock and lets in one thread at a
time.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tumbler.journal import database
from tumbler.journal.errors import DuplicateResult, from_sqlite
from tumbler.journal.key import JournalKey
from tumbler.journal.outbox import enqueue
from tumbler.journal.reader import find_game, statement
from tumbler.journal.record import GAMES, GENESIS, Draft, Kind, Record, parse, seal_text

Value = TypeVar("Value")


class Chain:
    def __init__(
        self, path: Path, key: JournalKey, factory: type[sqlite3.Connection], checkpoint_every: int, now_ms: int
    ) -> None:
        self.path, self.key = path, key
        self._factory, self._checkpoint_every = factory, checkpoint_every
        self.seq, self.hash, self.since_checkpoint = 0, GENESIS, 0
        self.stale = False  # a write failed: nobody knows what is on disk until the file was opened anew
        self.db = database.open_writer(path, factory)
        try:
            if database.is_empty(self.db):
                self._create(now_ms)
            self.id = str(self.meta("journal"))
            self._load()
        except BaseException:
            self.db.close()
            raise

    def _create(self, now_ms: int) -> None:
        """A journal is born with its first record, or not at all."""
        self.id = secrets.token_hex(16)

        def born() -> None:
            database.create(self.db)
            self.put_meta("journal", self.id)
            self.insert(self.checkpoint("created"), now_ms)

        self.transaction(born)
        database.sync_folder(self.path)

    def _load(self) -> None:
        row = self.db.execute("SELECT text, hash FROM record ORDER BY seq DESC LIMIT 1").fetchone()
        last = parse(row[0], row[1])
        self.seq, self.hash = last.seq, last.hash
        since = "SELECT count(*) FROM record WHERE seq > (SELECT max(seq) FROM record WHERE kind = 'checkpoint')"
        self.since_checkpoint = int(self.db.execute(since).fetchone()[0])

    def transaction(self, work: Callable[[], Value]) -> Value:
        """Do the work and commit; when this returns it is on disk. A failure leaves nothing behind."""
        before = (self.seq, self.hash, self.since_checkpoint)
        try:
            if self.stale:
                self.db.close()
                self.db = database.open_writer(self.path, self._factory)
                self._load()
                self.stale = False
                before = (self.seq, self.hash, self.since_checkpoint)
            self.db.execute("BEGIN IMMEDIATE")
            value = work()
            if self.seq != before[0]:
                self.put_meta("head", self.head_statement())  # so that a bare copy of the file knows its own end
            self.db.execute("COMMIT")
            return value
        except BaseException as error:
            self.seq, self.hash, self.since_checkpoint = before
            self.stale = True  # also undoes the transaction: the connection is closed before the next one
            if isinstance(error, sqlite3.Error):
                raise from_sqlite(error, self.path) from error
            raise

    def insert(self, draft: Draft, now_ms: int) -> tuple[Record, bool]:
        """Inside a transaction: the record, and whether it has something to publish. Raises DuplicateResult, TypeError
        or ValueError before anything is written, so that the caller may go on with the next draft."""
        if draft.kind in GAMES and draft.result_id is not None:
            there = find_game(self.db, self.path, draft.table, draft.result_id)
            if there is not None:
                raise DuplicateResult(there)
        text, digest = seal_text(draft, self.seq + 1, self.hash, now_ms)
        record = parse(text, digest)
        publications = draft.publish(record) if draft.publish is not None else ()
        self.db.execute(
            "INSERT INTO record (seq, kind, tbl, game, at_ms, text, hash, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (record.seq, record.kind, record.table, record.game, now_ms, text, digest, self.key.seal(digest)),
        )
        enqueue(self.db, record, publications)
        self.seq, self.hash = record.seq, digest
        self.since_checkpoint += 1
        if draft.kind is Kind.CHECKPOINT:
            self.since_checkpoint = 0
        elif self.since_checkpoint >= self._checkpoint_every:
            self.insert(self.checkpoint("count"), now_ms)
        return record, bool(publications)

    def checkpoint(self, why: str, **more: Any) -> Draft:
        """A signed statement of where the chain stands."""
        statement = {"journal": self.id, "why": why, "upto": self.seq, "hash": self.hash, **more}
        return Draft(Kind.CHECKPOINT, "", self.key.sign(statement))

    def head_statement(self) -> dict[str, Any]:
        return self.key.sign({"hash": self.hash, "journal": self.id, "seq": self.seq})

    def meta(self, name: str) -> Any:
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return statement(row[0], name, self.path) if row else None

    def put_meta(self, name: str, value: Any) -> None:
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, json.dumps(value, sort_keys=True)))

    def close(self) -> None:
        self.db.close()
