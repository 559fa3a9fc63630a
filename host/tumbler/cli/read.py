"""`tumbler read PICTURE...`: what the controller's own reader says of picture files, on MicroPython."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tumbler.cli.exits import BadInput, WorkFailed

MOST_DICE = 6

# What a person is told for each reason that scene.py gives.
MEANINGS = {
    "ok": "read",
    "no_dice": "no dice were found",
    "missing": "fewer dice than expected",
    "too_many": "more dice than expected",
    "not_flat": "a die that doesn't lie flat",
    "foreign": "something that isn't a die",
    "off_centre": "pips that aren't in the middle of their die: some may be hidden",
    "unread": "something like a die that could not be read",
    "disagree": "two opinions that differ",
    "unexplained": "pips that belong to no die that was read",
}


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "read",
        help="read dice from picture files",
        description="Runs the controller's own reader, on MicroPython, on picture files. A picture it isn't sure of is no_spin.",
    )
    parser.add_argument("pictures", nargs="+", type=Path, metavar="PICTURE", help="any format that Pillow opens")
    parser.add_argument("--dice", type=int, metavar="N", help="how many there must be; without it, as many as are seen")
    parser.add_argument("--symbols", action="store_true", help="option B's dice: six symbols in three colours")
    parser.add_argument(
        "--taught",
        type=Path,
        metavar="FILE",
        help="with --symbols: a table's own symbols.bin (default: the twin's dice)",
    )
    parser.add_argument("--json", action="store_true", help="print the readings as one JSON document")
    parser.set_defaults(func=run)


def run(options: argparse.Namespace) -> int:
    if options.dice is not None and not 1 <= options.dice <= MOST_DICE:
        raise BadInput(f"--dice {options.dice}: 1 to {MOST_DICE}")
    if options.taught and not options.symbols:
        raise BadInput("--taught FILE says what symbols look like: it needs --symbols")
    try:
        from tumbler.eye.desk import Desk, DeskFailed
        from tumbler.eye.pictures import LONGEST, BadPicture, load
        from tumbler.eye.symbols import LONGEST as SYMBOLS_LONGEST
        from tumbler.eye.symbols import BadTaught, SymbolDesk
    except ImportError as error:
        raise WorkFailed(f"reading pictures needs {error.name}: install tumbler[twin]") from None
    longest = SYMBOLS_LONGEST if options.symbols else LONGEST
    rows: list[dict[str, object]] = []
    try:
        # opened first, one at a time: a file that is no picture is refused before any work
        for path in options.pictures:
            load(path, longest)
        desk = SymbolDesk(options.taught) if options.symbols else Desk()
        for path in options.pictures:
            reading = desk.read(load(path, longest), options.dice or 0)
            rows.append(
                {
                    "file": str(path),
                    "verdict": "ok" if reading.ok else "no_spin",
                    "reason": reading.reason,
                    "faces": reading.faces,
                    "dice": [
                        {
                            "face": d.face,
                            "x": round(d.x, 1),
                            "y": round(d.y, 1),
                            "confidence": round(d.confidence, 3),
                        }
                        for d in reading.dice
                    ],
                    "ms": reading.ms,
                }
            )
            if not options.json:
                what = " ".join(map(str, reading.faces)) if reading.ok else f"no spin: {MEANINGS[reading.reason]}"
                print(f"{path}: {what}")
    except (BadPicture, BadTaught) as error:
        raise BadInput(str(error)) from None
    except DeskFailed as error:
        raise WorkFailed(str(error)) from None
    if options.json:
        print(json.dumps({"pictures": rows}))
    return 0
