"""Whole twins with the real firmware on MicroPython: they play, they repeat, they go on, they leave nothing behind."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import run

import pytest
from tumbler.rigs.twin import TwinRig
from twin_bench import wait_until

Twin = Callable[..., TwinRig]


def truth_of(rig: TwinRig) -> bytes:
    return (rig.plan.folder / "truth.jsonl").read_bytes()


def test_the_same_seed_gives_the_same_truth_to_the_byte_and_another_seed_another(twin: Twin) -> None:
    runs = [twin(spins=3, seed=seed) for seed in (5, 5, 6)]
    for rig in runs:
        rig.wait_played(60.0)
    first, again, other = (truth_of(rig) for rig in runs)
    assert first == again
    assert [json.loads(line)["spin"] for line in first.splitlines()] == [1, 2, 3]
    faces = [[json.loads(line)["faces"] for line in text.splitlines()] for text in (first, other)]
    assert faces[0] != faces[1]


def test_two_dice_for_craps(twin: Twin) -> None:
    rig = twin(spins=2, seed=2, book="crown-melbourne-craps")
    rig.wait_played(60.0)
    assert all(len(row["faces"]) == 2 for row in rig.truth())
    assert len(rig.truth()) == 2


def test_faults_of_play_are_in_the_truth_and_the_dealer_plays_on(twin: Twin) -> None:
    rig = twin(spins=5, seed=2, faults=("cocked:0.3", "stacked:0.3", "missing:0.2", "exposed_early:0.3", "called:0.2"))
    rig.wait_played(90.0)
    reasons = {row["why_not"] for row in rig.truth()}
    assert len(reasons - {None}) >= 3
    assert None in reasons


def test_power_cuts_torn_flash_and_crashes_by_the_seed_are_survived(twin: Twin) -> None:
    rig = twin(spins=5, seed=4, faults=("power_cut:0.3", "flash_cut:0.3", "crash:0.2"))
    rig.wait_played(110.0)
    boots = {row["boot"] for row in rig.truth()}
    assert len(boots) > 2
    assert [row["spin"] for row in rig.truth()] == list(range(1, 6))


def test_with_a_state_directory_spins_and_boots_go_on_where_they_stood(twin: Twin, tmp_path: Path) -> None:
    state = ("--state", str(tmp_path / "state"))
    first = twin(spins=1, seed=8, more=state)
    first.wait_played(60.0)
    second = twin(spins=1, seed=8, more=state)
    second.wait_played(60.0)
    assert [row["spin"] for row in second.truth()] == [2]
    assert first.truth()[0]["boot"] != second.truth()[0]["boot"]


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in tasks.read_text().split()]


def ended(pid: int) -> bool:
    """Gone, or dead and only not yet reaped by whoever inherited it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_twin_takes_its_controller_with_it(twin: Twin, signal_: signal.Signals) -> None:
    rig = twin(seed=1)
    rig.wait_spins(1)
    assert rig._process is not None
    pid = rig._process.pid
    controllers = children_of(pid)
    assert controllers
    os.kill(pid, signal_)
    wait_until(lambda: all(ended(child) for child in controllers))
    if signal_ == signal.SIGTERM:
        assert rig._process.wait() == 0
        assert not rig.port.is_symlink()
        assert not (rig.plan.folder / "control").exists()


def test_the_next_twin_clears_away_what_a_killed_one_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tumbler.cli.twin import private_folder

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    dead = tmp_path / "tumbler-twin-4194399-left"  # beyond the kernel's highest process number
    dead.mkdir()
    (dead / "flash.img").write_bytes(b"x")
    mine = tmp_path / f"tumbler-twin-{os.getpid()}-here"
    mine.mkdir()
    assert private_folder().is_dir()
    assert not dead.exists()
    assert mine.exists()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--fault", "gremlin:0.1"], "gremlin"),
        (["--fault", "cocked:often"], "often"),
        (["--spins", "0"], "--spins 0"),
        (["--book", "roulette"], "roulette"),
        (["--speed", "-1"], "--speed -1"),
        (["--control", "nowhere/at/all"], "nowhere/at"),
    ],
)
def test_bad_usage_is_one_line_that_names_it_and_exit_2(tmp_path: Path, words: list[str], names: str) -> None:
    command = [sys.executable, "-m", "tumbler", "twin", "--link", "L", "--truth", "T", *words]
    ended = run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert names in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
    assert ended.stdout == ""
