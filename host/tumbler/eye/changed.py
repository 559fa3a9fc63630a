"""A photograph as another camera, light or file might have given it: turned, brighter, darker, smaller, pressed harder.

The faces stay the same, so a reading that changes is a wrong one: the nearest thing to photographs that nobody has seen.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageEnhance, ImageOps

from tumbler.eye.pictures import Pixels, of_image

Change = Callable[[Image.Image], Image.Image]


def _light(times: float) -> Change:
    return lambda image: ImageEnhance.Brightness(image).enhance(times)


def _pressed(quality: int) -> Change:
    def change(image: Image.Image) -> Image.Image:
        store = io.BytesIO()
        image.save(store, "JPEG", quality=quality)
        return Image.open(io.BytesIO(store.getvalue())).convert("RGB")

    return change


def _sized(times: float) -> Change:
    return lambda image: image.resize(
        (round(image.width * times), round(image.height * times)), Image.Resampling.LANCZOS
    )


def _turned(degrees: float) -> Change:
    """Cut to what is left without corners."""

    def change(image: Image.Image) -> Image.Image:
        w, h = image.size
        c, s = math.cos(math.radians(degrees)), abs(math.sin(math.radians(degrees)))
        keep = 1 / max(c + s * h / w, c + s * w / h)
        x, y = int(w * (1 - keep) / 2), int(h * (1 - keep) / 2)
        return image.rotate(degrees, Image.Resampling.BICUBIC).crop((x, y, x + int(w * keep), y + int(h * keep)))

    return change


CHANGES: dict[str, Change] = {
    "brighter by a fifth": _light(1.2),
    "darker by a quarter": _light(0.75),
    "JPEG of quality 50": _pressed(50),
    "0.8 of the size": _sized(0.8),
    "turned by 5 degrees": _turned(5),
}


def load_changed(path: Path, change: Change) -> Pixels:
    with Image.open(path) as image:
        return of_image(change(ImageOps.exif_transpose(image).convert("RGB")))
