"""The control socket: hands, faults and eyes on a running twin, led step by step through a round."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tumbler.rigs.rig import RigFailed
from tumbler.rigs.twin import Lines, TwinPlan, TwinRig
from tumbler.rules.gametable import LAMPS_OF_AREA
from tumbler.rules.tableplay import Play
from twin_bench import wait_until

Twin = Callable[..., TwinRig]
BOOK = "crown-melbourne-sicbo-a"
LAMPS_TRIED = 50
THROWS = ([1, 2, 3], [6, 6, 6])


def lit(status: dict[str, Any]) -> list[int]:
    return [pixel for pixel, colour in enumerate(status["lamps"]) if any(colour)]


def ready(rig: TwinRig, since: int = 0) -> None:
    """Since that many changes of the lamps all of them have been tried, one by one, and now they keep still."""
    last = [0, 0.0]

    def tried() -> bool:
        status = rig.control("status")
        if status["lamp_changes"] != last[0]:
            last[:] = [status["lamp_changes"], status["t"]]
        return last[0] - since > LAMPS_TRIED and status["t"] - last[1] > 0.5

    wait_until(tried)


class Events:
    def __init__(self, rig: TwinRig) -> None:
        self._lines = Lines(rig.plan.folder / "control")
        assert self._lines.ask({"do": "watch"}) == {"ok": True}

    def wait(self, kind: str) -> dict[str, Any]:
        while True:
            event = self._lines.next(30.0)
            if event["event"] == kind:
                return event

    def close(self) -> None:
        self._lines.close()


@pytest.fixture
def led(twin: Twin) -> Iterator[tuple[TwinRig, Events]]:
    """A table without a dealer: the test has the hands. Slow enough that a person's order of things holds."""
    rig = twin(dealer=False, speed=20.0, seed=3)
    ready(rig)
    events = Events(rig)
    yield rig, events
    events.close()


def spin(rig: TwinRig, events: Events) -> dict[str, Any]:
    rig.control("press", key="spin")
    events.wait("spin")
    rig.control("press", key="no_more_bets")
    wait_until(lambda: rig.control("status")["sign"])
    return events.wait("rest")


def result(rig: TwinRig) -> list[int]:
    wait_until(lambda: rig.control("status")["rpm"] == 0.0)
    t = rig.control("status")["t"]
    wait_until(lambda: rig.control("status")["t"] > t + 0.6)
    rig.control("cover", closed=False)
    return wait_until(lambda: lit(rig.control("status")))  # type: ignore[no-any-return]


def test_dice_laid_by_hand_light_what_they_show(led: tuple[TwinRig, Events]) -> None:
    rig, events = led
    lamps = []
    for faces in THROWS:
        spin(rig, events)
        laid = rig.control("place", faces=faces)
        assert laid["faces"] == faces
        assert laid["why_not"] is None
        lamps.append(result(rig))
        rig.control("press", key="confirm")
        wait_until(lambda: not rig.control("status")["sign"])
        rig.control("cover", closed=True)
    play = Play(BOOK)
    for faces, pixels in zip(THROWS, lamps, strict=True):
        _, _, areas = play.roll(0, faces)
        assert len(pixels) == sum(LAMPS_OF_AREA.get(area, 1) for area in areas)
    assert lamps[0] != lamps[1]


def test_a_die_laid_badly_is_a_no_spin(led: tuple[TwinRig, Events]) -> None:
    rig, events = led
    spin(rig, events)
    assert rig.control("lay", how="cocked", die=1)["why_not"] == "cocked"
    t = rig.control("status")["t"]
    wait_until(lambda: rig.control("status")["t"] > t + 0.6)
    rig.control("cover", closed=False)
    wait_until(lambda: not rig.control("status")["sign"])
    assert lit(rig.control("status")) == []


def test_power_cut_and_restored_by_hand(led: tuple[TwinRig, Events]) -> None:
    rig, events = led
    before = rig.control("status")
    rig.control("power", on=False)
    assert events.wait("power")["on"] is False
    status = rig.control("status")
    assert not status["running"]
    assert not status["plugged"]
    assert not rig.port.is_symlink()
    rig.control("power", on=True)
    assert events.wait("power")["on"] is True
    wait_until(rig.port.is_symlink)
    assert rig.control("status")["boots"] == before["boots"] + 1
    ready(rig, before["lamp_changes"])


def test_a_crash_ends_in_the_watchdog_and_a_new_boot(led: tuple[TwinRig, Events]) -> None:
    rig, events = led
    before = rig.control("status")
    rig.control("crash")
    events.wait("stopped")
    wait_until(lambda: rig.control("status")["running"])
    after = rig.control("status")
    assert after["watchdog_bites"] == before["watchdog_bites"] + 1
    assert after["boot"] != before["boot"]


def test_the_cable_out_and_in(led: tuple[TwinRig, Events]) -> None:
    rig, _ = led
    rig.control("unplug")
    assert not rig.port.is_symlink()
    assert rig.control("status")["unplugs"] == 1
    rig.control("plug")
    assert rig.port.is_symlink()
    rig.control("unplug", seconds=0.05)
    wait_until(rig.port.is_symlink)


def test_a_torn_flash_write_cuts_the_power_and_the_table_comes_back(led: tuple[TwinRig, Events]) -> None:
    rig, events = led
    before = rig.control("status")["lamp_changes"]
    rig.control("flash_cut", after=40, seed=5)
    rig.control("press", key="spin")  # its number is written before the crank turns
    assert events.wait("power")["on"] is False
    assert events.wait("power")["on"] is True
    ready(rig, before)
    assert rig.control("status")["power_cuts"] == 1


def test_poses_stream_while_someone_looks(led: tuple[TwinRig, Events]) -> None:
    rig, events = led
    with socket.socket(socket.AF_UNIX) as viewer:
        viewer.settimeout(20.0)
        viewer.connect(str(rig.plan.folder / "control"))
        viewer.sendall(b'{"do": "poses", "hz": 50}\n')
        rig.control("press", key="spin")
        events.wait("spin")
        frames = []
        lines = viewer.makefile("rb")
        while len(frames) < 5 or not frames[-1]["rpm"]:
            frames.append(json.loads(lines.readline()))
        lines.close()
    assert all(len(frame["dice"]) == 3 for frame in frames)
    assert all(len(die["p"]) == 3 and len(die["q"]) == 4 for die in frames[-1]["dice"])
    assert frames[-1]["t"] > frames[0]["t"]
    assert frames[-1]["cover"] is True


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"do": "dance"}, "dance"),
        ({"do": "press", "key": "jackpot"}, "jackpot"),
        ({"do": "place", "faces": [1, 2]}, "faces"),
        ({"do": "place", "faces": [1, 2, 7]}, "faces"),
        ({"do": "place", "die": 1, "position": [0, 0, 0.1], "quaternion": [0, 0, 0, 0]}, "quaternion"),
        ({"do": "cover", "closed": "yes"}, "closed"),
        ({"do": "break", "fault": "lamp_dead", "part": "x"}, "part"),
        ({"do": "rate", "fault": "cocked", "rate": 2}, "rate"),
        ({"do": "next", "fault": "flip"}, "flip"),
        ({"do": "dealer", "on": True}, "--auto"),
        ({"do": "poses", "hz": 0}, "hz"),
        ({"no": "do"}, "do"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_field(twin_once: TwinRig, body: dict[str, Any], names: str) -> None:
    lines = Lines(twin_once.plan.folder / "control")
    answer = lines.ask(body)
    assert answer["ok"] is False
    assert names in answer["why"]
    assert lines.ask({"do": "look"})["ok"]
    lines.close()


@pytest.fixture(scope="module")
def twin_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwinRig]:
    rig = TwinRig(TwinPlan(tmp_path_factory.mktemp("twin"), dealer=False, speed=1.0, more=("--install-game",)))
    rig.start()
    yield rig
    rig.stop()


def test_not_json_is_refused_and_the_connection_stays(twin_once: TwinRig) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(20.0)
        client.connect(str(twin_once.plan.folder / "control"))
        client.sendall(b"hello\n" + b'{"do": "look"}\n')
        lines = client.makefile("rb")
        assert "JSON" in json.loads(lines.readline())["why"]
        assert json.loads(lines.readline())["ok"]
        lines.close()


def test_a_second_twin_on_the_same_socket_is_refused(twin_once: TwinRig, tmp_path: Path) -> None:
    more = ("--control", str(twin_once.plan.folder / "control"))
    rig = TwinRig(TwinPlan(tmp_path, dealer=False, more=more))
    with pytest.raises(RigFailed, match="another twin listens"):
        rig.start()
