"""How a table is: gauges and counters of its link, its queues, its journal and its process, and which are beyond a limit.

Published so that trouble is seen before it stops the game: retransmits climb before a cable fails, a queue ages before a
disk is full. Only looks; who publishes it and how often is the daemon's business.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from dicewire.declared.codes import DRIFTS

from tumbler.journal import Journal, JournalError
from tumbler.table.ledger import wall_ms

STARTED = time.monotonic()
PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024

Gauges = Mapping[str, Any]


class BrokerLink(Protocol):
    """What is known of the way to the broker."""

    @property
    def connected(self) -> bool: ...

    @property
    def detail(self) -> str: ...

    @property
    def counters(self) -> Any: ...


class Watched(Protocol):
    """What is known of a table."""

    controller_health: Mapping[str, Any]
    refused_commands: int

    def gauges(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Limit:
    """A gauge and what it may be. `told`: passing it is an event of its own, because nothing else tells of it."""

    name: str
    text: str
    unit: str
    value: Callable[[Gauges], float | None]  # None: not known now
    limit: Callable[[Gauges], float]
    least: bool = False  # the limit is the least, not the most
    told: bool = True

    def row(self, now: Gauges) -> dict[str, Any] | None:
        value, limit = self.value(now), self.limit(now)
        if value is None:
            return None
        beyond = value < limit if self.least else value > limit
        return {"now": value, "limit": limit, "unit": self.unit, "beyond": beyond}


def gauge(*path: str) -> Callable[[Gauges], float | None]:
    """The number at this path, None where it is not (yet) known."""

    def look(now: Gauges) -> float | None:
        value: Any = now
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        return float(value) if value is not None else None

    return look


def bound(value: float) -> Callable[[Gauges], float]:
    return lambda _now: value


FLASH_SECTORS, FLASH_CYCLES = 64, 100_000  # the smallest store, and what its makers promise of each sector

LIMITS = (
    Limit(
        "link_down",
        "the controller is not connected",
        "",
        lambda now: float(now["link"]["state"] != "up"),
        bound(0),
        told=False,
    ),
    Limit(
        "link_errors",
        "frames are bad or sent again: look at the cable",
        "part",
        gauge("link", "error_rate"),
        bound(0.01),
    ),
    Limit("link_slow", "the controller answers slowly", "ms", gauge("link", "rtt_ms"), bound(200)),
    Limit(
        "broker_down",
        "the broker is not connected",
        "",
        lambda now: float(not now["broker"]["connected"]),
        bound(0),
        told=False,
    ),
    Limit("broker_slow", "the broker acknowledges slowly", "ms", gauge("broker", "ack_ms"), bound(1000)),
    Limit("outbox_old", "a message waits long for the broker", "s", gauge("outbox", "age_s"), bound(60)),
    Limit(
        "outbox_filling",
        "the outbox fills; at its limit no new spin is allowed",
        "messages",
        gauge("outbox", "depth"),
        lambda now: now["outbox"]["most"] / 2,
    ),
    Limit("ring_filling", "the controller keeps half a ring uncommitted", "spins", gauge("pending"), bound(50)),
    Limit("ledger_waiting", "spins wait for the journal", "spins", gauge("waiting"), bound(100)),
    Limit("result_slow", "a spin took long from the wire to the disk", "ms", gauge("recorded_ms"), bound(1000)),
    Limit(
        "journal_failing",
        "the journal cannot be written",
        "",
        lambda now: float("journal_failed" in now["holds"]),
        bound(0),
        told=False,
    ),
    Limit(
        "journal_unread",
        "the journal cannot be read: look at the disk",
        "",
        lambda now: float(now["outbox"]["depth"] is None),
        bound(0),
    ),
    Limit(
        "journal_slow", "a journal sync took long: look at the disk", "ms", gauge("journal", "slowest_ms"), bound(500)
    ),
    Limit(
        "disk_low",
        "little space is left for the journal",
        "MB",
        gauge("journal", "free_mb"),
        lambda now: float(now["journal"]["low_mb"]),
        least=True,
    ),
    Limit("events_dropped", "events were dropped while the disk failed", "events", gauge("dropped_events"), bound(0)),
    Limit("loop_slow", "the controller's loop is slow", "ms", gauge("controller", "loop_max_ms"), bound(500)),
    Limit(
        "heap_low", "the controller's memory is short", "bytes", gauge("controller", "heap_low"), bound(16_000), True
    ),
    Limit(
        "camera_drift",
        "the camera drifts from its calibration: clean the dome, look at the lamp, calibrate again",
        "thousandths",
        lambda now: float(abs(now["controller"].get("drift_by", 0))) if now["controller"] else None,
        bound(0),
        told=False,  # the controller's own event of that name does
    ),
    Limit("hot", "the controller is hot", "0.1 degrees", gauge("controller", "temperature"), bound(700)),
    Limit(
        "flash_worn",
        "four fifths of the flash's life are used",
        "sectors erased",
        gauge("controller", "flash_erases"),
        bound(0.8 * FLASH_SECTORS * FLASH_CYCLES),
    ),
)


class Watch:
    """Which limits were passed at the last look, so that each passing is told once."""

    def __init__(self) -> None:
        self._beyond: set[str] = set()

    def changes(self, now: Gauges) -> list[tuple[Limit, dict[str, Any]]]:
        """The limits that were passed or came back since the last look, with their rows."""
        rows = [(limit, now["limits"].get(limit.name)) for limit in LIMITS]
        beyond = {limit.name for limit, row in rows if row is not None and row["beyond"]}
        changed, self._beyond = beyond ^ self._beyond, beyond
        return [(limit, row) for limit, row in rows if limit.name in changed and row is not None]


FEW_ERRORS, MANY_FRAMES = 3, 300  # one frame sent again among fifty is a busy PC; three of three hundred are a cable


class Rates:
    """Errors of the link as a part of all frames, since they could last be judged: few of either wait for the next look."""

    def __init__(self) -> None:
        self._frames = self._errors = 0

    def error_rate(self, counters: Mapping[str, int]) -> float:
        frames = counters["frames_in"] + counters["frames_out"]
        errors = counters["crc_errors"] + counters["tag_errors"] + counters["retransmits"]
        new_frames, new_errors = frames - self._frames, errors - self._errors
        if 0 <= new_errors < FEW_ERRORS and 0 <= new_frames < MANY_FRAMES:
            return 0.0
        self._frames, self._errors = frames, errors
        return round(new_errors / (new_frames + new_errors), 4) if new_errors > 0 else 0.0


def free_mb(path: Path) -> int:
    """None at all where the disk is gone: the table is held until it is back, and says so."""
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        return 0
    return disk.f_bavail * disk.f_frsize // 1_000_000


def process_gauges() -> dict[str, Any]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_KB
    cpu_s = round(usage.ru_utime + usage.ru_stime, 3)
    return {"rss_mb": round(resident / 1024, 1), "cpu_s": cpu_s, "uptime_s": round(time.monotonic() - STARTED, 1)}


def outbox_gauges(journal: Journal, table: str, most: int) -> dict[str, Any]:
    """Depth and age are None while the disk can't be read: that is for a person to mend, and no reason to end."""
    try:
        oldest, depth = journal.outbox.oldest_at_ms(table), journal.outbox.depth(table)
    except JournalError:
        return {"depth": None, "age_s": None, "most": most}
    age = max(0, wall_ms() - oldest) / 1000 if oldest is not None else 0.0
    return {"depth": depth, "age_s": round(age, 3), "most": most}


def journal_gauges(journal: Journal, low_mb: int) -> dict[str, Any]:
    """Once a look for all tables: the slowest sync is told since the last look, and begins anew."""
    seq, digest = journal.head
    counters = journal.counters
    slowest, counters.slowest_commit_us = counters.slowest_commit_us, 0
    return {
        "seq": seq,
        "hash": digest,
        "records": counters.records,
        "commits": counters.commits,
        "failures": counters.failures,
        "head_failures": counters.head_failures,
        "last_ms": counters.last_commit_us / 1000,
        "slowest_ms": slowest / 1000,
        "free_mb": free_mb(journal.path),
        "low_mb": low_mb,
    }


def gauges(table: Watched, broker: BrokerLink, outbox: Gauges, shared: Gauges) -> dict[str, Any]:
    """Everything that is told on `health`, with every limit and those that are passed. `shared`: of all tables."""
    link = {"connected": broker.connected, "detail": broker.detail, **broker.counters.as_json()}
    controller = dict(table.controller_health)
    if "drift" in controller:
        controller["drift"] = DRIFTS.name(controller["drift"])
    now: dict[str, Any] = {**shared, **table.gauges(), "broker": link, "outbox": outbox, "controller": controller}
    limits = {limit.name: row for limit in LIMITS if (row := limit.row(now)) is not None}
    return {**now, "limits": limits, "warnings": [name for name, row in limits.items() if row["beyond"]]}
