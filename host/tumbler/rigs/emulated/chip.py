"""The emulated RP2040 with MicroPython in its flash: power, instructions, its USB serial port, its flash, its cycle counter.

Time here is the emulator's own and moves only in `run` and `idle`. Not for what hangs on the pins (wiring.py), nor for where
rp2040py is not like the real chip (quirks.py).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from typing import Any

from tumbler.rigs.emulated import quirks
from tumbler.rigs.emulated.quirks import Quirk
from tumbler.rigs.emulated.uf2 import Uf2

HZ = 125_000_000
NEVER_BATCH = 1
DEFAULT_UID = bytes.fromhex("e6614c311b2a7f20")


class Chip:
    """`on_bytes` gets what it says over USB; `send` says something to it; `on_boot` and `on_reset` tell of its starts."""

    def __init__(
        self,
        uf2: Uf2,
        *,
        uid: bytes = DEFAULT_UID,
        seed: int = 0,
        without: Collection[Quirk] = (),
        fast: Collection[int] = (),
    ) -> None:
        from rp2040py.boards import BOARDS, resolve_firmware
        from rp2040py.device.base_device import BaseDevice
        from rp2040py.execute_batch import execute_batch

        board = resolve_firmware(dataclasses.replace(BOARDS["pico"], extras=()), "micropython", str(uf2.path))
        if board.layout is None:
            raise RuntimeError("the emulator does not know where a Pico keeps its files")
        self.uf2, self.uid, self.seed = uf2, uid, seed
        self.fast_outputs = frozenset(fast)  # pins whose waveform is decoded, not followed
        self.drives_changes_only = False
        # BaseDevice and not MicroPythonDevice: that one types CR LF into the port as soon as it is there
        self.device: Any = BaseDevice(board=board)
        self.mcu: Any = self.device.mcu
        self.clock: Any = self.mcu.clock
        self._simulator: Any = self.device.simulator
        self._batch = execute_batch
        self._files = slice(
            board.layout.fs_start, board.layout.fs_start + board.layout.fs_blockcount * board.layout.fs_blocksize
        )
        self._quantum = self.clock.create_alarm(self.pause)
        self._levels: dict[int, bool] = {}
        self.powered = False
        self.on_bytes: Callable[[bytes], None] = lambda _data: None
        self.on_connected: Callable[[], None] = lambda: None
        self.on_bite: Callable[[bool], None] = lambda _starved: None
        self.device.cdc.on_serial_data = lambda data: self.on_bytes(bytes(data))
        self.device.cdc.on_device_connected = lambda: self.on_connected()
        self.mcu.watchdog.on_watchdog_trigger = self._bitten
        for quirk in Quirk:
            if quirk not in without:
                quirks.apply(self, quirk)

    # --- time -----------------------------------------------------------------------------------------------------------

    @property
    def now_us(self) -> int:
        return int(self.clock.nanos // 1000)

    @property
    def cycles(self) -> int:
        """Executed since it was built; sleeping costs none."""
        return int(self.mcu.core.cycles)

    def run(self, us: int) -> None:
        """So much emulated time at most; less where the emulator has had its slice of the wall clock (5 ms), or `pause`."""
        self._simulator.stopped = False
        self._quantum.schedule(us * 1000)
        self._batch(self._simulator, NEVER_BATCH)
        self._quantum.cancel()

    def pause(self) -> None:
        """End this run after the instruction under way."""
        self._simulator.stopped = True

    def idle(self, us: int) -> None:
        """Time passes without an instruction: the chip has no power."""
        self.clock.tick(us * 1000.0)

    def every(self, us: int, act: Callable[[], None]) -> None:
        def fire() -> None:
            alarm.schedule(us * 1000)
            act()

        alarm = self.clock.create_alarm(fire)
        alarm.schedule(us * 1000)

    # --- power ----------------------------------------------------------------------------------------------------------

    def power_on(self) -> None:
        from rp2040py.device.base_device import ResetCause

        self.powered = True
        self.device.hard_reset(cause=ResetCause.POWER_ON)

    def power_off(self) -> None:
        from rp2040py.device.base_device import ResetCause

        self.powered = False
        self.pause()
        self.device._enter_reset(ResetCause.POWER_ON)

    def hang(self) -> None:
        """The program stands where it is: a branch onto itself, in RAM that the firmware does not use, interrupts off."""
        core = self.mcu.core
        at = 0x2004_1FF0  # the end of the second core's scratch memory
        self.mcu.write_uint16(at, 0xE7FE)
        core.pc = at
        core.pm = True

    def _bitten(self) -> None:
        """Starved: the timer ran out. Otherwise the program asked for it (machine.reset)."""
        from rp2040py.device.base_device import ResetCause

        self.on_bite(bool(self.mcu.watchdog._reason & 1))
        self.pause()
        self.device.hard_reset(cause=ResetCause.WATCHDOG)

    # --- flash ----------------------------------------------------------------------------------------------------------

    @property
    def files_at(self) -> int:
        return int(self._files.start)

    @property
    def files(self) -> bytes:
        """The file system's part of the flash."""
        return bytes(self.mcu.flash[self._files])

    @files.setter
    def files(self, image: bytes) -> None:
        if len(image) != self._files.stop - self._files.start:
            raise ValueError(
                f"a flash image of {len(image)} bytes; the chip's file system has {self._files.stop - self._files.start}"
            )
        self.mcu.flash[self._files] = image

    # --- USB ------------------------------------------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        return bool(self.device.cdc._initialized)

    @property
    def room(self) -> int:
        """Bytes that the host's next packets can take."""
        fifo = self.device.cdc.tx_fifo
        return int(fifo.size - fifo.item_count) if self.connected else 0

    def send(self, data: bytes) -> None:
        for byte in data:
            self.device.cdc.send_serial_byte(byte)

    # --- pins -----------------------------------------------------------------------------------------------------------

    def drive(self, gpio: int, level: bool | None) -> None:
        """From outside; None lets the pin float to its pull."""
        pin = self.mcu.gpio[gpio]
        if level is None:
            self._levels.pop(gpio, None)
            pin.release_input()
        elif not self.drives_changes_only or self._levels.get(gpio) != level:
            self._levels[gpio] = level
            pin.set_input_value(level)
