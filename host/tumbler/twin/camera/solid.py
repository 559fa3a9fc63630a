"""A cube with rounded edges, met by rays: where, with which normal, through to where, and whose shadow falls where.

All in the die's own frame, with rays as 3 x n arrays. A ray meets the sharp cube first; only those that land near an edge
are walked on to the rounding. Shadows and refraction take the cube as sharp, which is finer than a pixel here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tumbler.twin.chips.dice import DiePose

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

_WALKS = 10
_ON_SURFACE = 0.00004
_TINY = 1e-9


class Frame(NamedTuple):
    """A die's place, ready for arithmetic in 32 bits."""

    centre: Floats
    to_table: Floats

    @classmethod
    def of(cls, pose: DiePose) -> Frame:
        return cls(np.asarray(pose.position, dtype=np.float32), np.asarray(pose.rotation, dtype=np.float32))

    def inward(self, points: Floats) -> Floats:
        """Table points, 3 x n, into the die's frame."""
        return self.to_table.T @ (points - self.centre[:, None])

    def corners(self, half: float) -> Floats:
        """The eight, 8 x 3, in the table's frame."""
        signs: Floats = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float32)
        return (signs * half @ self.to_table.T + self.centre).astype(np.float32)


class Slab(NamedTuple):
    enter: Floats
    leave: Floats


def slab(origin: Floats, directions: Floats, half: float) -> Slab:
    """Where rays enter and leave the sharp cube; they miss it where enter > leave."""
    inverse = 1.0 / np.where(np.abs(directions) < _TINY, np.float32(_TINY), directions)
    middle = -origin * inverse
    reach = np.abs(inverse) * np.float32(half)
    return Slab((middle - reach).max(axis=0), (middle + reach).min(axis=0))


class Hits(NamedTuple):
    """Only of the rays that hit: `which` says which those are."""

    which: npt.NDArray[np.intp]
    distance: Floats
    point: Floats
    normal: Floats


def meet(eye: Floats, directions: Floats, half: float, radius: float) -> Hits:
    """First meeting with the rounded cube. `eye` is 3, `directions` 3 x n of unit length."""
    origin = eye[:, None]
    box = slab(origin, directions, half)
    which = np.nonzero((box.enter < box.leave) & (box.enter > 0.0))[0]
    rays = directions[:, which]
    distance = box.enter[which]
    point = origin + rays * distance
    core = np.float32(half - radius)
    near_edge = np.nonzero((np.abs(point) > core).sum(axis=0) > 1)[0]
    if near_edge.size:
        sub_rays, sub = rays[:, near_edge], point[:, near_edge]
        t = distance[near_edge]
        for _ in range(_WALKS):
            gap = _outside(sub, core) - np.float32(radius)
            t = t + gap
            sub = sub + sub_rays * gap
        missed = (gap > _ON_SURFACE) | (t > box.leave[which][near_edge])
        distance[near_edge] = t
        point[:, near_edge] = sub
        if missed.any():
            keep = np.ones(which.size, dtype=bool)
            keep[near_edge[missed]] = False
            which, distance, point = which[keep], distance[keep], point[:, keep]
    normal = point - np.clip(point, -core, core)
    normal /= np.sqrt((normal * normal).sum(axis=0)) + np.float32(_TINY)
    return Hits(which, distance, point, normal)


def _outside(point: Floats, core: np.float32) -> Floats:
    over = np.maximum(np.abs(point) - core, 0.0)
    length: Floats = np.sqrt((over * over).sum(axis=0))
    return length


def shaded(points: Floats, lamps: Floats, frame: Frame, half: float) -> Floats:
    """The share of the lamps (m x 3, table's frame) that this die hides from each point (3 x n, table's frame)."""
    inside = frame.inward(points)
    hidden = np.zeros(points.shape[1], dtype=np.float32)
    for lamp in frame.inward(np.ascontiguousarray(lamps.T)).T:
        ray = lamp[:, None] - inside
        box = slab(inside, ray, half)
        hidden += (box.leave > np.maximum(box.enter, np.float32(1e-3))) & (box.enter < 1.0)
    return hidden / np.float32(len(lamps))


def bend_inward(directions: Floats, normals: Floats, index: float) -> Floats:
    """Rays as they go on inside the die (Snell), for dice that can be looked into."""
    ratio = np.float32(1.0 / index)
    cosine = -(directions * normals).sum(axis=0)
    inside = np.sqrt(np.maximum(1.0 - ratio * ratio * (1.0 - cosine * cosine), 0.0))
    bent: Floats = ratio * directions + (ratio * cosine - inside) * normals
    return bent
