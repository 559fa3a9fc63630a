"""What counts as a physical spin, and what is said to have spoilt it: from the table alone, no firmware in sight."""

from __future__ import annotations

import json
import random
from pathlib import Path

from tumbler.twin.physics import Physics
from tumbler.twin.spinwatch import Spoilt
from tumbler.twin.truth import TruthFile, row
from twin_bench import Bare


def test_a_spin_that_was_asked_for_is_known_when_the_dice_rest_and_not_before(bare: Bare) -> None:
    bare.spin()
    assert bare.watch.current is not None
    assert bare.spins == []
    bare.rest()
    told = row(bare.spins[0])
    assert told["spin"] == 1
    assert len(told["faces"]) == 3
    assert told["faces"] == sorted(told["faces"])
    assert told["flat"] is (told["why_not"] is None)
    assert told["turns"] > 5


def test_a_crank_that_turns_unasked_is_no_spin(bare: Bare) -> None:
    bare.drive(0.5)
    bare.rest()
    assert bare.spins == []
    bare.world.press("spin", 80_000)  # refused, and a self-test turns the crank much later
    bare.world.advance(5_000_000)
    bare.drive(0.5)
    bare.rest()
    assert bare.spins == []


def test_when_a_spin_begins_changes_nothing_about_how_it_ends(bare: Bare) -> None:
    throws = []
    for wait_us in (0, 123_457, 9_999_001):
        bare.world.physics = Physics(3, random.Random(4))
        bare.chips.bridge.motor.turns = 0.0
        bare.chips.bridge.motor.rad_s = 0.0
        bare.world.advance(wait_us)
        bare.spin(0.8)
        bare.rest()
        assert bare.spins[-1].throw is not None
        throws.append((bare.spins[-1].throw.faces, bare.world.physics.poses))
    assert throws[0] == throws[1] == throws[2]


def test_uncovered_while_it_turns(bare: Bare) -> None:
    bare.spin(0.3)
    bare.world.cover(False)
    bare.rest()
    assert row(bare.spins[0])["why_not"] == "exposed_early"
    assert row(bare.spins[0])["flat"] is False


def test_uncovered_after_it_rests_spoils_nothing(bare: Bare) -> None:
    bare.spin(0.3)
    bare.rest()
    bare.world.cover(False)
    bare.world.advance(100_000)
    assert bare.spins[0].spoilt == set()


def test_called_by_the_dealer(bare: Bare) -> None:
    bare.spin(0.3)
    bare.world.press("no_spin", 80_000)
    bare.rest()
    assert row(bare.spins[0])["why_not"] == "called"


def test_a_jammed_motor_is_told_and_the_dice_still_speak_for_themselves(bare: Bare) -> None:
    bare.chips.bridge.motor.seized = True
    bare.spin(0.5)
    bare.rest()
    told = row(bare.spins[0])
    assert told["spoilt"] == ["motor"]
    assert told["turns"] == 0.0
    assert told["why_not"] is None


def test_power_lost_outweighs_the_rest(bare: Bare) -> None:
    bare.spin(0.3)
    bare.watch.spoil(Spoilt.RESTART)
    bare.watch.spoil(Spoilt.POWER_CUT)
    bare.rest()
    assert row(bare.spins[0])["why_not"] == "power_cut"
    assert row(bare.spins[0])["spoilt"] == ["power_cut", "restart"]


def test_the_file_has_a_line_a_spin_at_once(bare: Bare, tmp_path: Path) -> None:
    file = TruthFile(tmp_path / "truth.jsonl", go_on=False)
    bare.watch.on_known.append(file.write)
    for number in (1, 2):
        bare.spin(0.3)
        bare.rest()
        lines = (tmp_path / "truth.jsonl").read_text().splitlines()
        assert [json.loads(line)["spin"] for line in lines] == list(range(1, number + 1))
    file.close()
