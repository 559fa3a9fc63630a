"""The six symbols of Sic Bo option B as drawings: fish, prawn, gourd, coin, crab, chicken. Coverage of ink, 0 to 1.

Drawn once with Pillow, large, and scaled down; the same outlines always. Values 1 to 6 and colours are those of the rules
document. Not for recognising them: the firmware is taught from pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from .dieset import Colour

SIDE = 96  # of a face, in samples
_DRAWN = 384
_INK_SHARE = 0.80  # of the face's width that a symbol takes

RED: Colour = (0.52, 0.020, 0.025)
GREEN: Colour = (0.020, 0.26, 0.055)
BLUE: Colour = (0.020, 0.060, 0.42)

Pen = ImageDraw.ImageDraw
Point = tuple[float, float]


def _at(points: list[Point]) -> list[Point]:
    """From a square of -1 to 1, y up, to samples."""
    half = _DRAWN / 2
    return [(half + x * _INK_SHARE * half, half - y * _INK_SHARE * half) for x, y in points]


def _oval(pen: Pen, x: float, y: float, rx: float, ry: float, ink: int = 255) -> None:
    (left, top), (right, bottom) = _at([(x - rx, y + ry), (x + rx, y - ry)])
    pen.ellipse((left, top, right, bottom), fill=ink)


def _area(pen: Pen, *points: Point, ink: int = 255) -> None:
    pen.polygon(_at(list(points)), fill=ink)


def _stroke(pen: Pen, *points: Point, width: float = 0.12, ink: int = 255) -> None:
    pixels = int(width * _INK_SHARE * _DRAWN / 2)
    pen.line(_at(list(points)), fill=ink, width=pixels, joint="curve")


def _fish(pen: Pen) -> None:
    _oval(pen, -0.18, 0.0, 0.72, 0.44)
    _area(pen, (0.35, 0.0), (0.98, 0.52), (0.80, 0.0), (0.98, -0.52))
    _area(pen, (-0.35, 0.36), (0.10, 0.78), (0.22, 0.30))
    _oval(pen, -0.58, 0.12, 0.10, 0.10, ink=0)
    _stroke(pen, (-0.28, 0.32), (-0.16, 0.0), (-0.28, -0.32), width=0.09, ink=0)


def _prawn(pen: Pen) -> None:
    curl = [(0.55, 0.62), (0.05, 0.74), (-0.45, 0.52), (-0.66, 0.05), (-0.50, -0.42), (-0.05, -0.66), (0.42, -0.60)]
    _stroke(pen, *curl, width=0.44)
    for x, y in curl:
        _oval(pen, x, y, 0.22, 0.22)
    _area(pen, (0.30, -0.60), (0.92, -0.28), (0.96, -0.92))
    for x, y in curl[1:5]:
        _stroke(pen, (x * 0.6, y * 0.6), (x * 0.15 + 0.08, y * 0.15), width=0.08)
    _stroke(pen, (0.50, 0.62), (0.98, 0.92), width=0.08)
    _stroke(pen, (0.50, 0.56), (1.0, 0.60), width=0.08)
    _oval(pen, 0.48, 0.66, 0.08, 0.08, ink=0)


def _gourd(pen: Pen) -> None:
    _oval(pen, 0.0, -0.40, 0.62, 0.56)
    _oval(pen, 0.0, 0.36, 0.40, 0.38)
    _stroke(pen, (0.0, 0.66), (0.10, 0.98), width=0.16)
    _stroke(pen, (-0.42, 0.02), (0.42, 0.02), width=0.10, ink=0)


def _coin(pen: Pen) -> None:
    _oval(pen, 0.0, 0.0, 0.92, 0.92)
    _oval(pen, 0.0, 0.0, 0.74, 0.74, ink=0)
    _oval(pen, 0.0, 0.0, 0.62, 0.62)
    _area(pen, (-0.26, 0.26), (0.26, 0.26), (0.26, -0.26), (-0.26, -0.26), ink=0)


def _crab(pen: Pen) -> None:
    _oval(pen, 0.0, -0.12, 0.56, 0.40)
    for side in (-1.0, 1.0):
        for y in (-0.05, -0.25, -0.45):
            _stroke(pen, (0.40 * side, y), (0.78 * side, y + 0.05), (0.96 * side, y - 0.20), width=0.09)
        _stroke(pen, (0.36 * side, 0.14), (0.66 * side, 0.42), width=0.12)
        _oval(pen, 0.66 * side, 0.62, 0.25, 0.27)
        _area(pen, (0.66 * side, 0.62), (0.50 * side, 1.0), (0.82 * side, 1.0), ink=0)
        _oval(pen, 0.18 * side, 0.12, 0.08, 0.08, ink=0)


def _chicken(pen: Pen) -> None:
    _oval(pen, 0.05, -0.22, 0.58, 0.46)
    _oval(pen, -0.44, 0.42, 0.28, 0.28)
    _area(pen, (-0.66, 0.30), (-0.14, 0.46), (0.10, 0.0), (-0.46, -0.20))
    _area(pen, (-0.66, 0.52), (-0.98, 0.38), (-0.66, 0.30))
    _area(pen, (-0.62, 0.62), (-0.60, 0.96), (-0.44, 0.78), (-0.30, 0.98), (-0.24, 0.60))
    _area(pen, (0.34, 0.02), (0.60, 0.78), (0.98, 0.42), (0.62, -0.20))
    _stroke(pen, (-0.08, -0.60), (-0.12, -0.96), (-0.32, -0.98), width=0.09)
    _stroke(pen, (0.20, -0.60), (0.22, -0.96), (0.02, -0.98), width=0.09)
    _oval(pen, -0.48, 0.48, 0.07, 0.07, ink=0)


# value -> name, colour, drawing
SYMBOLS: dict[int, tuple[str, Colour, Callable[[Pen], None]]] = {
    1: ("Fish", RED, _fish),
    2: ("Prawn", GREEN, _prawn),
    3: ("Gourd", BLUE, _gourd),
    4: ("Coin", BLUE, _coin),
    5: ("Crab", GREEN, _crab),
    6: ("Chicken", RED, _chicken),
}


@cache
def symbol_inks() -> npt.NDArray[np.float32]:
    """[value - 1, row, column]; row 0 is the upper edge of the face."""
    faces = []
    for _, _, draw in SYMBOLS.values():
        sheet = Image.new("L", (_DRAWN, _DRAWN), 0)
        draw(ImageDraw.Draw(sheet))
        faces.append(np.asarray(sheet.resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float32) / 255.0)
    return np.stack(faces)


@cache
def serial_inks(text: str) -> npt.NDArray[np.float32]:
    """A serial number along the edge of the ones and sixes, where casino dice carry it."""
    inks = np.zeros((6, SIDE, SIDE), dtype=np.float32)
    if not text:
        return inks
    sheet = Image.new("L", (SIDE, SIDE), 0)
    ImageDraw.Draw(sheet).text((SIDE / 2, SIDE * 0.80), text, fill=200, anchor="mm", font_size=15)
    face = np.asarray(sheet, dtype=np.float32) / 255.0
    inks[0] = face
    inks[5] = np.roll(np.rot90(face), SIDE // 40, axis=1)
    return inks
