"""The plate under the dice, its gasket and the housing round it: how much light each point gives back.

Measures are those of the physics' dome (dome.py). Wear is fixed for a table.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tumbler.twin.dome import GASKET_WIDTH, PLATE_RADIUS

from . import splat
from .dieset import Colour
from .difficulty import Fitting
from .shade import channels

Floats = npt.NDArray[np.float32]

_RIM_WIDTH = 0.003
_GASKET: Colour = (0.022, 0.022, 0.024)
_RIM: Colour = (0.16, 0.16, 0.17)
_HOUSING: Colour = (0.035, 0.035, 0.037)
_WEAR_SIDE = 64
_SOFT = 0.0003


def albedo(fitting: Fitting, plate: Colour, x: Floats, y: Floats, colours: bool) -> Floats:
    """Channels x rows x columns, for the table points that the pixels look at."""
    radius = np.sqrt(x * x + y * y)
    out = channels(plate, colours)[:, None, None] * _wear(fitting, x, y)
    for edge, colour in (
        (PLATE_RADIUS - GASKET_WIDTH, _GASKET),
        (PLATE_RADIUS, _RIM),
        (PLATE_RADIUS + _RIM_WIDTH, _HOUSING),
    ):
        beyond = np.clip((radius - np.float32(edge)) / np.float32(_SOFT) + 0.5, 0.0, 1.0)
        out = out * (1.0 - beyond) + channels(colour, colours)[:, None, None] * beyond
    return out


def _wear(fitting: Fitting, x: Floats, y: Floats) -> Floats:
    texture = _texture(fitting.seed)
    scale = _WEAR_SIDE * 4 / (2.4 * PLATE_RADIUS)
    column = np.clip(((x + 1.2 * PLATE_RADIUS) * np.float32(scale)).astype(np.intp), 0, texture.shape[1] - 1)
    row = np.clip(((y + 1.2 * PLATE_RADIUS) * np.float32(scale)).astype(np.intp), 0, texture.shape[0] - 1)
    worn: Floats = 1.0 + texture[row, column] * np.float32(fitting.plate_wear)
    return worn


@lru_cache(maxsize=4)
def _texture(seed: int) -> Floats:
    """Cloudy at several sizes, with the fine scratches that dice leave."""
    rng = np.random.default_rng((seed, 5))
    side = _WEAR_SIDE * 4
    out: Floats = np.zeros((side, side), dtype=np.float32)
    for cells, share in ((8, 0.8), (32, 0.6), (128, 0.5)):
        coarse = rng.standard_normal((cells, cells), dtype=np.float32)
        out += np.float32(share) * coarse.repeat(side // cells, axis=0).repeat(side // cells, axis=1)
        kernel = max(1, side // cells // 2)
        moved = np.roll(out, kernel, 0) + np.roll(out, kernel, 1) + np.roll(out, (kernel, kernel), (0, 1))
        out = (out + moved) * np.float32(0.25)
    for _ in range(40):
        angle, length = float(rng.uniform(0, math.pi)), float(rng.uniform(5, 40))
        px, py = float(rng.uniform(0, side)), float(rng.uniform(0, side))
        ends = (px, py, px + length * math.cos(angle), py + length * math.sin(angle))
        splat.line(out, *ends, 0.5, float(rng.uniform(-2.0, 2.0)))
    return out
