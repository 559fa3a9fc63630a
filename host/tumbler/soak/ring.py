"""The spins that lie in the controller's flash, read from the flash's own image: littlefs, then the store's records.

By the layout of the controller's own `records.py`; nothing of the running firmware is asked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tumbler.sim.controller import firmware
from tumbler.twin.flash import BLOCK

SEGMENT = ".seg"


def segments(image: Path) -> list[bytes]:
    """The ring's files, oldest first."""
    from littlefs import LittleFS, UserContext

    data = image.read_bytes()
    context = UserContext(buffsize=len(data))
    context.buffer[:] = data
    disk = LittleFS(context=context, block_size=BLOCK, block_count=len(data) // BLOCK, prog_size=256, mount=True)
    found = []
    for name in sorted(name for name in disk.listdir("/") if name.endswith(SEGMENT)):
        with disk.open(f"/{name}", "rb") as file:
            found.append(bytes(file.read()))
    return found


def spins_in_flash(image: Path) -> dict[int, tuple[str, dict[str, Any]]]:
    """spin -> ("result" or "no_spin", its values)."""
    records = firmware()["records"]
    kinds = {records.RESULT: "result", records.NO_SPIN: "no_spin"}
    spins: dict[int, tuple[str, dict[str, Any]]] = {}
    for data in segments(image):
        at = 0
        while at + records.HEAD_SIZE <= len(data):
            head = records.parse_head(data[at:])
            size = records.HEAD_SIZE + head[1] + records.CRC_SIZE if head else 0
            if not head or at + size > len(data) or not records.sound(data[at : at + size], size):
                break  # the torn end of a segment: the next record opened a new one
            if head[0] in kinds:
                body = data[at + records.HEAD_SIZE : at + size - records.CRC_SIZE]
                values = records.unpack(head[0], body)
                spins[values["spin"]] = (kinds[head[0]], values)
            at += size
    return spins
