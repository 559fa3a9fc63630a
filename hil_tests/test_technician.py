"""The technician's requests on a real controller: over its cable while no daemon runs, and through the daemon."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tumbler.bench.processes import Daemon, Subscriber
from tumbler.rigs import Capability, Rig

Table = Callable[..., Rig]
needs = pytest.mark.needs
pytestmark = pytest.mark.timeout(900)  # an emulated chip may run at a tenth of real time
BY_THE_CLOCK = {"round_trip", "sent_again"}  # limits of a controller that runs in real time


def tumbler(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tumbler", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=90)


def diag(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return tumbler("diag", *words)


def provision(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return tumbler("provision", *words)


@pytest.fixture
def idle(table: Table, tmp_path: Path) -> tuple[Rig, tuple[str | Path, ...]]:
    """A table that nobody plays at, its game table in its flash; and the words that name its cable."""
    rig = table(dealer=False, seed=31, more=("--install-game",))
    key = tmp_path / "diag.key"
    key.write_text(rig.key.hex())
    key.chmod(0o600)
    cable = ("--port", rig.port, "--key", key)
    deadline = time.monotonic() + 30 * rig.slowness
    while '"betting_open"' not in (told := diag("inputs", *cable, "--json")).stdout:
        assert time.monotonic() < deadline, told.stdout + told.stderr
    return rig, cable


def answer(*words: str | Path) -> Any:
    done = diag(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs(Capability.KEYS)
def test_a_sound_table_passes_every_measurement(idle: Any) -> None:
    rig, cable = idle
    rig.control("cover", closed=True)
    done = diag("test", *cable, "--json")
    report = json.loads(done.stdout)
    failed = [row for row in report["measurements"] if not row["passed"]]
    if rig.slowness > 1:
        failed = [row for row in failed if row["name"] not in BY_THE_CLOCK]
    else:
        assert done.returncode == 0
    assert failed == []
    assert {row["name"] for row in report["measurements"]} >= {"motor_speed", "dead_lamps", "supply", "gravity"}
    assert report["controller"]["board"]
    (degrees,) = (row["value"] for row in report["measurements"] if row["name"] == "temperature")
    assert 10 < degrees < 60  # a room's or a little more; 0 is no thermometer


@needs(Capability.BREAK, Capability.KEYS)
@pytest.mark.parametrize(
    ("fault", "part", "found"),
    [("lamp_dead", "7", "dead_lamps"), ("supply_low", "", "supply"), ("motor_stalled", "", "motor_speed")],
)
def test_a_defect_is_found_and_named(fault: str, part: str, found: str, idle: Any) -> None:
    rig, cable = idle
    rig.control("cover", closed=True)
    rig.control("break", fault=fault, part=part)
    done = diag("test", *cable, "--json")
    if done.returncode == 1 and not done.stdout:
        assert fault == "motor_stalled"  # the controller itself turned the motor off
        assert "draws" in done.stderr
        return
    failed = [row["name"] for row in json.loads(done.stdout)["measurements"] if not row["passed"]]
    assert done.returncode == 1
    assert found in failed


def test_the_controller_tells_who_it_is_and_what_it_has(idle: Any) -> None:
    _, cable = idle
    assert answer("info", *cable)["book"] == "crown-melbourne-sicbo-a"
    assert answer("settings", *cable)["still_reads"] >= 2
    assert len(answer("dice", *cable)["dice"]) == 18
    assert answer("inputs", *cable)["phase"] == "betting_open"
    assert answer("link", *cable)["crc_errors"] == 0


@needs(Capability.KEYS)
def test_with_the_cover_open_the_motor_is_refused_and_the_table_given_back(idle: Any) -> None:
    rig, cable = idle
    rig.control("cover", closed=False)
    done = diag("motor", *cable, "300", "500")
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith("event: ")]
    assert "close the cover" in line
    assert answer("inputs", *cable)["phase"] != "service"


def test_a_set_of_dice_is_taught_and_a_wrong_sheet_changes_nothing(idle: Any, tmp_path: Path) -> None:
    _, cable = idle
    known = answer("dice", *cable)["dice"]
    tags = [[row["uid"] for row in known if row["die"] == die] for die in (3, 1, 2)]  # the same dice, counted anew
    sheet = tmp_path / "dice.toml"
    sheet.write_text(f"dice = {json.dumps(tags)}")
    done = provision("dice", sheet, *cable)
    assert done.returncode == 0, done.stderr
    assert [row["uid"] for row in answer("dice", *cable)["dice"]] == [uid for die in tags for uid in die]
    sheet.write_text(f"dice = {json.dumps([tags[0], tags[0], tags[1]])}")
    done = provision("dice", sheet, *cable)
    assert done.returncode == 2
    assert "a tag stands twice" in done.stderr
    sheet.write_text(f"dice = {json.dumps(tags[:2])}")
    done = provision("dice", sheet, *cable)
    assert done.returncode == 1
    assert "2 dice, the game has 3" in done.stderr
    assert len(answer("dice", *cable)["dice"]) == 18


def _between_rounds(rig: Rig, floor: Subscriber, ask: Callable[[], Any]) -> Any:
    """Asks when a result has just come and the dealer rests; again at the next one where the table was already spinning."""
    for results in range(2, 10):
        rig.control("dealer", on=True)
        floor.wait(lambda at, results=results: len(at.results()) >= results, 60 * rig.slowness)
        rig.control("dealer", on=False)
        done = ask()
        if "between two rounds" not in done.stderr:
            break
    return done


@needs(Capability.DEALER)
def test_through_the_daemon_the_last_spin_and_the_log_are_read_while_it_plays(
    table: Table, serve: Callable[[Rig], Daemon], floor: Subscriber, tmp_path: Path
) -> None:
    rig = table(seed=32)
    serve(rig)
    config = ("--config", tmp_path / "tumbler.toml", "--by", "tom")
    done = _between_rounds(rig, floor, lambda: diag("recall", *config, "--json"))
    assert done.returncode == 0, done.stderr
    last = json.loads(done.stdout)
    assert last["kind"] in ("result", "no_spin")
    told = {result["spin"]: result["faces"] for result in floor.results()}
    if last["kind"] == "result" and last["spin"] in told:
        assert list(bytes.fromhex(last["faces"])) == told[last["spin"]]
    log = diag("log", *config)
    assert log.returncode == 0, log.stderr
    assert log.stdout
    access = floor.wait_for("t1/event/access", lambda event: event["code"] == "command")
    assert (access["by"], access["role"], access["command"]) == ("tom", "technician", "service")
