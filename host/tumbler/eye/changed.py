"""A photograph as another camera, light or file might have given it: turned, mirrored, brighter, softer, smaller, in other colours.

The faces stay the same, so a reading that changes is a wrong one: the nearest thing to photographs that nobody has seen.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter, ImageOps

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
    """Whole, so that no die is cut off: the corners go on with the colours of the rim."""

    def change(image: Image.Image) -> Image.Image:
        w, h = image.size
        c, s = math.cos(math.radians(degrees)), abs(math.sin(math.radians(degrees)))
        margin = int(s * max(w, h))
        padded = np.pad(np.asarray(image), ((margin, margin), (margin, margin), (0, 0)), "edge")
        turned = Image.fromarray(padded).rotate(degrees, Image.Resampling.BICUBIC)
        x, y = (turned.width - int(w * c + h * s)) // 2, (turned.height - int(h * c + w * s)) // 2
        return turned.crop((x, y, turned.width - x, turned.height - y))

    return change


def _bent(gamma: float) -> Change:
    return lambda image: image.point([round(255 * (level / 255) ** gamma) for level in range(256)] * 3)


def _noisy(levels: float) -> Change:
    def change(image: Image.Image) -> Image.Image:
        noise = np.random.default_rng(7).normal(0, levels, (image.height, image.width, 3))
        return Image.fromarray(np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8))

    return change


def _cast(red: float, green: float, blue: float) -> Change:
    return lambda image: Image.fromarray(
        np.clip(np.asarray(image) * np.array([red, green, blue]), 0, 255).astype(np.uint8)
    )


CHANGES: dict[str, Change] = {
    "brighter by a fifth": _light(1.2),
    "darker by a quarter": _light(0.75),
    "JPEG of quality 50": _pressed(50),
    "0.8 of the size": _sized(0.8),
    "turned by 5 degrees": _turned(5),
    "turned by 8 degrees, the other way": _turned(-8),
    "turned by 90 degrees": lambda image: image.transpose(Image.Transpose.ROTATE_90),
    "mirrored": ImageOps.mirror,
    "JPEG of quality 40": _pressed(40),
    "0.7 of the size": _sized(0.7),
    "gamma 0.8": _bent(0.8),
    "gamma 1.25": _bent(1.25),
    "softer by 0.7 pixels": lambda image: image.filter(ImageFilter.GaussianBlur(0.7)),
    "noise of 6 levels": _noisy(6),
    "warmer light": _cast(1.08, 1.0, 0.85),
}


def load_changed(path: Path, change: Change) -> Pixels:
    with Image.open(path) as image:
        return of_image(change(ImageOps.exif_transpose(image).convert("RGB")))
