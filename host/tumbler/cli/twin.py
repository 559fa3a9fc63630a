"""`tumbler twin`: a table on this machine, physics and chips by the twin, the firmware on MicroPython."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import tempfile
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from tumbler.cli.exits import BadInput, WorkFailed

if TYPE_CHECKING:
    from tumbler.twin.faults import Kind

PREFIX = "tumbler-twin-"
# The dice that a book is played with, where they are not white with black pips.
DIE_SETS = {"crown-melbourne-sicbo-b": "symbols"}
CRAPS_DIE_SET = "red"


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser("twin", help="the digital twin of a table, with the controller's firmware")
    parser.add_argument("--link", type=Path, required=True, metavar="PATH", help="becomes a link to the serial port")
    parser.add_argument("--truth", type=Path, required=True, metavar="FILE", help="one line of JSON a physical spin")
    parser.add_argument(
        "--book", default="crown-melbourne-sicbo-a", help="rule book: how many dice (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of dice, dealer, faults (default: %(default)s)")
    parser.add_argument("--spins", type=int, metavar="N", help="end after N spins, when the host has taken them")
    parser.add_argument("--auto", action="store_true", help="play the dealer")
    parser.add_argument(
        "--pace", choices=("human", "fast"), default="fast", help="of the dealer (default: %(default)s)"
    )
    parser.add_argument(
        "--speed",
        type=float,
        metavar="X",
        help="table time against the clock; 0 is as fast as possible (default: 0 with --auto, else 1)",
    )
    parser.add_argument(
        "--fault",
        action="append",
        type=parse_fault,
        default=[],
        metavar="KIND:RATE",
        help="chance a spin, or a bit or byte of the line; may be given again (`--fault ?:1` lists the kinds)",
    )
    parser.add_argument(
        "--key", type=Path, metavar="FILE", help="the table's key; made when absent (default: PATH.key)"
    )
    parser.add_argument("--state", type=Path, metavar="DIR", help="keeps the flash between runs (default: thrown away)")
    parser.add_argument(
        "--die-set", metavar="NAME", help="how the dice look to the camera (default: as the book plays)"
    )
    parser.add_argument(
        "--difficulty",
        choices=("easy", "normal", "hard"),
        default="normal",
        help="of the camera's picture (default: %(default)s)",
    )
    parser.add_argument(
        "--reader",
        choices=("tags", "camera", "both"),
        default="tags",
        help="what reads the dice; both must agree (default: %(default)s)",
    )
    parser.add_argument("--control", type=Path, metavar="SOCKET", help="take commands here (docs/twin.md)")
    parser.add_argument("--entry", action="store_true", help="the dealer enters the faces: for a table set so")
    parser.add_argument(
        "--install-game", action="store_true", help="the book's game table is in the flash: play without a daemon"
    )
    parser.add_argument(
        "--emulated",
        action="store_true",
        help="the firmware on an emulated RP2040: slow, nothing replaced (docs/hil.md)",
    )
    parser.set_defaults(func=run)


def parse_fault(text: str) -> tuple[Kind, float]:
    from tumbler.twin.faults import KINDS

    name, _, rate = text.partition(":")
    if name not in KINDS:
        raise BadInput(f"--fault {text}: there is no kind {name!r}; there are: {', '.join(KINDS)}")
    try:
        value = float(rate)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise BadInput(f"--fault {text}: the rate {rate!r} must be a number from 0 to 1")
    return KINDS[name], value


def die_set(args: argparse.Namespace) -> str:
    from tumbler.twin.camera import SETS

    usual = DIE_SETS.get(args.book, CRAPS_DIE_SET if "crap" in args.book else "white")
    name: str = args.die_set or usual
    if name not in SETS:
        raise BadInput(f"--die-set {name}: there is no such set; there are: {', '.join(SETS)}")
    return name


def private_folder() -> Path:
    """With our process's number in its name, so that the next twin removes it where this one was killed."""
    base = Path(tempfile.gettempdir())
    for old in base.glob(PREFIX + "*"):
        owner = re.fullmatch(rf"{PREFIX}(\d+)-.*", old.name)
        if owner and not Path("/proc", owner[1]).exists():
            shutil.rmtree(old, ignore_errors=True)  # another user's stays: not ours to remove
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))


def check(args: argparse.Namespace) -> None:
    if args.spins is not None and args.spins < 1:
        raise BadInput(f"--spins {args.spins}: must be 1 or more")
    if args.speed is not None and args.speed < 0:
        raise BadInput(f"--speed {args.speed}: must be 0 (as fast as possible) or more")
    for name in ("link", "truth", "control"):
        path = getattr(args, name)
        if path is not None and not path.parent.is_dir():
            raise BadInput(f"--{name} {path}: there is no directory {path.parent}")
    if args.truth.is_dir():
        raise BadInput(f"--truth {args.truth}: is a directory, not a file")
    if args.emulated and args.reader != "tags":
        raise BadInput(f"--emulated --reader {args.reader}: the emulated board reads by tags (docs/camera.md says why)")
    if args.link.exists() and not args.link.is_symlink():
        raise BadInput(f"--link {args.link}: is there already and is not a link; choose another path")


def run(args: argparse.Namespace) -> int:
    from tumbler.config import KeyFileError
    from tumbler.rules.book import BookError
    from tumbler.rules.bookfile import load_book
    from tumbler.rules.gametable import compile_book
    from tumbler.twin.provision import table_key

    check(args)
    rates = dict(args.fault)
    try:
        dice = load_book(args.book).dice
        key = table_key(args.key or args.link.with_name(args.link.name + ".key"))
    except BookError as error:
        raise BadInput(f"--book {args.book}: {error}") from error
    except KeyFileError as error:
        raise BadInput(f"--key: {error}") from error
    folder: Path = args.state or private_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        game = compile_book(args.book) if args.install_game else None
        return play(args, folder.resolve(), key, dice, game, rates)
    except OSError as error:
        raise WorkFailed(f"{error.filename or folder}: {error.strerror or error}") from error
    finally:
        if args.state is None:
            shutil.rmtree(folder, ignore_errors=True)


def _emulated(plan: Any) -> Any:
    from tumbler.rigs.emulated.table import EmulatedTable
    from tumbler.rigs.emulated.uf2 import NoUf2, find_uf2

    try:
        return EmulatedTable(plan, find_uf2())
    except NoUf2 as error:
        raise WorkFailed(str(error)) from error
    except ImportError as error:
        raise WorkFailed(f"--emulated: {error}; install the project's dev extra") from error


def play(args: argparse.Namespace, folder: Path, key: bytes, dice: int, game: Any, rates: dict[Kind, float]) -> int:
    from tumbler.eye.calibrate import NotCalibrated
    from tumbler.twin.control import ControlPathError
    from tumbler.twin.process import FirmwareFailed, NoMicroPython
    from tumbler.twin.rom import NoRom
    from tumbler.twin.twin import NotDelivered, Plan, Twin

    speed = args.speed if args.speed is not None else (0.0 if args.auto else 1.0)
    plan = Plan(
        link=args.link.absolute(),
        truth=args.truth,
        folder=folder,
        key=key,
        dice=dice,
        seed=args.seed,
        auto=args.auto,
        spins=args.spins,
        speed=speed,
        pace=args.pace,
        enters=args.entry,
        control=args.control,
        game=game,
        rates=rates,
        die_set=die_set(args),
        difficulty=args.difficulty,
        reader=args.reader,
    )
    try:
        twin = _emulated(plan) if args.emulated else Twin(plan)
    except ControlPathError as error:
        raise BadInput(f"--control {error}") from error
    except (NoMicroPython, NoRom, NotCalibrated) as error:
        raise WorkFailed(str(error)) from error
    if args.control is not None:
        print(f"control socket {args.control}: ready", flush=True)  # whoever started us may connect now
    stopped = False

    def stop(_signal: int, _frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        twin.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    try:
        twin.run()
    except (FirmwareFailed, NotDelivered) as error:
        raise WorkFailed(" ".join(str(error).split())) from error
    finally:
        twin.close()
    return 1 if stopped and args.spins is not None else 0
