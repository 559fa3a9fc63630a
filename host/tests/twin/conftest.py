"""A table without a controller (dome, chips, pins), and whole twins in processes of their own with the real firmware."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tumbler.rigs.twin import TwinPlan, TwinRig
from tumbler.twin.flash import Flash

sys.path.insert(0, str(Path(__file__).parent))

from twin_bench import Bare, bare_table


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Bare]:
    flash = Flash(tmp_path / "flash", blocks=2)
    yield bare_table(tmp_path, flash)
    flash.close()


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Callable[..., TwinRig]]:
    """twin(spins=3): a twin that plays without a daemon, as fast as it can; ended when the test is."""
    started: list[TwinRig] = []

    def start(**plan: Any) -> TwinRig:
        folder = tmp_path / f"twin{len(started)}"
        folder.mkdir()
        more = ("--install-game", *plan.pop("more", ()))
        rig = TwinRig(TwinPlan(folder, more=more, **plan))
        started.append(rig)
        rig.start()
        return rig

    yield start
    for rig in started:
        rig.stop()
