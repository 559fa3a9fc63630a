"""The journal: the durable record of every table, one chain of records in one SQLite file. One writer.

`append` returns when the record is on disk. Under load `append_async` shares one sync among all that wait
(groupcommit.py). Reading is reader.py, proving is verify.py, forgetting is retention.py; what happens at start after a
crash is recovery.py.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tumbler.journal import retention
from tumbler.journal.chain import Chain
from tumbler.journal.errors import DuplicateResult, JournalClosed, from_sqlite
from tumbler.journal.groupcommit import Commit, GroupCommit, Outcome
from tumbler.journal.head import HeadFile, head_file
from tumbler.journal.key import default_key_file
from tumbler.journal.lock import WriterLock
from tumbler.journal.outbox import Outbox, remove
from tumbler.journal.reader import JournalReader
from tumbler.journal.record import Draft, Kind, Publish, Record
from tumbler.journal.recovery import Recovery, examine, key_for, set_aside_torn_tail
from tumbler.journal.verify import Report, verify_database

CHECKPOINT_EVERY = 1000


def wall_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass
class Counters:
    records: int = 0
    commits: int = 0
    failures: int = 0
    head_failures: int = 0  # the head file could not be written: a cut at the end would be seen later than it could be
    last_commit_us: int = 0
    slowest_commit_us: int = 0


class Journal:
    """Use Journal.open()."""

    recovery: Recovery | None  # what was not in order when it was opened; the daemon makes an event of it

    def __init__(
        self,
        path: Path,
        chain: Chain,
        lock: WriterLock,
        clock: Callable[[], int],
        group: Callable[[Commit], GroupCommit],
    ) -> None:
        self.path = path
        self.counters = Counters()
        self.outbox = Outbox(self)
        self.reader = JournalReader(path)
        self.recovery = None
        self._chain, self._lock, self._clock = chain, lock, clock
        self._mutex = threading.RLock()  # the chain's end belongs to one thread at a time
        self._closed = False
        self._head_file = HeadFile(head_file(path), chain.id, chain.key)
        self._head = (chain.seq, chain.hash)
        self._group = group(self.append_many)

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        key_file: Path | str | None = None,
        checkpoint_every: int = CHECKPOINT_EVERY,
        clock: Callable[[], int] = wall_ms,
        factory: type[sqlite3.Connection] = sqlite3.Connection,
        group: Callable[[Commit], GroupCommit] = GroupCommit,
    ) -> Journal:
        """The journal at this path, made when there is none; JournalError when it cannot be used."""
        path = Path(path)
        lock = WriterLock(path)
        chain: Chain | None = None
        try:
            key = key_for(path, Path(key_file) if key_file is not None else default_key_file(path))
            torn = set_aside_torn_tail(path)
            chain = Chain(path, key, factory, checkpoint_every, clock())
            recovery = examine(chain, torn)
            journal = cls(path, chain, lock, clock, group)
            if recovery is not None:
                journal._go_on_after(recovery)
            journal._write_head(sync=True)
            return journal
        except BaseException as error:
            if chain is not None:
                chain.close()
            lock.release()
            if isinstance(error, sqlite3.Error):
                raise from_sqlite(error, path) from error
            raise

    def _go_on_after(self, recovery: Recovery) -> None:
        """Sign what was found into the chain. Numbers that were given out once are not used again."""
        self.recovery = recovery
        statement = self._chain.checkpoint("recovered", **recovery.statement())
        self._chain.seq = recovery.resume_after
        self._chain.transaction(lambda: self._chain.insert(statement, self._clock()))

    # --- writing ------------------------------------------------------------------------------------------------------

    def append(
        self,
        kind: Kind | str,
        table: str,
        body: Mapping[str, Any],
        *,
        result_id: str | None = None,
        publish: Publish | None = None,
    ) -> Record:
        """One record and its publications, on disk when this returns. DuplicateResult when it is there already."""
        (outcome,) = self.append_many([Draft(Kind(kind), table, body, result_id, publish)])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def append_async(
        self,
        kind: Kind | str,
        table: str,
        body: Mapping[str, Any],
        *,
        result_id: str | None = None,
        publish: Publish | None = None,
    ) -> Record:
        """As append, without holding up the event loop: everything that waits is committed with one sync."""
        return await self._group.append(Draft(Kind(kind), table, body, result_id, publish))

    def append_many(self, drafts: Sequence[Draft], sent: Mapping[str, int] | None = None) -> list[Outcome]:
        """All drafts in one transaction, in this order; `sent` are outbox items to forget, by table.

        A draft that cannot be recorded (a result that is there already, a body that is not JSON) gets its own error and
        leaves the others alone. A disk that fails fails all of them: JournalError, and nothing has changed.
        """
        with self._mutex:
            self._check_open()
            began = time.perf_counter_ns()
            try:
                outcomes, waiting = self._chain.transaction(lambda: self._write(drafts, sent or {}))
            except BaseException:
                self.counters.failures += 1
                raise
            self._write_head()
            spent = (time.perf_counter_ns() - began) // 1000
            self.counters.commits += 1
            self.counters.records += sum(isinstance(outcome, Record) for outcome in outcomes)
            self.counters.last_commit_us = spent
            self.counters.slowest_commit_us = max(self.counters.slowest_commit_us, spent)
        self.outbox.wake(waiting)
        return outcomes

    def _write(self, drafts: Sequence[Draft], sent: Mapping[str, int]) -> tuple[list[Outcome], set[str]]:
        outcomes: list[Outcome] = []
        waiting: set[str] = set()
        now = self._clock()
        for table, upto in sent.items():
            remove(self._chain.db, table, upto)
        for draft in drafts:
            try:
                record, queued = self._chain.insert(draft, now)
            except (DuplicateResult, TypeError, ValueError) as error:
                outcomes.append(error)
                continue
            outcomes.append(record)
            if queued:
                waiting.add(draft.table)
        return outcomes, waiting

    def forget_sent(self, table: str, upto: int) -> None:
        """Outbox items that have arrived; for Outbox.done()."""
        self._group.forget(table, upto)

    def _write_head(self, *, sync: bool = False) -> None:
        self._head = (self._chain.seq, self._chain.hash)
        try:
            self._head_file.write(self._chain.seq, self._chain.hash, sync=sync)
        except OSError:
            self.counters.head_failures += 1  # the record itself is on disk; `health` shows the counter

    # --- reading, proving, forgetting, ending -------------------------------------------------------------------------

    @property
    def head(self) -> tuple[int, str]:
        """Number and hash of the last record on disk: publish it, and nobody can cut the journal unseen."""
        return self._head  # without the lock: the event loop asks, and must not wait for a slow disk

    def has_result(self, table: str, result_id: str) -> Record | None:
        """What the spin with this id ended in, also one that retention has removed (then a checkpoint answers)."""
        return self.reader.has_result(table, result_id)

    def last(self, table: str, n: int, kinds: Sequence[Kind] = (Kind.RESULT,)) -> list[Record]:
        """The last n records of these kinds, oldest first."""
        return self.reader.last(table, n, kinds)

    def verify(self) -> Report:
        with JournalReader(self.path) as reader:
            return verify_database(reader, self._chain.key)

    def retain(self, rule: retention.Retention) -> int:
        """Remove what the rule no longer keeps; how many records went. The chain stays whole (retention.py)."""
        with self._mutex:
            self._check_open()
            gone = retention.prune(self._chain, rule, self._clock())
            self._write_head()
            return gone

    def close(self) -> None:
        """Everything that was asked is written, then a checkpoint, then the lock is free."""
        self._group.close()
        with self._mutex:
            if self._closed:
                return
            try:
                if self._chain.since_checkpoint and not self._chain.stale:
                    self._chain.transaction(lambda: self._chain.insert(self._chain.checkpoint("closed"), self._clock()))
                self._write_head(sync=True)
            finally:
                self._closed = True
                self.reader.close()
                self._head_file.close()
                self._chain.close()
                self._lock.release()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise JournalClosed(f"journal {self.path} is closed")
