"""What is on the faces: pips in their lattice, recessed, or symbols; found for points on a die's surface.

Opposite faces sum to seven; 1, 2 and 3 run anticlockwise round their corner, as on western dice (chips/dice.py has the
normals). Not here: light and colour of the body (shade.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tumbler.twin.chips.dice import FACE_NORMALS

from .dieset import DieSet
from .symbols import SIDE, SYMBOLS, serial_inks, symbol_inks

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.intp]

# where a pip may be, in steps of the pitch
SLOTS = ((0, 0), (1, 1), (-1, -1), (1, -1), (-1, 1), (1, 0), (-1, 0))
PIPS: dict[int, tuple[int, ...]] = {
    1: (0,),
    2: (1, 2),
    3: (0, 1, 2),
    4: (1, 2, 3, 4),
    5: (0, 1, 2, 3, 4),
    6: (1, 2, 3, 4, 5, 6),
}
_HAS = np.array([[slot in PIPS[face] for slot in range(len(SLOTS))] for face in range(1, 7)])
_FAR = np.float32(1.0)
# the face of each axis and sign, by axis * 2 + (1 where positive)
_FACE_OF = np.zeros(6, dtype=np.intp)
for _face, _normal in FACE_NORMALS.items():
    _axis = next(axis for axis in range(3) if _normal[axis])
    _FACE_OF[_axis * 2 + (1 if _normal[_axis] > 0 else 0)] = _face


class OnFace(NamedTuple):
    """Points by the face they are on: `u`, `v` from its middle in metres, seen from outside."""

    face: Ints
    axis: Ints
    sign: Floats
    u: Floats
    v: Floats


_U_OF = np.array((1, 2, 0))
_V_OF = np.array((2, 0, 1))


def on_face(point: Floats) -> OnFace:
    axis = np.abs(point).argmax(axis=0)
    at = np.arange(point.shape[1])
    sign = np.where(point[axis, at] > 0, np.float32(1.0), np.float32(-1.0))
    face = _FACE_OF[axis * 2 + (sign > 0)]
    return OnFace(face, axis, sign, point[_U_OF[axis], at] * sign, point[_V_OF[axis], at])


def across(vector: Floats, on: OnFace) -> tuple[Floats, Floats, Floats]:
    """A direction in the die's frame as (u, v, outward) of each point's face."""
    at = np.arange(vector.shape[1])
    return (
        vector[_U_OF[on.axis], at] * on.sign,
        vector[_V_OF[on.axis], at],
        vector[on.axis, at] * on.sign,
    )


def pip_gap(die_set: DieSet, face: Ints, u: Floats, v: Floats) -> Floats:
    """Distance to the rim of the nearest pip; negative inside one."""
    best = np.full(u.shape, _FAR)
    has = _HAS[face - 1]
    for slot, (su, sv) in enumerate(SLOTS):
        du, dv = u - np.float32(su * die_set.pip_pitch), v - np.float32(sv * die_set.pip_pitch)
        best = np.where(has[:, slot], np.minimum(best, du * du + dv * dv), best)
    radius = np.where(face == 1, np.float32(die_set.one_radius), np.float32(die_set.pip_radius))
    gap: Floats = np.sqrt(best) - radius
    return gap


def _sample(inks: Floats, face: Ints, u: Floats, v: Floats, edge: float) -> Floats:
    """Nearest sample: a face has 96 across, and a picture shows 45 of them with four rays a pixel."""
    column = np.clip(((u / edge + 0.5) * SIDE).astype(np.intp), 0, SIDE - 1)
    row = np.clip(((0.5 - v / edge) * SIDE).astype(np.intp), 0, SIDE - 1)
    taken: Floats = inks[face - 1, row, column]
    return taken


def symbol_ink(die_set: DieSet, face: Ints, u: Floats, v: Floats) -> Floats:
    return _sample(symbol_inks(), face, u, v, die_set.edge)


def serial_ink(die_set: DieSet, face: Ints, u: Floats, v: Floats) -> Floats:
    return _sample(serial_inks(die_set.serial), face, u, v, die_set.edge)


def symbol_colours() -> Floats:
    """[value - 1, channel]."""
    return np.array([colour for _, colour, _ in SYMBOLS.values()], dtype=np.float32)
