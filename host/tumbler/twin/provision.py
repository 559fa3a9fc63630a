"""What a table is given before it plays: its key, the map of its dice's tags, and, to play without a host, a game table.

Written as files that the controller's flash takes at power-on, as a technician would at the bench.
"""

from __future__ import annotations

import binascii
import os
import secrets
import struct
from collections.abc import Mapping
from pathlib import Path

from tumbler.config import KEY_BYTES, KeyFileError, read_key
from tumbler.rules.gametable import GameImage
from tumbler.twin.chips.dice import FACES, DiceSet

MAGIC = b"TDM1"
GAME_NAME_BYTES = 8


def table_key(path: Path) -> bytes:
    """The key in this file; a new one, readable by its owner only, where there is none. KeyFileError when it is no key."""
    if not path.exists():
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise KeyFileError(f"{path} cannot be made: {error.strerror}") from error
        with os.fdopen(descriptor, "w") as out:
            out.write(secrets.token_hex(KEY_BYTES) + "\n")
    return read_key(path)


def dice_map(dice_set: DiceSet, dice: int) -> bytes:
    """dice.bin: tag -> die and the face it sits behind, of the first so many dice."""
    rows = b"".join(dice_set.uid(die, face) + bytes((die, face)) for die in range(dice) for face in FACES)
    body = MAGIC + bytes((dice * len(FACES),)) + rows
    return body + struct.pack("<I", binascii.crc32(body))


READERS = {"tags": 1, "camera": 2, "both": 3}  # as firmware/controller/fitted.py


def provision(
    folder: Path,
    key: bytes,
    dice: bytes,
    game: GameImage | None,
    reader: str = "tags",
    taught: Mapping[str, bytes] | None = None,
) -> None:
    """`taught`: the camera's calibration, where the table reads by camera."""
    folder.mkdir(mode=0o700, exist_ok=True)
    files = {"key.bin": key, "dice.bin": dice}
    if reader != "tags":
        files["readers.bin"] = bytes((READERS[reader],))
    files.update(taught or {})
    if game is not None:
        files[game.hash[:GAME_NAME_BYTES].hex() + ".game"] = game.data
        files["game.use"] = game.hash
    for old in folder.iterdir():
        if old.name not in files:
            old.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o600)
