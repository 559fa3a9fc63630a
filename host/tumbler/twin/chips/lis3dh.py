"""LIS3DH, three-axis accelerometer on I2C, as its datasheet (DocID17530) has it: outputs, FIFO, self-test, interrupt 1.

It samples at its own data rate while time advances, so a FIFO that nobody empties overruns. Not here: why it moves.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable

from .i2c import I2cRegisters

Vector = tuple[float, float, float]

WHO_AM_I = 0x0F
CTRL1, CTRL2, CTRL3, CTRL4, CTRL5, CTRL6, REFERENCE, STATUS, OUT_X_L = range(0x20, 0x29)
OUT_Z_H = 0x2D
FIFO_CTRL, FIFO_SRC, INT1_CFG, INT1_SRC, INT1_THS, INT1_DURATION = range(0x2E, 0x34)
IDENTITY = 0x33
FIFO_DEPTH = 32
AUTO_INCREMENT = 0x80
WRITABLE = frozenset(
    (0x1E, 0x1F, *range(CTRL1, STATUS), FIFO_CTRL, INT1_CFG, INT1_THS, INT1_DURATION, *range(0x34, 0x40))
)
READABLE = WRITABLE | {0x07, *range(0x08, 0x10), *range(STATUS, OUT_Z_H + 1), FIFO_SRC, INT1_SRC, 0x35, 0x39}
RATE_HZ = (0, 1, 10, 25, 50, 100, 200, 400, 1600, 1344)
RANGE_G = (2, 4, 8, 16)
THRESHOLD_MG = (16, 32, 62, 186)  # one step of INT1_THS in each range
SELF_TEST_MG: Vector = (350.0, 350.0, 350.0)  # the datasheet allows 17 to 360 steps of 4 mg
HIGH_PASS_CORNER = 50.0  # output data rate over corner frequency, HPCF = 00


class Lis3dh(I2cRegisters):
    """`acceleration` gives g on the chip's axes, gravity included (a table at rest: 0, 0, 1)."""

    name = "LIS3DH"

    def __init__(self, address: int, acceleration: Callable[[], Vector], seed: int = 0) -> None:
        super().__init__(address)
        self._acceleration = acceleration
        self._random = random.Random(seed)
        self.noise_g = 0.002
        self.broken_cell = False  # fault: the moving mass is stuck, the self-test force does not shift it
        self._now_us = 0
        self.power_cycle()

    def power_cycle(self) -> None:
        self._reg = dict.fromkeys(READABLE, 0)
        self._reg[WHO_AM_I] = IDENTITY
        self._reg[CTRL1] = 0x07
        self._auto = False
        self._fifo: deque[tuple[int, int, int]] = deque(maxlen=FIFO_DEPTH)
        self._last = (0, 0, 0)
        self._slow: list[float] | None = None
        self._above = 0
        self._next_us: int | None = None

    def advance(self, now_us: int) -> None:
        """Take the samples that fall due. The world's acceleration is taken as constant over the step."""
        self._now_us = now_us
        rate = self._rate()
        if not rate:
            self._next_us = None
            return
        period = round(1_000_000 / rate)
        if self._next_us is None:
            self._next_us = now_us + period
        while self._next_us <= now_us:
            self._sample()
            self._next_us += period

    def _rate(self) -> int:
        code = self._reg[CTRL1] >> 4
        return RATE_HZ[code] if code < len(RATE_HZ) else 0

    def _range(self) -> int:
        return self._reg[CTRL4] >> 4 & 3

    def _step_mg(self) -> float:
        """Milli-g of one step of the left-aligned 16-bit output, before the low bits are cut to the resolution."""
        return (1.0, 2.0, 4.0, 12.0)[self._range()] / 16.0

    def _sample(self) -> None:
        g = (0.0, 0.0, 1.0) if self.broken_cell else self._acceleration()
        test = self._reg[CTRL4] >> 1 & 3
        sign = 0.0 if self.broken_cell else {1: 1.0, 2: -1.0}.get(test, 0.0)
        mg = [
            1000.0 * (a + self._random.gauss(0.0, self.noise_g)) + sign * s
            for a, s in zip(g, SELF_TEST_MG, strict=True)
        ]
        unused = 4 if self._reg[CTRL4] & 0x08 else 8 if self._reg[CTRL1] & 0x08 else 6
        cut = -1 << unused
        enabled = self._reg[CTRL1] & 7
        raw = [
            round(max(-32768.0, min(32767.0, v / self._step_mg()))) & cut if enabled >> i & 1 else 0
            for i, v in enumerate(mg)
        ]
        self._last = (raw[0], raw[1], raw[2])
        self._reg[STATUS] = self._reg[STATUS] << 4 & 0xF0 | 0x0F
        if self._fifo_mode() and (self._fifo_mode() != 1 or len(self._fifo) < FIFO_DEPTH):
            self._fifo.append(self._last)
        self._watch(mg)

    def _fifo_mode(self) -> int:
        return self._reg[FIFO_CTRL] >> 6 if self._reg[CTRL5] & 0x40 else 0

    def _watch(self, mg: list[float]) -> None:
        """Interrupt 1: any or all of the chosen axes beyond the threshold for the duration; CTRL5 can latch it."""
        if self._slow is None:
            self._slow = list(mg)
        for i in range(3):
            self._slow[i] += (mg[i] - self._slow[i]) * 2.0 * 3.14159 / HIGH_PASS_CORNER
        if self._reg[CTRL2] & 0x01:
            mg = [v - s for v, s in zip(mg, self._slow, strict=True)]
        threshold = self._reg[INT1_THS] * THRESHOLD_MG[self._range()]
        source = 0
        for i, v in enumerate(mg):
            source |= (0x02 if abs(v) > threshold else 0x01) << 2 * i
        wanted = self._reg[INT1_CFG] & 0x3F
        met = source & wanted
        fires = met == wanted if self._reg[INT1_CFG] & 0x80 else bool(met)
        self._above = self._above + 1 if wanted and fires else 0
        if self._above > self._reg[INT1_DURATION]:
            self._reg[INT1_SRC] = 0x40 | source
        elif not self._reg[CTRL5] & 0x08:
            self._reg[INT1_SRC] = source

    def _point(self, value: int) -> None:
        self._auto = bool(value & AUTO_INCREMENT)
        self._pointer = value & 0x7F

    def _after(self, pointer: int) -> int:
        if not self._auto:
            return pointer
        if pointer == OUT_Z_H and self._fifo_mode():
            return OUT_X_L  # so that one long read empties the FIFO
        return pointer + 1 & 0x7F

    def _store(self, register: int, value: int) -> None:
        if register not in WRITABLE:
            self.wrong_use.note(f"write to register 0x{register:02x}")
            return
        self._reg[register] = value
        if register == FIFO_CTRL and not value >> 6:
            self._fifo.clear()  # bypass mode empties it
        if register == CTRL1 and value & 0x08 and self._reg[CTRL4] & 0x08:
            self.wrong_use.note("low-power and high-resolution mode together")
        if register == CTRL1:
            self.advance(self._now_us)

    def _fetch(self, register: int) -> int:
        if register not in READABLE:
            self.wrong_use.note(f"read of register 0x{register:02x}")
            return 0
        if OUT_X_L <= register <= OUT_Z_H:
            return self._output(register - OUT_X_L)
        if register == FIFO_SRC:
            full = len(self._fifo) == FIFO_DEPTH
            return min(len(self._fifo), 31) | (0x40 if full else 0) | (0 if self._fifo else 0x20)
        value = self._reg[register]
        if register == INT1_SRC:
            self._reg[INT1_SRC] = 0
        return value

    def _output(self, offset: int) -> int:
        """Low byte then high byte of each axis; the last one read takes the sample out of the FIFO."""
        sample = self._fifo[0] if self._fifo_mode() and self._fifo else self._last
        value = sample[offset >> 1] & 0xFFFF
        if offset == 5:
            self._reg[STATUS] = 0
            if self._fifo_mode() and self._fifo:
                self._fifo.popleft()
        return value >> 8 if offset & 1 else value & 0xFF
