"""From `--rig NAME` to a rig."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tumbler.rigs.bench import BenchRig
from tumbler.rigs.emulated.rig import EmulatedRig
from tumbler.rigs.rig import Rig
from tumbler.rigs.twin import TwinPlan, TwinRig

NAMES = "twin, emulated, serial:PORT, usb:SERIAL, labgrid:FILE"


class BadRig(Exception):
    """There is no such rig; the message names those there are."""


def choose(name: str, plan: TwinPlan, key_file: Path | None, ask: Callable[[str], object] | None) -> Rig:
    """`plan` is for the rigs that play by themselves; `ask` and `key_file` for a table on a bench."""
    kind, _, where = name.partition(":")
    if name == "twin":
        return TwinRig(plan)
    if name == "emulated":
        return EmulatedRig(plan)
    if kind == "serial" and where:
        return BenchRig(where, key_file, ask)
    if kind == "usb" and where:
        return BenchRig(name, key_file, ask)
    if kind == "labgrid" and where:
        return _labgrid(Path(where), ask)
    raise BadRig(f"--rig {name}: there is no such rig; one of {NAMES}")


def _labgrid(environment: Path, ask: Callable[[str], object] | None) -> Rig:
    try:
        from tumbler.rigs.labgrid_driver import LabgridRig
    except ImportError as error:
        raise BadRig(f"--rig labgrid: {error}; install the project's labgrid extra") from error
    return LabgridRig(environment, ask)
