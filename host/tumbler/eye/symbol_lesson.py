"""Calibrates a table whose dice carry option B's symbols, from frames in colour in which all dice show one face, six times.

The plate is found here; the rest is learned by the controller's own files (controller/reader/symbol_lessons.py). Not for getting
frames or storing the result: diag/teaching.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from tumbler.eye.calibrate import HEIGHT, WIDTH, Frame, NotCalibrated, Plate, find_plate, learned_by

NAMES = ("Fish", "Prawn", "Gourd", "Coin", "Crab", "Chicken")  # of the faces 1 to 6 (Sic Bo option B)
CHROMA = (WIDTH // 4) * (HEIGHT // 4)

Planes = tuple[Frame, bytes, bytes]  # luma, U and V of every fourth pixel and row


@dataclass(frozen=True)
class SymbolLesson:
    """Two files that belong together, and what they say in words and numbers."""

    eye: bytes
    symbols: bytes
    hash: str
    plate: Plate
    figures: dict[str, Any]

    @property
    def symbols_hash(self) -> str:
        return hashlib.sha256(self.symbols).hexdigest()[:16]

    def words(self) -> list[str]:
        plate, known = self.plate, self.figures
        seen = ", ".join(f"{name} {count}" for name, count in zip(NAMES, known["dice"], strict=True))
        return [
            f"calibration {self.hash}, symbols {self.symbols_hash}",
            f"plate      centre {plate.x:.1f}, {plate.y:.1f}, radius {plate.r:.1f} pixels",
            f"dice       taught by: {seen}",
            f"light      plate {known['ground']}, brightest {known['bright']}",
            f"focus      steepest edge {known['sharp']} grey steps a pixel",
            f"dirt       {known['grain'] / 10:.1f} % of the plate uneven",
        ]


def chroma(rgb: Frame) -> Planes:
    """Luma, U and V, as the camera gives them."""
    colours = rgb.astype(np.float32)
    luma = colours @ np.array((0.299, 0.587, 0.114), dtype=np.float32)
    u = ((colours[..., 2] - luma) * 0.564 + 128)[::4, ::4]
    v = ((colours[..., 0] - luma) * 0.713 + 128)[::4, ::4]
    planes = [np.clip(plane + 0.5, 0, 255).astype(np.uint8) for plane in (luma, u, v)]
    return planes[0], planes[1].tobytes(), planes[2].tobytes()


def planes_of(data: bytes) -> Planes:
    """A frame in colour as the controller sends it."""
    if len(data) != WIDTH * HEIGHT + 2 * CHROMA:
        raise NotCalibrated(f"a picture of {len(data)} bytes came, not {WIDTH} x {HEIGHT} in colour")
    luma = np.frombuffer(data[: WIDTH * HEIGHT], dtype=np.uint8).reshape(HEIGHT, WIDTH)
    return luma, data[WIDTH * HEIGHT : -CHROMA], data[-CHROMA:]


def teach(shows: Sequence[Sequence[Planes]]) -> SymbolLesson:
    """Of each face from 1 to 6 equally many frames. NotCalibrated says what to show again."""
    plate = find_plate([luma for show in shows for luma, _, _ in show])
    pixels = b"".join(luma.tobytes() + u + v for show in shows for luma, u, v in show)
    answer = learned_by(plate, len(shows[0]), pixels, "symbol_lessons")
    if "why" in answer:
        raise NotCalibrated(f"{answer['why']}: show each face again")
    eye, faces = (bytes.fromhex(answer[name]) for name in ("eye", "symbols"))
    return SymbolLesson(eye, faces, answer["hash"], plate, answer["figures"])


def calibrate_symbols(shows: Sequence[Sequence[Frame]]) -> dict[str, bytes]:
    """From frames in colour, rows x columns x 3: the files of a table that is provisioned with them."""
    lesson = teach([[chroma(rgb) for rgb in show] for show in shows])
    return {"eye.bin": lesson.eye, "symbols.bin": lesson.symbols}


def draw(shows: Sequence[Sequence[Planes]], lesson: SymbolLesson, path: Path) -> None:
    """Every frame with the plate, a row a face, and the figures in words."""
    line, words = 14, lesson.words()
    page = Image.new("RGB", (len(shows[0]) * WIDTH, len(shows) * HEIGHT + (len(words) + 1) * line), "#101010")
    pen = ImageDraw.Draw(page)
    plate = lesson.plate
    for row, show in enumerate(shows):
        for column, (luma, u, v) in enumerate(show):
            left, top = column * WIDTH, row * HEIGHT
            page.paste(_coloured(luma, u, v), (left, top))
            x, y, r = left + plate.x, top + plate.y, plate.r
            pen.ellipse((x - r, y - r, x + r, y + r), outline="#30a0ff")
            pen.text((left + 4, top + 4), f"{row + 1} {NAMES[row]}", fill="#40ff60")
    for k, text in enumerate(words):
        pen.text((8, len(shows) * HEIGHT + 6 + k * line), text, fill="white")
    page.save(path)


def _coloured(luma: Frame, u: bytes, v: bytes) -> Image.Image:
    size = (WIDTH // 4, HEIGHT // 4)
    chromas = [Image.frombytes("L", size, plane).resize((WIDTH, HEIGHT)) for plane in (u, v)]
    return Image.merge("YCbCr", (Image.fromarray(luma), *chromas)).convert("RGB")
