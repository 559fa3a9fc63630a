"""The wire between the firmware's `machine` and the twin, and the buses behind it: I2C, SPI, pixels, flash, entropy.

One request, one reply (frames in machine/tablebus.py, mirrored here). Every operation takes no table time; only WAIT does,
and that one belongs to twin.py, which turns time. Not for what a chip does: chips/ has one file for each.
"""

from __future__ import annotations

import errno
import hashlib
import select
import socket
import struct
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple, Protocol

from tumbler.twin.flash import Flash
from tumbler.twin.lines import Edge, Lines

REQUEST = struct.Struct("<BBHII")
REPLY = struct.Struct("<BBHIQII")
IRQ = struct.Struct("<BBHIQ")
FLAG_SERIAL = 1
FLAG_UNPLUGGED = 2
MOST_IRQS = 64
MOST_BYTES = 1 << 20  # a longer transfer is a defect of the firmware, not something to allocate for


class Op(IntEnum):
    BOOT = 1
    WAIT = 2
    PIN_MODE = 3
    PIN_OUT = 4
    PIN_IRQ = 5
    PWM = 6
    ADC = 7
    I2C = 8
    SPI = 9
    PIXELS = 10
    PORT_READ = 11
    PORT_WRITE = 12
    ENTROPY = 13
    WDT = 14
    RESET = 15
    FLASH_PROGRAM = 16
    FLASH_ERASE = 17


class SpiUse(IntEnum):
    """Low byte of `b` in an SPI request: which way the bytes go."""

    WRITE = 0
    READ = 1
    BOTH = 2


class I2cChip(Protocol):
    @property
    def address(self) -> int: ...
    def write(self, data: bytes) -> bool:
        """Take the bytes after the address; False when the chip does not acknowledge."""
        ...

    def read(self, n: int) -> bytes: ...


class SpiChip(Protocol):
    def select(self) -> None: ...
    def deselect(self) -> None: ...
    def exchange(self, out: bytes) -> bytes: ...


class Port(Protocol):
    """The controller's end of the serial line."""

    @property
    def waiting(self) -> int: ...
    @property
    def plugged(self) -> bool: ...
    def take(self, most: int) -> bytes: ...
    def give(self, data: bytes) -> int: ...


class Request(NamedTuple):
    op: Op
    a: int
    b: int
    c: int
    data: bytes


class Answer(NamedTuple):
    value: int = 0
    data: bytes = b""
    status: int = 0


class BusGone(Exception):
    """The firmware's process closed its end: it ended, was killed, or the twin cut its power."""


class Seed:
    """The twin's randomness by name: each (purpose, number) is its own stream, so that none disturbs another."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def bytes(self, n: int, *name: object) -> bytes:
        text = "/".join(str(part) for part in (self.seed, *name)).encode()
        out = b""
        while len(out) < n:
            out += hashlib.sha256(text + len(out).to_bytes(4, "little")).digest()
        return out[:n]

    def number(self, *name: object) -> int:
        return int.from_bytes(self.bytes(8, *name), "little")


class Bus:
    """Everything that the firmware can reach, except time."""

    def __init__(self, lines: Lines, flash: Flash, port: Port, seed: Seed, uid: bytes) -> None:
        self.lines = lines
        self.flash = flash
        self.port = port
        self.uid = uid
        self.reset_cause = 1
        self.boot = 0
        self.pixels: list[tuple[int, int, int]] = []
        self.on_pixels: list[Callable[[list[tuple[int, int, int]]], None]] = []
        self.on_watchdog: Callable[[int], None] = lambda _ms: None  # start with ms, feed with 0
        self.on_reset: Callable[[], None] = lambda: None
        self._seed = seed
        self._drawn: dict[int, int] = {}
        self._i2c: dict[tuple[int, int], I2cChip] = {}
        self._spi: dict[int, list[tuple[int, SpiChip]]] = {0: [], 1: []}
        self._table: dict[Op, Callable[[Request], Answer]] = {
            Op.BOOT: lambda _: Answer(data=bytes([self.reset_cause]) + self.uid),
            Op.PIN_MODE: self._pin_mode,
            Op.PIN_OUT: self._pin_out,
            Op.PIN_IRQ: self._pin_irq,
            Op.PWM: self._pwm,
            Op.ADC: lambda r: Answer(self.lines.convert(r.a)),
            Op.I2C: self._i2c_transfer,
            Op.SPI: self._spi_transfer,
            Op.PIXELS: self._show,
            Op.PORT_READ: self._port_read,
            Op.PORT_WRITE: self._port_write,
            Op.ENTROPY: self._entropy,
            Op.WDT: self._watchdog,
            Op.RESET: self._reset,
            Op.FLASH_PROGRAM: self._program,
            Op.FLASH_ERASE: self._erase,
        }

    # --- putting chips on it ------------------------------------------------------------------------------------

    def add_i2c(self, bus: int, chip: I2cChip) -> None:
        self._i2c[bus, chip.address] = chip

    def add_spi(self, bus: int, select_gpio: int, chip: SpiChip) -> None:
        """The chip is selected while its select line is low, and shares the bus's bytes with the others."""
        self._spi[bus].append((select_gpio, chip))
        self.lines.on_output(select_gpio, lambda level, _t: chip.deselect() if level else chip.select())

    def i2c_chips(self, bus: int) -> dict[int, I2cChip]:
        return {address: chip for (number, address), chip in self._i2c.items() if number == bus}

    def spi_chips(self, bus: int) -> Sequence[tuple[int, SpiChip]]:
        """Each with the line that selects it."""
        return self._spi[bus]

    def show(self, pixels: list[tuple[int, int, int]]) -> None:
        self.pixels = pixels
        for hook in self.on_pixels:
            hook(pixels)

    def booted(self, boot: int, reset_cause: int) -> None:
        """The microcontroller starts: new entropy, no pixels kept, its cause ready to be asked for."""
        self.boot = boot
        self.reset_cause = reset_cause
        self._drawn.clear()

    @property
    def boot_id(self) -> bytes:
        """What the first entropy(8) of this boot gives: the firmware makes its boot id of it, the truth file names it."""
        return self._seed.bytes(8, "entropy", self.boot, 8, 0)

    # --- operations ---------------------------------------------------------------------------------------------

    def answer(self, request: Request) -> Answer:
        return self._table[request.op](request)

    def _pin_mode(self, r: Request) -> Answer:
        value = r.b >> 9 & 1 if r.b & 0x100 else None
        self.lines.set_mode(r.a, r.b & 0xF, r.b >> 4 & 0xF, value)
        return Answer()

    def _pin_out(self, r: Request) -> Answer:
        self.lines.put_out(r.a, r.b)
        return Answer()

    def _pin_irq(self, r: Request) -> Answer:
        self.lines.set_trigger(r.a, r.b)
        return Answer()

    def _pwm(self, r: Request) -> Answer:
        self.lines.set_pwm(r.a, r.c, r.b)
        return Answer()

    def _i2c_transfer(self, r: Request) -> Answer:
        chip = self._i2c.get((r.a, r.b))
        if chip is None:
            return Answer(status=errno.EIO)
        if (r.data or not r.c) and not chip.write(r.data):
            return Answer(status=errno.EIO)
        return Answer(data=chip.read(r.c)) if r.c else Answer()

    def _spi_transfer(self, r: Request) -> Answer:
        use = SpiUse(r.b & 0xFF)
        out = bytes([r.b >> 8]) * r.c if use is SpiUse.READ else r.data
        back = bytes(len(out))
        for select_gpio, chip in self._spi[r.a]:
            if not self.lines.level(select_gpio):
                back = chip.exchange(out)
        return Answer() if use is SpiUse.WRITE else Answer(data=back)

    def _show(self, r: Request) -> Answer:
        grb = r.data
        self.show([(grb[i + 1], grb[i], grb[i + 2]) for i in range(0, len(grb) - 2, 3)])
        return Answer()

    def _port_read(self, r: Request) -> Answer:
        if not self.port.plugged:
            return Answer(status=errno.ENODEV)
        data = self.port.take(r.c)
        return Answer(len(data), data)

    def _port_write(self, r: Request) -> Answer:
        if not self.port.plugged:
            return Answer(status=errno.ENODEV)
        return Answer(self.port.give(r.data))

    def _entropy(self, r: Request) -> Answer:
        drawn = self._drawn.get(r.c, 0)
        self._drawn[r.c] = drawn + 1
        return Answer(data=self._seed.bytes(r.c, "entropy", self.boot, r.c, drawn))

    def _watchdog(self, r: Request) -> Answer:
        self.on_watchdog(r.c if r.a else 0)
        return Answer()

    def _reset(self, _: Request) -> Answer:
        self.on_reset()
        return Answer()

    def _program(self, r: Request) -> Answer:
        self.flash.program(r.b, r.c, r.data)
        return Answer()

    def _erase(self, r: Request) -> Answer:
        self.flash.erase(r.b)
        return Answer()


class Wire:
    """The socket to one run of the firmware."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)

    def ready(self, seconds: float) -> bool:
        """A request is there, or the other end is gone."""
        return bool(self._poll.poll(seconds * 1000.0))

    def fileno(self) -> int:
        return self._sock.fileno()

    def receive(self) -> Request:
        op, a, b, c, n = REQUEST.unpack(self._exactly(REQUEST.size))
        if n > MOST_BYTES or c > 0xFFFFFFFF:
            raise BusGone(f"the firmware's machine asked for a transfer of {n} bytes")
        return Request(Op(op), a, b, c, self._exactly(n) if n else b"")

    def reply(self, answer: Answer, lines: Lines, since_boot_us: int, port: Port, edges: Sequence[Edge] = ()) -> None:
        head = REPLY.pack(
            answer.status,
            FLAG_UNPLUGGED if not port.plugged else FLAG_SERIAL if port.waiting else 0,
            len(edges),
            lines.levels,
            since_boot_us,
            answer.value,
            len(answer.data) + IRQ.size * len(edges),
        )
        boot_us = lines.now_us - since_boot_us
        irqs = b"".join(IRQ.pack(e.gpio, e.level, 0, 0, max(0, e.t_us - boot_us)) for e in edges)
        try:
            self._sock.sendall(head + answer.data + irqs)
        except OSError as error:
            raise BusGone(str(error)) from error

    def _exactly(self, n: int) -> bytes:
        data = b""
        while len(data) < n:
            try:
                part = self._sock.recv(n - len(data))
            except OSError as error:
                raise BusGone(str(error)) from error
            if not part:
                raise BusGone("the firmware's process closed the bus")
            data += part
        return data

    def close(self) -> None:
        self._sock.close()
