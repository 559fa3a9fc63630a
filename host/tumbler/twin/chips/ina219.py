"""INA219, current of the lamp supply over its shunt, as its datasheet (SBOS448) has it.

It measures in its own time: a register holds the last finished conversion, so a driver that lights a lamp and reads at
once reads the lamp dark. Current and power stay zero until the calibration register is written.
"""

from __future__ import annotations

from collections.abc import Callable

from .wrong_use import WrongUse

CONFIG, SHUNT, BUS, POWER, CURRENT, CALIBRATION = range(6)
CONFIG_RESET = 0x399F
CONFIG_RST = 0x8000
SHUNT_LSB_VOLTS = 10e-6
BUS_LSB_VOLTS = 4e-3
BUS_READY, BUS_OVERFLOW = 0x0002, 0x0001
# conversion time in microseconds by the four ADC bits: 9 to 12 bits, then 12 bits averaged over 2 to 128 samples
CONVERSION_US = (84, 148, 276, 532, 84, 148, 276, 532, 532, 1060, 2130, 4260, 8510, 17020, 34050, 68100)
GAIN_VOLTS = (0.040, 0.080, 0.160, 0.320)


class Ina219:
    """16-bit registers, most significant byte first; the pointer stays where the last write put it."""

    def __init__(self, address: int, shunt_ohms: float, amps: Callable[[], float], bus_volts: float = 5.0) -> None:
        self.address = address
        self.wrong_use = WrongUse("INA219")
        self.no_ack = False
        self.offset_amps = 0.0  # fault: a leak, or a sense that drifts
        self._shunt_ohms = shunt_ohms
        self._amps = amps
        self._bus_volts = bus_volts
        self._now_us = 0
        self.power_cycle()

    def power_cycle(self) -> None:
        self._config = CONFIG_RESET
        self._calibration = 0
        self._pointer = CONFIG
        self._shunt_raw = 0
        self._bus_raw = 0
        self._ready = False
        self._done_us = self._now_us + self._period_us()

    def advance(self, now_us: int) -> None:
        """Finish the conversions that ended by now; all that matters is the last one."""
        self._now_us = now_us
        period = self._period_us()
        if not period or now_us < self._done_us:
            return
        self._done_us += (1 + (now_us - self._done_us) // period) * period
        self._convert()

    def write(self, data: bytes) -> bool:
        if self.no_ack:
            return False
        if data:
            self._pointer = data[0]
        if len(data) >= 3:
            self._store(data[0], data[1] << 8 | data[2])
        elif len(data) == 2:
            self.wrong_use.note("write of one byte to a 16-bit register")
        return True

    def read(self, n: int) -> bytes:
        if self.no_ack:
            return b""
        value = self._fetch(self._pointer)
        return (value.to_bytes(2, "big") * (n // 2 + 1))[:n]

    def _store(self, register: int, value: int) -> None:
        if register == CONFIG:
            if value & CONFIG_RST:
                self.power_cycle()
                return
            self._config = value
            self._done_us = self._now_us + self._period_us()
        elif register == CALIBRATION:
            self._calibration = value & 0xFFFE  # bit 0 cannot be set
        else:
            self.wrong_use.note(f"write to register {register}")

    def _fetch(self, register: int) -> int:
        if register == CONFIG:
            return self._config
        if register == SHUNT:
            return self._shunt_raw & 0xFFFF
        if register == BUS:
            overflow = BUS_OVERFLOW if abs(self._current()) > 0x7FFF else 0
            return self._bus_raw << 3 | (BUS_READY if self._ready else 0) | overflow
        if register == POWER:
            self._ready = False  # reading power clears the conversion-ready flag
            return min(0xFFFF, abs(self._clamped()) * self._bus_raw // 5000)
        if register == CURRENT:
            if not self._calibration:
                self.wrong_use.note("current read before calibration: it is zero")
            return self._clamped() & 0xFFFF
        if register == CALIBRATION:
            return self._calibration
        self.wrong_use.note(f"read of register {register}")
        return 0

    def _current(self) -> int:
        return self._shunt_raw * self._calibration // 4096

    def _clamped(self) -> int:
        return max(-0x8000, min(0x7FFF, self._current()))

    def _period_us(self) -> int:
        """Shunt and bus one after the other; 0 where the mode bits say power-down or stopped."""
        mode = self._config & 0x7
        if mode in (0, 4):
            return 0
        shunt = CONVERSION_US[self._config >> 3 & 0xF] if mode & 1 else 0
        bus = CONVERSION_US[self._config >> 7 & 0xF] if mode & 2 else 0
        return shunt + bus

    def _convert(self) -> None:
        limit = GAIN_VOLTS[self._config >> 11 & 3]
        volts = (self._amps() + self.offset_amps) * self._shunt_ohms
        self._shunt_raw = round(max(-limit, min(limit, volts)) / SHUNT_LSB_VOLTS)
        self._bus_raw = round(self._bus_volts / BUS_LSB_VOLTS)
        self._ready = True
