"""LIS3DH: how the table moves, in thousandths of g. Samples gather in its FIFO, 200 a second, and are read in bursts.

The FIFO holds 160 ms; what falls out of it unread is still known to interrupt 1, which remembers a jolt. Nothing is
allocated after the start. Not here: how much motion is a good shake or a tamper (controller/).
"""

import time

from micropython import const

from drivers.registers import Registers

_WHO_AM_I = const(0x0F)
_CTRL1 = const(0x20)
_CTRL2 = const(0x21)
_CTRL4 = const(0x23)
_CTRL5 = const(0x24)
_OUT = const(0x28 | 0x80)  # the top bit lets the address move on in a burst
_FIFO_CTRL = const(0x2E)
_FIFO_SRC = const(0x2F)
_INT1_CFG = const(0x30)
_INT1_SRC = const(0x31)
_INT1_THS = const(0x32)
_INT1_DURATION = const(0x33)

_IDENTITY = const(0x33)
_200_HZ_XYZ = const(0x67)
_HIGH_PASS_INT1 = const(0x01)
_4G_HIGH_RES_BDU = const(0x98)
_2G_BDU = const(0x80)
_SELF_TEST = const(0x02)
_FIFO_ON_LATCH_INT1 = const(0x48)
_STREAM = const(0x80)
_BYPASS = const(0x00)
_ANY_AXIS_HIGH = const(0x2A)
_JOLT_STEPS = const(8)  # of 32 mg at 4 g
_IA = const(0x40)
_OVERRUN = const(0x40)
_DEPTH = const(32)

_MOTION_MG = const(80)  # change between two samples, summed over the axes; at rest it is below 20
_SETTLE_MS = const(90)  # of the self-test: the filter, then a few samples
_TEST_LEAST_MG = const(68)  # 17 and 360 steps of 4 mg
_TEST_MOST_MG = const(1440)


class Lis3dh:
    def __init__(self, i2c, address: int):
        self._registers = Registers(i2c, address)
        self._buffer = bytearray(6 * _DEPTH)
        view = memoryview(self._buffer)
        self._bursts = [view[: 6 * n] for n in range(_DEPTH + 1)]
        self._mg = [0, 0, 0]
        self._known = False
        self._active = 0
        self._peak = 0
        self.fault = ""

    def start(self) -> None:
        write = self._registers.write8
        write(_CTRL1, _200_HZ_XYZ)
        write(_CTRL2, _HIGH_PASS_INT1)
        write(_CTRL4, _4G_HIGH_RES_BDU)
        write(_CTRL5, _FIFO_ON_LATCH_INT1)
        write(_INT1_THS, _JOLT_STEPS)
        write(_INT1_DURATION, 0)
        write(_INT1_CFG, _ANY_AXIS_HIGH)
        write(_FIFO_CTRL, _BYPASS)
        write(_FIFO_CTRL, _STREAM)
        self._registers.read8(_INT1_SRC)
        self._known = False
        self._active = 0

    def read(self) -> list:
        """Newest x, y, z in mg. The list is the driver's own: it changes with the next call."""
        self._drain()
        return self._mg

    def activity(self) -> int:
        """Samples since the last call in which the table moved; a jolt that left the FIFO unread counts as one."""
        self._drain()
        active = self._active
        self._active = 0
        jolted = self._registers.read8(_INT1_SRC) & _IA  # reading it lets it forget
        return active or (1 if jolted else 0)

    def take_peak(self) -> int:
        """Largest change between two samples since the last call, in mg over the three axes."""
        peak = self._peak
        self._peak = 0
        return peak

    def _drain(self) -> None:
        source = self._registers.read8(_FIFO_SRC)
        count = _DEPTH if source & _OVERRUN else source & 0x1F
        if not count:
            return
        self._registers.read_into(_OUT, self._bursts[count])
        data, mg = self._buffer, self._mg
        for at in range(0, 6 * count, 6):
            change = 0
            for axis in range(3):
                value = data[at + 2 * axis] | data[at + 2 * axis + 1] << 8
                if value & 0x8000:
                    value -= 0x10000
                value = value * 2 >> 4  # 4 g: 2 mg a step of the left-aligned 12 bits
                change += abs(value - mg[axis])
                mg[axis] = value
            if change > _MOTION_MG and self._known:
                self._active += 1
                if change > self._peak:
                    self._peak = change
            self._known = True

    def selftest(self) -> bool:
        """Identity, then the test force: it must shift every axis by what the datasheet allows. Takes 0.2 s."""
        self.fault = ""
        try:
            self._test()
            self.start()
        except OSError:
            self.fault = "accelerometer: no answer"
        return not self.fault

    def _test(self) -> None:
        registers = self._registers
        if registers.read8(_WHO_AM_I) != _IDENTITY:
            self.fault = "accelerometer: not a LIS3DH"
            return
        registers.write8(_CTRL5, 0)
        registers.write8(_CTRL1, _200_HZ_XYZ)
        before = self._rest(_2G_BDU)
        after = self._rest(_2G_BDU | _SELF_TEST)
        for axis in range(3):
            if not _TEST_LEAST_MG <= after[axis] - before[axis] <= _TEST_MOST_MG:
                self.fault = "accelerometer: self-test force moves axis %d by %d mg" % (
                    axis,
                    after[axis] - before[axis],
                )

    def _rest(self, ctrl4: int) -> list:
        self._registers.write8(_CTRL4, ctrl4)
        time.sleep_ms(_SETTLE_MS)
        sums = [0, 0, 0]
        for _ in range(4):
            time.sleep_ms(6)
            self._registers.read_into(_OUT, self._bursts[1])
            for axis in range(3):
                value = self._buffer[2 * axis] | self._buffer[2 * axis + 1] << 8
                sums[axis] += (value - 0x10000 if value & 0x8000 else value) >> 4
        return [total // 4 for total in sums]
