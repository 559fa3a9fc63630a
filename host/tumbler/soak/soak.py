"""One soak: faults fall on the running table in a seeded order and at chance moments; then all comes to rest and is compared."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tumbler.journal import JournalReader, Kind, Record
from tumbler.journal.key import default_key_file, read_journal_key
from tumbler.journal.verify import verify_database
from tumbler.soak.agree import Check, floor_has_journal, journal_is_whole, results_are_true, ring_has_journal
from tumbler.soak.plan import Fault, Part, Plan
from tumbler.soak.ring import spins_in_flash
from tumbler.soak.table import TABLE, SoakFailed, SoakTable, part_of

GAMES = (Kind.RESULT, Kind.NO_SPIN, Kind.REFUSED)
FIRST_S, REST_S = 60.0, 240.0
GAP_S = 0.5  # between two faults, on the average
PLAYED_BETWEEN = (0, 1, 1, 2)  # spins between two cuts, results between two kills
LOOK_S = 0.02

Progress = Callable[[int, int, "SoakTable"], None]


@dataclass
class Report:
    plan: Plan
    seconds: float = 0.0
    faults: dict[Fault, int] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)


def soak(plan: Plan, folder: Path, progress: Progress) -> Report:
    """SoakFailed when a part ends by itself or the chain does not come to rest."""
    report = Report(plan)
    began = time.monotonic()
    table = SoakTable(folder, plan.seed)
    try:
        _wait(table, lambda: bool(table.floor.results(TABLE)), FIRST_S, "the first result")
        _strike(table, plan, progress)
        _come_to_rest(table)
        status = table.status()
    finally:
        table.stop()
    (folder / "spins.json").write_text(json.dumps(table.spins.started))  # for whoever compares once more
    report.faults = table.done
    _compare(table, report)
    report.seconds = time.monotonic() - began
    report.figures.update(_figures(table, status))
    return report


class Moments:
    """When the next fault of a part may fall: at once, or only after play has gone on, so that a slow machine plays too."""

    def __init__(self, table: SoakTable, rng: Random) -> None:
        self._table, self._rng = table, rng
        self._least: dict[Part, int] = {}

    def _played(self, part: Part) -> int:
        """Spins begun for a cut, results arrived for a kill."""
        return len(self._table.spins.started) if part is Part.CONTROLLER else len(self._table.floor.results(TABLE))

    def come(self, part: Part) -> bool:
        return not self._table.busy(part) and self._played(part) >= self._least.get(part, 0)

    def struck(self, part: Part) -> None:
        if part in (Part.CONTROLLER, Part.DAEMON):
            self._least[part] = self._played(part) + self._rng.choice(PLAYED_BETWEEN)


def _strike(table: SoakTable, plan: Plan, progress: Progress) -> None:
    rng = Random(plan.seed + 1)
    moments = Moments(table, rng)
    waiting = plan.order()
    total, cuts = len(waiting), 0
    while waiting:
        fault = waiting[0]
        if moments.come(part_of(fault)):
            waiting.pop(0)
            if fault in (Fault.POWER_CUT, Fault.FLASH_CUT):
                _wait_powered(table, cuts)
                cuts += 1
            table.strike(fault)
            moments.struck(part_of(fault))
            progress(total - len(waiting), total, table)
        until = time.monotonic() + rng.expovariate(1 / GAP_S)
        while True:
            table.mend_due()
            left = until - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(left, LOOK_S))  # a fault's moment is chance: nothing tells it


def _wait_powered(table: SoakTable, cuts: int) -> None:
    """The last cut has fallen and is over: each one is counted by the twin, one that was armed falls at a write."""

    def powered() -> bool:
        status = table.status()
        return bool(status["running"]) and int(status["power_cuts"]) >= cuts

    _wait(table, powered, FIRST_S, "the controller is on after its last cut")


def _wait(table: SoakTable, ready: Callable[[], bool], seconds: float, what: str) -> None:
    until = time.monotonic() + seconds
    while not ready():
        table.mend_due()
        if time.monotonic() > until:
            raise SoakFailed(f"waited {seconds:.0f} s for: {what}; see {table.folder}")
        time.sleep(LOOK_S * 5)  # several processes; nothing tells when all are there


def _come_to_rest(table: SoakTable) -> None:
    """No more faults, no more spins; everything that was stored arrives."""
    _wait(table, lambda: table.mended, 60.0, "what was stopped runs again")
    before = len(table.floor.results(TABLE))
    _wait(table, lambda: len(table.floor.results(TABLE)) > before + 1, REST_S, "play goes on after the last fault")
    table.rig.control("dealer", on=False)
    _wait(table, lambda: _at_rest(table), REST_S, "every record is committed and at the floor")


def _at_rest(table: SoakTable) -> bool:
    status = table.status()
    if not status["running"] or status["pending"] != 0 or status["phase"] in ("spinning", "no_more_bets", "reading"):
        return False
    wanted = {record.result_id for record in _games(table.journal) if record.kind is Kind.RESULT}
    return wanted == {told["result_id"] for told in table.floor.results(TABLE)}


def _games(journal: Path) -> list[Record]:
    with JournalReader(journal) as reader:
        return list(reader.records(table=TABLE, kinds=GAMES))


def _compare(table: SoakTable, report: Report) -> None:
    games = _games(table.journal)
    ring = spins_in_flash(table.state / "flash.img")
    with JournalReader(table.journal) as reader:
        proof = verify_database(reader, read_journal_key(default_key_file(table.journal)))
    report.checks = [
        journal_is_whole(games),
        Check("journal: the chain is whole", proof.records, () if proof.ok else (str(proof.finding),)),
        *floor_has_journal(games, table.floor.of(f"{TABLE}/result"), table.floor.of(f"{TABLE}/event/no_spin")),
        ring_has_journal(games, ring),
        *results_are_true(games, table.rig.truth(), table.spins.started),
    ]
    report.figures.update(_game_figures(games, table.floor.of(f"{TABLE}/result")))


def _game_figures(games: Sequence[Record], arrived: Sequence[Any]) -> dict[str, Any]:
    causes = Counter(str(record.body["cause"]) for record in games if record.kind is Kind.NO_SPIN)
    results = sum(record.kind is Kind.RESULT for record in games)
    return {
        "spins": len(games),
        "results": results,
        "no spins": sum(causes.values()),
        "of these by power cut": causes.get("power_cut", 0),
        "refused": sum(record.kind is Kind.REFUSED for record in games),
        "result messages on MQTT": len(arrived),
        "of these repeated, same content": len(arrived) - results,
        "journalled late, from the ring": sum("restored" in record.body.get("flags", ()) for record in games),
    }


def _figures(table: SoakTable, status: dict[str, Any]) -> dict[str, Any]:
    line = status["line"]
    ways = (line["to_host"], line["from_host"])
    return {
        "daemon's lives": table.lives,
        "controller's starts": status["boots"],
        "power cuts": status["power_cuts"],
        "watchdog bites": status["watchdog_bites"],
        "serial port gone, by cable or power": status["unplugs"],
        "bytes on the line": sum(way["bytes"] for way in ways),
        "bits flipped": sum(way["flips"] for way in ways),
        "bursts": sum(way["bursts"] for way in ways),
        "flash blocks erased": status["flash_erases"],
    }
