"""How well option B's dice are read in the twin's pictures: read, refused, wrong, by difficulty.

    python -m tumbler.eye.symbol_bench [--frames N] [--seed S] [--size WxH] [--difficulty NAME...]
    python -m tumbler.eye.symbol_bench --table [--tables N] [--frames N] [--seed S] [--difficulty NAME...]

Without --table, as `tumbler read --symbols` reads picture files: dice that lie flat, each picture at a table of its own (lens,
lamp, tilt, dirt). With it, as a table reads its own dice: each of N tables is taught and then sees half its throws flat, the
other half in every way that is no result. Exit 1 where anything was read wrongly.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from PIL import Image

from tumbler.eye.desk import DeskFailed
from tumbler.eye.frames import NOT_FLAT
from tumbler.eye.pictures import of_image
from tumbler.eye.symbol_frames import SymbolReading, read_throws
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


# --- as a table reads ---------------------------------------------------------------------------------------------------


def at_table(job: tuple[str, int, int]) -> list[SymbolReading] | str:
    difficulty, throws, seed = job
    try:
        return read_throws(difficulty, throws - throws // 2, throws // 2, seed)
    except DeskFailed as error:
        return str(error)


def at_tables(difficulty: str, tables: int, throws: int, seed: int) -> int:
    """Prints what became of the throws; gives how many were read wrongly."""
    jobs = [(difficulty, throws // tables, seed * 1_009 + table) for table in range(tables)]
    readings: list[SymbolReading] = []
    with ProcessPoolExecutor(2) as pool:
        for answer in pool.map(at_table, jobs):
            if isinstance(answer, str):
                print(f"{difficulty}: a table could not be used: {answer}")
            else:
                readings += answer
    flat = [reading for reading in readings if reading.lie is Lie.FLAT]
    wrong = sum(reading.wrong for reading in readings)
    reasons = Counter(reading.reason for reading in flat if not reading.accepted)
    print(f"{difficulty}: flat and read {_share(flat, True)}, wrong {wrong}, refused {dict(reasons.most_common())}")
    for lie in NOT_FLAT:
        part = [reading for reading in readings if reading.lie is lie]
        shown = [reading for reading in part if reading.shown]
        print(f"  {lie.value:<9} refused {_share(part, False)}; of those that the picture shows {_share(shown, False)}")
    return wrong


def _share(readings: Sequence[SymbolReading], accepted: bool) -> str:
    return f"{sum(reading.accepted is accepted for reading in readings)} of {len(readings)}"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="How well option B's symbols are read.")
    parser.add_argument("--table", action="store_true", help="by a table's own reader and not from picture files")
    parser.add_argument("--tables", type=int, default=5, help="with --table: how many")
    parser.add_argument("--frames", type=int, default=300, help="of each difficulty")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", default="320x240", help="of the pictures; a table's are always so")
    parser.add_argument("--difficulty", nargs="*", choices=tuple(PRESETS), default=list(PRESETS))
    options = parser.parse_args(words)
    if options.table:
        wrong = [at_tables(name, options.tables, options.frames, options.seed) for name in options.difficulty]
        return 1 if any(wrong) else 0
    width, height = (int(part) for part in options.size.split("x"))
    wrongly = 0
    for difficulty in options.difficulty:
        found = measured(difficulty, options.frames, options.seed, (width, height))
        wrongly += found["wrong"]
        refused = {reason: n for reason, n in found.items() if reason not in ("ok", "wrong")}
        print(f"{difficulty}: read {found['ok']}, wrong {found['wrong']}, refused {sum(refused.values())} {refused}")
    return 1 if wrongly else 0


if __name__ == "__main__":
    sys.exit(main())
