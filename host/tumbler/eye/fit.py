"""Fits a table's camera to what its own files saw on frames of dice lying flat: place, lens, tilt, die set, lamp, plate.

Only numbers here; the frames are looked at by the controller's files (controller/reader/lesson.py).
"""

from __future__ import annotations

import binascii
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Frame = npt.NDArray[np.uint8]
Pair = tuple[Frame, Frame]  # by one lamp and by the other
Mask = npt.NDArray[np.bool_]

# as controller/reader/pip_table.py has it; a test holds both together
FORM = "<4sBBH44fHHHH"
MAGIC = b"TEY4"
LENS_HEIGHT = 150.0
EDGE = 16.0
PLATE_MM = 41.4  # to the gasket
LAMP_HEIGHT = 250.0
SQUARE = 240
CELL = 4
LOOKED_AT_MM = 40.2  # of the plate: a cell farther out has gasket in it
ASIDE = (0.0, 20.0, 40.0, 60.0, 80.0, 110.0, 140.0, 170.0)
AZIMUTHS = 24
ABOUT = 0.9
LEAST_BARE = 3  # frames in which a place of the plate is to be seen
GLARE_STEP = 5.0  # grey steps over the ground
LEAST_SLACK = 0.30  # mm
MOST_SLACK = 0.5
LEAST_SIDES = 6
SPREADS = 4.2
FAR = 0.2  # mm
DIM = 0.15  # slope of a lamp to a side
SHY = (0.3, 0.1, 0.1, 0.05)  # against terms that come from few sides
RIM_WEIGHT = 0.15
RIM_POINTS = 36


@dataclass(frozen=True)
class Camera:
    x: float
    y: float
    focal: float
    bend: float = 0.12
    tilt_x: float = 0.0
    tilt_y: float = 0.0

    def lift(self, points: npt.ArrayLike, z: float) -> Floats:
        """Pixels (n x 2) to millimetres at this height (n x 2)."""
        at = np.asarray(points, dtype=np.float64)
        sx, sy = (at[:, 0] - self.x) / self.focal, (self.y - at[:, 1]) / self.focal
        by = 1.0 + self.bend * (sx * sx + sy * sy)
        ray = np.stack((sx * by, sy * by, -np.ones_like(sx)), axis=1) @ self._turn.T
        eye = self._turn @ np.array((0.0, 0.0, LENS_HEIGHT))
        t = (z - eye[2]) / ray[:, 2]
        lifted: Floats = eye[:2] + ray[:, :2] * t[:, None]
        return lifted

    @property
    def _turn(self) -> Floats:
        cx, sx, cy, sy = math.cos(self.tilt_x), math.sin(self.tilt_x), math.cos(self.tilt_y), math.sin(self.tilt_y)
        return np.array(((cy, 0.0, sy), (sx * sy, cx, -sx * cy), (-cx * sy, sx, cx * cy)))


@dataclass(frozen=True)
class Table:
    """All that eye.bin holds."""

    camera: Camera
    inv: int = 0
    contrast: float = 60.0
    pitch: float = 4.1
    size: float = 1.6
    one_size: float = 1.75
    lamps: tuple[tuple[float, float], ...] = ((0.0, 0.0),) * 2
    edges: tuple[tuple[float, ...], ...] = ((0.0,) * 5,) * 2  # upper edge, foot
    slacks: tuple[float, ...] = (9.0,) * 2
    grounds: tuple[tuple[float, ...], ...] = ((0.0,) * 6,) * 2  # by one lamp and by the other
    glares: tuple[tuple[float, float, float], ...] = ((0.0, 0.0, 0.0),) * 2
    # middle and brightest of the plate, steepest edges, where it is the darker of both lamps'
    levels: tuple[int, int, int] = (0, 0, 0)

    def pack(self) -> bytes:
        c = self.camera
        numbers = (c.x, c.y, c.focal, c.bend, c.tilt_x, c.tilt_y, self.pitch, self.size, self.one_size,
                   *self.lamps[0], *self.lamps[1], *self.edges[0], *self.edges[1], *self.slacks, LOOKED_AT_MM,
                   *self.grounds[0], *self.grounds[1], *self.glares[0], *self.glares[1])  # fmt: skip
        body = struct.pack(FORM, MAGIC, 0, self.inv, round(self.contrast), *numbers, *self.levels, 0)
        return body + struct.pack("<I", binascii.crc32(body))

    @property
    def left(self) -> int:
        return max(0, min(320 - SQUARE, int(np.float32(self.camera.x)) - SQUARE // 2))


Die = Mapping[str, Any]
Seen = Sequence[Mapping[str, Any]]


def first_guess(x: float, y: float, r: float, inv: int) -> Table:
    """From the plate's circle alone, as the head is built."""
    straight = PLATE_MM / LENS_HEIGHT
    seen = straight
    for _ in range(6):
        seen = straight / (1.0 + 0.12 * seen * seen)
    return Table(Camera(x, y, r / seen), inv)


def sound(seen: Seen, loose: bool = False) -> list[Die]:
    return [
        die
        for frame in seen
        for die in frame["dice"]
        if die["number"] == die["second"] and die["off"] < (0.6 if loose else 0.25) and abs(die["scale"] - 1.0) < 0.06
    ]


def fit_camera(table: Table, dice: Sequence[Die], rim: tuple[float, float, float]) -> Table:
    """Gauss and Newton: the marks of each die on its lattice, and the rim of the plate on its circle."""
    groups = [np.array(die["marks"], dtype=np.float64) for die in dice if die["number"] > 1]
    angles = np.linspace(0.0, 2.0 * math.pi, RIM_POINTS, endpoint=False)
    circle = np.stack((rim[0] + rim[2] * np.cos(angles), rim[1] + rim[2] * np.sin(angles)), axis=1)

    def off(p: Floats) -> Floats:
        camera = Camera(*p[:6])
        parts = [(np.hypot(*camera.lift(circle, 0.0).T) - PLATE_MM) * RIM_WEIGHT]
        for marks in groups:
            at = camera.lift(marks[:, :2], EDGE)
            parts.append((at - _laid(at, marks[:, 4:6] * p[6])).ravel())
        parts.append(p[4:6] * 0.5)  # a head is mounted upright: tilts only where marks ask for them
        return np.concatenate(parts)

    c = table.camera
    p = _least_squares(off, np.array((c.x, c.y, c.focal, c.bend, c.tilt_x, c.tilt_y, table.pitch)))
    fitted = replace(table, camera=Camera(*(float(v) for v in p[:6])), pitch=float(p[6]))
    scale = fitted.camera.focal / (LENS_HEIGHT - EDGE)
    several = [mark for die in dice if die["number"] > 1 for mark in die["marks"]]
    single = [mark for die in dice if die["number"] == 1 for mark in die["marks"]]
    size = float(np.median([mark[2] for mark in several])) / scale
    return replace(
        fitted,
        size=size,
        one_size=float(np.median([mark[2] for mark in single])) / scale
        if len(single) > 1
        else max(size, table.one_size),
        contrast=float(np.median([mark[3] for mark in several])),
    )


def _laid(at: Floats, lattice: Floats) -> Floats:
    """The lattice moved and turned onto these points."""
    middle, home = at.mean(axis=0), lattice.mean(axis=0)
    a, b = at - middle, lattice - home
    turn = math.atan2(float((a[:, 1] * b[:, 0] - a[:, 0] * b[:, 1]).sum()), float((a * b).sum()))
    c, s = math.cos(turn), math.sin(turn)
    laid: Floats = b @ np.array(((c, s), (-s, c))) + middle
    return laid


def _least_squares(off: Callable[[Floats], Floats], p: Floats) -> Floats:
    steps = np.array((0.5, 0.5, 1.0, 0.01, 0.002, 0.002, 0.01))
    for _ in range(12):
        now = off(p)
        weight = 1.0 / np.maximum(1.0, np.abs(now) / 0.15)  # a mark far off its place counts less
        slopes = np.stack([(off(p + step) - now) / step.sum() for step in np.diag(steps)], axis=1)
        change, *_ = np.linalg.lstsq(slopes * weight[:, None], -now * weight, rcond=None)
        p = p + change
        if float(np.abs(change / steps).max()) < 0.01:
            break
    return p


# --- light --------------------------------------------------------------------------------------------------------------


def cells_of(frame: Frame, left: int) -> Floats:
    square = frame[:, left : left + SQUARE].astype(np.float64)
    n = SQUARE // CELL
    cells: Floats = square.reshape(n, CELL, n, CELL).mean(axis=(1, 3))
    return cells


def fit_light(table: Table, pairs: Sequence[Pair], seen: Seen) -> Table:
    """The bare plate, where each lamp is mirrored on it, and where each is, by the dice's shadows."""
    n = SQUARE // CELL
    at = (np.arange(n) + 0.5) * CELL
    pixels = np.stack(np.meshgrid(table.left + at, at), axis=-1).reshape(-1, 2)
    place = table.camera.lift(pixels, 0.0)
    on_plate = np.hypot(place[:, 0], place[:, 1]) < LOOKED_AT_MM
    over = np.stack([_under_dice(place, frame["dice"]) for frame in seen])
    inside = on_plate & ((~over).sum(axis=0) >= LEAST_BARE)  # of the rest nothing is known
    grounds, glares, lamps = [], [], []
    for lamp in (0, 1):
        levels = _alike(np.stack([cells_of(pair[lamp], table.left).ravel() for pair in pairs]), on_plate, over)
        bare, numbers, terms = _ground(place, inside, levels, over)
        grounds.append(tuple(float(x) for x in numbers))
        glares.append(_glare(place, (bare - terms @ numbers) * inside))
        lamps.append(_lamp(place, inside, levels - terms @ numbers, seen))
    darker = [cells_of(np.minimum(*pair), table.left).ravel()[inside] for pair in pairs]
    levels_seen = (
        [np.median(cells) for cells in darker],
        [np.quantile(cells, 0.98) for cells in darker],
        [frame["sharp"] for frame in seen],
    )
    middle, bright, sharp = (round(float(np.median(found))) for found in levels_seen)
    return replace(
        table, grounds=tuple(grounds), glares=tuple(glares), lamps=tuple(lamps),
        levels=(middle, bright, sharp),
    )  # fmt: skip


def _alike(levels: Floats, on_plate: Mask, over: Mask) -> Floats:
    """The plate equally bright in all throws."""
    usual = np.array([np.median(row[on_plate & ~hidden]) for row, hidden in zip(levels, over, strict=True)])
    alike: Floats = levels * (np.median(usual) / usual)[:, None]
    return alike


def _ground(place: Floats, inside: Mask, levels: Floats, over: Mask) -> tuple[Floats, Floats, Floats]:
    """Levels of the bare plate, and a bowed plane through them with its terms."""
    bare = np.zeros(len(place))
    bare[inside] = np.nanmedian(np.where(over, np.nan, levels)[:, inside], axis=0)
    u, v = (place / LOOKED_AT_MM).T
    terms = np.stack((np.ones_like(u), u, v, u * u, u * v, v * v), axis=1)
    chosen = inside.copy()
    numbers = np.zeros(6)
    for _ in range(4):
        numbers, *_ = np.linalg.lstsq(terms[chosen], bare[chosen], rcond=None)
        rest = bare - terms @ numbers
        chosen = inside & (np.abs(rest) < max(3.0, 2.5 * float(np.median(np.abs(rest[inside])))))
    return bare, numbers, terms


def _under_dice(place: Floats, dice: Sequence[Die]) -> Mask:
    """Which places of the plate these dice hide, or are so near to that they take light from them."""
    over = np.zeros(len(place), dtype=bool)
    for die in dice:
        over |= _square(place, die, (0.0, 0.0), 1.0, 9.5) | _square(place, die, (0.0, 0.0), 1.12, 10.5)
    return over


def _glare(place: Floats, rest: Floats) -> tuple[float, float, float]:
    over = rest > GLARE_STEP
    if int(over.sum()) < 3:
        return (0.0, 0.0, 0.0)
    top = int(rest.argmax())
    near = over & (np.hypot(*(place - place[top]).T) < 12.0)
    middle = np.average(place[near], axis=0, weights=rest[near])
    reach = float(np.hypot(*(place[near] - middle).T).max()) + 1.5
    return (float(middle[0]), float(middle[1]), min(reach, 12.0))


def _lamp(place: Floats, inside: Mask, rest: Floats, seen: Seen) -> tuple[float, float]:
    """From where the dice's shadows fall so. A die takes light from the plate on all sides: what counts is how much darker it is on
    one than on the opposite one."""
    found: list[tuple[float, float, float]] = []
    bare = [inside & ~_under_dice(place, frame["dice"]) for frame in seen]
    for aside in ASIDE:
        for k in range(AZIMUTHS if aside else 1):
            x, y = aside * math.cos(2 * math.pi * k / AZIMUTHS), aside * math.sin(2 * math.pi * k / AZIMUTHS)
            darker = cells = 0.0
            for frame, levels, free in zip(seen, rest, bare, strict=True):
                fall, other = (free & _shadows(place, frame["dice"], x, y, way) for way in (1.0, -1.0))
                fall, other = fall & ~other, other & ~fall
                if fall.sum() > 3 and other.sum() > 3:
                    n = float(fall.sum())
                    darker += float(levels[other].mean() - levels[fall].mean()) * n
                    cells += n
            if cells:
                found.append((darker / math.sqrt(cells), x, y))
    best = max((score for score, _, _ in found), default=0.0)
    for aside in ASIDE:  # of those that explain it about as well the nearest
        score, x, y = max((row for row in found if abs(math.hypot(*row[1:]) - aside) < 1.0), default=(0.0, 0.0, 0.0))
        if score > ABOUT * best:
            return (x, y)
    return (0.0, 0.0)


def _shadows(place: Floats, dice: Sequence[Die], x: float, y: float, way: float) -> Mask:
    shaded = np.zeros(len(place), dtype=bool)
    for die in dice:
        for share in (0.25, 0.5, 0.75, 1.0):
            by = way * share * EDGE / (LAMP_HEIGHT - EDGE)
            shaded |= _square(place, die, ((die["x"] - x) * by, (die["y"] - y) * by), 1.0, 8.0)
    return shaded


def _square(place: Floats, die: Die, shift: tuple[float, float], scale: float, half: float) -> Mask:
    x = place[:, 0] - die["x"] * scale - shift[0]
    y = place[:, 1] - die["y"] * scale - shift[1]
    inside: Mask = (np.abs(x * die["c"] + y * die["s"]) < half) & (np.abs(y * die["c"] - x * die["s"]) < half)
    return inside


def fit_sides(table: Table, dice: Sequence[Die]) -> Table:
    """Where a flat die's outline is found against where it should be, on both kinds of side, and how far that spreads."""
    edges: list[tuple[float, ...]] = []
    slacks: list[float] = []
    for kind in (0, 1):
        rows = [
            (edge, at - EDGE / 2, min(lit), max(lit), max(0.0, DIM - max(lit)))
            for die in dice
            for edge, at, lit, which in die["sides"]
            if which == kind and edge is not None and abs(edge) < 2.0
        ]
        if len(rows) < LEAST_SIDES:
            edges.append((0.0,) * 5)
            slacks.append(MOST_SLACK)
            continue
        numbers, spread = _line(np.array(rows))
        edges.append(tuple(float(v) for v in numbers))
        slacks.append(min(MOST_SLACK, max(LEAST_SLACK, SPREADS * spread)))
    return replace(table, edges=tuple(edges), slacks=tuple(slacks))


def _line(rows: Floats) -> tuple[npt.NDArray[np.floating], float]:
    """Offsets by their four terms, and what is left: what a shadow falsified counts less, a term that few sides show is small."""
    found = rows[:, 0]
    numbers: npt.NDArray[np.floating] = np.zeros(rows.shape[1])
    terms = np.concatenate((np.ones((len(rows), 1)), rows[:, 1:]), axis=1)
    shy = np.diag((0.0, *SHY))
    rest = found - np.median(found)
    for _ in range(6):
        weight = 1.0 / np.maximum(1.0, np.abs(rest) / FAR)
        weighted = terms * weight[:, None]
        numbers = np.linalg.solve(weighted.T @ terms + shy, weighted.T @ found)
        rest = found - terms @ numbers
    return numbers, float(np.quantile(np.abs(rest), 0.9)) / 1.645


def figures(table: Table, dice: Sequence[Die]) -> dict[str, Any]:
    """What was learned, as plain numbers: pixels where nothing else is said."""
    scale = table.camera.focal / (LENS_HEIGHT - EDGE)
    offs = [die["off"] for die in dice if die["number"] > 1]
    return {
        "dice": len(dice),
        "step": table.pitch * scale,
        "radius": table.size * scale,
        "light_pips": table.inv == 255,
        "contrast": table.contrast,
        "spread": float(np.median(offs)) / table.pitch if offs else 0.0,
        "bend": table.camera.bend,
        "tilt_degrees": math.degrees(math.hypot(table.camera.tilt_x, table.camera.tilt_y)),
        "lamps_mm": [[round(v) for v in lamp] for lamp in table.lamps],
        "glares_mm": [[round(v, 1) for v in glare] for glare in table.glares],
        "edges_mm": [[round(v, 2) for v in edge] for edge in table.edges],
        "slacks_mm": [round(v, 2) for v in table.slacks],
        "ground": table.levels[0],
        "bright": table.levels[1],
        "sharp": table.levels[2],
    }


def unpack(data: bytes) -> Table:
    """Of an eye.bin of dice with pips. ValueError."""
    if len(data) != struct.calcsize(FORM) + 4 or data[:4] != MAGIC:
        raise ValueError(f"no calibration: {len(data)} bytes")
    _, _, inv, contrast, *rest = struct.unpack(FORM, data[:-4])
    n = [float(v) for v in rest[:44]]
    return Table(
        Camera(*n[:6]), inv, contrast, n[6], n[7], n[8], ((n[9], n[10]), (n[11], n[12])),
        (tuple(n[13:18]), tuple(n[18:23])), tuple(n[23:25]), (tuple(n[26:32]), tuple(n[32:38])),
        ((n[38], n[39], n[40]), (n[41], n[42], n[43])), (rest[44], rest[45], rest[46]),
    )  # fmt: skip
