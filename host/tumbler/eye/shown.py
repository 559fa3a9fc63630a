"""How much of what is wrong with a throw a picture can show at all, by geometry and light alone; never by what was read.

A die at the middle of the plate hides its sides behind its upper face: a small tilt of it changes no outline. A brown crumb
on a grey plate has the plate's own luma, a hair is thinner than a pixel. Such throws are counted apart in the bench.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tumbler.twin.camera import DieSet, ForeignKind, Lie, StagedThrow, View
from tumbler.twin.camera.clutter import HAIR_WIDTH, LOOKS
from tumbler.twin.camera.sensor import FULL, GAMMA
from tumbler.twin.camera.shade import LUMA
from tumbler.twin.chips.dice import FACE_NORMALS, DiePose

Floats = npt.NDArray[np.float64]

LEAST_PIXELS = 1.5  # between the outline of a tilted die and of a flat one that shows the same face at the same place
LEAST_GREYS = 14.0  # between a thing and the plate
DIRECTIONS = 64
TILTED = 2.0


def to_be_seen(throw: StagedThrow, lie: Lie, die_set: DieSet, view: View) -> bool:
    """Does the picture show that this is no throw of flat dice?"""
    if lie in (Lie.COCKED, Lie.LEANING):
        return max(outline_pixels(pose, die_set, view) for pose, tilt in _tilted(throw)) >= LEAST_PIXELS
    if lie is Lie.FOREIGN:
        return all(
            abs(_grey(LOOKS[thing.kind][0]) - _grey(die_set.plate)) * _pixel_share(thing.kind, view) >= LEAST_GREYS
            for thing in throw.foreign
        )
    return True


def _pixel_share(kind: ForeignKind, view: View) -> float:
    """Of a pixel's width that a thing takes across."""
    return min(1.0, HAIR_WIDTH * view.focal / view.height) if kind is ForeignKind.HAIR else 1.0


def _tilted(throw: StagedThrow) -> list[tuple[DiePose, float]]:
    return [(pose, tilt) for pose, tilt in zip(throw.poses, throw.tilts, strict=True) if tilt > TILTED]


def _grey(colour: tuple[float, float, float]) -> float:
    """In full light, as the sensor gives it."""
    luma = sum(a * b for a, b in zip(colour, LUMA, strict=True))
    return float((luma * 0.8) ** GAMMA * FULL)


def outline_pixels(pose: DiePose, die_set: DieSet, view: View) -> float:
    """The largest distance between both outlines, over all directions."""
    rotation, centre = np.asarray(pose.rotation, dtype=np.float64), np.asarray(pose.position, dtype=np.float64)
    normal = max((np.array(n, dtype=np.float64) for n in FACE_NORMALS.values()), key=lambda n: float((rotation @ n)[2]))
    half = die_set.edge / 2
    top = centre + rotation @ normal * half
    eye = view.eye
    seen = eye + (top - eye) * (eye[2] - die_set.edge) / (eye[2] - top[2])  # the same face's middle, were it flat
    along = rotation @ np.roll(normal, 1)
    turn = math.atan2(float(along[1]), float(along[0]))
    flat = np.array(((math.cos(turn), -math.sin(turn), 0.0), (math.sin(turn), math.cos(turn), 0.0), (0.0, 0.0, 1.0)))
    a = _reach(rotation, centre, die_set, view)
    b = _reach(flat, np.array((seen[0], seen[1], half)), die_set, view)
    return float(np.abs(a - b).max())


def _reach(rotation: Floats, centre: Floats, die_set: DieSet, view: View) -> Floats:
    """How far the rounded cube is seen to reach in each direction, in pixels from a place that is the same for both."""
    core = die_set.edge / 2 - die_set.edge_radius
    corners = np.array([(x, y, z) for x in (-core, core) for y in (-core, core) for z in (-core, core)])
    points = corners @ rotation.T + centre
    pixels = view.project(points)
    round_off = die_set.edge_radius * view.focal / (view.eye[2] - points[:, 2])
    angles = np.linspace(0.0, 2.0 * math.pi, DIRECTIONS, endpoint=False)
    out = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    reach: Floats = (pixels @ out.T + round_off[:, None]).max(axis=0)
    return reach
