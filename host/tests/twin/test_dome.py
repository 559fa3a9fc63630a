"""Dice in the dome by MuJoCo: they tumble, come to rest, and what is said of how they lie is what was laid."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from tumbler.twin import dome
from tumbler.twin.faults import PlayFault, lay
from tumbler.twin.lie import Lie, Throw, look, upper_face
from tumbler.twin.physics import HALF, Physics, square, tilted

RAD_S = 70.0


def shaken(physics: Physics, seconds: float = 1.0, angle: float = 0.0) -> Throw:
    for step in range(int(seconds / dome.STEP)):
        physics.shake(angle + step * dome.STEP * RAD_S, RAD_S, 0.0)
    physics.settle(6.0)
    return look(physics)


@pytest.mark.parametrize("face", range(1, 7))
def test_a_die_laid_square_shows_the_face_that_was_laid_up(face: int) -> None:
    physics = Physics(1, random.Random(0))
    for turn in (0.0, 0.7, 2.0, 4.5):
        physics.place(0, (0.0, 0.0, HALF), square(face, turn))
        assert physics.settle()
        assert look(physics) == Throw([face], [Lie.FLAT], [pytest.approx(0.0, abs=0.2)])
        tipped = upper_face(physics.poses[0]).tilt
        physics.place(0, (0.0, 0.0, HALF), tilted(square(face, turn), 20.0))
        assert upper_face(physics.poses[0]).tilt == pytest.approx(20.0 - tipped, abs=0.3)


@pytest.mark.parametrize("dice", [2, 3])
def test_shaken_dice_come_to_rest_and_the_same_seed_throws_the_same(dice: int) -> None:
    throws = []
    for seed in (1, 1, 2):
        physics = Physics(dice, random.Random(seed))
        throws.append([shaken(physics, 0.6, angle) for angle in (0.0, 1.0, 2.0)])
    assert throws[0] == throws[1]
    assert [t.faces for t in throws[0]] != [t.faces for t in throws[2]]
    assert all(Lie.MOVING not in throw.lies for run in throws for throw in run)


def test_every_face_comes_up_and_none_is_preferred_grossly() -> None:
    physics, rng = Physics(3, random.Random(5)), random.Random(6)
    seen: Counter[int] = Counter()
    for _ in range(40):
        seen.update(shaken(physics, 0.8, rng.random() * 6.0).faces)
    expected = sum(seen.values()) / 6
    chi2 = sum((seen[face] - expected) ** 2 / expected for face in range(1, 7))
    assert chi2 < 20.5  # five degrees of freedom: one fair run of a thousand is beyond it


@pytest.mark.parametrize("fault", list(PlayFault))
@pytest.mark.parametrize("seed", range(4))
def test_what_is_laid_badly_is_named_so(fault: PlayFault, seed: int) -> None:
    physics = Physics(3, random.Random(seed))
    shaken(physics, 0.5, float(seed))
    lay(physics, fault, seed % 3)
    named = look(physics).why_not
    assert named is not None
    assert named.value == fault.value
    assert len(look(physics).faces) == (2 if fault is PlayFault.MISSING else 3)


def test_a_die_that_was_out_comes_back_and_one_too_many_goes() -> None:
    physics = Physics(3, random.Random(9))
    physics.take_out(1)
    physics.add_die()
    physics.settle()
    assert look(physics).why_not is Lie.TOO_MANY
    physics.take_out(3)
    physics.settle()
    assert look(physics).why_not is Lie.MISSING
    physics.put_back()
    physics.settle()
    assert len(look(physics).faces) == 3
    assert Lie.MISSING not in look(physics).lies


def test_no_die_leaves_the_dome_however_hard_it_is_shaken() -> None:
    physics = Physics(3, random.Random(2))
    for step in range(1500):
        physics.shake(step * dome.STEP * 95.0, 95.0, 0.0)
        if step % 50 == 0:
            for pose in physics.poses:
                x, y, z = pose.position
                assert math.hypot(x, y) < dome.PLATE_RADIUS + 0.003
                assert 0.0 < z < dome.HEIGHT


def test_an_idle_dome_costs_no_step() -> None:
    physics = Physics(3, random.Random(2))
    before = physics.seconds
    physics.shake(0.0, 0.0, 0.0)
    assert physics.seconds == before
    assert physics.at_rest
