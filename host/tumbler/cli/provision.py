"""`tumbler provision`: what a table is given before it plays. `key` makes its key; `dice` teaches the controller its dice.

The key goes to both sides: to the daemon's key_file and, by cable at the bench, to the controller's flash.
"""

from __future__ import annotations

import argparse
import os
import secrets
from pathlib import Path
from typing import Any

from tumbler.cli.exits import BadInput, WorkFailed


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser("provision", help="make a table's key, teach a controller its dice")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    key = actions.add_parser("key", help="make a new key file, mode 0600")
    key.add_argument("file", metavar="FILE", type=Path)
    key.set_defaults(func=run_key)


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
