"""The emulated table: the twin's world, line, dealer, faults and control around an emulated chip.

One thread, as the twin. The chip runs a slice, the line is pumped, control is heard. With a speed, emulated time never runs
ahead of the wall clock; behind it, it always is while the chip works (docs/hil.md says how far).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from dicewire.codec import decode
from dicewire.frame import HEAD
from dicewire.messages import HELLO

from tumbler.rigs.emulated import image, wiring
from tumbler.rigs.emulated.board import ChipBoard, ChipFlash
from tumbler.rigs.emulated.chip import Chip
from tumbler.rigs.emulated.uf2 import Uf2
from tumbler.twin.board import Board
from tumbler.twin.bus import Bus, Seed
from tumbler.twin.flash import Flash
from tumbler.twin.lines import Lines
from tumbler.twin.pace import LEAST_SLEEP_SECONDS
from tumbler.twin.tap import FROM_CONTROLLER, Tap
from tumbler.twin.twin import OFF_STEP_US, TOLD_SLACK_US, Plan, Twin

WORLD_US = 1_000  # the physics' step: no edge of the tachometer is late by more
SLICE_US = 5_000
FAST_PINS = (wiring.LAMPS_PIN, wiring.PWM_PIN)


class HelloTap(Tap):
    """Knows besides which boot is speaking, and when it was last heard."""

    def __init__(self, now_us: Callable[[], int]) -> None:
        super().__init__()
        self._now_us = now_us
        self.boot_id = ""
        self.told_us = 0

    def _frame(self, buf: bytearray, start: int, end: int) -> None:
        if buf[start] == FROM_CONTROLLER | HELLO:
            self.boot_id = bytes(decode(HELLO, bytes(buf[start + HEAD : end]))["boot_id"]).hex()
        self.told_us = self._now_us()
        super()._frame(buf, start, end)


class EmulatedTable(Twin):
    def __init__(self, plan: Plan, uf2: Uf2) -> None:
        seed = Seed(plan.seed)
        boot_seed = time.time_ns() if plan.folder.joinpath("flash.img").exists() else plan.seed
        self.chip = Chip(uf2, uid=seed.bytes(8, "uid"), seed=boot_seed, fast=FAST_PINS)
        self._hello_tap = HelloTap(lambda: self.chip.now_us)
        super().__init__(plan)
        self._unsent = bytearray()
        self.chip.on_bytes = self._said
        self.chip.every(WORLD_US, self.sync)

    # --- putting it together --------------------------------------------------------------------------------------------

    def _lines(self) -> Lines:
        return wiring.PinLines(self.chip)

    def _flash(self) -> Flash:
        return ChipFlash(self.chip, self.plan.folder / "flash.img")

    def _board(self, bus: Bus, boots: int) -> Board:
        assert isinstance(self.flash, ChipFlash)
        self.flash.load(lambda: image.littlefs(image.table_files(self.plan.folder / "provision")))
        self.tap = tap = self._hello_tap
        self.line.on_give = tap.feed
        for number in (0, 1):
            wiring.I2cWire(self.chip.mcu.i2c[number], bus.i2c_chips(number), self.sync)
            wiring.SpiWire(self.chip.mcu.spi[number], bus.spi_chips(number), bus.lines, self.sync)
        wiring.wire_adc(self.chip, bus.lines, self.sync)
        wiring.wire_pwm(self.chip, bus.lines, self.sync)
        self.lamp_wire = wiring.wire_lamps(self.chip, bus.show)
        return ChipBoard(self.chip, self.flash, bus, self.line, boots, lambda: tap.boot_id)

    def sync(self) -> None:
        """The world catches up with the chip."""
        behind = self.chip.now_us - self.world.now_us
        if behind > 0:
            self.world.advance(behind)

    # --- the loop -------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Power on, for a caller that turns the loop itself."""
        self.board.power_on()
        self._write_notes()

    def turn(self) -> None:
        self._turn()

    def _turn(self) -> None:
        board, now = self.board, time.monotonic()
        assert isinstance(board, ChipBoard)
        if self._plug_at is not None and now >= self._plug_at:
            self.plug_in()
        self.line.pump_in(now)
        if board.running:
            self._serve_usb()
            self.chip.run(SLICE_US)
            board.cut_if_torn()
        else:
            board.step_off(OFF_STEP_US)
            self.tap.restart()
            self._unsent.clear()
        self._give()
        self.line.pump_out(time.monotonic())
        ahead = self._pace.ahead(self.world.now_us)
        self._sleep(ahead if ahead > LEAST_SLEEP_SECONDS else 0.0, now)

    def _serve_usb(self) -> None:
        room = self.chip.room
        if room and self.line.plugged:
            self.chip.send(self.line.take(room))

    def _said(self, data: bytes) -> None:
        self._unsent += data

    def _give(self) -> None:
        """A host that is gone hears nothing; one that is slow gets it later."""
        if not self.line.plugged:
            self._unsent.clear()
        elif self._unsent:
            del self._unsent[: self.line.give(bytes(self._unsent))]

    def _told_since_over(self) -> bool:
        """By when it arrived: this controller's uptime begins when its program does, two seconds after its power."""
        return self._hello_tap.told_us >= self._over_us - TOLD_SLACK_US

    def status(self) -> dict[str, Any]:
        return {**super().status(), "cycles": self.chip.cycles, "emulated_s": self.chip.now_us / 1e6}
