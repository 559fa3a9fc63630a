"""Teaching option B's symbols to a running table: six faces shown, frames in colour over the wire, two files stored as one set.

Nothing is changed in the controller before both files are there and whole; a power cut leaves the old set or gives the new one.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

from tumbler.cli.exits import WorkFailed

if TYPE_CHECKING:
    from tumbler.diag.hands import Hands
    from tumbler.diag.line import Line
    from tumbler.eye.symbol_lesson import Planes, SymbolLesson

OPTION_B = "crown-melbourne-sicbo-b"
PART = 180  # bytes of a file in one request
NAME = 8
COLOUR, LAMP_1 = b"\x01", b"\x02"  # of a frame; without: luma, by lamp 0


async def asked(line: Line, op: str, data: bytes = b"") -> bytes:
    from dicewire.declared.codes import SERVICE_OPS

    return await line.ask(op, SERVICE_OPS.number(op), data)


async def has_symbols(line: Line) -> bool:
    """Does the table play option B?"""
    text = (await asked(line, "info")).decode("utf-8", "replace")
    book = dict(row.split("=", 1) for row in text.splitlines() if "=" in row).get("book", "")
    return book.startswith(OPTION_B)


async def shown(line: Line, hands: Hands, times: int, dice: int = 3) -> list[list[Planes]]:
    """Frames of each face, as often as asked."""
    from tumbler.eye.symbol_lesson import NAMES, planes_of

    shows = []
    for face, name in enumerate(NAMES, start=1):
        show = []
        for time in range(1, times + 1):
            hands.lay(f"face {face}, show {time} of {times}: all dice flat with the {name} up", (face,) * dice)
            await asked(line, "frame", COLOUR)
            show.append(planes_of(await line.transfer("frame")))
        shows.append(show)
    return shows


async def store(line: Line, lesson: SymbolLesson) -> None:
    """symbols.bin by parts, then eye.bin with its name: at that moment both come into force. What is stored is read back."""
    for at in range(0, len(lesson.symbols), PART):
        await asked(line, "symbols", struct.pack("<H", at) + lesson.symbols[at : at + PART])
    await asked(line, "calibration", lesson.eye + hashlib.sha256(lesson.symbols).digest()[:NAME])
    if await asked(line, "calibration_read") != lesson.eye or await stored_symbols(line) != lesson.symbols:
        raise WorkFailed("the controller does not give back what it was told to store; calibrate again")


async def stored_symbols(line: Line) -> bytes:
    stored = b""
    while part := await asked(line, "symbols_read", struct.pack("<H", len(stored))):
        stored += part
    return stored
