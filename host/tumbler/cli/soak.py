"""`tumbler soak`: the real processes, every fault by the hundred, and the proof that nothing was lost or counted twice."""

from __future__ import annotations

import argparse
import json
import secrets
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tumbler.bench.processes import PartFailed
from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.rigs.rig import RigFailed
from tumbler.soak.plan import GROUPS, ROWS, group_total, make_plan
from tumbler.soak.soak import Report, soak
from tumbler.soak.table import SoakFailed, SoakTable

TEXTS = {
    "kills": "kill -9 of the daemon",
    "stalls": "20 s without the daemon reading",
    "cuts": "power cuts of the controller, half of them inside a flash write",
    "outages": "broker restarts, outages and silences",
    "unplugs": "serial cable out and in",
    "noise": "periods of line noise, three kinds",
}
MOST = 100_000
SHOW_EVERY_S = 10.0


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "soak",
        help="the real processes with every fault",
        description="Twin, firmware on MicroPython, daemon and Mosquitto, with faults by the hundred in a seeded order at "
        "chance moments. Afterwards truth, flash ring, journal and MQTT are held together, result by result.",
    )
    parser.add_argument("--factor", type=float, default=1.0, metavar="X", help="of the full counts (default 1)")
    for group in GROUPS:
        words = f"{TEXTS[group]} (default {group_total(group)} times the factor)"
        parser.add_argument(f"--{group}", type=int, metavar="N", help=words)
    parser.add_argument("--seed", type=int, metavar="S", help="of dice and of the order of faults (default: any)")
    parser.add_argument(
        "--folder", type=Path, help="for truth, journal, flash and logs; kept (default: removed if all agree)"
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="the report as JSON too")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(func=run)


def run(options: argparse.Namespace) -> int:
    _check(options)
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    plan = make_plan(seed, options.factor, {group: getattr(options, group) for group in GROUPS})
    try:
        if options.folder is not None:
            options.folder.mkdir(parents=True, mode=0o700)
        folder = options.folder or Path(tempfile.mkdtemp(prefix="tumbler-soak-"))
    except OSError as error:
        raise BadInput(f"--folder {options.folder}: {error.strerror}") from None
    show = ProgressLine(sys.stderr.isatty())
    try:
        report = soak(plan, folder.resolve(), show.show)
    except (SoakFailed, RigFailed, PartFailed) as error:
        raise WorkFailed(f"{error} (seed {seed}, files in {folder})") from error
    finally:
        show.end()
    document = _document(report)
    if options.report is not None:
        options.report.write_text(json.dumps(document, indent=1) + "\n")
    print(json.dumps(document) if options.json else "\n".join(lines(report)))
    if not report.ok:
        raise WorkFailed(f"they do not agree; truth, journal, flash and logs are in {folder} (seed {seed})")
    if options.folder is None:
        shutil.rmtree(folder)
    return 0


def _check(options: argparse.Namespace) -> None:
    if not 0 <= options.factor <= 100:
        raise BadInput(f"--factor must be a number from 0 to 100, not {options.factor}")
    for group in GROUPS:
        value = getattr(options, group)
        if value is not None and not 0 <= value <= MOST:
            raise BadInput(f"--{group} must be a number from 0 to {MOST}, not {value}")


class ProgressLine:
    """How far it is, on one line of a terminal, or a line now and then."""

    def __init__(self, terminal: bool) -> None:
        self._terminal = terminal
        self._began = self._shown = time.monotonic()

    def show(self, done: int, total: int, table: SoakTable) -> None:
        now = time.monotonic()
        if not self._terminal and now - self._shown < SHOW_EVERY_S and done < total:
            return
        self._shown = now
        left = (now - self._began) / max(1, done) * (total - done)
        text = f"{done} of {total} faults, {len(table.floor.results())} results at the floor, {left:.0f} s left"
        print(
            f"\r{text:<78}" if self._terminal else text, end="" if self._terminal else "\n", file=sys.stderr, flush=True
        )

    def end(self) -> None:
        if self._terminal:
            print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)


def lines(report: Report) -> list[str]:
    told = [f"soak, seed {report.plan.seed}, {report.seconds:.0f} s", f"  {'fault':<44} {'wanted':>7} {'done':>7}"]
    for fault in ROWS:
        told.append(f"  {fault.value:<44} {report.plan.counts.get(fault, 0):>7} {report.faults.get(fault, 0):>7}")
    told += [f"  {'what was counted':<44} {'':>7}"]
    told += [f"  {name:<44} {value:>15,}" for name, value in report.figures.items()]
    for check in report.checks:
        told.append(f"  {'agree' if check.ok else 'DIFFER':<7} {check.compared:>8,}  {check.what}")
        told += [f"           {wrong}" for wrong in check.wrong[:10]]
    return told


def _document(report: Report) -> dict[str, Any]:
    return {
        "ok": report.ok,
        "seed": report.plan.seed,
        "seconds": round(report.seconds, 1),
        "faults": [
            {"fault": fault.value, "wanted": report.plan.counts.get(fault, 0), "done": report.faults.get(fault, 0)}
            for fault in ROWS
        ],
        "counts": report.figures,
        "checks": [
            {"what": check.what, "compared": check.compared, "ok": check.ok, "wrong": list(check.wrong)}
            for check in report.checks
        ],
    }
