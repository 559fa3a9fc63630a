"""Each viper loop gives, byte for byte, what its plain twin gives: both run on MicroPython on the same random frames."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tumbler.twin.process import find_micropython, firmware_tree

TRIAL = Path(__file__).parent / "hot_loops_trial.py"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_viper_and_plain_agree(seed: int) -> None:
    done = subprocess.run(
        [str(find_micropython()), "-X", "heapsize=4M", str(TRIAL), str(seed)],
        env={"MICROPYPATH": f"{firmware_tree()}:.frozen"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    names = done.stdout.split()
    assert set(names) == {
        "apart", "blend", "brighter", "coarse", "count", "cover", "crop", "darker", "depart", "double", "energy", "flood", "fold",
        "gather", "grow", "halve", "lift_shadow", "marked", "planes", "probe", "sample", "seeds", "smooth", "spots", "steps", "stray",
        "stretch", "tally",
    }  # fmt: skip
