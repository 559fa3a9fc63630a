"""From the wire into the journal: each spin is looked up, examined, written, and only then committed to the controller.

One spin at a time, in the order of the wire; events of the table go the same way, after the spins that wait. When the
disk fails the table is held and the write is tried again for ever: the controller keeps what was not committed, so
nothing is lost, whichever side dies meanwhile. Not for sending to the broker: the journal's outbox does that, filled in
the same transaction.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from tumbler.journal import DuplicateResult, Journal, JournalClosed, JournalError, Kind, Publication, Record
from tumbler.log import Log
from tumbler.rules.gametable import GameImage
from tumbler.rules.tableplay import Play
from tumbler.table import payloads
from tumbler.table.history import History
from tumbler.table.holds import Hold, Holds
from tumbler.table.payloads import Identity
from tumbler.table.spin import NoSpin, Result, Spin, same_content
from tumbler.table.validator import BY_NAME, Consequence, Finding, Known, examine, worst

T = TypeVar("T")

RETRY_FIRST_S, RETRY_LONGEST_S = 0.25, 8.0
EVENTS_WAITING = 1000  # while the disk fails; beyond, the oldest is dropped and counted


@dataclass(frozen=True)
class Limits:
    """What this table demands of a spin."""

    min_spin_ms: int
    min_tumbles: int
    min_reads: int
    readers: str = "tags"


class Outlet(Protocol):
    """What the ledger tells the rest of the table."""

    def commit(self, epoch: str, spin: int) -> None:
        """The spin is safe: the controller may forget it."""

    def recorded(self, record: Record) -> None:
        """A spin or an event is on disk."""

    def tell(self, kind: str, payload: Mapping[str, Any]) -> None:
        """An event that cannot be journalled now; told without a guarantee."""


def wall_ms() -> int:
    return time.time_ns() // 1_000_000


class Ledger:
    def __init__(
        self,
        identity: Identity,
        journal: Journal,
        play: Play,
        image: GameImage,
        limits: Limits,
        holds: Holds,
        outlet: Outlet,
    ) -> None:
        self.identity, self.play, self.image, self.limits = identity, play, image, limits
        self.history = History(journal, identity.table, identity.book)
        self.refused = self.dropped_events = 0
        self.slowest_ms = 0.0  # from the wire to the disk, since someone last looked and set it back
        self._journal, self._holds, self._outlet = journal, holds, outlet
        self._spins: deque[tuple[Spin, float]] = deque()  # and when it came
        self._older = 0  # how many of them, at the front, came in an earlier session
        self._events: deque[tuple[str, dict[str, Any]]] = deque()
        self._wake = asyncio.Event()
        self._contested: dict[
            str, Spin
        ] = {}  # reported again with another content; committed when someone released the table
        self._log = Log("tumbler.ledger", table=identity.table)
        if self.history.held:
            holds.add(Hold.RESULT_REFUSED)
        if self.history.ordered:
            holds.add(Hold.COMMANDED)

    # --- in -----------------------------------------------------------------------------------------------------------

    def offer(self, spin: Spin) -> None:
        fresh = itertools.islice(self._spins, self._older, None)
        if all(spin != waiting for waiting, _ in fresh):
            self._spins.append((spin, time.monotonic()))
            self._wake.set()

    def begin_again(self, epoch: str) -> None:
        """A new session brings every spin of this epoch again, from the oldest that is not committed. What still waits must
        not be committed before those: the controller takes commits in order only, and would never hear of it again. The
        first may be on its way to the disk; it stays, and is taken once more when it comes."""
        later = [one for one in itertools.islice(self._spins, 1, None) if one[0].epoch != epoch]
        self._spins = deque([*itertools.islice(self._spins, 1), *later])
        self._older = min(1, len(self._spins))

    def offer_event(self, kind: str, body: dict[str, Any]) -> None:
        if len(self._events) >= EVENTS_WAITING:
            self._events.popleft()
            self.dropped_events += 1
        self._events.append((kind, body))
        self._wake.set()

    @property
    def waiting(self) -> int:
        return len(self._spins) + len(self._events)

    async def run(self) -> None:
        """Until cancelled. What waits then comes again from the controller."""
        while True:
            await self._wake.wait()
            if self._spins:
                spin, came = self._spins[0]
                await self._take(spin)
                self._spins.popleft()
                self._older = 0
                self.slowest_ms = max(self.slowest_ms, (time.monotonic() - came) * 1000)
            elif self._events:
                kind, body = self._events.popleft()
                await self.write_event(kind, body)
            else:
                self._wake.clear()

    # --- spins --------------------------------------------------------------------------------------------------------

    async def _take(self, spin: Spin) -> None:
        there = await self._until_written(lambda: self._find(spin))
        if there is None:
            try:
                await self._record(spin)
            except DuplicateResult as error:  # written by an attempt whose answer never came: nobody was told of it yet
                there = error.record
                self.history.follow(there)
                self._outlet.recorded(there)
        if there is not None:
            await self._reported_again(spin, there)

    async def _find(self, spin: Spin) -> Record | None:
        return self._journal.has_result(self.identity.table, spin.result_id)

    async def _reported_again(self, spin: Spin, there: Record) -> None:
        if there.kind is Kind.CHECKPOINT or same_content(there.body["wire"], spin.wire):
            self._log.debug("spin reported again", result_id=spin.result_id)
            self._outlet.commit(spin.epoch, spin.spin)
            return
        finding = Finding(
            BY_NAME["conflict"], {"journal": there.body["wire"], "record": there.seq, "reported": spin.wire}
        )
        if spin.result_id not in self._contested:
            self._contested[spin.result_id] = spin
            self._log.error("same spin with another content; not committed", result_id=spin.result_id, record=there.seq)
            body = payloads.refused_body(spin, self.identity, [finding])
            await self.write_event(
                "refused", {"source": "daemon", "severity": "critical", "result_id": spin.result_id, **body}
            )
        self.refused += 1
        self._holds.add(Hold.RESULT_REFUSED)

    async def _record(self, spin: Spin) -> None:
        findings = examine(spin, self._known(spin))
        consequence = worst(findings)
        if consequence is None or consequence is Consequence.NOTE:
            record = await self._write_good(spin, findings)
        else:
            record = await self._write_refused(spin, findings)
            if consequence >= Consequence.HOLD:
                self._holds.add(Hold.RESULT_REFUSED)
        self.history.follow(record)
        if consequence is not Consequence.STOP:
            self._outlet.commit(spin.epoch, spin.spin)
        self._outlet.recorded(record)

    def _known(self, spin: Spin) -> Known:
        last = self.history.of(spin.epoch)
        follows = spin.spin == (last.spin or 0) + 1
        return Known(
            play=self.play,
            image=self.image,
            min_spin_ms=self.limits.min_spin_ms,
            min_tumbles=self.limits.min_tumbles,
            min_reads=self.limits.min_reads,
            readers=self.limits.readers,
            last_spin=last.spin,
            last_state=last.state if follows else None,
            last_collected=last.collected if follows else None,
            last_wall_ms=last.wall_ms,
            now_ms=wall_ms(),
        )

    async def _write_good(self, spin: Spin, findings: list[Finding]) -> Record:
        if isinstance(spin, Result):
            _, _, areas = self.play.roll(spin.state_before, spin.faces)
            kind, leaf, body = Kind.RESULT, "result", payloads.result_body(spin, areas, self.identity, findings)
        else:
            assert isinstance(spin, NoSpin)
            kind, leaf, body = Kind.NO_SPIN, "event/no_spin", payloads.no_spin_body(spin, self.identity, findings)
            body = {"severity": "info", **body}

        def publish(record: Record) -> list[Publication]:
            told = payloads.spin_payload(record.body, self.identity, spin.result_id, record.seq, record.at_ms)
            return [self._publication(leaf, told), *self._notes(findings, spin, record)]

        record = await self._append(kind, body, spin.result_id, publish)
        self._log.info(leaf, result_id=spin.result_id, **_in_a_line(body))
        for finding in findings:
            self._log.warning(finding.check.text, result_id=spin.result_id, check=finding.check.name)
        return record

    def _notes(self, findings: Sequence[Finding], spin: Spin, record: Record) -> list[Publication]:
        events = []
        for finding in findings:
            body = {"source": "daemon", "severity": "warning", "result_id": spin.result_id, **finding.as_json()}
            told = {**body, "code": finding.check.name, "number": finding.check.code}
            events.append(
                self._publication("event/fault", payloads.event_payload(told, self.identity, record.at_ms, record.seq))
            )
            self._log.warning(
                finding.check.text, result_id=spin.result_id, check=finding.check.name, **finding.evidence
            )
        return events

    async def _write_refused(self, spin: Spin, findings: list[Finding]) -> Record:
        body = {"source": "daemon", "severity": "error", **payloads.refused_body(spin, self.identity, findings)}

        def publish(record: Record) -> list[Publication]:
            told = payloads.spin_payload(record.body, self.identity, spin.result_id, record.seq, record.at_ms)
            return [self._publication("event/refused", told)]

        record = await self._append(Kind.REFUSED, body, spin.result_id, publish)
        self.refused += 1
        self._log.error(str(body["text"]), result_id=spin.result_id, check=body["code"], follows=body["consequence"])
        return record

    # --- events -------------------------------------------------------------------------------------------------------

    async def write_event(self, kind: str, body: dict[str, Any], record_kind: Kind = Kind.EVENT) -> Record:
        """Journal an event of the table and publish it as `event/{kind}`."""

        def publish(record: Record) -> list[Publication]:
            told = payloads.event_payload(body, self.identity, record.at_ms, record.seq)
            return [self._publication(f"event/{kind}", told)]

        record = await self._append(record_kind, {"kind": kind, **body}, None, publish)
        self._outlet.recorded(record)
        return record

    async def hold(self, by: str, role: str, rule: str) -> None:
        """No new spin until someone releases the table: at once, and in the journal, so that no restart forgets it."""
        self._holds.add(Hold.COMMANDED)
        self.history.ordered = True
        text = f"held by {by} ({role})"
        body = {"source": "daemon", "severity": "warning", "code": "held", "text": text, "by": by, "role": role}
        await self.write_event("access", {**body, "rule": rule})

    async def release(self, by: str, role: str, rule: str) -> list[str]:
        """Someone with the authority has looked: the journal's word on contested spins stands, and play goes on."""
        settled = list(self._contested)
        text = f"released by {by} ({role})"
        body = {"source": "daemon", "severity": "info", "code": "released", "text": text, "by": by, "role": role}
        await self.write_event("access", {**body, "rule": rule, "contested": settled})
        for spin in self._contested.values():
            # The controller takes commits in order only: those after the contested spin went unheard.
            for number in range(spin.spin, (self.history.of(spin.epoch).spin or spin.spin) + 1):
                self._outlet.commit(spin.epoch, number)
        self._contested.clear()
        self.history.held = self.history.ordered = False
        self._holds.lift(Hold.RESULT_REFUSED)
        self._holds.lift(Hold.COMMANDED)
        return settled

    # --- out ----------------------------------------------------------------------------------------------------------

    def _publication(self, leaf: str, payload: Mapping[str, Any]) -> Publication:
        return Publication(self.identity.topic(leaf), payloads.encode(payload))

    async def _append(
        self, kind: Kind, body: Mapping[str, Any], result_id: str | None, publish: Callable[[Record], list[Publication]]
    ) -> Record:
        return await self._until_written(
            lambda: self._journal.append_async(kind, self.identity.table, body, result_id=result_id, publish=publish)
        )

    async def _until_written(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try for ever. The table is held while the journal fails, and says so once."""
        wait = RETRY_FIRST_S
        while True:
            try:
                outcome = await attempt()
            except (DuplicateResult, JournalClosed):
                raise
            except JournalError as error:
                self._journal_failed(error)
                await asyncio.sleep(wait)
                wait = min(2 * wait, RETRY_LONGEST_S)
            else:
                self._journal_works()
                return outcome

    def _journal_failed(self, error: JournalError) -> None:
        if not self._holds.add(Hold.JOURNAL_FAILED):
            return
        self._log.error("the journal fails, the table is held", error=str(error), code=error.code)
        body = {"source": "daemon", "severity": "critical", "code": error.code, "text": str(error)}
        self._outlet.tell("fault", payloads.event_payload(body, self.identity, wall_ms()))

    def _journal_works(self) -> None:
        if not self._holds.lift(Hold.JOURNAL_FAILED):
            return
        self._log.info("the journal works again")
        body = {"source": "daemon", "severity": "info", "code": "journal_works", "text": "the journal works again"}
        self.offer_event("fault", body)


def _in_a_line(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: body[name] for name in ("faces", "total", "cause", "rule") if name in body}
