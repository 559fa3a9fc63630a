"""Option B taught to a running table over the wire: six faces, two files that come into force together, or not at all."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


def tumbler(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tumbler", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=180)


@pytest.fixture
def table(
    tmp_path: Path, start_twin: Callable[..., contextlib.AbstractContextManager[Path]]
) -> Iterator[tuple[object, ...]]:
    with start_twin(tmp_path, "--book", "crown-melbourne-sicbo-b", "--reader", "camera", "--install-game"):
        yield ("--port", tmp_path / "controller", "--key", tmp_path / "controller.key")


def test_the_six_faces_are_shown_and_both_files_are_stored_and_in_force(
    tmp_path: Path, table: tuple[object, ...]
) -> None:
    before = json.loads(tumbler("diag", "calibration", *table, "--json", cwd=tmp_path).stdout)
    assert before["dice"] == "symbols"
    words = ("calibrate", *table, "--unattended", tmp_path / "twin.sock", "--throws", 2)
    done = tumbler(*words, "--out", "eye.bin", "--picture", "found.png", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["stored"]
    assert min(answer["dice"]) >= 4  # of each face, on six dice
    after = json.loads(tumbler("diag", "calibration", *table, "--json", cwd=tmp_path).stdout)
    assert after["hash"] == answer["hash"] != before["hash"]
    assert (tmp_path / "symbols.bin").stat().st_size > 700
    assert (tmp_path / "found.png").stat().st_size > 20_000
    inputs = json.loads(tumbler("diag", "inputs", *table, "--json", cwd=tmp_path).stdout)
    assert inputs["phase"] != "service"  # given back, through the self-test


def test_a_dry_run_stores_nothing_and_a_socket_without_a_twin_is_named(
    tmp_path: Path, table: tuple[object, ...]
) -> None:
    before = tumbler("diag", "calibration", *table, "--json", cwd=tmp_path).stdout
    absent = tumbler("calibrate", *table, "--unattended", tmp_path / "absent.sock", cwd=tmp_path)
    assert absent.returncode == 2
    assert "absent.sock" in absent.stderr
    done = tumbler(
        *("calibrate", *table, "--unattended", tmp_path / "twin.sock", "--throws", 1, "--dry-run", "--json"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert not json.loads(done.stdout)["stored"]
    assert tumbler("diag", "calibration", *table, "--json", cwd=tmp_path).stdout == before
