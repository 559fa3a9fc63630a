"""What lies on the plate beside the dice and should not: a coin, a slip of paper, a crumb, a hair, a ring.

Each is flat and given by a signed distance, so that its edge is as sharp as the lens allows. Where it lies is the caller's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from .dieset import Colour

Floats = npt.NDArray[np.float32]


HAIR_WIDTH = 0.00024


class ForeignKind(Enum):
    COIN = "coin"
    PAPER = "paper"
    CRUMB = "crumb"
    HAIR = "hair"
    RING = "ring"


@dataclass(frozen=True)
class Foreign:
    """Middle, size and place in metres; `size` is the radius or half the length."""

    kind: ForeignKind
    x: float
    y: float
    size: float
    angle: float = 0.0


def _disc(x: Floats, y: Floats, size: float) -> Floats:
    gap: Floats = np.sqrt(x * x + y * y) - np.float32(size)
    return gap


def _slip(x: Floats, y: Floats, size: float) -> Floats:
    gap: Floats = np.maximum(np.abs(x) - np.float32(size), np.abs(y) - np.float32(size * 0.55))
    return gap


def _hair(x: Floats, y: Floats, size: float) -> Floats:
    bow = np.float32(0.35 / size) * x * x
    gap: Floats = np.maximum(np.abs(y - bow) - np.float32(HAIR_WIDTH / 2), np.abs(x) - np.float32(size))
    return gap


def _ring(x: Floats, y: Floats, size: float) -> Floats:
    gap: Floats = np.abs(np.sqrt(x * x + y * y) - np.float32(size)) - np.float32(0.0011)
    return gap


# kind -> colour, signed distance, least and most size
LOOKS: dict[ForeignKind, tuple[Colour, Callable[[Floats, Floats, float], Floats], tuple[float, float]]] = {
    ForeignKind.COIN: ((0.42, 0.36, 0.22), _disc, (0.006, 0.010)),
    ForeignKind.PAPER: ((0.82, 0.82, 0.80), _slip, (0.004, 0.009)),
    ForeignKind.CRUMB: ((0.40, 0.27, 0.14), _disc, (0.0010, 0.0022)),
    ForeignKind.HAIR: ((0.020, 0.016, 0.012), _hair, (0.010, 0.024)),
    ForeignKind.RING: ((0.62, 0.50, 0.20), _ring, (0.007, 0.009)),
}


def cover(thing: Foreign, x: Floats, y: Floats, pixel: float) -> tuple[Colour, Floats]:
    """Its colour, and how much of each point of the plate it hides; `pixel` is a pixel's width there."""
    colour, gap_of, _ = LOOKS[thing.kind]
    c, s = np.float32(np.cos(thing.angle)), np.float32(np.sin(thing.angle))
    dx, dy = x - np.float32(thing.x), y - np.float32(thing.y)
    gap = gap_of(dx * c + dy * s, dy * c - dx * s, thing.size)
    return colour, np.clip(0.5 - gap / np.float32(pixel), 0.0, 1.0)
