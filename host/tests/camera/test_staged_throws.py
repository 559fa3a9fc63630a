"""Throws that are made up: physically possible, called by geometry, and never in the grey between flat and cocked."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from tumbler.twin.camera import Lie, StagedThrow, judge, stage, stage_any
from tumbler.twin.camera.boxes import HALF, face_up, gap, outermost, pose_at, turned
from tumbler.twin.camera.staged import LEAST_COCKED
from tumbler.twin.chips.dice import FACE_NORMALS
from tumbler.twin.dome import PLATE_RADIUS

MANY = 25


def many(lie: Lie, dice: int = 3) -> list[StagedThrow]:
    rng = np.random.default_rng(list(Lie).index(lie))
    return [stage(lie, dice, rng) for _ in range(MANY)]


@pytest.mark.parametrize("lie", list(Lie))
@pytest.mark.parametrize("dice", [2, 3])
def test_dice_are_neither_in_each_other_nor_in_plate_or_glass(lie: Lie, dice: int) -> None:
    for throw in many(lie, dice):
        for a, b in combinations(throw.poses, 2):
            assert gap(a, b) > -0.0002  # type: ignore[arg-type]
        for pose in throw.poses:
            assert outermost(pose) <= PLATE_RADIUS + 0.0002  # type: ignore[arg-type]
            rotation = np.array(pose.rotation)
            assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=1e-9)
            assert np.linalg.det(rotation) == pytest.approx(1.0)


@pytest.mark.parametrize("lie", list(Lie))
def test_a_throw_is_called_what_was_asked_for(lie: Lie) -> None:
    for throw in many(lie):
        assert (throw.why_not or Lie.FLAT) is lie
        assert throw.flat == (lie is Lie.FLAT)
        again = judge(throw.poses, 3, throw.foreign, throw.poses_after)
        assert (again.faces, again.why_not) == (throw.faces, throw.why_not)


def test_cocked_dice_are_tilted_by_three_degrees_and_more() -> None:
    tilts = [max(throw.tilts) for throw in many(Lie.COCKED)]
    assert min(tilts) >= LEAST_COCKED
    assert min(tilts) < 6.0
    assert max(tilts) <= 15.1


def test_flat_throws_come_in_all_faces_and_some_touch() -> None:
    rng = np.random.default_rng(3)
    throws = [stage(Lie.FLAT, 3, rng) for _ in range(120)]
    faces = [face for throw in throws for face in throw.faces]
    assert min(faces.count(face) for face in range(1, 7)) > 30
    touching = sum(any(gap(a, b) < 0.0003 for a, b in combinations(t.poses, 2)) for t in throws)  # type: ignore[arg-type]
    assert 20 < touching < 110


@pytest.mark.parametrize("face", range(1, 7))
def test_the_upper_face_is_the_one_whose_normal_looks_up(face: int) -> None:
    pose = pose_at(0.0, 0.0, HALF, turned((0.0, 0.0, 1.0), 0.7) @ face_up(face))
    assert judge([pose], 1).faces == [face]
    up = np.array(pose.rotation) @ np.array(FACE_NORMALS[face])
    assert up == pytest.approx((0.0, 0.0, 1.0), abs=1e-9)
    down = np.array(pose.rotation) @ np.array(FACE_NORMALS[7 - face])
    assert down == pytest.approx((0.0, 0.0, -1.0), abs=1e-9)


def test_missing_and_one_too_many_and_off_the_plate() -> None:
    pose = pose_at(0.0, 0.0, HALF, face_up(3))
    away = pose_at(0.5, 0.0, -0.2, face_up(3))
    assert judge([pose], 2).why_not is Lie.MISSING
    assert judge([pose, away], 2).why_not is Lie.MISSING
    assert judge([pose, away], 1).faces == [3]
    assert judge([pose, pose_at(0.02, 0.0, HALF, face_up(1))], 1).why_not is Lie.TOO_MANY


@pytest.mark.parametrize(("degrees", "lie"), [(0.0, None), (1.5, None), (4.0, Lie.COCKED), (30.0, Lie.COCKED)])
def test_tilt_decides(degrees: float, lie: Lie | None) -> None:
    rotation = turned((1.0, 0.0, 0.0), math.radians(degrees)) @ face_up(2)
    height = HALF * (math.cos(math.radians(degrees)))
    assert judge([pose_at(0.0, 0.0, height, rotation)], 1).why_not is lie


def test_any_throw_is_flat_in_the_share_that_was_asked_for() -> None:
    rng = np.random.default_rng(9)
    flat = sum(stage_any(2, rng, flat_share=0.5).flat for _ in range(100))
    assert 30 < flat < 70
