"""The flash of a controller as it leaves the bench: the shipped firmware as bytecode, and what the table was provisioned with.

boot.py and main.py stay source, because MicroPython starts them by those names; the rest is .mpy for the RP2040, as a source
compiled on the device would live in its heap. Not for MicroPython itself: uf2.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tumbler.update import build

BLOCK = 4096
BLOCKS = 352  # what MicroPython leaves of a Pico's 2 MB
PAGE = 256
DISK_VERSION = 0x00020000  # every littlefs in use reads it
STATE = "state"
STARTED_BY_NAME = ("boot.py", "main.py")


@cache
def firmware_files() -> Mapping[str, bytes]:
    """Every file that is shipped, by its path on the device. Made once a process."""
    sources = build.sources()
    files = {name: sources.pop(name).read_bytes() for name in STARTED_BY_NAME}
    return files | build.compiled(sources, build.ARCHES["pico"])


def firmware_hash() -> str:
    """One hash over all of it, for the report: which firmware was tested."""
    digest = hashlib.sha256()
    for name, data in sorted(firmware_files().items()):
        digest.update(name.encode() + b"\0" + len(data).to_bytes(4, "little") + data)
    return digest.hexdigest()


def table_files(provision: Path, board: str = "pico") -> dict[str, bytes]:
    """The whole flash of a table: firmware, which board it is, and the provisioning folder's files."""
    files = dict(firmware_files())
    files["board.txt"] = board.encode() + b"\n"
    for path in sorted(provision.iterdir()):
        files[f"{STATE}/{path.name}"] = path.read_bytes()
    return files


def littlefs(files: Mapping[str, bytes]) -> bytes:
    from littlefs import LittleFS, UserContext

    context = UserContext(buffsize=BLOCK * BLOCKS)
    disk = LittleFS(context=context, block_size=BLOCK, block_count=BLOCKS, prog_size=PAGE, disk_version=DISK_VERSION)
    for name, data in files.items():
        disk.makedirs(str(Path(name).parent), exist_ok=True)
        with disk.open(name, "wb") as out:
            out.write(data)
    disk.unmount()
    return bytes(context.buffer)


def read_back(image: bytes, name: str) -> bytes:
    """A file out of a flash image, for a test that looks at what a power cut left. FileNotFoundError where there is none."""
    from littlefs import LittleFS, UserContext

    context = UserContext(buffsize=len(image))
    context.buffer[:] = image
    disk = LittleFS(context=context, block_size=BLOCK, block_count=BLOCKS, prog_size=PAGE, mount=True)
    with disk.open(name, "rb") as file:
        return bytes(file.read())
