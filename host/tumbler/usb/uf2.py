"""Reads a UF2 file into the flash image it stands for. Everything is checked before a single byte goes to a controller."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

BLOCK = 512
PAGE = 256
SECTOR = 4096
FLASH = 0x1000_0000
LARGEST_FLASH = 16 * 1024 * 1024

_FIRST, _SECOND, _LAST = 0x0A32_4655, 0x9E5D_5157, 0x0AB1_6F30
_HEAD = struct.Struct("<8I")
_NOT_MAIN_FLASH, _HAS_FAMILY = 0x0000_0001, 0x0000_2000

RP2040 = 0xE48B_FF56
FAMILIES = {
    RP2040: "RP2040",
    0xE48B_FF59: "RP2350 (Arm, secure)",
    0xE48B_FF5A: "RP2350 (RISC-V)",
    0xE48B_FF5B: "RP2350 (Arm, non-secure)",
    0xE48B_FF57: "RP2xxx absolute",
    0x68ED_2B88: "SAMD21",
    0x5555_1114: "SAMD51",
    0xADA5_2840: "nRF52840",
    0x5775_5A57: "STM32F4",
    0x1C5F_21B0: "ESP32",
}


class Uf2Error(Exception):
    """The file is no UF2 for this controller; the message names the file, the block and what is wrong with it."""


@dataclass(frozen=True)
class Image:
    """Sectors to write: address of each sector and its 4096 bytes, 0xff where the file says nothing."""

    sectors: tuple[tuple[int, bytes], ...]
    payload: int  # bytes that the file brings

    @property
    def size(self) -> int:
        return len(self.sectors) * SECTOR


def _pages(name: str, data: bytes) -> dict[int, bytes]:
    pages: dict[int, bytes] = {}
    numbers: set[int] = set()
    total = 0
    for at in range(0, len(data), BLOCK):
        block = data[at : at + BLOCK]
        where = f"{name}: block {at // BLOCK}"
        first, second, flags, address, size, number, count, family = _HEAD.unpack_from(block)
        if (first, second, struct.unpack_from("<I", block, BLOCK - 4)[0]) != (_FIRST, _SECOND, _LAST):
            raise Uf2Error(f"{where} is no UF2 block; the file is damaged or no UF2 at all")
        if flags & _NOT_MAIN_FLASH:
            continue
        if not flags & _HAS_FAMILY or family != RP2040:
            other = FAMILIES.get(family, f"family {family:#010x}") if flags & _HAS_FAMILY else "no family"
            raise Uf2Error(f"{where} is for {other}, the controller is an RP2040")
        if size != PAGE or address % PAGE:
            raise Uf2Error(f"{where} has {size} bytes for {address:#010x}; the RP2040 takes pages of {PAGE}")
        if not FLASH <= address < FLASH + LARGEST_FLASH:
            raise Uf2Error(f"{where} is for {address:#010x}, which is not in flash")
        if total and count != total:
            raise Uf2Error(f"{where} speaks of {count} blocks, those before it of {total}")
        if number >= count or number in numbers:
            raise Uf2Error(f"{where} has number {number} of {count}, which can't be")
        if address in pages:
            raise Uf2Error(f"{where} writes {address:#010x} a second time")
        total = count
        numbers.add(number)
        pages[address] = block[_HEAD.size : _HEAD.size + PAGE]
    if len(numbers) < total:
        missing = next(n for n in range(total) if n not in numbers)
        raise Uf2Error(f"{name}: {total - len(numbers)} of {total} blocks are missing, the first is {missing}")
    return pages


def read(file: Path) -> Image:
    """The image in a UF2 file; Uf2Error where anything about it is wrong."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise Uf2Error(f"{file}: {error.strerror}") from error
    return parse(str(file), data)


def parse(name: str, data: bytes) -> Image:
    if not data:
        raise Uf2Error(f"{name}: the file is empty")
    if len(data) % BLOCK:
        raise Uf2Error(f"{name}: {len(data)} bytes are no whole number of {BLOCK}-byte blocks; the file is cut off")
    pages = _pages(name, data)
    if not pages:
        raise Uf2Error(f"{name}: nothing in it is for flash")
    if FLASH not in pages:
        raise Uf2Error(f"{name}: has no boot block at {FLASH:#010x}; the controller could not start from it")
    sectors: dict[int, bytearray] = {}
    for address, page in pages.items():
        start = address - address % SECTOR
        sector = sectors.setdefault(start, bytearray(b"\xff" * SECTOR))
        sector[address - start : address - start + PAGE] = page
    made = tuple((address, bytes(sectors[address])) for address in sorted(sectors))
    return Image(made, len(pages) * PAGE)
