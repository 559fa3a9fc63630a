"""Picture files as the reader wants them: three bytes a pixel, upright, no larger than a working size. Not for reading dice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

LONGEST = 640  # pixels of the longer side; more doesn't read better and costs time
SMALLEST = 24
LARGEST_FILE_PIXELS = 120_000_000


class BadPicture(Exception):
    """The file can't be read as a picture; the message names it and says why."""


@dataclass(frozen=True)
class Pixels:
    """`scale` is the size of the file's picture over this one's: multiply to come back to the file's pixels."""

    width: int
    height: int
    rgb: bytes
    scale: float


def load(path: Path, longest: int = LONGEST) -> Pixels:
    try:
        with Image.open(path) as image:
            if image.width * image.height > LARGEST_FILE_PIXELS:
                raise BadPicture(f"{path}: {image.width} x {image.height} pixels is too large")
            return of_image(ImageOps.exif_transpose(image), longest)
    except FileNotFoundError:
        raise BadPicture(f"{path}: no such file") from None
    except UnidentifiedImageError:
        raise BadPicture(f"{path}: not a picture that can be opened") from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise BadPicture(f"{path}: cannot be read as a picture: {error}") from None


def of_image(image: Image.Image, longest: int = LONGEST) -> Pixels:
    """What is transparent counts as white; deep grey is brought to eight bits."""
    if image.mode in ("I", "F", "I;16", "I;16B", "I;16L"):
        low, high = (float(v) for v in image.getextrema()[:2])  # type: ignore[arg-type]
        image = image.convert("F").point(lambda v: (v - low) * 255 / max(1.0, high - low)).convert("L")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        clear = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear)
    image = image.convert("RGB")
    if min(image.size) < SMALLEST:
        raise ValueError(f"{image.width} x {image.height} pixels is too small")
    scale = max(1.0, max(image.size) / longest)
    if scale > 1:
        size = (max(SMALLEST, round(image.width / scale)), max(SMALLEST, round(image.height / scale)))
        image = image.resize(size, Image.Resampling.LANCZOS)
    return Pixels(image.width, image.height, image.tobytes(), scale)
