"""Makes UF2 files for tests, right ones and wrong ones."""

from __future__ import annotations

import random
import struct

RP2040 = 0xE48BFF56
FLASH = 0x10000000


def block(
    number: int, count: int, address: int, data: bytes, *, family: int = RP2040, flags: int = 0x2000, size: int = 256
) -> bytes:
    head = struct.pack("<8I", 0x0A324655, 0x9E5D5157, flags, address, size, number, count, family)
    return head + data.ljust(476, b"\0") + struct.pack("<I", 0x0AB16F30)


def firmware(pages: int = 40, seed: int = 1, **more: int) -> bytes:
    """A UF2 of random pages from the start of flash on."""
    rng = random.Random(seed)
    return b"".join(block(n, pages, FLASH + 256 * n, rng.randbytes(256), **more) for n in range(pages))


def contents(pages: int = 40, seed: int = 1) -> bytes:
    rng = random.Random(seed)
    return b"".join(rng.randbytes(256) for _ in range(pages))
