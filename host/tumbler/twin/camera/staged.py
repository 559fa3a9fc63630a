"""Throws made up without physics, many a second, for testing readers: dice that lie flat, and every way they may not.

What is true of a throw is judged from its geometry alone by the rule of lie.py: the normal of the upper face against the
vertical, the height, what a die touches. The staging only proposes poses; `judge` decides, on poses from any source.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from tumbler.twin.chips.dice import FACE_NORMALS, DiePose
from tumbler.twin.dome import GASKET_WIDTH, PLATE_RADIUS

from . import boxes
from .boxes import HALF, Pose
from .clutter import LOOKS, Foreign, ForeignKind

Rng = np.random.Generator

FLAT_DEGREES = 2.0
FLAT_LIFT = 0.0003  # metres
STACKED_LIFT = 0.008
TOUCHING = 0.0003
MOVING_METRES, MOVING_RADIANS = 0.0002, 0.01
LEAST_COCKED = 3.0  # degrees; between flat and this nobody is asked to decide
_MOST_COCKED = 15.0  # a prop or the gasket lifts an edge by no more
_FOOT_RADIUS = PLATE_RADIUS - GASKET_WIDTH
_TRIES = 60
_TOUCHING_SHARE = 0.35


class Lie(Enum):
    FLAT = "flat"
    COCKED = "cocked"
    LEANING = "leaning"
    STACKED = "stacked"
    MISSING = "missing"
    TOO_MANY = "too_many"
    MOVING = "moving"
    FOREIGN = "foreign"


# A throw is called by the first of these that holds.
WORST_FIRST = (Lie.MOVING, Lie.MISSING, Lie.TOO_MANY, Lie.STACKED, Lie.LEANING, Lie.COCKED, Lie.FOREIGN)


@dataclass(frozen=True)
class StagedThrow:
    """`faces` of the dice on the plate, sorted; `why_not` None when this is a result."""

    poses: tuple[DiePose, ...]
    faces: list[int]
    lies: list[Lie]
    tilts: list[float]
    why_not: Lie | None
    foreign: tuple[Foreign, ...] = ()
    poses_after: tuple[DiePose, ...] | None = None

    @property
    def flat(self) -> bool:
        return self.why_not is None


# --- what is true -------------------------------------------------------------------------------------------------------


def upper_face(pose: DiePose) -> tuple[int, float]:
    """The face that looks most upward, and its tilt in degrees."""
    row = pose.rotation[2]
    ups = {face: sum(a * b for a, b in zip(row, normal, strict=True)) for face, normal in FACE_NORMALS.items()}
    face = max(ups, key=lambda f: ups[f])
    return face, math.degrees(math.acos(min(1.0, ups[face])))


def _lie(pose: DiePose, others: Sequence[Pose]) -> Lie:
    _, tilt = upper_face(pose)
    lift = pose.position[2] - HALF * math.cos(math.radians(tilt))
    if tilt <= FLAT_DEGREES and lift <= FLAT_LIFT:
        return Lie.FLAT
    if lift > STACKED_LIFT:
        return Lie.STACKED
    mine = _plain(pose)
    against = any(boxes.gap(mine, other) <= TOUCHING for other in others) or boxes.to_glass(mine) <= TOUCHING
    return Lie.LEANING if against else Lie.COCKED


def _plain(pose: DiePose) -> Pose:
    if isinstance(pose, Pose):
        return pose
    x, y, z = (float(v) for v in pose.position)
    return boxes.pose_at(x, y, z, np.asarray(pose.rotation, dtype=np.float64))


def _moves(before: DiePose, after: DiePose) -> bool:
    far = math.dist(tuple(before.position), tuple(after.position))
    turn = np.asarray(after.rotation) @ np.asarray(before.rotation).T
    angle = math.acos(min(1.0, max(-1.0, (float(np.trace(turn)) - 1.0) / 2.0)))
    return far > MOVING_METRES or angle > MOVING_RADIANS


def judge(
    poses: Sequence[DiePose],
    dice: int,
    foreign: Sequence[Foreign] = (),
    poses_after: Sequence[DiePose] | None = None,
) -> StagedThrow:
    """What is true where `dice` dice are expected."""
    here = [pose for pose in poses if math.hypot(*pose.position[:2]) <= PLATE_RADIUS and pose.position[2] > 0.0]
    plain = [_plain(pose) for pose in here]
    lies = [_lie(pose, plain[:i] + plain[i + 1 :]) for i, pose in enumerate(here)]
    called = set(lies)
    if len(here) != dice:
        called.add(Lie.MISSING if len(here) < dice else Lie.TOO_MANY)
    if foreign:
        called.add(Lie.FOREIGN)
    if poses_after is not None and any(_moves(a, b) for a, b in zip(poses, poses_after, strict=True)):
        called.add(Lie.MOVING)
    uppers = [upper_face(pose) for pose in here]
    return StagedThrow(
        tuple(poses),
        sorted(face for face, _ in uppers),
        lies,
        [tilt for _, tilt in uppers],
        next((lie for lie in WORST_FIRST if lie in called), None),
        tuple(foreign),
        None if poses_after is None else tuple(poses_after),
    )


# --- staging ------------------------------------------------------------------------------------------------------------


def _angle(rng: Rng) -> float:
    return float(rng.uniform(0.0, 2.0 * math.pi))


def _any_flat(rng: Rng) -> Pose:
    rotation = boxes.turned((0.0, 0.0, 1.0), _angle(rng)) @ boxes.face_up(int(rng.integers(1, 7)))
    away, angle = _FOOT_RADIUS * math.sqrt(float(rng.uniform())), _angle(rng)
    return boxes.pose_at(away * math.cos(angle), away * math.sin(angle), HALF, rotation)


def _fits(pose: Pose, placed: Sequence[Pose], reach: float = _FOOT_RADIUS) -> bool:
    return boxes.outermost(pose) <= reach and all(boxes.gap(pose, other) >= -1e-6 for other in placed)


def _flat_dice(count: int, rng: Rng, placed: Sequence[Pose] = ()) -> list[Pose]:
    """As many more dice, apart or pushed against another; begun anew where the last finds no room."""
    while True:
        dice = list(placed)
        for _ in range(count):
            for _ in range(_TRIES):
                pose = _any_flat(rng)
                if dice and rng.uniform() < _TOUCHING_SHARE:
                    pose = boxes.slid_against(pose, dice[int(rng.integers(len(dice)))], _angle(rng))
                if _fits(pose, dice):
                    dice.append(pose)
                    break
            else:
                break
        if len(dice) == len(placed) + count:
            return dice[len(placed) :]


def _tilted(rng: Rng, degrees: float, axis_angle: float) -> Pose:
    """A die tilted about a horizontal axis, resting on the plate where it happens to be."""
    flat = _any_flat(rng)
    axis = (math.cos(axis_angle), math.sin(axis_angle), 0.0)
    rotation = boxes.turned(axis, math.radians(degrees)) @ flat.matrix
    return boxes.pose_at(flat.position[0], flat.position[1], boxes.resting_height(rotation), rotation)


def _cocked(dice: int, rng: Rng) -> list[Pose]:
    """On the gasket or on something under it. Small tilts are the hard ones: half of them are below seven degrees."""
    most = _MOST_COCKED if rng.uniform() < 0.5 else 7.0
    while True:
        pose = _tilted(rng, float(rng.uniform(LEAST_COCKED + 0.05, most)), _angle(rng))
        if _fits(pose, (), PLATE_RADIUS - 2 * TOUCHING):
            others = _flat_dice(dice - 1, rng, [pose])
            if all(boxes.gap(pose, other) > 2 * TOUCHING for other in others):
                return [pose, *others]


def _leaning(dice: int, rng: Rng) -> list[Pose]:
    """Against another die or the glass, tilted toward or away from it."""
    while True:
        others = _flat_dice(dice - 1, rng)
        angle = _angle(rng)
        pose = _tilted(rng, float(rng.uniform(5.0, 44.0)), angle + float(rng.choice((-1.0, 1.0))) * math.pi / 2)
        on_a_die = others and rng.uniform() < 0.7
        pose = boxes.slid_against(pose, others[0], angle) if on_a_die else boxes.slid_to_glass(pose, angle)
        if _fits(pose, others, PLATE_RADIUS):
            return [pose, *others]


def _stacked(dice: int, rng: Rng) -> list[Pose]:
    while True:
        others = _flat_dice(max(1, dice - 1), rng)
        x, y, _ = others[0].position
        off, angle = float(rng.uniform(0.0, 0.9 * HALF)), _angle(rng)
        above = _any_flat(rng)
        pose = boxes.pose_at(x + off * math.cos(angle), y + off * math.sin(angle), 3 * HALF, above.matrix)
        if boxes.outermost(pose) <= PLATE_RADIUS:
            return [pose, *others]


def _missing(dice: int, rng: Rng) -> list[Pose]:
    return _flat_dice(dice - 1 if rng.uniform() < 0.8 else int(rng.integers(0, dice)), rng)


def _something_foreign(poses: Sequence[Pose], rng: Rng) -> Foreign:
    """Beside the dice: under one it would be a cocked die, and out of view."""
    kinds = list(ForeignKind)
    while True:
        kind = kinds[int(rng.integers(len(kinds)))]
        least, most = LOOKS[kind][2]
        size = float(rng.uniform(least, most))
        away, angle = (_FOOT_RADIUS - size) * math.sqrt(float(rng.uniform())), _angle(rng)
        x, y = away * math.cos(angle), away * math.sin(angle)
        clear = min((math.hypot(x - p.position[0], y - p.position[1]) for p in poses), default=1.0)
        if clear > size + HALF * math.sqrt(2.0):
            return Foreign(kind, x, y, size, _angle(rng))


def _moved_on(poses: Sequence[Pose], rng: Rng) -> tuple[Pose, ...]:
    """Where they are at the end of the exposure: one at least slides and turns."""
    out = list(poses)
    for number in {int(rng.integers(len(poses))), *(i for i in range(len(poses)) if rng.uniform() < 0.3)}:
        pose, angle, far = poses[number], _angle(rng), float(rng.uniform(0.001, 0.006))
        turn = boxes.turned((0.0, 0.0, 1.0), float(rng.uniform(-0.4, 0.4)))
        x, y, z = pose.position
        out[number] = boxes.pose_at(x + far * math.cos(angle), y + far * math.sin(angle), z, turn @ pose.matrix)
    return tuple(out)


_STAGE: dict[Lie, Callable[[int, Rng], list[Pose]]] = {
    Lie.FLAT: _flat_dice,
    Lie.COCKED: _cocked,
    Lie.LEANING: _leaning,
    Lie.STACKED: _stacked,
    Lie.MISSING: _missing,
    Lie.TOO_MANY: lambda dice, rng: _flat_dice(dice + 1, rng),
    Lie.MOVING: _flat_dice,
    Lie.FOREIGN: _flat_dice,
}


def stage(lie: Lie, dice: int, rng: Rng) -> StagedThrow:
    """A throw that is called so. Proposals that geometry calls otherwise are thrown away."""
    while True:
        poses = _STAGE[lie](dice, rng)
        order = rng.permutation(len(poses))
        poses = [poses[i] for i in order]
        foreign = (_something_foreign(poses, rng),) if lie is Lie.FOREIGN else ()
        after = _moved_on(poses, rng) if lie is Lie.MOVING else None
        throw = judge(poses, dice, foreign, after)
        if (throw.why_not or Lie.FLAT) is lie:
            return throw


NOT_FLAT = tuple(lie for lie in Lie if lie is not Lie.FLAT)


def stage_any(dice: int, rng: Rng, flat_share: float = 0.7) -> StagedThrow:
    """Flat in this share of throws, otherwise any of the other ways."""
    if rng.uniform() < flat_share:
        return stage(Lie.FLAT, dice, rng)
    return stage(NOT_FLAT[int(rng.integers(len(NOT_FLAT)))], dice, rng)
