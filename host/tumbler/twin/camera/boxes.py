"""Rounded cubes against each other, the plate and the glass: how far apart, how high one rests, how far one slides.

A rounded cube is a smaller sharp one with everything within its edge radius. The gap between two is measured from points
along the edges of each, which for cubes on a plate is right to a tenth of a millimetre. Not for motion: physics.py has that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tumbler.twin.chips.dice import DIE_EDGE_M, FACE_NORMALS
from tumbler.twin.dome import EDGE_RADIUS, PLATE_RADIUS

Matrix = npt.NDArray[np.float64]
Vector3 = tuple[float, float, float]

HALF = DIE_EDGE_M / 2
CORE = HALF - EDGE_RADIUS
_ALONG = np.linspace(-1.0, 1.0, 9)


def _edge_points() -> Matrix:
    points = [
        np.insert([a * CORE, b * CORE], axis, t * CORE)
        for axis in range(3)
        for a in (-1.0, 1.0)
        for b in (-1.0, 1.0)
        for t in _ALONG
    ]
    return np.unique(np.array(points), axis=0)


_EDGES = _edge_points()
_CORNERS = np.array([(x, y, z) for x in (-CORE, CORE) for y in (-CORE, CORE) for z in (-CORE, CORE)])


@dataclass(frozen=True)
class Pose:
    """Centre in metres with the plate at z = 0; rotation as three rows, from the die's frame to the table's."""

    position: Vector3
    rotation: tuple[Vector3, Vector3, Vector3]

    @property
    def matrix(self) -> Matrix:
        return np.array(self.rotation)


def pose_at(x: float, y: float, z: float, rotation: Matrix) -> Pose:
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    return Pose((x, y, z), ((a, b, c), (d, e, f), (g, h, i)))


def turned(axis: tuple[float, float, float], angle: float) -> Matrix:
    x, y, z = axis
    k = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    found: Matrix = np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * (k @ k)
    return found


def face_up(face: int) -> Matrix:
    """Some rotation that takes this face's normal straight up."""
    third = np.array(FACE_NORMALS[face], dtype=np.float64)
    first = np.roll(np.abs(third), 1)
    return np.array((first, np.cross(third, first), third))


def resting_height(rotation: Matrix) -> float:
    """Of the centre, when the lowest point touches the plate."""
    return CORE * float(np.abs(rotation[2]).sum()) + EDGE_RADIUS


def _beyond(points: Matrix, pose: Pose) -> float:
    """Least distance of table points from a die's sharp core."""
    inside = (points - pose.position) @ pose.matrix
    over = np.maximum(np.abs(inside) - CORE, 0.0)
    return math.sqrt(float((over * over).sum(axis=1).min()))


def gap(a: Pose, b: Pose) -> float:
    """Between the surfaces of two dice; negative where they would be in each other."""
    between = math.dist(a.position, b.position)
    if between > 2.0 * math.sqrt(3.0) * HALF:
        return between - 2.0 * math.sqrt(3.0) * HALF
    if between < 2.0 * CORE:
        return between - 2.0 * HALF
    edges_a = _EDGES @ a.matrix.T + a.position
    edges_b = _EDGES @ b.matrix.T + b.position
    return min(_beyond(edges_b, a), _beyond(edges_a, b)) - 2.0 * EDGE_RADIUS


def outermost(pose: Pose) -> float:
    """How far from the axis the die reaches: PLATE_RADIUS is the glass."""
    corners = _CORNERS @ pose.matrix.T + pose.position
    return float(np.hypot(corners[:, 0], corners[:, 1]).max()) + EDGE_RADIUS


def to_glass(pose: Pose) -> float:
    return PLATE_RADIUS - outermost(pose)


def moved(pose: Pose, x: float, y: float) -> Pose:
    return Pose((x, y, pose.position[2]), pose.rotation)


def slid_against(pose: Pose, other: Pose, angle: float) -> Pose:
    """Pushed along the plate, from this direction, until it touches the other die."""
    ux, uy = math.cos(angle), math.sin(angle)
    x, y, _ = other.position
    near, far = 0.0, 4.0 * HALF
    for _ in range(14):
        middle = (near + far) / 2.0
        if gap(moved(pose, x + ux * middle, y + uy * middle), other) < 0.0:
            near = middle
        else:
            far = middle
    return moved(pose, x + ux * far, y + uy * far)


def slid_to_glass(pose: Pose, angle: float) -> Pose:
    """Pushed outward along the plate until it touches the glass."""
    ux, uy = math.cos(angle), math.sin(angle)
    near, far = 0.0, PLATE_RADIUS
    for _ in range(14):
        middle = (near + far) / 2.0
        if to_glass(moved(pose, ux * middle, uy * middle)) > 0.0:
            near = middle
        else:
            far = middle
    return moved(pose, ux * near, uy * near)
