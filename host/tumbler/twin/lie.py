"""How the dice lie, from the physics alone: flat, cocked, leaning, stacked, missing, moving; and which faces are up.

The normal of the upper face against the vertical, the height, and what a die touches decide. Nothing of the firmware enters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from tumbler.twin.chips.dice import FACE_NORMALS
from tumbler.twin.dome import GASKET, GLASS, PLATE, PLATE_RADIUS
from tumbler.twin.physics import HALF, Physics, Pose

FLAT_DEGREES = 2.0
FLAT_LIFT = 0.0003  # metres between the centre of the lower face and the plate
STACKED_LIFT = 0.008


class Lie(Enum):
    FLAT = "flat"
    COCKED = "cocked"  # tilted on the gasket or over an edge
    LEANING = "leaning"  # tilted against another die or the glass
    STACKED = "stacked"  # on top of another die
    MISSING = "missing"  # not on the plate
    TOO_MANY = "too_many"  # a die that is not of the set
    MOVING = "moving"


# The worst lie of any die is what the spin is called by.
WORST_FIRST = (Lie.MOVING, Lie.TOO_MANY, Lie.MISSING, Lie.STACKED, Lie.LEANING, Lie.COCKED)


@dataclass(frozen=True)
class Upper:
    """The face that looks most upward."""

    face: int
    tilt: float  # degrees


def upper_face(pose: Pose) -> Upper:
    row = pose.rotation[2]
    ups = {face: row[0] * n[0] + row[1] * n[1] + row[2] * n[2] for face, n in FACE_NORMALS.items()}
    face = max(ups, key=lambda f: ups[f])
    return Upper(face, math.degrees(math.acos(min(1.0, ups[face]))))


def lie_of(physics: Physics, die: int) -> Lie:
    pose = physics.poses[die]
    x, y, z = pose.position
    if not physics.present(die) or math.hypot(x, y) > PLATE_RADIUS or z < 0.0:
        return Lie.MISSING
    if not physics.at_rest:
        return Lie.MOVING
    upper = upper_face(pose)
    lift = z - HALF * math.cos(math.radians(upper.tilt))
    if upper.tilt <= FLAT_DEGREES and lift <= FLAT_LIFT:
        return Lie.FLAT
    touched = physics.touches(die)
    if lift > STACKED_LIFT and PLATE not in touched and GASKET not in touched:
        return Lie.STACKED
    return Lie.LEANING if touched - {PLATE, GASKET} or GLASS in touched else Lie.COCKED


@dataclass(frozen=True)
class Throw:
    """All dice of a spin: `faces` of those in the dome, sorted; `why_not` None when all lie flat."""

    faces: list[int]
    lies: list[Lie]
    tilts: list[float]

    @property
    def why_not(self) -> Lie | None:
        return next((lie for lie in WORST_FIRST if lie in self.lies), None)


def look(physics: Physics) -> Throw:
    lies = [lie_of(physics, die) for die in range(physics.expected)]
    lies += [Lie.TOO_MANY for die in range(physics.expected, physics.dice) if physics.present(die)]
    uppers = [upper_face(pose) for pose in physics.poses[: physics.expected]]
    faces = sorted(u.face for u, lie in zip(uppers, lies, strict=False) if lie is not Lie.MISSING)
    return Throw(faces, lies, [round(u.tilt, 2) for u in uppers])
