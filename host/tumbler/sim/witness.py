"""What must hold after every step, and who says so when it does not: the witness sees truth, flash, journal and floor.

It hears of every record that is in flash whole, every record that the journal has acknowledged and every message that
the broker took, and looks at the controller's memory after each of its turns. It changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dicewire import codes

from tumbler.journal import Journal, JournalReader, Kind, Record
from tumbler.mqtt.topics import full_name
from tumbler.rules.gametable import GameImage
from tumbler.sim.controller import Controller
from tumbler.sim.daemon import SITE, TABLE

GAMES = (Kind.RESULT, Kind.NO_SPIN, Kind.REFUSED)
PREFIX = full_name(SITE, TABLE, "")
SEGMENT = ".seg"


class Invariant(StrEnum):
    WRONG_RESULT = "no wrong result is accepted"
    COMMITTED_LOST = "no committed result is lost"
    TWO_CONTENTS = "no result is published with two contents"
    TWO_IDS = "no spin is published under two ids"
    OUT_OF_ORDER = "the order of spins is kept"
    UNCOMMITTED_DROPPED = "the controller never drops an uncommitted result"
    LOCK_LOST = "the lock survives"
    NUMBER_REUSED = "no spin's number is given twice"
    NOT_DELIVERED = "everything arrives once the faults are over"
    CHAIN_BROKEN = "the journal's chain is whole"
    DEFECT = "no part of the program fails"


class Violation(BaseException):
    """An invariant does not hold. Passes every `except Exception` on its way up."""

    def __init__(self, invariant: Invariant, what: str) -> None:
        super().__init__(f"{invariant.value}: {what}")
        self.invariant, self.what = invariant, what


Spin = tuple[str, int]  # epoch, number


@dataclass(frozen=True)
class Closed:
    """How a spin ended by the controller's flash, with what lay on the plate at that moment."""

    kind: int
    body: bytes
    shown: tuple[int, ...] | None


@dataclass
class Counts:
    spins: int = 0
    results: int = 0
    no_spins: int = 0
    refused: int = 0
    arrived: int = 0
    repeated: int = 0
    locks: int = 0
    waited_most: int = 0  # spins in flash that were not committed


class Witness:
    def __init__(self, controller: Controller, image: GameImage, tell: Callable[[str], None]) -> None:
        self._controller, self._image, self._tell = controller, image, tell
        self._records = controller._modules["records"]
        self.counts = Counts()
        self.violation: Violation | None = None
        self.journal: Journal | None = None
        self.may_unlock = False  # someone with the authority is at it
        self.closed: dict[Spin, Closed] = {}
        self.journalled: dict[Spin, Record] = {}
        self.floor: dict[str, bytes] = {}
        self._ids: dict[Spin, str] = {}
        self._newest = 0  # record of the journal
        self._epoch = ""
        self._started = 0
        self._committed = 0
        self._lock = 0  # as the flash has it
        self._locks_in_doubt: set[int] = set()  # as writes that failed since would have it
        self._lock_seen = 0
        self._last_journalled: dict[str, int] = {}
        self._last_arrived: dict[str, int] = {}

    def _fail(self, invariant: Invariant, what: str) -> None:
        self.violation = Violation(invariant, what)
        raise self.violation

    # --- flash ----------------------------------------------------------------------------------------------------------

    def in_flash(self, name: str, data: bytes) -> None:
        """A record was appended whole."""
        if not name.endswith(SEGMENT):
            return
        kind, _, _, _ = self._records.parse_head(data)
        body = data[self._records.HEAD_SIZE : -self._records.CRC_SIZE]
        self._locks_in_doubt.clear()
        if kind == self._records.SNAPSHOT:
            state = self._records.State()
            state.apply(kind, body)
            self._lock, self._epoch = state.lock, state.epoch.hex()
        elif kind == self._records.START:
            self._spin_starts(int.from_bytes(body[:4], "little"))
        else:
            self._spin_closed(kind, body)

    def _spin_starts(self, spin: int) -> None:
        if spin <= self._started:
            self._fail(Invariant.NUMBER_REUSED, f"spin {spin} starts after spin {self._started}")
        self._started = spin
        self.counts.spins += 1

    def _spin_closed(self, kind: int, body: bytes) -> None:
        values = self._records.unpack(kind, body)
        spin: Spin = (self._epoch, values["spin"])
        if spin in self.journalled:
            self._fail(Invariant.TWO_CONTENTS, f"spin {spin[1]} was stored again after it was journalled")
        shown = self._controller.plate.shown
        self.closed[spin] = Closed(kind, body, tuple(shown) if shown is not None else None)
        if kind == self._records.NO_SPIN:
            self._lock = values["lock"]
            self.counts.no_spins += 1
            self._tell(f"controller: spin {spin[1]} is a no spin, cause {values['cause']}")
            return
        faces = [face for face in values["faces"] if face]
        if faces != shown:
            self._fail(Invariant.WRONG_RESULT, f"spin {spin[1]} stored as {faces}, on the plate lie {shown}")
        self.counts.results += 1
        self.counts.waited_most = max(self.counts.waited_most, spin[1] - self._committed)
        self._tell(f"controller: spin {spin[1]} shows {faces}, stored in flash")

    def not_in_flash(self, name: str, data: bytes) -> None:
        """A write failed, after none, some or all of its bytes."""
        if not name.endswith(SEGMENT):
            return
        kind = data[1]
        body = data[self._records.HEAD_SIZE : -self._records.CRC_SIZE]
        if kind == self._records.SNAPSHOT:
            state = self._records.State()
            state.apply(kind, body)
            self._locks_in_doubt.add(state.lock)
        elif kind == self._records.NO_SPIN:
            self._locks_in_doubt.add(self._records.unpack(kind, body)["lock"])

    def out_of_flash(self, name: str, data: bytes) -> None:
        """A segment of the ring was removed."""
        if not name.endswith(SEGMENT):
            return
        for spin in self._spins_in(data):
            if not self.is_journalled(spin):
                what = f"segment {name} went with spin {spin[1]}, which the journal has not"
                self._fail(Invariant.UNCOMMITTED_DROPPED, what)

    def _spins_in(self, data: bytes) -> list[Spin]:
        """Of the records that are whole: a torn one at the end has ended no spin."""
        at, found, records = 0, [], self._records
        while at + records.HEAD_SIZE <= len(data) and (head := records.parse_head(data[at:])) is not None:
            start, size = at + records.HEAD_SIZE, records.HEAD_SIZE + head[1] + records.CRC_SIZE
            if at + size > len(data) or not records.sound(data[at : at + size], size):
                break
            if head[0] in (records.RESULT, records.NO_SPIN):
                found.append((self._epoch, int.from_bytes(data[start : start + 4], "little")))
            at += size
        return found

    # --- the controller -------------------------------------------------------------------------------------------------

    def booted(self) -> None:
        """The store has been read back; nothing has been written yet but what reading back needs."""
        store = self._controller.store
        state, faults = store.state, self._controller.table.parts.faults.bits
        self._committed, self._lock_seen, self.may_unlock = 0, state.lock, False
        if faults & codes.FAULT_FLASH:
            return  # it could not be read now: the table is locked and nothing is written over it
        if self.closed and state.epoch.hex() != self._epoch:
            self._fail(Invariant.UNCOMMITTED_DROPPED, "the ring was formatted though it held spins")
        if state.lock not in {self._lock, *self._locks_in_doubt}:
            self._fail(Invariant.LOCK_LOST, f"lock {self._lock} in flash, {state.lock} after the start")
        self._lock = state.lock
        for spin, closed in self.closed.items():
            if spin[0] == self._epoch and not self.is_journalled(spin):
                found = store.fetch(spin[1])
                if found is None or self._records.pack(*found) != closed.body:
                    what = f"spin {spin[1]} was in flash before the power cut and is {found} after it"
                    self._fail(Invariant.UNCOMMITTED_DROPPED, what)
        last: Spin = (self._epoch, state.last_spin)
        if state.last_spin and last not in self.closed:  # a write that failed, and landed all the same
            kind, values = store.fetch(state.last_spin)
            shown = self._controller.plate.shown
            self.closed[last] = Closed(kind, self._records.pack(kind, values), tuple(shown) if shown else None)

    def turned(self) -> None:
        """After every turn of the controller's loop."""
        parts = self._controller.table.parts
        store = parts.store
        if not store._loaded:
            return  # the flash could not be read at the start: nothing is written and nothing is played
        if store.committed != self._committed:
            self._commits(store.committed)
        lock = store.state.lock
        if lock != self._lock_seen:
            if not lock and not self.may_unlock:
                self._fail(Invariant.LOCK_LOST, f"lock {self._lock_seen} is gone and nobody unlocked the table")
            if lock:
                self.counts.locks += 1
                self._tell(f"controller: locked, reason {lock}")
            self._lock_seen = lock
        if lock != self._lock and not self._locks_in_doubt:
            self._fail(
                Invariant.LOCK_LOST, f"lock {lock} in memory, {self._lock} in flash: a power cut would change it"
            )
        if not lock and parts.round.phase == codes.PHASE_LOCKED:
            self._fail(Invariant.LOCK_LOST, "the table says that it is locked, and nothing is stored")
        if parts.faults.bits & codes.FAULT_PROGRAM:
            self._fail(Invariant.DEFECT, "controller: " + parts.log.dump().decode()[-300:])

    def _commits(self, upto: int) -> None:
        for number in range(self._committed + 1, upto + 1):
            if not self.is_journalled((self._epoch, number)):
                self._fail(Invariant.COMMITTED_LOST, f"spin {number} is committed, and the journal has it not")
        self._committed = upto

    # --- the journal ----------------------------------------------------------------------------------------------------

    def is_journalled(self, spin: Spin) -> bool:
        """On disk: acknowledged, or there all the same after a sync that was said to have failed."""
        return spin in self.journalled

    def opened(self, journal: Journal) -> None:
        """A daemon has opened what its last life left."""
        self.journal = journal
        with JournalReader(journal.path) as reader:
            there = {str(row[0]) for row in reader.rows("SELECT game FROM record WHERE game NOT NULL")}
        for record in self.journalled.values():
            if record.result_id not in there:
                self._fail(Invariant.COMMITTED_LOST, f"{record.result_id} was in the journal and is not after a start")
        self.landed()

    def landed(self) -> None:
        """Records may be there that nobody was told of: a sync that failed too late, a crash after the last byte."""
        if self.journal is not None:
            with JournalReader(self.journal.path) as reader:
                for record in reader.records(table=TABLE, kinds=GAMES, after=self._newest):
                    self.written(record)

    def written(self, record: Record) -> None:
        """The journal has acknowledged it."""
        if record.kind not in GAMES:
            return
        spin: Spin = (str(record.body["epoch"]), int(record.body["spin"]))
        if spin in self.journalled:
            if self.journalled[spin].seq != record.seq:
                self._fail(Invariant.TWO_IDS, f"spin {spin[1]} is in the journal twice")
            return
        if spin[1] <= self._last_journalled.get(spin[0], 0):
            self._fail(Invariant.OUT_OF_ORDER, f"spin {spin[1]} was journalled after a later one")
        self._last_journalled[spin[0]] = spin[1]
        self.journalled[spin] = record
        self._newest = record.seq
        closed = self.closed.get(spin)
        if closed is None:
            self._fail(Invariant.WRONG_RESULT, f"spin {spin[1]} is in the journal and never ended in flash")
            return
        if record.kind is Kind.RESULT:
            self._check_faces(spin, record.body["faces"], closed)
            self._check_areas(spin, record.body["winning_areas"], closed)
        elif record.kind is Kind.NO_SPIN and closed.kind != self._records.NO_SPIN:
            self._fail(Invariant.COMMITTED_LOST, f"spin {spin[1]} had a result and is journalled as a no spin")
        elif record.kind is Kind.REFUSED:
            self.counts.refused += 1
        self._tell(f"daemon: spin {spin[1]} journalled as {record.kind.value}, record {record.seq}")

    def _check_faces(self, spin: Spin, faces: list[int], closed: Closed) -> None:
        if closed.kind != self._records.RESULT or closed.shown != tuple(faces):
            what = f"spin {spin[1]} accepted as {faces}, on the plate lay {closed.shown}"
            self._fail(Invariant.WRONG_RESULT, what)

    def _check_areas(self, spin: Spin, areas: list[str], closed: Closed) -> None:
        """What the controller lit is what the rules give, or the daemon may not accept it."""
        lit = self._records.unpack(closed.kind, closed.body)["areas"]
        if lit.rstrip(b"\0") != self._image.bitmap(areas).rstrip(b"\0"):
            self._fail(Invariant.WRONG_RESULT, f"spin {spin[1]} accepted with the wrong areas lit")

    # --- the floor ------------------------------------------------------------------------------------------------------

    def arrived(self, topic: str, payload: bytes) -> None:
        leaf = topic.removeprefix(PREFIX)
        if leaf not in ("result", "event/no_spin", "event/refused"):
            return
        told = json.loads(payload)
        if "result_id" not in told or "epoch" not in told:
            return
        result_id, spin = str(told["result_id"]), (str(told["epoch"]), int(told["spin"]))
        if result_id in self.floor:
            self.counts.repeated += 1
            if self.floor[result_id] != payload:
                self._fail(Invariant.TWO_CONTENTS, f"{result_id} arrived as two different messages")
            return
        self.floor[result_id] = payload
        if self._ids.setdefault(spin, result_id) != result_id:
            self._fail(Invariant.TWO_IDS, f"spin {spin[1]} arrived as {self._ids[spin]} and as {result_id}")
        if spin[1] <= self._last_arrived.get(spin[0], 0):
            self._fail(Invariant.OUT_OF_ORDER, f"spin {spin[1]} arrived after a later one")
        self._last_arrived[spin[0]] = spin[1]
        if not self.is_journalled(spin):
            self._fail(Invariant.COMMITTED_LOST, f"{result_id} is at the floor and not in the journal")
        if leaf == "result":
            self._check_faces(spin, told["faces"], self.closed[spin])
            self.counts.arrived += 1
        self._tell(f"floor: {result_id} arrived on {leaf}")

    # --- when all faults are over ---------------------------------------------------------------------------------------

    def waits_for(self) -> str:
        """What has not arrived yet; empty when nothing is missing."""
        for spin in self.closed:
            if not self.is_journalled(spin):
                return f"spin {spin[1]} is in flash and not in the journal"
        for record in self.journalled.values():
            if record.result_id not in self.floor:
                return f"{record.result_id} is in the journal and not at the floor"
        return ""

    def last(self, waits: str, retained: dict[str, bytes]) -> None:
        """The end of a simulation: truth, flash, journal and floor agree, and what stands on the broker is right."""
        if waits:
            self._fail(Invariant.NOT_DELIVERED, waits)
        if self.journal is not None and not (report := self.journal.verify()).ok:
            self._fail(Invariant.CHAIN_BROKEN, str(report.finding))
        results = [record for record in self.journalled.values() if record.kind is Kind.RESULT]
        if results:
            newest = json.loads(retained.get(PREFIX + "result/last", b"{}"))
            if newest.get("result_id") != results[-1].result_id:
                what = f"result/last is {newest.get('result_id')}, the newest is {results[-1].result_id}"
                self._fail(Invariant.NOT_DELIVERED, what)


def summary(counts: Counts) -> dict[str, Any]:
    return dict(vars(counts))
