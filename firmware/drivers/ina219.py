"""INA219: current and voltage of the lamps' 5 V supply, so that a dead lamp is known. 0.1 ohm: up to 3.2 A.

The chip measures in its own time: after the lamps change, wait `settle_ms` before reading.
"""

from micropython import const

from drivers.registers import Registers

_CONFIG = const(0)
_BUS = const(2)
_CURRENT = const(4)
_CALIBRATION = const(5)

_SETTINGS = const(0x19D7)  # 16 V, 320 mV, bus 12 bits (0.53 ms), shunt mean of four (2.13 ms), continuous
_CALIBRATED = const(4096)  # 0.04096 / (0.1 mA a step * 0.1 ohm)
_STEPS_PER_MA = const(10)
_LEAST_MV = const(4500)
_MOST_MV = const(5500)


class Ina219:
    settle_ms = 6  # the conversion that the change fell into, and a whole one after it

    def __init__(self, i2c, address: int):
        self._registers = Registers(i2c, address)
        self.fault = ""

    def start(self) -> None:
        self._registers.write16(_CONFIG, _SETTINGS, False)
        self._registers.write16(_CALIBRATION, _CALIBRATED, False)

    def ma(self) -> int:
        steps = self._registers.read16(_CURRENT, False)
        if steps & 0x8000:
            steps -= 0x10000
        return steps // _STEPS_PER_MA

    def supply_mv(self) -> int:
        return (self._registers.read16(_BUS, False) >> 3) * 4

    def selftest(self) -> bool:
        """It answers, holds its settings, and the lamps' supply is there. `fault` says what failed."""
        self.fault = ""
        try:
            registers = self._registers
            if registers.read16(_CONFIG, False) != _SETTINGS or registers.read16(_CALIBRATION, False) != _CALIBRATED:
                self.start()  # it lost them with its supply; a reading now would be zero, so this test fails once
                self.fault = "lamp current: settings were lost"
            elif not _LEAST_MV <= self.supply_mv() <= _MOST_MV:
                self.fault = "lamp supply: %d mV" % self.supply_mv()
        except OSError:
            self.fault = "lamp current: no answer"
        return not self.fault
