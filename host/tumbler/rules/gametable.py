"""The compiler of game tables: a book's play in every state, for every combination of dice, as the controller's bytes.

The layout of the bytes is described in docs/game-tables.md and read by firmware/controller/game.py. Not here: the rules
(tableplay.py answers every question) and sending the table (the daemon does, by the hash).
"""

import hashlib
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

from tumbler.rules.tableplay import Play

MAGIC = b"TGAM"
VERSION = 1
# magic, version, dice, states, areas, combinations, flags, bonus sets, pixels, win sets, length, length of the book id
HEADER = struct.Struct("<4sBBBBBBBBHHB")
MAX_SIZE = 8192
MAX_AREAS = 255
MAX_PIXELS = 160  # the lamp chain's power budget
NO_PIXEL = 255
PUCK_LAMPS = 13
FLAG_SYMBOLS = 1
FLAG_TOGETHER = 2

# Areas that are wider than one lamp on the layout (Sic Bo diagram A, craps diagrams A and B).
LAMPS_OF_AREA = {
    "big": 4,
    "small": 4,
    "any_triple": 2,
    "pass": 4,
    "dont_pass": 3,
    "come": 3,
    "dont_come": 2,
    "field": 3,
}


class GameTableError(ValueError):
    """This book doesn't fit into a game table."""


@dataclass(frozen=True)
class GameImage:
    """A compiled game table: its bytes, their SHA-256 and the areas in bit order."""

    data: bytes
    hash: bytes
    areas: tuple[str, ...]

    def lit_areas(self, bitmap: bytes) -> list[str]:
        """The names of the areas in a bitmap of the controller, sorted as strings."""
        return sorted(name for bit, name in enumerate(self.areas) if bitmap[bit // 8] >> bit % 8 & 1)

    def bitmap(self, lit: list[str]) -> bytes:
        """The bitmap that lights these areas."""
        bits = sum(1 << self.areas.index(name) for name in lit)
        return bits.to_bytes((len(self.areas) + 7) // 8, "little")


def combinations_of(dice: int) -> Iterator[tuple[int, ...]]:
    """Every combination of dice in the order of the table: 21 for two, 56 for three."""
    return combinations_with_replacement(range(1, 7), dice)


def compile_book(book: str, layout: int = 1, *, option_b_exact: bool = False) -> GameImage:
    return compile_play(Play(book, layout=layout, option_b_exact=option_b_exact))


def compile_play(play: Play) -> GameImage:
    areas = play.areas
    if len(areas) > MAX_AREAS:
        raise GameTableError(f"{play.book}: {len(areas)} areas, a game table has room for {MAX_AREAS}")
    bit = {name: position for position, name in enumerate(areas)}
    width = (len(areas) + 7) // 8
    win_sets: dict[bytes, int] = {}
    entries = bytearray()
    combos = list(combinations_of(play.dice))
    for state in range(play.states):
        for combo in combos:
            after, _, winners = play.roll(state, combo)
            bitmap = sum(1 << bit[name] for name in winners).to_bytes(width, "little")
            entries += struct.pack("<BH", after, win_sets.setdefault(bitmap, len(win_sets)))

    lamps = _Lamps()
    area_lamps = b"".join(bytes(lamps.take(LAMPS_OF_AREA.get(name, 1))) for name in areas)
    puck_lamps = bytearray([NO_PIXEL] * PUCK_LAMPS)
    if play.states > 1:
        for puck in sorted(set(play.pucks)):
            puck_lamps[puck] = lamps.take(1)[0]
    bonus = bytearray()
    for totals in play.bonus_sets:
        first, count = lamps.take(len(totals))
        bonus += struct.pack("<HBB", sum(1 << total for total in totals), first, count)

    book = play.book.encode("ascii")
    names = b"".join(bytes([len(name)]) + name.encode("ascii") for name in areas)
    body = book + bytes(play.pucks) + entries + b"".join(win_sets) + area_lamps + puck_lamps + bonus + names
    length = HEADER.size + len(body) + 4
    if length >= MAX_SIZE:
        raise GameTableError(f"{play.book}: its game table has {length} bytes, the most is {MAX_SIZE - 1}")
    flags = (FLAG_SYMBOLS if play.symbols else 0) | (FLAG_TOGETHER if play.bonus_together else 0)
    counts = (play.dice, play.states, len(areas), len(combos), flags, len(play.bonus_sets), lamps.used)
    data = HEADER.pack(MAGIC, VERSION, *counts, len(win_sets), length, len(book)) + body
    data += struct.pack("<I", zlib.crc32(data))
    return GameImage(data, hashlib.sha256(data).digest(), areas)


class _Lamps:
    """Hands out the pixels of the chain in order."""

    def __init__(self) -> None:
        self.used = 0

    def take(self, count: int) -> tuple[int, int]:
        first, self.used = self.used, self.used + count
        if self.used > MAX_PIXELS:
            raise GameTableError(f"the layout needs more than {MAX_PIXELS} lamps")
        return first, count
