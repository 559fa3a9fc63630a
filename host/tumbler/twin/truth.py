"""The truth file: one line of JSON for each physical spin, written and flushed when the dice have come to rest.

At that moment the firmware has not read them yet, and nothing here asks it. Consumers hold it against what arrived on MQTT.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tumbler.twin.spinwatch import PhysicalSpin, Spoilt


def row(spin: PhysicalSpin) -> dict[str, Any]:
    """Nothing in it depends on the wall clock or on who listens: the same seed gives the same bytes."""
    if spin.throw is None:
        raise ValueError(f"spin {spin.number} has not come to rest")
    why_not = spin.why_not
    return {
        "spin": spin.number,
        "boot": spin.boot,
        "faces": spin.throw.faces,
        "flat": why_not is None,
        "why_not": why_not,
        "spoilt": [reason.value for reason in Spoilt if reason in spin.spoilt],
        "lies": [lie.value for lie in spin.throw.lies],
        "tilts": spin.throw.tilts,
        "ms": (spin.rest_us - spin.start_us) // 1000,
        "turns": round(spin.turns, 2),
    }


class TruthFile:
    """Appends, so that a run that goes on with --state goes on here too; a new run begins a new file."""

    def __init__(self, path: Path, *, go_on: bool) -> None:
        self._file = path.open("a" if go_on else "w", encoding="ascii")
        self.spins = 0

    def write(self, spin: PhysicalSpin) -> None:
        self._file.write(json.dumps(row(spin)) + "\n")
        self._file.flush()
        self.spins += 1

    def close(self) -> None:
        self._file.close()
