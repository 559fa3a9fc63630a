"""The controller's flash: a file that behaves as NOR flash, counts its wear, and can lose power inside any operation.

littlefs runs in the firmware's process (machine/blockflash.py) and reads the file itself. Not for what is stored in it.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

BLOCK = 4096
BLOCKS = 256


class PowerLost(Exception):
    """The armed cut fell inside this operation: part of it is in the file, and nothing may be answered any more."""


class Flash:
    """`program` clears bits, `erase` sets a block. `cut_after(n)` lets the power fail at the n-th byte from now."""

    def __init__(self, path: Path, blocks: int = BLOCKS) -> None:
        self.path = path
        self.blocks = blocks
        if not path.exists() or path.stat().st_size != blocks * BLOCK:
            path.write_bytes(b"\xff" * (blocks * BLOCK))
        self._fd = os.open(path, os.O_RDWR)
        self.erases = [0] * blocks
        self.bytes_written = 0  # programmed and erased, the scale on which cut_after counts
        self._cut_at: int | None = None
        self._rng = random.Random(0)

    def cut_after(self, n: int | None, seed: int = 0) -> None:
        """Arm a power cut n bytes of programming or erasing from now; None disarms. The seed picks the torn bits."""
        self._cut_at = None if n is None else self.bytes_written + n
        self._rng = random.Random(seed)

    def program(self, block: int, offset: int, data: bytes) -> None:
        self._check(block, offset, len(data))
        at = block * BLOCK + offset
        old = os.pread(self._fd, len(data), at)
        new = bytes(a & b for a, b in zip(old, data, strict=True))
        self._write(at, old, new)

    def erase(self, block: int) -> None:
        self._check(block, 0, BLOCK)
        self.erases[block] += 1
        at = block * BLOCK
        self._write(at, os.pread(self._fd, BLOCK, at), b"\xff" * BLOCK)

    def _check(self, block: int, offset: int, n: int) -> None:
        if not 0 <= block < self.blocks or offset < 0 or offset + n > BLOCK:
            raise ValueError(f"flash: {n} bytes at {offset} of block {block}: outside the {self.blocks} blocks")

    def _write(self, at: int, old: bytes, new: bytes) -> None:
        start = self.bytes_written
        self.bytes_written += len(new)
        if self._cut_at is None or self._cut_at >= self.bytes_written:
            os.pwrite(self._fd, new, at)
            return
        # What was done so far holds; the byte being done keeps any of its two values' bits; the rest is as it was.
        done = max(0, self._cut_at - start)
        mask = self._rng.getrandbits(8)
        torn = old[done] & mask | new[done] & ~mask & 0xFF
        os.pwrite(self._fd, new[:done] + bytes([torn]), at)
        self._cut_at = None
        raise PowerLost(f"power lost at byte {done} of {len(new)} at flash offset {at}")

    def close(self) -> None:
        os.close(self._fd)
