"""Group commit: one thread that writes everything that waits with one sync; the event loop never waits for a disk.

While one sync runs, whatever arrives is collected for the next: the busier the floor, the fewer syncs a record costs.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence

from tumbler.journal.errors import JournalClosed
from tumbler.journal.record import Draft, Record

Outcome = Record | Exception
Commit = Callable[[Sequence[Draft], Mapping[str, int]], list[Outcome]]
Waiting = tuple[Draft, asyncio.AbstractEventLoop, "asyncio.Future[Record]"]

MAX_BATCH = 512  # bounds one transaction's time, and with it the longest wait of the first in the queue


class GroupCommit:
    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._condition = threading.Condition()
        self._waiting: list[Waiting] = []
        self._sent: dict[str, int] = {}
        self._late: dict[str, int] = {}  # removals that a failed commit did not do
        self._thread: threading.Thread | None = None
        self._closing = False

    async def append(self, draft: Draft) -> Record:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Record] = loop.create_future()
        with self._condition:
            self._start()
            self._waiting.append((draft, loop, future))
            self._condition.notify()
        # A caller that gives up waiting does not undo the record: it will be written, and found again by its id.
        return await asyncio.shield(future)

    def forget(self, table: str, upto: int) -> None:
        """Outbox items that have arrived; removed with the next commit."""
        with self._condition:
            if self._closing:
                return  # they are sent once more after the next start, with the same id
            self._start()
            self._sent[table] = max(upto, self._sent.get(table, 0))
            self._condition.notify()

    def close(self) -> None:
        with self._condition:
            self._closing = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join()

    def _start(self) -> None:
        if self._closing:
            raise JournalClosed("the journal is closed")
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._waiting or self._sent or self._closing)
                if not self._waiting and not self._sent:
                    return
            self.write_waiting()

    def write_waiting(self) -> None:
        """One transaction for what waits, and everyone told. The thread's work; a simulation does it at its own time."""
        with self._condition:
            batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            sent, self._sent = {**self._late, **self._sent}, {}
        try:
            outcomes = self._commit([draft for draft, _, _ in batch], sent)
        except Exception as error:  # noqa: BLE001 - handed to each caller that waits; this thread must live
            outcomes = [error] * len(batch)
            self._late.update(
                sent
            )  # taken along by the next commit; not tried alone, a full disk must not spin this loop
        else:
            self._late.clear()
        self._tell(batch, outcomes)

    def _tell(self, batch: list[Waiting], outcomes: list[Outcome]) -> None:
        by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Record], Outcome]]] = {}
        for (_, loop, future), outcome in zip(batch, outcomes, strict=True):
            by_loop.setdefault(loop, []).append((future, outcome))
        for loop, pairs in by_loop.items():
            if not loop.is_closed():
                loop.call_soon_threadsafe(_resolve, pairs)


def _resolve(pairs: list[tuple[asyncio.Future[Record], Outcome]]) -> None:
    for future, outcome in pairs:
        if future.done():
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
