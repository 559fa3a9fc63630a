"""`tumbler diag test`: a controller measured from end to end, each reading with its limits. The table must be out of play.

Limits are the design's (boards/pico.py, the motor's and lamps' data), not what happened to be measured. One record for
each unit under test, so that two runs of a table can be laid side by side.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tumbler.diag.line import Line
from tumbler.diag.operations import OPERATIONS, Values, read_answer

ROUND_TRIPS = 20
PASSES = 3  # a moment in which the PC was busy is not the line's fault: the best of so many counts
DAMAGE = ("crc_errors", "resyncs", "naks")
TURN = {"permille": 500, "ms": 1500}


@dataclass(frozen=True)
class Limits:
    name: str
    low: float
    high: float
    unit: str
    advice: str


@dataclass(frozen=True)
class Measurement:
    limits: Limits
    value: float

    @property
    def passed(self) -> bool:
        return self.limits.low <= self.value <= self.limits.high

    def as_json(self) -> Values:
        row = self.limits
        value = round(self.value, 3)
        return {
            "name": row.name,
            "value": value,
            "low": row.low,
            "high": row.high,
            "unit": row.unit,
            "passed": self.passed,
        }

    def __str__(self) -> str:
        row = self.limits
        verdict = "ok" if self.passed else f"FAILED: {row.advice}"
        return f"{row.name:<22} {self.value:>9g} {row.unit:<6} {row.low:g} to {row.high:g}   {verdict}"


ROWS = {
    row.name: row
    for row in (
        Limits("round_trip", 0, 50, "ms", "look at the cable, and at what else this PC does"),
        Limits("bad_frames", 0, 0, "", "the line is noisy: look at cable and connectors"),
        Limits(
            "sent_again", 0, 2, "", "frames are lost or answered late: look at the cable, and at what else this PC does"
        ),
        Limits("supply", 21_600, 26_400, "mV", "measure the 24 V supply"),
        Limits("temperature", 0, 70, "C", "look at the fan and what stands against the air inlet"),
        Limits("motor_idle", 0, 200, "mA", "the motor draws current at rest: look at the bridge"),
        Limits("gravity", 900, 1100, "mg", "the accelerometer is loose or defective"),
        Limits("tilt", 0, 50, "mg", "level the table: it leans"),
        Limits("faults", 0, 0, "", "see the self-test's words"),
        Limits("motor_speed", 150, 700, "rpm", "look at belt, bearings and tachometer"),
        Limits("motor_current", 50, 3500, "mA", "the motor is open, or something brakes it"),
        Limits("dead_lamps", 0, 0, "", "exchange the lamps named"),
        Limits("tags", 1, 64, "", "no die answers: look at the antenna, and whether dice are in the dome"),
        Limits("strange_tags", 0, 0, "", "tags that are not of this table's dice: look into the dome"),
    )
}


@dataclass(frozen=True)
class Report:
    measurements: tuple[Measurement, ...]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return all(one.passed for one in self.measurements)


async def ask(line: Line, name: str, **arguments: int) -> Values:
    operation = OPERATIONS[name]
    given = {one.name: arguments.get(one.name, one.default or 0) for one in operation.arguments}
    return read_answer(name, await line.ask(operation.op, operation.number, operation.data(given)))


@asynccontextmanager
async def out_of_play(line: Line, *, stay: bool = False) -> AsyncIterator[None]:
    """The table in service, and given back afterwards unless it stood in service already."""
    if (await ask(line, "inputs"))["phase"] == "service":
        yield
        return
    await ask(line, "enter")
    try:
        yield
    finally:
        if not stay:
            await ask(line, "leave")


async def examine(line: Line) -> Report:
    """Everything that can be measured without opening the table."""
    found: list[Measurement] = []
    notes: list[str] = []

    def measured(name: str, value: float) -> None:
        found.append(Measurement(ROWS[name], value))

    slowest, damaged, again = await line_quality(line)
    measured("round_trip", slowest)
    measured("bad_frames", damaged)
    measured("sent_again", again)
    async with out_of_play(line):
        now = await ask(line, "current")
        measured("supply", now["supply_mv"])
        measured("temperature", now["temperature_c"])
        measured("motor_idle", now["motor_ma"])
        pull = await ask(line, "accelerometer")
        measured("gravity", (pull["x"] ** 2 + pull["y"] ** 2 + pull["z"] ** 2) ** 0.5)
        measured("tilt", max(abs(pull["x"]), abs(pull["y"])))
        tested = await ask(line, "self-test")
        measured("faults", len(tested["faults"]))
        if tested["faults"]:
            notes.append(f"self-test: {tested['text']} ({', '.join(tested['faults'])})")
        if "cover_closed" in (await ask(line, "inputs"))["inputs"]:
            turned = await ask(line, "motor", **TURN)
            measured("motor_speed", turned["rpm"])
            measured("motor_current", turned["highest_ma"])
        else:
            notes.append("motor not turned: the cover is open")
        lamps = await ask(line, "lamps")
        measured("dead_lamps", len(lamps["dead"]))
        if lamps["dead"]:
            notes.append(f"dead lamps: {', '.join(map(str, lamps['dead']))}")
        tags = await ask(line, "tags", power=1)
        measured("tags", tags["count"])
        measured("strange_tags", sum(not one["of_the_set"] for one in tags["tags"]))
    return Report(tuple(found), tuple(notes))


async def line_quality(line: Line) -> tuple[float, int, int]:
    """(slowest round trip, damaged frames, frames sent again): damage of all passes, the rest of the best one."""
    damaged, found = 0, []
    for _ in range(PASSES):
        before = await line.counters()
        slowest = await slowest_round_trip(line)
        after = await line.counters()
        damaged += sum(after.get(name, 0) - before.get(name, 0) for name in DAMAGE)
        found.append((after.get("retransmits", 0) - before.get("retransmits", 0), slowest))
        if not found[-1][0] and slowest <= ROWS["round_trip"].high:
            break
    again, slowest = min(found)
    return slowest, damaged, again


async def slowest_round_trip(line: Line) -> float:
    slowest = 0.0
    for _ in range(ROUND_TRIPS):
        began = time.perf_counter()
        await ask(line, "inputs")
        slowest = max(slowest, time.perf_counter() - began)
    return slowest * 1000


def report_json(line: Line, report: Report) -> dict[str, Any]:
    return {
        "controller": line.identity(),
        "passed": report.passed,
        "measurements": [one.as_json() for one in report.measurements],
        "notes": list(report.notes),
    }
