"""Runs a trial of this folder on the interpreter that a test asks for: the same file on CPython and on MicroPython."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MICROPYTHON = REPOSITORY / ".tools" / "bin" / "micropython"

Trial = Callable[..., str]


@pytest.fixture(params=["cpython", "micropython"])
def trial(request: pytest.FixtureRequest) -> Trial:
    """trial(file, *arguments) -> what it printed; fails with its output when it does not end with 0."""
    if request.param == "cpython":
        command = [sys.executable]
    else:
        assert MICROPYTHON.exists(), "no MicroPython: run `make setup`"
        command = [str(MICROPYTHON), "-X", "heapsize=192wK"]

    def run(file: str, *arguments: object) -> str:
        here = Path(__file__).parent / file
        places = {"MICROPYPATH": f".frozen:{REPOSITORY / 'protocol'}"}
        line = [*command, str(here), *map(str, arguments)]
        done = subprocess.run(line, env=os.environ | places, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
