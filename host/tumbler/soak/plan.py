"""Which faults a soak brings and how many of each: the full counts, a factor for those who have less time, a seed for order."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random


class Part(StrEnum):
    """What a fault lays its hand on; one at a time for each part, all parts at once."""

    DAEMON = "daemon"
    CONTROLLER = "controller"
    BROKER = "broker"
    CABLE = "cable"
    LINE = "line"


class Fault(StrEnum):
    KILL = "kill -9 of the daemon"
    STALL = "daemon stopped for 20 s"
    POWER_CUT = "power cut of the controller"
    FLASH_CUT = "power cut inside a flash write"
    BROKER_RESTART = "broker restarted"
    BROKER_OUTAGE = "broker down, longer than the keep-alive"
    BROKER_FROZEN = "broker silent, longer than the keep-alive"
    UNPLUG = "serial cable out and in"
    NOISE_4 = "line noise, bit error rate 1e-4, 6 s"
    NOISE_3 = "line noise, bit error rate 1e-3, 6 s"
    BURSTS = "bursts on the line, 6 s"


@dataclass(frozen=True)
class Row:
    part: Part
    full: int  # times in a whole soak
    group: str  # the option that counts it


ROWS: dict[Fault, Row] = {
    Fault.KILL: Row(Part.DAEMON, 500, "kills"),
    Fault.STALL: Row(Part.DAEMON, 10, "stalls"),
    Fault.POWER_CUT: Row(Part.CONTROLLER, 250, "cuts"),
    Fault.FLASH_CUT: Row(Part.CONTROLLER, 250, "cuts"),
    Fault.BROKER_RESTART: Row(Part.BROKER, 60, "outages"),
    Fault.BROKER_OUTAGE: Row(Part.BROKER, 20, "outages"),
    Fault.BROKER_FROZEN: Row(Part.BROKER, 20, "outages"),
    Fault.UNPLUG: Row(Part.CABLE, 200, "unplugs"),
    Fault.NOISE_4: Row(Part.LINE, 30, "noise"),
    Fault.NOISE_3: Row(Part.LINE, 30, "noise"),
    Fault.BURSTS: Row(Part.LINE, 30, "noise"),
}
GROUPS = tuple(dict.fromkeys(row.group for row in ROWS.values()))


def group_total(group: str) -> int:
    return sum(row.full for row in ROWS.values() if row.group == group)


@dataclass(frozen=True)
class Plan:
    """`counts`: how often each fault falls. Nothing falls before the first result has arrived."""

    seed: int
    counts: dict[Fault, int] = field(default_factory=dict)

    def order(self) -> list[Fault]:
        faults = [fault for fault, count in self.counts.items() for _ in range(count)]
        Random(self.seed).shuffle(faults)
        return faults


def make_plan(seed: int, factor: float, wanted: dict[str, int | None]) -> Plan:
    """The full counts times the factor, but each fault at least once; `wanted` gives a group's total instead."""
    counts: dict[Fault, int] = {}
    for group in GROUPS:
        rows = [(fault, row.full) for fault, row in ROWS.items() if row.group == group]
        total = wanted.get(group)
        if total is None:
            counts.update({fault: max(1, math.ceil(full * factor)) for fault, full in rows})
            continue
        left, weight = total, sum(full for _, full in rows)
        for fault, full in rows:
            counts[fault] = round(left * full / weight) if weight else 0
            left, weight = left - counts[fault], weight - full
    return Plan(seed, counts)
