"""`tumbler calibrate`: teaches a table its camera and dice, from its own camera or from picture files. docs/calibration.md."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.diag import reach

if TYPE_CHECKING:
    from tumbler.diag.line import Line
    from tumbler.eye.calibrate import Frame, Lesson

THROWS = 8
PICTURES = (".png", ".jpg", ".jpeg")


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "calibrate",
        help="teach a table its camera and dice",
        description="Finds plate, scale, lens, light and dice from a few throws, and stores them in the controller. "
        "With picture files it only measures, and writes the calibration to --out.",
    )
    parser.add_argument("pictures", nargs="*", type=Path, metavar="PICTURE", help="frames of the table's camera, 4:3")
    reach.options_for(parser)
    parser.add_argument(
        "--throws", type=int, default=THROWS, metavar="N", help="how many to ask for (default: %(default)s)"
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
    if options.show:
        return reach.run(options, lambda line: shown(options, line))
    if options.throws < 3:
        raise BadInput(f"--throws {options.throws}: 3 or more")
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
    frames = [opened(path) for path in options.pictures]
    report(options, frames, learned(frames))
    return 0


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


def learned(frames: list[Frame]) -> Lesson:
    from tumbler.eye.calibrate import NotCalibrated, calibrate
    from tumbler.twin.process import NoMicroPython

    try:
        return calibrate(frames)
    except (NotCalibrated, NoMicroPython) as error:
        raise WorkFailed(str(error)) from error


def report(options: argparse.Namespace, frames: list[Frame], lesson: Lesson) -> None:
    from tumbler.eye.lesson_picture import draw, figures

    writers = (
        (options.out, lambda path: path.write_bytes(lesson.eye)),
        (options.picture, lambda path: draw(frames, lesson, path)),
    )
    for path, write in writers:
        try:
            if path is not None:
                write(path)
        except OSError as error:
            raise WorkFailed(f"{path}: cannot be written: {error.strerror or error}") from error
    if options.json:
        plate = {"x": lesson.plate.x, "y": lesson.plate.y, "r": lesson.plate.r}
        print(json.dumps({"hash": lesson.hash, "plate": plate, "frames": len(frames), **lesson.figures}))
    else:
        print("\n".join(figures(lesson)))


# --- a table ----------------------------------------------------------------------------------------------------------


async def asked(line: Line, op: str, data: bytes = b"") -> bytes:
    from dicewire.declared.codes import SERVICE_OPS

    return await line.ask(op, SERVICE_OPS.number(op), data)


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

    async with out_of_play(line):
        frames = []
        for throw in range(1, options.throws + 1):
            if not options.json:
                print(f"throw {throw} of {options.throws}: dice flat, cover open, then Enter ", end="", flush=True)
            if not sys.stdin.readline():
                raise BadInput(f"standard input ended before throw {throw} of {options.throws}")
            frames.append(await taken(line))
        lesson = learned(frames)
        if not options.dry_run:
            await asked(line, "calibration", lesson.eye)
            if await asked(line, "calibration_read") != lesson.eye:
                raise WorkFailed("the controller does not give back what it was told to store; calibrate again")
    report(options, frames, lesson)
    if not options.json and not options.dry_run:
        print(f"stored in the controller as {lesson.hash}")
    return 0


async def taken(line: Line) -> Frame:
    import numpy as np

    from tumbler.eye.calibrate import HEIGHT, WIDTH

    await asked(line, "frame")
    data = await line.transfer("frame")
    if len(data) != WIDTH * HEIGHT:
        raise WorkFailed(f"a picture of {len(data)} bytes came, not {WIDTH} x {HEIGHT}")
    return np.frombuffer(data, dtype=np.uint8).reshape(HEIGHT, WIDTH)
