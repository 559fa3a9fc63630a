"""`tumbler provision`: what a table is given before it plays. `key` makes its key; `dice` teaches the controller its dice.

The key goes to both sides: to the daemon's key_file and, by cable at the bench, to the controller's flash.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.diag import reach

if TYPE_CHECKING:
    from tumbler.diag.line import Line

FACES = 6
MOST_DICE = 3


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser("provision", help="make a table's key, teach a controller its dice")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    key = actions.add_parser("key", help="make a new key file, mode 0600")
    key.add_argument("file", metavar="FILE", type=Path)
    key.set_defaults(func=run_key)
    dice = reach.options_for(actions.add_parser("dice", help="teach the controller which tag is behind which face"))
    dice.add_argument("file", metavar="FILE", type=Path, help="TOML: dice = [[six uids, behind faces 1 to 6], ...]")
    dice.set_defaults(func=run_dice, what="provision")


def run_key(options: argparse.Namespace) -> int:
    from tumbler.config import KEY_BYTES

    file: Path = options.file
    try:
        # O_EXCL: a table that plays with a key must not lose it to a slip of the hand.
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise BadInput(
            f"{file}: is there already; a table would lose its key. Remove it first if you mean it"
        ) from error
    except OSError as error:
        raise WorkFailed(f"{file}: cannot be made: {error.strerror}") from error
    with os.fdopen(descriptor, "w") as out:
        out.write(secrets.token_hex(KEY_BYTES) + "\n")
        out.flush()
        os.fsync(out.fileno())
    print(f"{file}: new key, readable by its owner only")
    return 0


def run_dice(options: argparse.Namespace) -> int:
    from dicewire.declared.codes import SERVICE_OPS

    from tumbler.diag.checks import ask, out_of_play
    from tumbler.diag.operations import DiceMapError, pack_dice

    rows = read_dice(options.file)
    try:
        data = pack_dice(rows)
    except DiceMapError as error:
        raise BadInput(f"{options.file}: dice: {error}") from error

    async def work(line: Line) -> int:
        async with out_of_play(line):
            await line.ask("dice_map", SERVICE_OPS.number("dice_map"), data)
        known = await ask(line, "dice")
        if [(row["uid"], row["die"], row["behind"]) for row in known["dice"]] != rows:
            raise WorkFailed("the controller's map of the dice is not the one that was written; try again")
        print(f"{options.file}: the controller knows {len(rows) // FACES} dice")
        return 0

    return reach.run(options, work)


def read_dice(file: Path) -> list[tuple[str, int, int]]:
    """(uid, die from 1, face) of every tag that the file names."""
    try:
        dice = tomllib.loads(file.read_text("utf-8")).get("dice")
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{file}: is not TOML: {error}") from error
    if not isinstance(dice, list) or not 1 <= len(dice) <= MOST_DICE:
        raise BadInput(f"{file}: dice: must be a list of 1 to {MOST_DICE} dice, each a list of {FACES} uids")
    rows = []
    for die, tags in enumerate(dice, 1):
        if not isinstance(tags, list) or len(tags) != FACES:
            raise BadInput(f"{file}: dice[{die}]: must be a list of {FACES} uids, behind faces 1 to {FACES}")
        for face, uid in enumerate(tags, 1):
            if not isinstance(uid, str) or not re.fullmatch(r"[0-9a-fA-F]{16}", uid):
                raise BadInput(f"{file}: dice[{die}]: {uid!r} is not a uid of 16 hexadecimal digits")
            rows.append((uid.lower(), die, face))
    return rows
