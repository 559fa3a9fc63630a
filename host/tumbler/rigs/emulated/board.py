"""The controller of an emulated table: powered, bitten by its watchdog, reset; and its flash, which can lose power in a write.

Where the twin's board serves requests of a process, this one lets a chip run. Not for the chip itself: chip.py.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tumbler.rigs.emulated import image
from tumbler.rigs.emulated.chip import Chip
from tumbler.twin.board import Board, ResetCause
from tumbler.twin.bus import Bus
from tumbler.twin.flash import Flash
from tumbler.twin.line import Line

SECTOR_ERASE, BLOCK_ERASE, PROGRAM = 0x20, 0xD8, 0x02
SIZES = {SECTOR_ERASE: 4096, BLOCK_ERASE: 65536}
DATA_AT = 4
OFF_AFTER_CUT_MS = 200


class ChipFlash(Flash):
    """The emulated chip's flash, kept in a file between runs. Counts as the twin's does; a cut tears one byte."""

    def __init__(self, chip: Chip, path: Path) -> None:
        self.path, self._chip = path, chip  # all that Flash keeps, without its own file descriptor
        self.blocks = image.BLOCKS
        self.erases = [0] * self.blocks
        self.bytes_written = 0
        self.cut = False
        self._cut_at: int | None = None
        self._rng = random.Random(0)
        self._ssi: Any = chip.mcu.ssi
        self._apply = self._ssi._apply_command
        self._ssi._apply_command = self._command

    def load(self, new: Callable[[], bytes]) -> None:
        """Before the first power-on: what the file has, or a new image."""
        if not self.path.exists():
            self.path.write_bytes(new())
        self._chip.files = self.path.read_bytes()

    def save(self) -> None:
        self.path.write_bytes(self._chip.files)

    def close(self) -> None:
        self.save()

    def _command(self) -> None:
        sent = self._ssi._tx_buffer
        operation = sent[0] if sent else 0
        size = SIZES.get(operation, len(sent) - DATA_AT if operation == PROGRAM else 0)
        if size <= 0 or not self._ssi._write_enabled or self.cut:
            if not self.cut:  # no power: the chip hears nothing
                self._apply()
            return
        start = self.bytes_written
        self.bytes_written += size
        at = sent[1] << 16 | sent[2] << 8 | sent[3]
        block = (at - self._chip.files_at) // image.BLOCK
        if operation in SIZES and 0 <= block < self.blocks:
            self.erases[block] += 1
        if self._cut_at is None or self._cut_at >= self.bytes_written:
            self._apply()
            return
        old = bytes(self._chip.mcu.flash[at : at + size])
        self._apply()
        new = bytes(self._chip.mcu.flash[at : at + size])
        done = max(0, self._cut_at - start)
        mask = self._rng.getrandbits(8)
        torn = old[done] & mask | new[done] & ~mask & 0xFF
        self._chip.mcu.flash[at : at + size] = new[:done] + bytes((torn,)) + old[done + 1 :]
        self._cut_at = None
        self.cut = True
        self._chip.pause()


class Pin:
    """What the twin's board takes for the process of its controller: it is there while it runs."""

    def __init__(self, chip: Chip) -> None:
        self._chip = chip

    @property
    def wire(self) -> object | None:
        return self._chip if self._chip.powered else None

    def start(self) -> None:
        self._chip.power_on()

    def kill(self) -> int:
        self._chip.power_off()
        return 0


class ChipBoard(Board):
    def __init__(
        self, chip: Chip, flash: ChipFlash, bus: Bus, line: Line, boots: int, boot_id: Callable[[], str]
    ) -> None:
        super().__init__(Pin(chip), bus, line, chip.idle, boots=boots)  # type: ignore[arg-type]
        self._chip, self._flash = chip, flash
        self._boot_id = boot_id
        chip.on_bite = self._bitten
        chip.on_connected = line.plug

    @property
    def boot_id(self) -> str:
        """As its HELLO said: the chip draws its own."""
        return self._boot_id()

    def power_on(self, cause: ResetCause = ResetCause.POWER_ON) -> None:
        self._flash.cut = False
        super().power_on(cause)
        self._line.unplug()  # the port is there when the chip has enumerated

    def crash(self) -> None:
        """The program hangs; the chip's own watchdog is what brings it back."""
        if self.running:
            self._chip.hang()

    def cut_if_torn(self) -> None:
        if self._flash.cut and self.running:
            self.cut_power(OFF_AFTER_CUT_MS)

    def _bitten(self, starved: bool) -> None:
        """The chip restarts by itself; the table's other parts keep their power. The host sees the port go and come."""
        self.watchdog_bites += starved
        self.boots += 1
        self.boot_us = self.now_us
        for hook in self.on_stop:
            hook()
        self._bus.lines.reset()
        self._line.unplug()
        self._bus.booted(self.boots, ResetCause.WATCHDOG)
