"""`tumbler calibrate`: teaches a table its camera and dice, from its own camera or from picture files. docs/calibration.md."""

from __future__ import annotations

import argparse
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.diag import reach, teaching
from tumbler.diag.teaching import asked

if TYPE_CHECKING:
    from tumbler.diag.line import Line
    from tumbler.eye.calibrate import Frame, Lesson

    Pair = tuple[Frame, Frame]  # of one throw: by lamp 0 and by lamp 1

THROWS = 8
SHOWS = 3  # of each of option B's faces
LEAST_THROWS = 3
MOST_THROWS = 100
DICE = 3
PICTURES = (".png", ".jpg", ".jpeg")


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "calibrate",
        help="teach a table its camera and dice",
        description="Finds plate, scale, lens, light and dice from a few throws, and stores them in the controller. "
        "With picture files it only measures, and writes the calibration to --out.",
    )
    parser.add_argument(
        "pictures",
        nargs="*",
        type=Path,
        metavar="PICTURE",
        help="frames of the table's camera, 4:3; of each throw the one by lamp 0, then the one by lamp 1",
    )
    reach.options_for(parser)
    parser.add_argument(
        "--throws", type=int, metavar="N", help=f"how many to ask for (default: {THROWS}; of each symbol: {SHOWS})"
    )
    parser.add_argument(
        "--zones", type=Path, metavar="FILE", help="only write a craps table's zones, a TOML file (docs/calibration.md)"
    )
    parser.add_argument("--symbols", action="store_true", help="option B's dice (known by the table's book)")
    parser.add_argument(
        "--unattended", type=Path, metavar="SOCKET", help="the twin lays the dice itself: its control socket"
    )
    parser.add_argument("--show", action="store_true", help="only say what is stored in the controller")
    parser.add_argument("--dry-run", action="store_true", help="measure, store nothing")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the calibration there too")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="write what was found as a picture (.png)")
    parser.set_defaults(func=run)


def run(options: argparse.Namespace) -> int:
    try:
        import tumbler.eye.calibrate  # noqa: F401  (needs numpy)
    except ImportError as error:
        raise WorkFailed(f"calibrating needs {error.name}: install tumbler[twin]") from None
    check(options)
    if options.pictures:
        return from_pictures(options)
    if options.zones is not None:
        return reach.run(options, zoned(options))
    if options.show:
        return reach.run(options, lambda line: shown(options, line))
    if options.throws is not None and not 1 <= options.throws <= MOST_THROWS:
        raise BadInput(f"--throws {options.throws}: 1 to {MOST_THROWS}")
    return reach.run(options, lambda line: at_table(options, line))


def check(options: argparse.Namespace) -> None:
    """Before any throw: what was thrown eight times must not be lost to a slip of the pen."""
    if options.pictures and options.show:
        raise BadInput("--show says what is stored in a controller: it takes no picture files")
    for name, path in (("--out", options.out), ("--picture", options.picture)):
        if path is not None and not path.parent.is_dir():
            raise BadInput(f"{name} {path}: there is no directory {path.parent}")
        if path is not None and path.is_dir():
            raise BadInput(f"{name} {path}: is a directory, not a file")
    if options.picture is not None and options.picture.suffix.lower() not in PICTURES:
        raise BadInput(f"--picture {options.picture}: must end in one of {', '.join(PICTURES)}")


# --- picture files ----------------------------------------------------------------------------------------------------


def from_pictures(options: argparse.Namespace) -> int:
    pairs = paired(options.pictures)
    report(options, pairs, learned(pairs))
    return 0


def paired(paths: Sequence[Path]) -> list[Pair]:
    if len(paths) % 2:
        raise BadInput(
            f"{len(paths)} picture{'' if len(paths) == 1 else 's'}: each throw has two, by lamp 0 and by lamp 1, in this order"
        )
    frames = [opened(path) for path in paths]
    return list(zip(frames[::2], frames[1::2], strict=True))


def opened(path: Path) -> Frame:
    import numpy as np
    from PIL import Image

    from tumbler.eye.calibrate import HEIGHT, WIDTH

    try:
        with Image.open(path) as picture:
            grey = picture.convert("L")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or 'is not a picture that can be opened'}") from None
    except (SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise BadInput(f"{path}: cannot be read as a picture: {error}") from None
    if grey.width * HEIGHT != grey.height * WIDTH:
        raise BadInput(f"{path}: {grey.width} x {grey.height}: the camera's pictures are {WIDTH} x {HEIGHT}, 4:3")
    return np.asarray(grey.resize((WIDTH, HEIGHT), Image.Resampling.BOX), dtype=np.uint8)


def learned(pairs: list[Pair]) -> Lesson:
    from tumbler.eye.calibrate import NotCalibrated, calibrate
    from tumbler.twin.process import NoMicroPython

    try:
        return calibrate(pairs)
    except (NotCalibrated, NoMicroPython) as error:
        raise WorkFailed(str(error)) from error


def report(options: argparse.Namespace, pairs: list[Pair], lesson: Lesson) -> None:
    from tumbler.eye.lesson_picture import draw, figures

    if options.out is not None:
        written(options.out, lambda path: path.write_bytes(lesson.eye))
    if options.picture is not None:
        written(options.picture, lambda path: draw([first for first, _ in pairs], lesson, path))
    if options.json:
        print(json.dumps({"hash": lesson.hash, "plate": asdict(lesson.plate), "throws": len(pairs), **lesson.figures}))
    else:
        print("\n".join(figures(lesson)))


def written(path: Path, write: Callable[[Path], object]) -> None:
    try:
        write(path)
    except OSError as error:
        raise WorkFailed(f"{path}: cannot be written: {error.strerror or error}") from error


# --- a table ----------------------------------------------------------------------------------------------------------


async def shown(options: argparse.Namespace, line: Line) -> int:
    from tumbler.diag.operations import calibration

    values = calibration(await asked(line, "calibration_read"))
    if options.json:
        print(json.dumps(values))
    else:
        print("\n".join(f"{name:<10} {value}" for name, value in values.items()))
    return 0


async def at_table(options: argparse.Namespace, line: Line) -> int:
    from tumbler.diag.checks import out_of_play
    from tumbler.diag.hands import Person, TwinHands

    if options.symbols or await teaching.has_symbols(line):
        return await symbols_at_table(options, line)
    throws = options.throws or THROWS
    if throws < LEAST_THROWS:
        raise BadInput(f"--throws {throws}: {LEAST_THROWS} or more for dice with pips")
    pairs = []
    async with out_of_play(line):
        with TwinHands(options.unattended) if options.unattended else Person(options.json) as hands:
            for throw in range(1, throws + 1):
                hands.lay(f"throw {throw} of {throws}: dice flat", [4 + (throw + die) % 3 for die in range(DICE)])
                pairs.append((await taken(line), await taken(line, teaching.LAMP_1)))
        lesson = learned(pairs)
        if not options.dry_run:
            await asked(line, "calibration", lesson.eye)
            if await asked(line, "calibration_read") != lesson.eye:
                raise WorkFailed("the controller does not give back what it was told to store; calibrate again")
    report(options, pairs, lesson)
    if not options.json and not options.dry_run:
        print(f"stored in the controller as {lesson.hash}")
    return 0


def zoned(options: argparse.Namespace) -> Callable[[Line], Awaitable[int]]:
    """Reads the file at once, before any table is asked."""
    from tumbler.diag import zones
    from tumbler.diag.checks import out_of_play

    try:
        data = zones.read(options.zones)
    except zones.BadZones as error:
        raise BadInput(str(error)) from None

    async def write(line: Line) -> int:
        if not options.dry_run:
            async with out_of_play(line, stay=True):  # it starts anew, and is proved by its self-test
                await asked(line, "zones", data if data[4] else b"")
                if await asked(line, "zones_read") != (data if data[4] else b""):
                    raise WorkFailed("the controller does not give back what it was told to store; write them again")
        rows = zones.words(data)
        print(json.dumps({"zones": rows, "stored": not options.dry_run}) if options.json else "\n".join(rows))
        return 0

    return write


async def symbols_at_table(options: argparse.Namespace, line: Line) -> int:
    """Option B: each of the six faces is shown; eye.bin and symbols.bin are one set."""
    from tumbler.diag.checks import out_of_play
    from tumbler.diag.hands import Person, TwinHands
    from tumbler.eye.calibrate import NotCalibrated
    from tumbler.eye.symbol_lesson import draw, teach
    from tumbler.twin.process import NoMicroPython

    async with out_of_play(line):
        with TwinHands(options.unattended) if options.unattended else Person(options.json) as hands:
            shows = await teaching.shown(line, hands, options.throws or SHOWS, DICE)
        try:
            lesson = teach(shows)
        except (NotCalibrated, NoMicroPython) as error:
            raise WorkFailed(str(error)) from error
        if not options.dry_run:
            await teaching.store(line, lesson)
    if options.out is not None:
        written(options.out, lambda path: path.write_bytes(lesson.eye))
        written(options.out.with_name("symbols.bin"), lambda path: path.write_bytes(lesson.symbols))
    if options.picture is not None:
        written(options.picture, lambda path: draw(shows, lesson, path))
    if options.json:
        hashes = {"hash": lesson.hash, "symbols": lesson.symbols_hash, "stored": not options.dry_run}
        print(json.dumps({**hashes, "plate": asdict(lesson.plate), **lesson.figures}))
        return 0
    print("\n".join(lesson.words()))
    if not options.dry_run:
        print(f"stored in the controller as {lesson.hash}, symbols {lesson.symbols_hash}")
    return 0


async def taken(line: Line, by: bytes = b"") -> Frame:
    import numpy as np

    from tumbler.eye.calibrate import HEIGHT, WIDTH

    await asked(line, "frame", by)
    data = await line.transfer("frame")
    if len(data) != WIDTH * HEIGHT:
        raise WorkFailed(f"a picture of {len(data)} bytes came, not {WIDTH} x {HEIGHT}")
    return np.frombuffer(data, dtype=np.uint8).reshape(HEIGHT, WIDTH)
