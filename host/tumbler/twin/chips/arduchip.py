"""ArduChip of the ArduCAM Mini 2MP Plus: SPI registers, and the FIFO that takes frames of the image sensor, as its maker's
register table has them.

A capture begins with the next frame after it was asked for and is done when that frame ends: time comes in by `advance`.
"""

from __future__ import annotations

import random

from .ov2640 import FRAME_US, Ov2640
from .wrong_use import WrongUse

TEST, FRAMES, TIMING, FIFO, GPIO = 0x00, 0x01, 0x03, 0x04, 0x06
BURST, SINGLE, VERSION, STATUS, SIZE = 0x3C, 0x3D, 0x40, 0x41, 0x42
CLEAR_DONE, START, RESET_WRITE, RESET_READ = 0x01, 0x02, 0x10, 0x20
DONE = 0x08
WRITE = 0x80
WRITABLE = frozenset((TEST, FRAMES, TIMING, FIFO, 0x05, GPIO, 0x07))
THIS_VERSION = 0x73
CAPACITY = 8 << 20
NOTHING = 0x00


class ArduChip:
    def __init__(self, sensor: Ov2640, seed: int = 0) -> None:
        self._sensor = sensor
        self.wrong_use = WrongUse("ArduChip")
        self._random = random.Random(seed)
        self.dead = False  # faults
        self.torn = False
        self._now_us = 0
        self.power_cycle()

    def power_cycle(self) -> None:
        self._reg = {TEST: 0, FRAMES: 0, TIMING: 0, GPIO: 0x05}
        self._fifo = b""
        self._read_at = 0
        self._done = False
        self._done_at_us: int | None = None
        self._selected = False
        self._command: int | None = None
        self._wrote = False

    # --- time -------------------------------------------------------------------------------------------------------

    def advance(self, now_us: int) -> None:
        self._now_us = now_us
        if self._done_at_us is None or now_us < self._done_at_us:
            return
        if not self._sensor.running:
            self._done_at_us += FRAME_US
            return
        frame = self._sensor.frame(self._done_at_us - FRAME_US)
        self._done_at_us = None
        if self.torn:
            frame = frame[: self._random.randrange(len(frame) // 4, len(frame) - 640)]
        self._fifo = (self._fifo + frame)[:CAPACITY]
        self._done = True

    # --- SPI --------------------------------------------------------------------------------------------------------

    def select(self) -> None:
        self._selected = True
        self._command = None
        self._wrote = False

    def deselect(self) -> None:
        if self._selected and self._command is not None and self._command & WRITE and not self._wrote:
            self.wrong_use.note(f"CS rose in the middle of a write to 0x{self._command & 0x7F:02x}")
        self._selected = False

    def exchange(self, out: bytes) -> bytes:
        if self.dead or not self._selected:
            return bytes(len(out))
        back = bytearray()
        if self._command is None and out:
            self._command = out[0]
            back.append(NOTHING)
            out = out[1:]
        if not out:
            return bytes(back)
        command = self._command or 0
        if command == BURST:
            back += self._give(len(out))
        elif command & WRITE:
            for value in out:
                self._write(command & 0x7F, value)
            back += bytes(len(out))
        else:
            back += bytes([self._read(command)] * len(out))
        return bytes(back)

    def _write(self, register: int, value: int) -> None:
        if self._wrote:
            self.wrong_use.note(f"more than one byte written to 0x{register:02x}")
            return
        self._wrote = True
        if register not in WRITABLE:
            self.wrong_use.note(f"write to 0x{register:02x}")
        elif register == FIFO:
            self._control(value)
        else:
            self._reg[register] = value

    def _control(self, value: int) -> None:
        if value & CLEAR_DONE:
            self._done = False
        if value & RESET_WRITE:
            self._fifo = b""
        if value & RESET_READ:
            self._read_at = 0
        if value & START:
            if self._done:
                self.wrong_use.note("a capture begun with the done flag of the last one standing")
            if self._done_at_us is not None:
                self.wrong_use.note("a capture begun while one is under way")
            begins = (self._now_us // FRAME_US + 1) * FRAME_US
            self._done_at_us = begins + FRAME_US

    def _read(self, register: int) -> int:
        if register == SINGLE:
            return self._give(1)[0]
        if register == STATUS:
            in_frame = self._now_us % FRAME_US > FRAME_US // 16
            return (DONE if self._done else 0) | (0 if in_frame else 1)
        if SIZE <= register <= SIZE + 2:
            return len(self._fifo) >> 8 * (register - SIZE) & 0xFF
        if register == VERSION:
            return THIS_VERSION
        if register not in self._reg:
            self.wrong_use.note(f"read of 0x{register:02x}")
        return self._reg.get(register, 0)

    def _give(self, n: int) -> bytes:
        if not self._done:
            self.wrong_use.note("the FIFO read before its frame was done")
        if self._read_at + n > len(self._fifo) and not self.torn:
            self.wrong_use.note(f"the FIFO read to byte {self._read_at + n} of {len(self._fifo)}")
        data = self._fifo[self._read_at : self._read_at + n]
        self._read_at += n
        return data + bytes(n - len(data))
