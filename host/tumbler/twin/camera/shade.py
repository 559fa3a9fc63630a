"""Light on the plate and on the dice: one lamp of some size with its shadows, light from all round, gloss, clear bodies.

Radiance is linear; a white sheet in the middle of the plate has about 1. Colours come as rows of 1 (luma) or 3 channels.
Not here: what the dome's glass and the lens add (glass.py, sensor.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import faces, solid
from .dieset import Colour, DieSet
from .difficulty import Conditions
from .solid import Frame

Floats = npt.NDArray[np.float32]

LUMA = (0.299, 0.587, 0.114)
_LAMP_POINTS = 6
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))
_INDEX = 1.49  # acrylic
_SHINE = 700.0  # a polished face mirrors the lamp as a spot, not as a haze
_NEAR_DIE = 0.0045  # metres over which a die takes the light from all round off the plate
_SHADOW_HALF = 0.97  # of a die's half edge: a sharp cube of this size has about the shadow of the rounded one


def channels(colour: Colour, colours: bool) -> Floats:
    """As many numbers as the picture has channels."""
    if colours:
        return np.array(colour, dtype=np.float32)
    return np.array([sum(a * b for a, b in zip(colour, LUMA, strict=True))], dtype=np.float32)


@dataclass
class Light:
    lamp: Floats
    points: Floats  # m x 3, spread over the lamp
    ambient: np.float32
    direct: np.float32
    reach2: np.float32

    @classmethod
    def of(cls, conditions: Conditions, lamp_lit: int = 0) -> Light:
        fitting = conditions.fitting
        lamp = np.array(fitting.lamps[lamp_lit], dtype=np.float32)
        spread = [(fitting.lamp_radius * math.sqrt((i + 0.5) / _LAMP_POINTS), i * _GOLDEN) for i in range(_LAMP_POINTS)]
        offsets = np.array([(r * math.cos(a), r * math.sin(a), 0.0) for r, a in spread], dtype=np.float32)
        ambient = np.float32(conditions.ambient)
        return cls(lamp, lamp + offsets, ambient, np.float32(1.0) - ambient, np.float32(lamp @ lamp))

    def toward(self, points: Floats) -> tuple[Floats, Floats]:
        """Unit directions to the lamp, and its strength there (square of the distance)."""
        way = self.lamp[:, None] - points
        length2 = (way * way).sum(axis=0)
        return way / np.sqrt(length2), self.reach2 / length2

    def hidden(self, points: Floats, dice: Sequence[Frame], half: float) -> Floats:
        total = np.zeros(points.shape[1], dtype=np.float32)
        for frame in dice:
            total = np.maximum(total, solid.shaded(points, self.points, frame, half * _SHADOW_HALF))
        return total


def around_dice(points: Floats, dice: Sequence[Frame], half: float) -> Floats:
    """How much of the light from all round the dice leave to points of the plate."""
    left = np.ones(points.shape[1], dtype=np.float32)
    for frame in dice:
        over = np.maximum(np.abs(frame.inward(points)) - np.float32(half), 0.0)
        left *= 1.0 - np.float32(0.5) * np.exp(-np.sqrt((over * over).sum(axis=0)) / np.float32(_NEAR_DIE))
    return left


class DieShader:
    """One set's faces under one light, for a picture of one or three channels."""

    def __init__(self, die_set: DieSet, light: Light, colours: bool, plate: Floats) -> None:
        self._set = die_set
        self._light = light
        self._body = channels(die_set.body, colours)[:, None]
        self._pip = channels(die_set.pip, colours)[:, None]
        self._plate = plate[:, None]
        self._symbols = np.stack([channels((r, g, b), colours) for r, g, b in faces.symbol_colours().tolist()])
        self._half = die_set.edge / 2

    def radiance(self, hits: solid.Hits, rays: Floats, frame: Frame, others: Sequence[Frame]) -> Floats:
        """Of the rays that hit: channels x n. `rays` are those rays in the die's frame."""
        points = frame.to_table @ hits.point + frame.centre[:, None]
        way, strength = self._light.toward(points)
        to_lamp = frame.to_table.T @ way
        facing = np.maximum((hits.normal * to_lamp).sum(axis=0), 0.0)
        lit = 1.0 - self._light.hidden(points, others, self._half) if others else np.float32(1.0)
        up = (frame.to_table[2][:, None] * hits.normal).sum(axis=0)
        on = faces.on_face(hits.point)
        colour, shadow = self._surface(on, rays, to_lamp)
        # a face that looks down sees only the plate
        around = self._light.ambient * (np.float32(0.62) + np.float32(0.38) * up)
        light = around * (np.float32(1.0) - np.float32(0.5) * shadow) + self._light.direct * strength * facing * lit * (
            np.float32(1.0) - shadow
        )
        out = colour * light
        if self._set.clear:
            out = self._look_into(out, on, hits, rays, up)
        middle = to_lamp - rays
        middle /= np.sqrt((middle * middle).sum(axis=0))
        shine = np.maximum((middle * hits.normal).sum(axis=0), 0.0) ** np.float32(_SHINE)
        mirrored: Floats = out + np.float32(self._set.gloss * 2.0) * shine * lit * strength
        return mirrored

    def _surface(self, on: faces.OnFace, rays: Floats, to_lamp: Floats) -> tuple[Floats, Floats]:
        """Colour of each point, and how much of the lamp a pip's own rim keeps from it."""
        die_set = self._set
        nothing = np.zeros(on.u.shape, dtype=np.float32)
        if die_set.symbols:
            ink = faces.symbol_ink(die_set, on.face, on.u, on.v)
            inked = self._symbols[on.face - 1].T
            return self._body * (1.0 - ink) + inked * ink, nothing
        gap = faces.pip_gap(die_set, on.face, on.u, on.v)
        inside = gap < 0.0
        shadow = nothing
        if die_set.pip_depth and inside.any():
            shadow = shadow.copy()
            shadow[inside] = self._in_recess(on, rays, to_lamp, inside)
        colour = np.where(inside, self._pip, self._body)
        if die_set.serial:
            ink = faces.serial_ink(die_set, on.face, on.u, on.v) * ~inside
            colour = colour * (1.0 - ink) + self._pip * ink
        return colour, shadow

    def _in_recess(self, on: faces.OnFace, rays: Floats, to_lamp: Floats, inside: npt.NDArray[np.bool_]) -> Floats:
        """A pip is a flat hole: from its floor the lamp may be behind the rim, and a slanting look meets its wall."""
        some = faces.OnFace(on.face[inside], on.axis[inside], on.sign[inside], on.u[inside], on.v[inside])
        depth = np.float32(self._set.pip_depth)
        ru, rv, rn = faces.across(rays[:, inside], some)
        down = np.divide(depth, np.maximum(-rn, np.float32(0.05)), dtype=np.float32)
        u, v = some.u + ru * down, some.v + rv * down
        wall = faces.pip_gap(self._set, some.face, u, v) > 0.0
        lu, lv, ln = faces.across(to_lamp[:, inside], some)
        rise = np.divide(depth, np.maximum(ln, np.float32(0.05)), dtype=np.float32)
        behind = faces.pip_gap(self._set, some.face, u + lu * rise, v + lv * rise) > 0.0
        return np.where(wall, np.float32(0.5), np.where(behind, np.float32(0.9), np.float32(0.0)))

    def _look_into(self, surface: Floats, on: faces.OnFace, hits: solid.Hits, rays: Floats, up: Floats) -> Floats:
        """Through a clear body: what the bent ray meets at the far side, tinted by the way it went."""
        bent = solid.bend_inward(rays, hits.normal, _INDEX)
        start = hits.point - hits.normal * np.float32(1e-5)
        way = np.maximum(solid.slab(start, bent, self._half).leave, 0.0)
        far = faces.on_face(start + bent * way)
        back = faces.pip_gap(self._set, far.face, far.u, far.v) < 0.0
        tint = np.maximum(self._body, np.float32(0.02)) ** (way / np.float32(self._set.edge))
        beyond = np.where(back, self._pip * np.float32(0.55), self._plate * np.float32(0.9))
        seen = tint * beyond * (np.float32(0.6) + np.float32(0.4) * np.abs(up))
        clear = np.where(
            faces.pip_gap(self._set, on.face, on.u, on.v) < 0.0, np.float32(0.0), np.float32(self._set.clear)
        )
        mixed: Floats = surface * (1.0 - clear) + seen * clear
        return mixed
