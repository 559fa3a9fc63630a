"""A table on a port, with a person beside it: a twin's pty stands for the port, and a script for the person's hands."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tumbler.rigs import Capability
from tumbler.rigs.bench import BenchRig
from tumbler.rigs.rig import RigFailed
from tumbler.rigs.twin import TwinPlan, TwinRig

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def twin(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[TwinRig]:
    if request.config.getoption("--rig") != "twin":
        pytest.skip("about the bench rig itself: on a twin that stands for the table")
    made = TwinRig(TwinPlan(tmp_path, dealer=False))
    made.start()
    yield made
    made.stop()


class Person:
    """Reads what is asked and does it."""

    def __init__(self, twin: TwinRig) -> None:
        self._twin = twin
        self.asked: list[str] = []

    def __call__(self, what: str) -> str:
        self.asked.append(what)
        if key := re.fullmatch(r"press the key (\w+)", what):
            self._twin.control("press", key=key[1])
        elif closed := re.fullmatch(r"set the cover to closed = (\w+)", what):
            self._twin.control("cover", closed=closed[1] == "True")
        elif "switch the controller off" in what:
            self._twin.control("power_cut", off_ms=100)
        elif "type the faces" in what:
            return " ".join(map(str, self._twin.control("look")["faces"]))
        return ""


def bench(twin: TwinRig, ask: Person | None) -> BenchRig:
    return BenchRig(str(twin.port), twin.plan.folder / "controller.key", ask)


def test_a_person_is_asked_for_each_move_and_for_what_the_dice_show(twin: TwinRig) -> None:
    person = Person(twin)
    rig = bench(twin, person)
    rig.start()
    assert rig.missing({Capability.KEYS, Capability.POWER, Capability.CABLE, Capability.DICE}) == []
    rig.control("cover", closed=True)
    rig.control("press", key="confirm")
    twin.control("place", faces=[6, 2, 4])
    assert rig.control("look")["faces"] == [2, 4, 6]
    boots = twin.control("status")["boots"]
    rig.control("power_cut", off_ms=100)
    assert twin.control("status")["power_cuts"] == 1
    assert twin.control("status")["boots"] >= boots
    assert person.asked[:2] == ["set the cover to closed = True", "press the key confirm"]


def test_unattended_nothing_is_asked_and_the_reason_is_said(twin: TwinRig) -> None:
    rig = bench(twin, None)
    assert rig.missing({Capability.KEYS, Capability.POWER}) == sorted([Capability.KEYS.value, Capability.POWER.value])
    with pytest.raises(RigFailed, match="nobody at the bench"):
        rig.control("press", key="spin")


def test_no_key_and_no_port_are_said_before_anything_is_tried(twin: TwinRig, tmp_path: Path) -> None:
    with pytest.raises(RigFailed, match="--key FILE"):
        BenchRig(str(twin.port), None, None)
    gone = BenchRig(str(tmp_path / "nowhere"), twin.plan.folder / "controller.key", None)
    with pytest.raises(RigFailed, match="is not there"):
        gone.start()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rig", "zork"), "--rig zork: there is no such rig"),
        (("--rig", "serial:/dev/ttyACM0", "--key", "no.key"), "no.key cannot be read"),
        (("--rig", "usb:E6614C311B2A7F20"), "--key"),
    ],
)
def test_a_rig_that_cannot_be_had_is_said_in_one_line_before_any_test(words: tuple[str, ...], said: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__).parent), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    (line,) = done.stderr.strip().splitlines()
    assert said in line
    assert "Traceback" not in done.stdout + done.stderr
