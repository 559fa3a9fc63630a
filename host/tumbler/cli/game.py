"""`tumbler game compile|show|roll`: the game tables that the controller plays by (docs/game-tables.md)."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.rules.book import BookError
from tumbler.rules.bookfile import UnknownBook, book_ids
from tumbler.rules.gametable import MAX_SIZE, GameImage, GameTableError, compile_play
from tumbler.rules.tableplay import DiceError, LayoutError, Play


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "game", help="game tables", description="The game tables that the controller plays by."
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    compiling = actions.add_parser("compile", help="write the table of a book")
    compiling.add_argument("book", metavar="BOOK")
    compiling.add_argument("--out", type=Path, required=True, metavar="FILE")
    compiling.set_defaults(func=_compile)
    show = actions.add_parser("show", help="what is in a table, and its hash")
    show.add_argument("what", metavar="BOOK|FILE")
    show.set_defaults(func=_show)
    roll = actions.add_parser("roll", help="one look-up, by the table and by the rules")
    roll.add_argument("book", metavar="BOOK")
    roll.add_argument("dice", metavar="DIE", type=int, nargs="+")
    roll.add_argument("--point", type=int, metavar="N", help="where the puck lies ON (default: OFF)")
    roll.set_defaults(func=_roll)
    for action in (compiling, show, roll):
        action.add_argument("--layout", type=int, default=1, metavar="N", help="layout of crapless craps (default 1)")
        action.add_argument("--option-b-exact", action="store_true", help="the other reading of option B's colours")
        action.add_argument("--json", action="store_true", help="print one JSON document")


def _play(book: str, options: argparse.Namespace) -> Play:
    try:
        return Play(book, layout=options.layout, option_b_exact=options.option_b_exact)
    except (UnknownBook, LayoutError) as error:
        raise BadInput(str(error)) from None
    except BookError as error:
        raise WorkFailed(str(error)) from error


def _image(play: Play) -> GameImage:
    try:
        return compile_play(play)
    except GameTableError as error:
        raise WorkFailed(str(error)) from None


def _reader(data: bytes) -> Any:
    """The controller's own interpreter over these bytes. It proves them sound before it answers anything."""
    from tumbler.twin.process import firmware_tree

    file = firmware_tree() / "controller" / "game.py"
    spec = importlib.util.spec_from_file_location("tumbler_controller_game", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.GameTable(data)


def _compile(options: argparse.Namespace) -> int:
    image = _image(_play(options.book, options))
    out: Path = options.out
    try:  # whole or not at all: a controller may be reading the old one
        with tempfile.NamedTemporaryFile(dir=out.parent, prefix=out.name, delete=False) as file:
            file.write(image.data)
        os.chmod(file.name, 0o644)
        os.replace(file.name, out)
    except OSError as error:
        raise WorkFailed(f"{out}: cannot be written: {error.strerror or error}") from None
    document = {"book": options.book, "file": str(out), "bytes": len(image.data), "hash": image.hash.hex()}
    print(json.dumps(document) if options.json else f"{out}: {len(image.data)} bytes, SHA-256 {image.hash.hex()}")
    return 0


def _show(options: argparse.Namespace) -> int:
    data = _image(_play(options.what, options)).data if options.what in book_ids() else _bytes(options.what)
    try:
        game = _reader(data)
    except ValueError as error:
        raise BadInput(f"{options.what}: {error}") from None
    document = _document(game, data, options)
    if options.json:
        print(json.dumps(document))
    else:
        for line in _lines(document):
            print(line)
    return 0


def _bytes(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_SIZE + 1)
    except FileNotFoundError:
        raise BadInput(f"{name!r} is no file and none of {', '.join(book_ids())}") from None
    except OSError as error:
        raise BadInput(f"{name}: cannot be read: {error.strerror or error}") from None


def _document(game: Any, data: bytes, options: argparse.Namespace) -> dict[str, Any]:
    areas = [
        {"area": game.area_name(i), "first_pixel": game.area_first(i), "pixels": game.area_count(i)}
        for i in range(game.areas)
    ]
    return {
        "book": game.book,
        "hash": game.hash.hex(),
        "bytes": len(data),
        "dice": game.dice,
        "symbols": game.symbols,
        "pucks": [game.puck_at(state) for state in range(game.states)],
        "pixels": game.pixels,
        "bonus_numbers": game.bonus_bits,
        "areas": areas,
        "as_compiled_here": _same_here(game.book, data, options),
    }


def _same_here(book: str, data: bytes, options: argparse.Namespace) -> bool:
    """Whether these bytes are what this version makes of the book that they name."""
    return book in book_ids() and _image(_play(book, options)).data == data


def _lines(document: dict[str, Any]) -> Iterator[str]:
    yield f"{document['book']}: {document['bytes']} bytes, SHA-256 {document['hash']}"
    pucks = ", ".join("OFF" if puck == 0 else str(puck) for puck in document["pucks"])
    yield f"  {document['dice']} dice{' with symbols' if document['symbols'] else ''}, states by puck: {pucks}"
    yield f"  {len(document['areas'])} areas, {document['pixels']} lamps, {document['bonus_numbers']} bonus numbers"
    if not document["as_compiled_here"]:
        yield "  NOT what this version compiles from that book with these options"
    for area in document["areas"]:
        yield f"  {area['area']:<28} lamps {area['first_pixel']} to {area['first_pixel'] + area['pixels'] - 1}"


def _roll(options: argparse.Namespace) -> int:
    play = _play(options.book, options)
    puck = options.point or 0
    if puck not in play.pucks:
        points = ", ".join(map(str, play.pucks[1:])) or "none"
        raise BadInput(f"--point: {options.book} has the points {points}, not {options.point}")
    state = play.pucks.index(puck)
    try:
        after, puck_after, areas = play.roll(state, options.dice)
    except DiceError as error:
        raise BadInput(str(error)) from None
    image = _image(play)
    game = _reader(image.data)
    game.look_up(state, bytes(options.dice))
    by_table = (game.next_state, game.puck, image.lit_areas(bytes(game.lit)))
    if by_table != (after, puck_after, areas):
        raise WorkFailed(f"the table of {options.book} says {by_table}, the rules say {(after, puck_after, areas)}")
    document = {
        "book": options.book,
        "dice": options.dice,
        "point_before": puck or None,
        "point_after": puck_after or None,
    }
    if options.json:
        print(json.dumps(document | {"winning_areas": areas, "hash": image.hash.hex()}))
    else:
        print(f"puck {puck or 'OFF'} to {puck_after or 'OFF'}; lit: {', '.join(areas) or 'nothing'}")
    return 0
