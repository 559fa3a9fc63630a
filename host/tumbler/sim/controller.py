"""The controller's own files, powered on and off in virtual time. They are those of the device: nothing is put between.

Only its heap measure is left out: it collects all garbage of the process, every five seconds of table time.
"""

from __future__ import annotations

import binascii
import functools
import importlib
import struct
import sys
from collections.abc import Callable, Sequence
from typing import Any

from dicewire import codes

from tumbler.rules.tableplay import Play
from tumbler.sim.board import Board, Contact, Plate, Reset, TagRow, tag_rows
from tumbler.sim.cable import Cable, ControllerEnd
from tumbler.sim.clockwork import MS, SECOND, Clockwork
from tumbler.sim.flash import Flash, PowerCut
from tumbler.twin.process import firmware_tree

WATCHDOG_US = 8 * SECOND


def dice_file(rows: Sequence[TagRow]) -> bytes:
    """dice.bin, as a technician provisions it: which tag sits behind which face of which die."""
    body = b"TDM1" + bytes((len(rows),)) + b"".join(uid + bytes((die, face)) for uid, die, face in rows)
    return body + struct.pack("<I", binascii.crc32(body))


@functools.cache
def firmware() -> dict[str, Any]:
    """The controller's modules, by name."""
    tree = str(firmware_tree())
    if tree not in sys.path:
        sys.path.insert(0, tree)
    names = ("table", "records", "store", "panel", "health", "rest", "spin")
    modules: dict[str, Any] = {name: importlib.import_module(f"controller.{name}") for name in names}
    modules["health"].heap_free = lambda: -1
    return modules


class Controller:
    def __init__(self, clockwork: Clockwork, cable: Cable, book: str, key: bytes) -> None:
        self._clockwork, self._cable = clockwork, cable
        self._rng = clockwork.stream("controller")
        self._modules = firmware()
        self.plate = Plate(clockwork.stream("dice"), Play(book).dice)
        self.cover = Contact()
        self.flash = Flash(clockwork.stream("flash"))
        self.flash.files["key.bin"] = key
        self.flash.files["dice.bin"] = dice_file(tag_rows(self.plate.dice))
        self.board: Board | None = None
        self.table: Any = None
        self.drift = 0.0
        self.rotten = False  # something in its memory is not as it was
        self.cuts = self.resets = self.boots = 0
        self._life = 0
        self.on_boot: Callable[[], None] = lambda: None
        self.on_turn: Callable[[], None] = lambda: None

    @property
    def on(self) -> bool:
        return self.table is not None

    @property
    def store(self) -> Any:
        return self.table.parts.store

    @property
    def phase(self) -> int:
        return int(self.table.round.phase) if self.table is not None else -1

    # --- power ----------------------------------------------------------------------------------------------------------

    def power_on(self, cause: int = codes.RESET_POWER_ON) -> None:
        if self.on:
            return
        self.boots += 1
        self._cable.power(True)
        rate = 1.0 + self.drift
        end = ControllerEnd(self._cable)
        self.board = board = Board(self._clockwork, self.plate, self.cover, end, self._rng, cause, rate)
        self._life += 1
        try:
            self.table = self._modules["table"].Table(board, self.flash)
            self.on_boot()
            self.table.start()
        except PowerCut:
            self.cut(self._off_us())
            return
        self._clockwork.after(MS, self._turn_of(self._life))

    def cut(self, off_us: int) -> None:
        """The power fails now, and is back after a while."""
        self.cuts += 1
        self._off()
        self._clockwork.after(off_us, self.power_on)

    def _off_us(self) -> int:
        return 200 * MS + int(self._rng.random() * 3 * SECOND)

    def _off(self) -> None:
        if self.board is not None:
            self.board.motor.stop()
            self.board.motor.follow()
        self.table = self.board = None
        self.rotten = False
        self._life += 1
        self._cable.power(False)

    def _reset(self, cause: int) -> None:
        self.resets += 1
        self._off()
        self._clockwork.after(100 * MS, lambda: self.power_on(cause))

    # --- turns ----------------------------------------------------------------------------------------------------------

    def _turn_of(self, life: int) -> Callable[[], None]:
        clockwork, board, table = self._clockwork, self.board, self.table
        assert board is not None
        step, us_of, watchdog = table.step, board.clock.us_of, board.watchdog

        def turn() -> None:
            if life != self._life:
                return
            try:
                wait = step()
            except PowerCut:
                self.cut(self._off_us())
                return
            except Reset as reset:
                self._reset(reset.cause)
                return
            self.on_turn()
            if clockwork.now - watchdog.fed_at > WATCHDOG_US:
                self._reset(codes.RESET_WATCHDOG)
                return
            clockwork.after(us_of(wait), turn)

        return turn

    @property
    def standing_still(self) -> bool:
        return self.table is not None and not self.table.parts.spin.running
