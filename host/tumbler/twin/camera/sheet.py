"""A contact sheet of the camera: every die set in every difficulty, every way to lie, every trouble.

python -m tumbler.twin.camera.sheet docs/images/twin-camera.png [--seed S]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from .dieset import SETS
from .difficulty import HARD, NORMAL, PRESETS, TROUBLES, Difficulty
from .render import render
from .staged import NOT_FLAT, Lie, StagedThrow, stage

Picture = npt.NDArray[np.uint8]
_COLUMNS = 5
_LABEL = 18
_DICE = 3
_SHOWN = (256, 192)
_KEPT_BITS = 0xF8  # noise does not compress, and the repository keeps this file


def _picture(throw: StagedThrow, name: str, difficulty: Difficulty, rng: np.random.Generator) -> Picture:
    die_set = SETS[name]
    return render(
        throw.poses, die_set, difficulty, rng, colour=True, foreign=throw.foreign, poses_after=throw.poses_after
    )


def pictures(seed: int) -> Iterator[tuple[str, Picture]]:
    """(what it shows, the picture), in the order of the sheet."""
    rng = np.random.default_rng(seed)
    for difficulty in PRESETS.values():
        for name in SETS:
            throw = stage(Lie.FLAT, _DICE, rng)
            yield f"{name}, {difficulty.name}: {throw.faces}", _picture(throw, name, difficulty, rng)
    names = list(SETS)
    for number, lie in enumerate((*NOT_FLAT, *NOT_FLAT[:3])):
        throw = stage(lie, _DICE, rng)
        difficulty = NORMAL if number < len(NOT_FLAT) else HARD
        tilt = f", {max(throw.tilts):.0f} degrees" if throw.tilts and max(throw.tilts) > 2 else ""
        yield f"{lie.value}{tilt}", _picture(throw, names[number % len(names)], difficulty, rng)
    for difficulty in TROUBLES.values():
        yield difficulty.name, _picture(stage(Lie.FLAT, _DICE, rng), "white", difficulty, rng)


def sheet(seed: int) -> Image.Image:
    shown = list(pictures(seed))
    width, height = _SHOWN
    rows = -(-len(shown) // _COLUMNS)
    page = Image.new("RGB", (_COLUMNS * (width + 4), rows * (height + _LABEL)), "white")
    pen = ImageDraw.Draw(page)
    for number, (label, picture) in enumerate(shown):
        x, y = number % _COLUMNS * (width + 4), number // _COLUMNS * (height + _LABEL)
        pen.text((x + 4, y + 3), label, fill="black")
        page.paste(Image.fromarray(picture).resize(_SHOWN, Image.Resampling.BOX), (x, y + _LABEL))
    return page


def main() -> int:
    parser = argparse.ArgumentParser(prog="twin camera sheet", description="Contact sheet of the twin's camera.")
    parser.add_argument("file", type=Path, help="PNG to write")
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    try:
        options.file.parent.mkdir(parents=True, exist_ok=True)
        sheet(options.seed).point(lambda v: v & _KEPT_BITS).save(options.file, optimize=True)
    except (OSError, ValueError) as error:
        print(f"twin camera sheet: {options.file}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
