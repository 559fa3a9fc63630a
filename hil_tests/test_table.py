"""One table by hand, on any rig: keys, cover, lamps, power and cable. On a bench a person is asked to do each move.

What needs hundreds of spins is in test_spine.py, which a twin plays by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tumbler.bench.processes import Daemon, Subscriber
from tumbler.rigs import Capability, Rig
from tumbler.rigs.report import Measurement

Table = Callable[..., Rig]
Serve = Callable[[Rig], Daemon]

needs = pytest.mark.needs
pytestmark = [pytest.mark.timeout(1800), pytest.mark.xdist_group("quirks")]

READY = ("betting_open", "no_spin")


class Hands:
    """A dealer's moves, each waited for until the table has told that it saw them."""

    def __init__(self, rig: Rig, floor: Subscriber) -> None:
        self.rig, self.floor = rig, floor
        self._patience = 60 * rig.slowness

    @property
    def told(self) -> dict[str, Any]:
        rounds: list[dict[str, Any]] = self.floor.of("t1/round")
        return rounds[-1] if rounds else {"round": "none", "inputs": []}

    def until(self, *rounds: str) -> None:
        self.floor.wait(lambda _: self.told["round"] in rounds, self._patience)

    def cover(self, closed: bool) -> None:
        self.rig.control("cover", closed=closed)
        self.floor.wait(lambda _: ("cover_closed" in self.told["inputs"]) == closed, self._patience)

    def press(self, key: str, *rounds: str) -> None:
        self.rig.control("press", key=key)
        self.until(*rounds)

    def spin(self) -> None:
        self.cover(True)
        self.press("spin", "spinning", "no_more_bets")

    def event(self, leaf: str, seen: int) -> dict[str, Any]:
        """The first one on that topic after so many."""
        self.floor.wait(lambda at: len(at.of(leaf)) > seen, self._patience)
        event: dict[str, Any] = self.floor.of(leaf)[seen]
        return event

    def play(self) -> dict[str, Any]:
        """A round up to its result."""
        results, no_spins, rested = len(self.floor.results()), len(self.no_spins()), self.rig.rested()
        self.spin()
        self.press("no_more_bets", "no_more_bets")
        self.rig.wait_rest(rested)
        self.cover(False)
        self.floor.wait(lambda at: len(at.results()) > results or len(self.no_spins()) > no_spins, self._patience)
        assert [event["cause"] for event in self.no_spins()[no_spins:]] == []
        result: dict[str, Any] = self.floor.results()[results]
        return result

    def no_spins(self) -> list[dict[str, Any]]:
        return self.floor.of("t1/event/no_spin")


@pytest.fixture
def hands(table: Table, serve: Serve, floor: Subscriber) -> Hands:
    """A table that is ready for a spin, served by a daemon."""
    rig = table(dealer=False, seed=41, speed=5.0)  # no hand is as fast as a twin can be
    serve(rig)
    made = Hands(rig, floor)
    made.until(*READY)
    return made


@needs(Capability.KEYS)
def test_a_round_by_hand_ends_with_what_the_dice_show(hands: Hands, measure: Measurement) -> None:
    result = hands.play()
    assert result["faces"] == hands.rig.control("look")["faces"]
    times = result["times"]
    measure("a spin", times["spin_ms"] / 1000, "s", low=1.5, high=8)
    measure("from the cover's opening to the result", (times["read_ms"] - times["exposed_ms"]) / 1000, "s", high=10)
    hands.press("confirm", "betting_open")


@needs(Capability.KEYS, Capability.LAMPS)
def test_after_a_result_lamps_are_lit_and_after_paying_they_are_dark(hands: Hands) -> None:
    areas = hands.play()["winning_areas"]
    assert len(hands.rig.lit()) >= len(areas) > 0
    hands.press("confirm", "betting_open")
    assert hands.rig.lit() == []


@needs(Capability.KEYS)
def test_dice_shown_before_no_more_bets_are_a_no_spin(hands: Hands) -> None:
    seen = len(hands.floor.of("t1/event/no_spin"))
    hands.spin()
    if hands.told["round"] == "no_more_bets":
        pytest.skip("the bets of the no spin before are closed already: play a round to its end first")
    hands.cover(False)
    event = hands.event("t1/event/no_spin", seen)
    assert event["cause"] in ("exposed_early", "cover_open")
    assert event["rule"].startswith("D5 7.1")


@needs(Capability.KEYS)
def test_a_no_spin_is_called_by_its_key(hands: Hands) -> None:
    seen = len(hands.floor.of("t1/event/no_spin"))
    hands.spin()
    hands.press("no_spin", "no_spin")
    assert hands.event("t1/event/no_spin", seen)["cause"] == "called"


@needs(Capability.POWER)
def test_after_a_power_cut_it_is_the_same_table_in_a_new_boot(hands: Hands) -> None:
    before = hands.floor.of("t1/info")[-1]["controller"]
    hands.rig.control("power_cut", off_ms=300)
    hands.floor.wait(
        lambda at: at.of("t1/info")[-1]["controller"]["boot_id"] != before["boot_id"], 60 * hands.rig.slowness
    )
    after = hands.floor.of("t1/info")[-1]["controller"]
    assert after["uid"] == before["uid"]
    assert after["epoch"] == before["epoch"]
    assert after["reset_cause"] == "power_on"
    hands.until(*READY)


@needs(Capability.CABLE)
def test_a_pulled_cable_is_told_and_comes_back_by_itself(hands: Hands) -> None:
    links = len(hands.floor.of("t1/link"))
    hands.rig.control("unplug")
    assert hands.event("t1/link", links)["state"] == "down"
    hands.rig.control("plug")
    hands.floor.wait(lambda at: at.of("t1/link")[-1]["state"] == "up", 60 * hands.rig.slowness)
