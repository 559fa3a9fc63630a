"""Rendered frames at easy and normal difficulty: no wrong face is accepted. `make bench-reader` has the figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tumbler.eye.calibrate import calibrate
from tumbler.eye.frames import SIGHTS, read_pairs, read_throws
from tumbler.twin.camera import NORMAL, SETS, Lie, Pair, StagedThrow, pair, render, stage

DICE = 3


@pytest.mark.parametrize(("difficulty", "die_set"), [("easy", "white"), ("normal", "white"), ("normal", "black")])
def test_no_wrong_face_is_accepted_from_the_twins_camera(difficulty: str, die_set: str) -> None:
    readings = read_throws(difficulty, die_set, 20, 6, seed=3)
    assert not [(r.truth, r.faces) for r in readings if r.wrong]
    assert sum(r.accepted for r in readings) >= 18


def test_what_is_not_a_throw_of_flat_dice_is_mostly_refused() -> None:
    readings = read_throws("easy", "white", 0, 48, seed=5)
    accepted = [r for r in readings if r.accepted]
    assert len(accepted) <= 3
    assert not [r.lie for r in accepted if r.lie.value in ("missing", "too_many", "stacked")]
    assert not [r.tilt for r in accepted if r.tilt > 10]


class Table:
    """Of black dice under a dome that mirrors strongly, calibrated."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.preset = replace(NORMAL, glare=(0.8, 0.8), dust=(0.0, 0.0))
        self.fitting = self.preset.fit(self.rng)
        self.eye = calibrate([self.seen(stage(Lie.FLAT, DICE, self.rng)) for _ in range(10)]).eye

    def seen(self, throw: StagedThrow) -> Pair:
        return pair(throw.poses, SETS["black"], self.preset.draw(self.rng, self.fitting), self.rng)

    def seen_by(self, lamp: int, throw: StagedThrow) -> Pair:
        """Twice by the same lamp, as where the change-over is stuck."""
        conditions = self.preset.draw(self.rng, self.fitting)
        one, two = (render(throw.poses, SETS["black"], conditions, self.rng, lamp=lamp) for _ in range(2))
        return one, two


@pytest.fixture(scope="module")
def table() -> Table:
    return Table(11)


def test_what_one_lamp_hides_the_other_shows(table: Table) -> None:
    throws = [stage(Lie.FLAT, DICE, table.rng) for _ in range(24)]
    by_both = read_pairs(table.eye, [table.seen(throw) for throw in throws], DICE)
    by_one = read_pairs(table.eye, [table.seen_by(0, throw) for throw in throws], DICE)
    for answers in (by_both, by_one):
        assert not [answer for answer, throw in zip(answers, throws, strict=True)
                    if not answer["sight"] and answer["faces"] != throw.faces]  # fmt: skip
    assert sum(not answer["sight"] for answer in by_both) >= 22
    assert sum(not answer["sight"] for answer in by_one) <= sum(not answer["sight"] for answer in by_both) - 6


def test_a_lamp_that_gives_no_light_is_called_dark(table: Table) -> None:
    first, second = table.seen(stage(Lie.FLAT, DICE, table.rng))
    answers = read_pairs(table.eye, [(first, second // 12), (first // 12, second)], DICE)
    assert [SIGHTS[answer["sight"]] for answer in answers] == ["dark", "dark"]
