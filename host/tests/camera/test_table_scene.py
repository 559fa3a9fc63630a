"""What the camera of a running table is shown: its own dice, through its own lens, and nothing while the cover is down."""

from __future__ import annotations

import random

import numpy as np
from tumbler.twin.camera import NORMAL, SETS, TableScene, judge, render
from tumbler.twin.physics import Physics


class Table:
    def __init__(self, physics: Physics) -> None:
        self._physics = physics
        self.cover_closed = True

    @property
    def dice(self):  # type: ignore[no-untyped-def]
        return self._physics.poses


def test_the_dice_of_the_physics_are_seen_once_the_cover_is_up() -> None:
    physics = Physics(3, random.Random(5))
    table = Table(physics)
    scene = TableScene(table, SETS["white"], NORMAL, seed=2)
    assert scene(False).max() < 30
    table.cover_closed = False
    frames = [scene(False).astype(int) for _ in range(2)]
    alone = render(physics.poses, SETS["white"], scene.conditions, np.random.default_rng(0)).astype(int)
    for frame in frames:
        assert np.abs(frame - alone).mean() < 6.0
    assert (frames[0] != frames[1]).any()
    physics.take_out(0)
    assert (scene(False) > 120).sum() < (frames[0] > 120).sum() * 0.8


def test_the_table_keeps_its_lens_and_a_seed_repeats() -> None:
    physics = Physics(2, random.Random(1))
    shown = []
    for _ in range(2):
        table = Table(physics)
        scene = TableScene(table, SETS["red"], NORMAL, seed=9)
        fitting = scene.conditions.fitting
        for covered in (False, True, False):
            table.cover_closed = covered
            last = scene(True)
        assert scene.conditions.fitting == fitting
        shown.append(last)
    assert (shown[0] == shown[1]).all()


def test_the_physics_own_poses_are_judged_as_they_lie() -> None:
    physics = Physics(3, random.Random(3))
    throw = judge(physics.poses, 3)
    assert throw.flat
    assert len(throw.faces) == 3
    physics.take_out(1)
    assert judge(physics.poses, 3).why_not is not None
