"""Puts the controller's flash (firmware/) and the test bench on the import path, as they are on the device."""

import sys
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).resolve().parents[1]
for folder in (FIRMWARE, FIRMWARE / "tests"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


@pytest.fixture
def bench(tmp_path):
    """A Sic Bo table that has its game and waits for a spin."""
    from bench_table import Bench

    return Bench(tmp_path)
