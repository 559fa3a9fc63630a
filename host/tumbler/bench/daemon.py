"""What the daemon costs: rows for `tumbler bench` on its way from the cable to the floor, and on what it takes when idle."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tumbler.bench.latency import Rig, Times, measure, rig
from tumbler.bench.processes import cpu_seconds, resident_mb

ROUNDS = 100
IDLE_S = 20.0
MOST_TIMES_ITS_PARTS = 3.0
MOST_CPU_PERCENT = 1.0
MOST_RESIDENT_MB = 80.0


def rows(rounds: int = ROUNDS, idle_s: float = IDLE_S) -> list[dict[str, Any]]:
    """Measured now; takes `idle_s` and a few seconds."""
    with tempfile.TemporaryDirectory(prefix="tumbler-bench-") as folder, rig(Path(folder)) as at:
        times = measure(at, rounds)
        cpu, resident = idle(at, idle_s)
    return [
        latency_row(times),
        *(_row(f"of which alone: {what}", statistics.median(ms), None, "", "ms") for what, ms in parts(times)),
        _row("result, cable to subscriber, 99th percentile", percentile(times.result, 99), None, "", "ms"),
        _row("idle daemon, one table: processor", cpu, MOST_CPU_PERCENT, "budget", "% of a core"),
        _row("idle daemon, one table: resident memory", resident, MOST_RESIDENT_MB, "budget", "MB"),
    ]


def latency_row(times: Times) -> dict[str, Any]:
    name = "one link round trip + one synced commit + one message through the broker"
    what = "result, cable to subscriber, journal synced"
    row = _row(what, statistics.median(times.result), times.parts, name, "ms")
    return {**row, "limit": MOST_TIMES_ITS_PARTS}


def parts(times: Times) -> tuple[tuple[str, list[float]], ...]:
    return (
        ("one link round trip", times.link),
        ("one synced commit", times.sync),
        ("one message through the broker", times.broker),
    )


def idle(at: Rig, seconds: float) -> tuple[float, float]:
    """(percent of a core, megabytes) of a daemon that is connected to both sides while nothing is played."""
    began, spent = time.monotonic(), cpu_seconds(at.daemon.pid)
    time.sleep(seconds)
    busy = (cpu_seconds(at.daemon.pid) - spent) / (time.monotonic() - began)
    return 100 * busy, resident_mb(at.daemon.pid)


def percentile(values: list[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def _row(what: str, ours: float, peer: float | None, peer_name: str, unit: str) -> dict[str, Any]:
    ratio = round(ours / peer, 3) if peer else None
    shown = round(peer, 3) if peer is not None else None
    return {"what": what, "ours": round(ours, 3), "peer": shown, "peer_name": peer_name, "ratio": ratio, "unit": unit}
