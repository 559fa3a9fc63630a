"""A table's program is exchanged as a technician does it: `tumbler update send`, through the daemon and over the cable."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tumbler.bench.processes import Daemon, Subscriber
from tumbler.rigs import Capability, Rig
from tumbler.update import build
from tumbler.update.image import pack, signed

Table = Callable[..., Rig]
needs = pytest.mark.needs
pytestmark = pytest.mark.timeout(1200)  # an emulated chip may run at a tenth of real time
NEW = "0.9.9"


def tumbler(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tumbler", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def image_file(folder: Path, board: str = "twin", key: bytes | None = None, broken: bool = False) -> Path:
    """The shipped program, called NEW; broken: it ends with its first line."""
    files = build.program_files(board)
    del files["controller/version.mpy"]
    files["controller/version.py"] = b"raise ValueError('broken')\n" if broken else f'FIRMWARE = "{NEW}"\n'.encode()
    data = pack(files, board, NEW)
    file = folder / "new.update"
    file.write_bytes(data if key is None else signed(data, key))
    return file


def board_of(rig: Rig) -> str:
    """Whose program the rig's controller runs."""
    return "twin" if rig.name == "twin" else "pico"


def updates(floor: Subscriber) -> list[str]:
    return [body["code"] for leaf, body, _ in floor.messages if leaf == "t1/event/update"]


@needs(Capability.DEALER)
def test_through_the_daemon_a_table_is_updated_between_two_rounds_and_plays_on(
    table: Table, serve: Callable[[Rig], Daemon], floor: Subscriber, tmp_path: Path
) -> None:
    rig = table(seed=41)
    serve(rig)
    config = ("--config", tmp_path / "tumbler.toml", "--by", "tom")
    floor.wait(lambda at: len(at.results()) >= 2, 60 * rig.slowness)
    rig.control("dealer", on=False)
    file = image_file(tmp_path, board_of(rig))
    for _ in range(20):
        done = tumbler("update", "send", file, *config, "--json")
        if "not idle" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["stage"] == "applied"
    floor.wait(lambda at: "update_applied" in updates(at), 30 * rig.slowness)
    told = updates(floor)
    assert told[-3:] == ["update_started", "update_received", "update_applied"]
    info = floor.wait_for("t1/info", lambda body: (body["controller"] or {}).get("firmware") == NEW)
    assert info["controller"]["firmware"] == NEW
    before = len(floor.results())
    rig.control("dealer", on=True)
    floor.wait(lambda at: len(at.results()) >= before + 2, 60 * rig.slowness)
    spins = [result["spin"] for result in floor.results()]
    assert len(set(spins)) == len(spins)
    broken = image_file(tmp_path, board_of(rig), broken=True)
    rig.control("dealer", on=False)
    for _ in range(20):
        done = tumbler("update", "send", broken, *config)
        if "not idle" not in done.stderr:
            break
    assert done.returncode == 1
    assert "rolled back: 0.9.9: ValueError: broken" in done.stderr
    floor.wait(lambda at: "update_rolled_back" in updates(at), 30 * rig.slowness)
    before = len(floor.results())
    rig.control("dealer", on=True)
    floor.wait(lambda at: len(at.results()) >= before + 1, 60 * rig.slowness)


@pytest.fixture
def idle(table: Table, tmp_path: Path) -> tuple[Rig, tuple[str | Path, ...]]:
    rig = table(dealer=False, seed=42, more=("--install-game",))
    key = tmp_path / "diag.key"
    key.write_text(rig.key.hex())
    key.chmod(0o600)
    return rig, ("--port", rig.port, "--key", key)


def test_over_the_cable_an_update_is_applied_and_what_is_not_for_it_is_refused(idle: Any, tmp_path: Path) -> None:
    rig, cable = idle
    board = board_of(rig)
    wrong = {"twin": "pico", "pico": "twin"}[board]
    other = tumbler("update", "send", image_file(tmp_path, board, key=bytes(32)), *cable)
    assert other.returncode == 1
    assert "not signed with this table's key" in other.stderr
    done = tumbler("update", "send", image_file(tmp_path, wrong), *cable)
    assert done.returncode == 1
    assert f"for the board {wrong}, this is {board}" in done.stderr
    done = tumbler("update", "send", image_file(tmp_path, board), *cable)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"applied: {NEW} in slot_a\n"
    info = json.loads(tumbler("diag", "info", *cable, "--json").stdout)
    assert (info["firmware"], info["slot"]) == (NEW, "slot_a")


def test_a_file_that_is_no_image_is_bad_input(tmp_path: Path) -> None:
    file = tmp_path / "any.update"
    file.write_bytes(b"x" * 1000)
    done = tumbler("update", "send", file, "--port", "/dev/null", "--key", file)
    assert (done.returncode, done.stderr) == (2, f"tumbler update: {file}: not an update image\n")


def test_packing_gives_the_same_bytes_every_time(tmp_path: Path) -> None:
    images = []
    for name in ("one", "two"):
        done = tumbler("update", "pack", "--board", "twin", "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
        images.append((tmp_path / name).read_bytes())
    assert images[0] == images[1]
    shown = json.loads(tumbler("update", "show", tmp_path / "one", "--json").stdout)
    assert (shown["board"], shown["version"], shown["signed"]) == ("twin", build.version(), False)
