"""The dome between dice and camera: mirror images of lamps, light it scatters, dust, smudges and scratches on it.

For its mirror images it is a sphere cap; the physics' dome of planes (dome.py) is as high and as wide. Dust is nearer to the
lens than the dice and so out of focus.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from . import splat
from .difficulty import Conditions, Fitting
from .view import Size

Floats = npt.NDArray[np.float32]

SPHERE_RADIUS = 0.060
SPHERE_CENTRE_Z = -0.005
_SPOT = 0.0022  # of 1 - cosine: how wide a lamp's image spreads on worn acrylic
_HALO = 0.03
_COARSE = 2  # mirror images are soft: every second pixel is enough


def mirrored(conditions: Conditions, size: Size, lamp_lit: int = 0) -> Floats:
    """Light that the dome sends into the lens by itself, rows x columns."""
    fitting = conditions.fitting
    coarse = (size[0] // _COARSE, size[1] // _COARSE)
    rays = _coarse_rays(fitting, size)
    eye = fitting.view.eye.astype(np.float32)
    middle = eye - np.array((0.0, 0.0, SPHERE_CENTRE_Z), dtype=np.float32)
    b = rays[0] * middle[0] + rays[1] * middle[1] + rays[2] * middle[2]
    inside = b * b - np.float32(middle @ middle - SPHERE_RADIUS**2)
    on_dome = inside > 0.0
    t = -b - np.sqrt(np.maximum(inside, 0.0))
    point = [eye[axis] + rays[axis] * t for axis in range(3)]
    normal = [(point[0]) / SPHERE_RADIUS, point[1] / SPHERE_RADIUS, (point[2] - SPHERE_CENTRE_Z) / SPHERE_RADIUS]
    twice = 2.0 * (rays[0] * normal[0] + rays[1] * normal[1] + rays[2] * normal[2])
    back = [rays[axis] - twice * normal[axis] for axis in range(3)]
    total = np.full(rays.shape[1:], np.float32(conditions.veil))
    for lamp, strength in _lamps(conditions, lamp_lit):
        way = [np.float32(lamp[axis]) - point[axis] for axis in range(3)]
        length = np.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
        off = 1.0 - (way[0] * back[0] + way[1] * back[1] + way[2] * back[2]) / length
        shape = np.exp(-off / np.float32(_SPOT)) + np.float32(0.04) * np.exp(-off / np.float32(_HALO))
        total += np.float32(strength) * shape * on_dome
    fine = total.repeat(_COARSE, axis=0).repeat(_COARSE, axis=1)
    out = np.empty((size[1], size[0]), dtype=np.float32)
    out[: coarse[1] * _COARSE, : coarse[0] * _COARSE] = fine
    out[coarse[1] * _COARSE :] = out[coarse[1] * _COARSE - 1]
    out[:, coarse[0] * _COARSE :] = out[:, coarse[0] * _COARSE - 1 : coarse[0] * _COARSE]
    return out


def _coarse_rays(fitting: Fitting, size: Size) -> Floats:
    rays = fitting.view.rays(size)
    taken: Floats = rays[:, : size[1] // _COARSE * _COARSE : _COARSE, : size[0] // _COARSE * _COARSE : _COARSE]
    return taken


def _lamps(conditions: Conditions, lamp_lit: int) -> list[tuple[tuple[float, float, float], float]]:
    found = [(conditions.fitting.lamps[lamp_lit], conditions.glare)] if conditions.glare else []
    rng = np.random.default_rng((conditions.seed, 1))
    for _ in range(conditions.glares):
        angle, aside = float(rng.uniform(0.0, 2.0 * math.pi)), float(rng.uniform(0.10, 0.60))
        place = (aside * math.cos(angle), aside * math.sin(angle), float(rng.uniform(0.3, 0.6)))
        found.append((place, conditions.glare * float(rng.uniform(0.3, 0.8))))
    return found


def let_through(conditions: Conditions, size: Size) -> Floats | None:
    """The share of light that comes through dust, smudges and scratches; None where the dome is clean."""
    fitting = conditions.fitting
    if not (conditions.dust or conditions.smudges or fitting.scratches):
        return None
    layer = _scratched(fitting, size).copy()
    width, height = size
    scale = width / 320
    rng = np.random.default_rng((conditions.seed, 2))
    for _ in range(conditions.dust):
        x, y = float(rng.uniform(0, width)), float(rng.uniform(0, height))
        radius = float(rng.uniform(0.2, 1.3)) * scale
        splat.disc(layer, x, y, radius, 1.5 * scale, float(rng.uniform(-0.45, 0.10)))
    for _ in range(conditions.smudges):
        x, y = float(rng.uniform(0, width)), float(rng.uniform(0, height))
        splat.disc(layer, x, y, float(rng.uniform(4, 14)) * scale, 18.0 * scale, float(rng.uniform(-0.50, -0.10)))
    return np.clip(layer, 0.05, 1.4)


@lru_cache(maxsize=4)
def _scratched(fitting: Fitting, size: Size) -> Floats:
    width, height = size
    layer = np.ones((height, width), dtype=np.float32)
    rng = np.random.default_rng((fitting.seed, 3))
    for _ in range(fitting.scratches):
        x, y, angle = float(rng.uniform(0, width)), float(rng.uniform(0, height)), float(rng.uniform(0, math.pi))
        length = float(rng.uniform(20, 110)) * width / 320
        amount = float(rng.uniform(-0.10, 0.16))
        splat.line(layer, x, y, x + length * math.cos(angle), y + length * math.sin(angle), 0.4, amount)
    layer.setflags(write=False)
    return layer
