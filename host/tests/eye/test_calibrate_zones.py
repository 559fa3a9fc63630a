"""`tumbler calibrate --zones` on a running craps table: written, read back, in force after it started anew; and taken away."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ZONES = '[[zone]]\ncause = "in_bowl"\nbox = [200, 90, 260, 150]\n'


def tumbler(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tumbler", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120)


def test_zones_are_written_to_a_running_table_and_taken_away_again(
    tmp_path: Path, start_twin: Callable[..., contextlib.AbstractContextManager[Path]]
) -> None:
    (tmp_path / "zones.toml").write_text(ZONES)
    (tmp_path / "none.toml").write_text("")
    (tmp_path / "wrong.toml").write_text(ZONES.replace("in_bowl", "in_love"))
    with start_twin(tmp_path, "--book", "crown-melbourne-craps", "--reader", "camera", "--install-game"):
        table = ("--port", tmp_path / "controller", "--key", tmp_path / "controller.key", "--json")
        wrong = tumbler("calibrate", "--zones", "wrong.toml", *table, cwd=tmp_path)
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert "wrong.toml: zone 1: cause 'in_love'" in wrong.stderr
        for name, rows in (("zones.toml", ["in_bowl    box 200 90 260 150"]), ("none.toml", [])):
            done = tumbler("calibrate", "--zones", name, *table, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout) == {"zones": rows, "stored": True}
            after = tumbler("diag", "inputs", *table, cwd=tmp_path)  # it has started anew, and answers
            assert after.returncode == 0, after.stderr
            assert json.loads(after.stdout)["phase"] != "service"
