"""How well `tumbler read --symbols` reads the twin's pictures of option B's dice: read, refused, wrong, by difficulty.

    python -m tumbler.eye.symbol_bench [--frames N] [--seed S] [--size WxH] [--difficulty NAME...]

Every picture is seen at a table of its own: lens, lamp, tilt, dirt. Exit 1 where anything was read wrongly.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

import numpy as np
from PIL import Image

from tumbler.eye.pictures import of_image
from tumbler.eye.symbols import LONGEST, SymbolDesk
from tumbler.twin.camera import PRESETS, SETS, Lie, render, stage

DICE = 3


def measured(difficulty: str, frames: int, seed: int, size: tuple[int, int]) -> Counter[str]:
    """How often each reason was given for throws that lie flat; "wrong" where another face was read."""
    rng = np.random.default_rng(seed)
    desk = SymbolDesk()
    found: Counter[str] = Counter()
    for _ in range(frames):
        throw = stage(Lie.FLAT, DICE, rng)
        frame = render(throw.poses, SETS["symbols"], PRESETS[difficulty], rng, colour=True, size=size)
        reading = desk.read(of_image(Image.fromarray(frame), LONGEST), DICE)
        found["wrong" if reading.ok and reading.faces != throw.faces else reading.reason] += 1
    return found


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="How well option B's symbols are read from pictures.")
    parser.add_argument("--frames", type=int, default=300, help="of each difficulty")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", default="320x240", help="of the pictures")
    parser.add_argument("--difficulty", nargs="*", choices=tuple(PRESETS), default=list(PRESETS))
    options = parser.parse_args(words)
    width, height = (int(part) for part in options.size.split("x"))
    wrong = 0
    for difficulty in options.difficulty:
        found = measured(difficulty, options.frames, options.seed, (width, height))
        wrong += found["wrong"]
        refused = {reason: n for reason, n in found.items() if reason not in ("ok", "wrong")}
        print(f"{difficulty}: read {found['ok']}, wrong {found['wrong']}, refused {sum(refused.values())} {refused}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
