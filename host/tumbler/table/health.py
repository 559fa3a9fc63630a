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

from tumbler.journal import Journal
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
    name: str
    text: str
    beyond: Callable[[Gauges], bool]


LIMITS = (
    Limit("link_down", "the controller is not connected", lambda now: now["link"]["state"] != "up"),
    Limit("link_errors", "more than 1 % of frames are bad or sent again", lambda now: now["link"]["error_rate"] > 0.01),
    Limit("broker_down", "the broker is not connected", lambda now: not now["broker"]["connected"]),
    Limit(
        "outbox_old", "a message waits for the broker for more than a minute", lambda now: now["outbox"]["age_s"] > 60
    ),
    Limit("ring_filling", "the controller keeps half a ring uncommitted", lambda now: now["pending"] > 50),
    Limit("journal_failing", "the journal could not be written", lambda now: "journal_failed" in now["holds"]),
    Limit(
        "journal_slow", "a journal sync took more than half a second", lambda now: now["journal"]["slowest_ms"] > 500
    ),
    Limit(
        "disk_low",
        "little space is left for the journal",
        lambda now: now["journal"]["free_mb"] < now["journal"]["low_mb"],
    ),
    Limit("events_dropped", "events were dropped while the disk failed", lambda now: now["dropped_events"] > 0),
)


class Rates:
    """Errors of the link since the last look, as a part of all frames."""

    def __init__(self) -> None:
        self._frames = self._errors = 0

    def error_rate(self, counters: Mapping[str, int]) -> float:
        frames = counters["frames_in"] + counters["frames_out"]
        errors = counters["crc_errors"] + counters["tag_errors"] + counters["retransmits"]
        new_frames, new_errors = frames - self._frames, errors - self._errors
        self._frames, self._errors = frames, errors
        return round(new_errors / (new_frames + new_errors), 4) if new_errors > 0 else 0.0


def free_mb(path: Path) -> int:
    disk = os.statvfs(path.parent)
    return disk.f_bavail * disk.f_frsize // 1_000_000


def process_gauges() -> dict[str, Any]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_KB
    cpu_s = round(usage.ru_utime + usage.ru_stime, 3)
    return {"rss_mb": round(resident / 1024, 1), "cpu_s": cpu_s, "uptime_s": round(time.monotonic() - STARTED, 1)}


def outbox_gauges(journal: Journal, table: str) -> dict[str, Any]:
    oldest = journal.outbox.oldest_at_ms(table)
    age = max(0, wall_ms() - oldest) / 1000 if oldest is not None else 0.0
    return {"depth": journal.outbox.depth(table), "age_s": round(age, 3)}


def journal_gauges(journal: Journal, low_mb: int) -> dict[str, Any]:
    seq, digest = journal.head
    counters = journal.counters
    return {
        "seq": seq,
        "hash": digest,
        "records": counters.records,
        "commits": counters.commits,
        "failures": counters.failures,
        "last_ms": counters.last_commit_us / 1000,
        "slowest_ms": counters.slowest_commit_us / 1000,
        "free_mb": free_mb(journal.path),
        "low_mb": low_mb,
    }


def gauges(
    table: Watched, name: str, broker: BrokerLink, journal: Journal, low_mb: int, every_s: int
) -> dict[str, Any]:
    """Everything that is told on `health`, with the limits that are passed."""
    link = {"connected": broker.connected, "detail": broker.detail, **broker.counters.as_json()}
    now = {
        "interval_s": every_s,
        **table.gauges(),
        "broker": link,
        "outbox": outbox_gauges(journal, name),
        "journal": journal_gauges(journal, low_mb),
        "controller": dict(table.controller_health),
        "daemon": process_gauges(),
    }
    return {**now, "warnings": [limit.name for limit in LIMITS if limit.beyond(now)]}
