"""`tumbler bench [PART...]`: measure this machine; every row beside a peer that was measured in the same run."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from typing import Any

from tumbler.cli.exits import BadInput, WorkFailed

# part -> (module with rows(), what it measures)
PARTS = {
    "daemon": ("tumbler.bench.daemon", "from the controller's cable to a subscriber; what an idle daemon takes"),
    "journal": ("tumbler.journal.bench", "results on disk with full sync, beside plain SQLite"),
    "rules": ("tumbler.rules.bench", "settlement beside crapssim"),
    "simulate": ("tumbler.rules.simulatebench", "simulation beside crapssim"),
    "game": ("tumbler.rules.gametablebench", "look-ups in the game tables on MicroPython, beside the budget"),
}


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser("bench", help="measure this machine against its budgets")
    listing = "; ".join(f"{name}: {text}" for name, (_, text) in PARTS.items())
    parser.add_argument("part", metavar="PART", nargs="*", help=f"{listing} (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(func=run)


def run(options: argparse.Namespace) -> int:
    measured: list[dict[str, Any]] = []
    for name in options.part:
        if name not in PARTS:
            raise BadInput(f"there is no part {name!r}; one of {', '.join(PARTS)}")
    for name in options.part or PARTS:
        try:
            measured += importlib.import_module(PARTS[name][0]).rows()
        except ImportError as error:
            if options.part:
                raise WorkFailed(f"{name}: the peer to measure against is missing: {error}") from error
            print(f"tumbler bench: {name} is left out, its peer is missing: {error}", file=sys.stderr)
        except Exception as error:  # whatever a process under measurement did: one line, no traceback
            raise WorkFailed(f"{name}: {error}") from error
    if options.json:
        print(json.dumps({"rows": measured}))
        return 0
    for row in measured:
        beside = f", {row['peer_name']} {row['peer']} {row['unit']}: ratio {row['ratio']}" if row["peer"] else ""
        print(f"{row['what']}: {row['ours']} {row['unit']}{beside}")
    return 0
