"""Rendered frames at easy and normal difficulty: no wrong face is accepted. `make bench-reader` has the figures."""

from __future__ import annotations

import pytest
from tumbler.eye.frames import read_throws


@pytest.mark.parametrize(("difficulty", "die_set"), [("easy", "white"), ("normal", "white"), ("normal", "black")])
def test_no_wrong_face_is_accepted_from_the_twins_camera(difficulty: str, die_set: str) -> None:
    readings = read_throws(difficulty, die_set, 20, 6, seed=3)
    assert not [(r.truth, r.faces) for r in readings if r.wrong]
    assert sum(r.accepted for r in readings) >= 10


def test_what_is_not_a_throw_of_flat_dice_is_mostly_refused() -> None:
    readings = read_throws("easy", "white", 0, 48, seed=5)
    accepted = [r for r in readings if r.accepted]
    assert len(accepted) <= 6
    assert not [r.lie for r in accepted if r.lie.value in ("missing", "too_many", "stacked")]
    assert not [r.tilt for r in accepted if r.tilt > 15]
