"""What a picture can show of a tilt or a thing, by geometry and light: the yardstick of the bench must not depend on the reader."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tumbler.eye.shown import LEAST_PIXELS, outline_pixels, to_be_seen
from tumbler.twin.camera import SETS, Foreign, ForeignKind, Lie, View, boxes, judge, stage


def die(x: float, degrees: float) -> boxes.Pose:
    rotation = boxes.turned((0.0, 1.0, 0.0), np.radians(degrees)) @ boxes.face_up(5)
    return boxes.pose_at(x, 0.0, boxes.resting_height(rotation), rotation)


def test_a_flat_die_has_a_flat_dies_outline_anywhere() -> None:
    for x in (0.0, 0.01, 0.03):
        assert outline_pixels(die(x, 0.0), SETS["white"], View()) < 0.01


def test_a_small_tilt_shows_beside_the_middle_and_not_in_it() -> None:
    assert outline_pixels(die(0.0, 3.0), SETS["white"], View()) < LEAST_PIXELS
    assert outline_pixels(die(0.028, -3.0), SETS["white"], View()) > LEAST_PIXELS
    assert outline_pixels(die(0.0, 12.0), SETS["white"], View()) > LEAST_PIXELS


def test_a_thing_of_the_plates_own_luma_is_not_to_be_seen() -> None:
    rng = np.random.default_rng(1)
    flat = stage(Lie.FLAT, 3, rng)
    crumb = judge(flat.poses, 3, (Foreign(ForeignKind.CRUMB, 0.0, 0.03, 0.002),))
    assert to_be_seen(crumb, Lie.FOREIGN, SETS["white"], View())
    assert not to_be_seen(crumb, Lie.FOREIGN, replace(SETS["black"], plate=(0.30, 0.31, 0.30)), View())
    hair = judge(flat.poses, 3, (Foreign(ForeignKind.HAIR, 0.0, 0.03, 0.012),))
    assert to_be_seen(hair, Lie.FOREIGN, SETS["black"], View())
    assert not to_be_seen(hair, Lie.FOREIGN, replace(SETS["white"], plate=(0.02, 0.02, 0.02)), View())
    assert to_be_seen(flat, Lie.MISSING, SETS["black"], View())
