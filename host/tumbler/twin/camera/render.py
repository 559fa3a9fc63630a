"""One frame of the camera: plate, what lies on it, dice, dome, lens, sensor. Under 60 ms for three dice on one core.

The plate is shaded once a pixel, the dice by four rays a pixel and only where they are. Dice that move are drawn several
times along their way, as an exposure would. The result depends on nothing but the arguments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tumbler.twin.chips.dice import DiePose
from tumbler.twin.dome import PLATE_RADIUS

from . import clutter, glass, sensor, solid
from .clutter import Foreign
from .dieset import DieSet
from .difficulty import Conditions, Difficulty
from .plate import albedo
from .shade import DieShader, Light, around_dice, channels
from .solid import Frame
from .view import Size, View

Floats = npt.NDArray[np.float32]
Picture = npt.NDArray[np.uint8]
Pair = tuple[Picture, Picture]  # by one lamp and by the other

SIZE: Size = (320, 240)
_FINE = 2  # rays a pixel on dice, each way
_SUB_FRAMES = 5
_MARGIN = 2
_SHADOW_STEP = 2  # shadows on the plate are soft: every second pixel
_SCATTERED = 0.18  # of the light that dirt on the dome takes away, what it sends into the lens
_DARK = 0.0006  # what comes in under the cover


def render(
    poses: Sequence[DiePose],
    die_set: DieSet,
    difficulty: Difficulty | Conditions,
    rng: np.random.Generator | None = None,
    *,
    size: Size = SIZE,
    colour: bool = False,
    foreign: Sequence[Foreign] = (),
    poses_after: Sequence[DiePose] | None = None,
    lamp: int = 0,
) -> Picture:
    """Rows x columns of luma, or rows x columns x RGB. `poses_after` is where moving dice are at the end of the exposure."""
    (frame,) = render_frames(
        poses,
        die_set,
        difficulty,
        rng,
        1,
        size=size,
        colour=colour,
        foreign=foreign,
        poses_after=poses_after,
        lamp=lamp,
    )
    return frame


def pair(
    poses: Sequence[DiePose],
    die_set: DieSet,
    conditions: Conditions,
    rng: np.random.Generator,
    *,
    foreign: Sequence[Foreign] = (),
) -> Pair:
    """Luma of one lie of the dice by one lamp and by the other, as the controller takes them in a row."""
    a, b = (render(poses, die_set, conditions, rng, foreign=foreign, lamp=lamp) for lamp in (0, 1))
    return a, b


def render_frames(
    poses: Sequence[DiePose],
    die_set: DieSet,
    difficulty: Difficulty | Conditions,
    rng: np.random.Generator | None,
    count: int,
    *,
    size: Size = SIZE,
    colour: bool = False,
    foreign: Sequence[Foreign] = (),
    poses_after: Sequence[DiePose] | None = None,
    lamp: int = 0,
) -> list[Picture]:
    """So many frames of one spin: the light is cast once, and each frame has its own noise. A third of the cost a frame."""
    if isinstance(difficulty, Difficulty):
        rng = rng if rng is not None else np.random.default_rng(difficulty.seed)
        conditions = difficulty.draw(rng)
    else:
        conditions = difficulty
        rng = rng if rng is not None else np.random.default_rng(conditions.seed)
    if conditions.covered:
        light = np.full((3 if colour else 1, size[1], size[0]), _DARK, dtype=np.float32)
    else:
        light = _Scene(die_set, conditions, size, colour, foreign, lamp).light(_ways(poses, poses_after))
    taken = [sensor.expose(light, conditions, rng) for _ in range(count)]
    return [np.ascontiguousarray(frame.transpose(1, 2, 0)) if colour else frame[0] for frame in taken]


@dataclass(frozen=True)
class _Between:
    position: tuple[float, ...]
    rotation: tuple[tuple[float, ...], ...]


def _ways(poses: Sequence[DiePose], after: Sequence[DiePose] | None) -> list[list[Frame]]:
    """The dice at each moment that is drawn: one, or several along their way."""
    if after is None:
        return [[Frame.of(pose) for pose in poses]]
    return [
        [Frame.of(_between(a, b, i / (_SUB_FRAMES - 1))) for a, b in zip(poses, after, strict=True)]
        for i in range(_SUB_FRAMES)
    ]


def _between(a: DiePose, b: DiePose, share: float) -> _Between:
    """Straight on, and turned about the one axis that leads from one rotation to the other."""
    first, last = np.asarray(a.rotation, dtype=np.float64), np.asarray(b.rotation, dtype=np.float64)
    turn = last @ first.T
    angle = math.acos(min(1.0, max(-1.0, (float(np.trace(turn)) - 1.0) / 2.0)))
    place = np.asarray(a.position) * (1.0 - share) + np.asarray(b.position) * share
    if angle > 1e-6:
        axis = np.array((turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]))
        length = float(np.linalg.norm(axis))
        axis = axis / length if length > 1e-9 else np.array((1.0, 0.0, 0.0))
        x, y, z = axis.tolist()
        k = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
        part = angle * share
        first = (np.eye(3) + math.sin(part) * k + (1.0 - math.cos(part)) * (k @ k)) @ first
    return _Between(tuple(place.tolist()), tuple(tuple(row) for row in first.tolist()))


class _Scene:
    """Everything of one frame that stays the same while dice move through it."""

    def __init__(
        self,
        die_set: DieSet,
        conditions: Conditions,
        size: Size,
        colour: bool,
        foreign: Sequence[Foreign],
        lamp: int,
    ) -> None:
        self._set = die_set
        self._half = die_set.edge / 2
        self._conditions = conditions
        self._size = size
        self._view: View = conditions.fitting.view
        self._eye = self._view.eye.astype(np.float32)
        self._lamp = lamp
        self._light = Light.of(conditions, lamp)
        self._shader = DieShader(die_set, self._light, colour, channels(die_set.plate, colour))
        rays = self._view.rays(size)
        down = -self._eye[2] / rays[2]
        self._x = self._eye[0] + rays[0] * down
        self._y = self._eye[1] + rays[1] * down
        self._albedo = albedo(conditions.fitting, die_set.plate, self._x, self._y, colour)
        pixel = self._view.height / (self._view.focal * size[0] / 320)
        for thing in foreign:
            shade, hidden = clutter.cover(thing, self._x, self._y, pixel)
            self._albedo = self._albedo * (1.0 - hidden) + channels(shade, colour)[:, None, None] * hidden

    def light(self, moments: Sequence[Sequence[Frame]]) -> Floats:
        """What reaches the lens, channels x rows x columns."""
        moments = [[frame for frame in dice if _in_view(frame)] for dice in moments]
        total = self._dice_on(self._lit_plate(moments[0]), moments[0])
        for dice in moments[1:]:
            total = total + self._dice_on(self._lit_plate(dice), dice)
        if len(moments) > 1:
            total = total / np.float32(len(moments))
        through = glass.let_through(self._conditions, self._size)
        if through is not None:
            total = total * through + (1.0 - through) * np.float32(_SCATTERED)
        return total + glass.mirrored(self._conditions, self._size, self._lamp)

    # --- plate ------------------------------------------------------------------------------------------------------

    def _lit_plate(self, dice: Sequence[Frame]) -> Floats:
        light = self._light
        lx, ly, lz = (float(v) for v in light.lamp)
        away2 = (self._x - lx) ** 2 + (self._y - ly) ** 2 + np.float32(lz * lz)
        direct = light.direct * light.reach2 * np.float32(lz) / (away2 * np.sqrt(away2))
        lit, around = self._shadows(dice)
        lit_plate: Floats = self._albedo * (direct * lit + light.ambient * around)
        return lit_plate

    def _shadows(self, dice: Sequence[Frame]) -> tuple[Floats, Floats]:
        """The lamp's share and the surroundings' share that dice leave to the plate."""
        width, height = self._size
        lit = np.ones((height, width), dtype=np.float32)
        around = np.ones((height, width), dtype=np.float32)
        for frame in dice:
            top, bottom, left, right = self._shadow_box(frame)
            if top >= bottom or left >= right:
                continue
            step = _SHADOW_STEP
            x, y = self._x[top:bottom:step, left:right:step], self._y[top:bottom:step, left:right:step]
            points = np.stack((x.ravel(), y.ravel(), np.zeros(x.size, dtype=np.float32)))
            hidden = solid.shaded(points, self._light.points, frame, self._half * 0.97).reshape(x.shape)
            left_over = around_dice(points, (frame,), self._half).reshape(x.shape)
            lit[top:bottom, left:right] *= 1.0 - _widen(hidden, step, bottom - top, right - left)
            around[top:bottom, left:right] *= _widen(left_over, step, bottom - top, right - left)
        return lit, around

    def _shadow_box(self, frame: Frame) -> tuple[int, int, int, int]:
        """Rows and columns of the plate that the die's shadow, or the die's nearness, can reach."""
        corners = frame.corners(self._half).astype(np.float64)
        feet = corners * (1.0, 1.0, 0.0)
        found = [feet + np.array((dx, dy, 0.0)) for dx in (-0.012, 0.012) for dy in (-0.012, 0.012)]
        for lamp in self._light.points.astype(np.float64):
            below = lamp[2] - corners[:, 2:3]
            onto = lamp + (corners - lamp) * (lamp[2] / np.maximum(below, 1e-3))
            found.append(np.clip(onto, -0.2, 0.2))
        return self._box(np.concatenate(found))

    def _box(self, points: npt.ArrayLike) -> tuple[int, int, int, int]:
        width, height = self._size
        seen = self._view.project(points, self._size)
        left, top = np.floor(seen.min(axis=0)).astype(int) - _MARGIN
        right, bottom = np.ceil(seen.max(axis=0)).astype(int) + _MARGIN + 1
        return (max(0, int(top)), min(height, int(bottom)), max(0, int(left)), min(width, int(right)))

    # --- dice -------------------------------------------------------------------------------------------------------

    def _dice_on(self, plate: Floats, dice: Sequence[Frame]) -> Floats:
        """Over the plate, the nearer die in front; four rays a pixel, averaged where any of them met a die."""
        if not dice:
            return plate
        boxes = [self._box(frame.corners(self._half)) for frame in dice]
        top, bottom = min(b[0] for b in boxes), max(b[1] for b in boxes)
        left, right = min(b[2] for b in boxes), max(b[3] for b in boxes)
        if top >= bottom or left >= right:
            return plate
        fine = plate[:, top:bottom, left:right].repeat(_FINE, axis=1).repeat(_FINE, axis=2)
        depth = np.full(fine.shape[1:], np.float32(1e9))
        rays = self._view.rays(self._size, _FINE)
        for number, (frame, box) in enumerate(zip(dice, boxes, strict=True)):
            rows = slice((box[0] - top) * _FINE, (box[1] - top) * _FINE)
            columns = slice((box[2] - left) * _FINE, (box[3] - left) * _FINE)
            if rows.start >= rows.stop or columns.start >= columns.stop:
                continue
            tile = rays[:, box[0] * _FINE : box[1] * _FINE, box[2] * _FINE : box[3] * _FINE]
            directions = frame.to_table.T @ tile.reshape(3, -1)
            eye = frame.to_table.T @ (self._eye - frame.centre)
            hits = solid.meet(eye, directions, self._half, self._set.edge_radius)
            tile_depth = depth[rows, columns]
            nearer = hits.distance < tile_depth.ravel()[hits.which]
            hits = solid.Hits(hits.which[nearer], hits.distance[nearer], hits.point[:, nearer], hits.normal[:, nearer])
            if not hits.which.size:
                continue
            others = [other for i, other in enumerate(dice) if i != number]
            seen = self._shader.radiance(hits, directions[:, hits.which], frame, others)
            row, column = np.divmod(hits.which, tile.shape[2])
            tile_depth[row, column] = hits.distance
            fine[:, rows, columns][:, row, column] = seen
        out = plate.copy()
        channels_, height, width = fine.shape
        parts = fine.reshape(channels_, height // _FINE, _FINE, width // _FINE, _FINE)
        out[:, top:bottom, left:right] = parts.mean(axis=(2, 4), dtype=np.float32)
        return out


def _in_view(frame: Frame) -> bool:
    """A die that was taken out is kept somewhere below the table."""
    return float(frame.centre[2]) > 0.0 and float(np.hypot(*frame.centre[:2])) < 2.5 * PLATE_RADIUS


def _widen(coarse: Floats, step: int, rows: int, columns: int) -> Floats:
    """Every second pixel to every pixel, smoothly."""
    wide = coarse.repeat(step, axis=0).repeat(step, axis=1)[:rows, :columns]
    smooth = sensor.blur(wide, 1.2)
    return smooth
