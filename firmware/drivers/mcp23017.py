"""MCP23017: sixteen more pins on I2C. Ports are one 16-bit word here, port A in the low byte.

GPA7 and GPB7 are never inputs: the datasheet (DS20001952D) allows them as outputs only, because a change on them during a
read can corrupt SDA. Not here: what hangs on the pins (panel.py).
"""

from micropython import const

from drivers.registers import Registers

_IODIR = const(0x00)
_GPINTEN = const(0x04)
_INTCON = const(0x08)
_IOCON = const(0x0A)
_GPPU = const(0x0C)
_GPIO = const(0x12)
_OLAT = const(0x14)
_MIRROR = const(0x40)  # INTA speaks for both ports
_OUTPUTS_ONLY = const(0x8080)


class Mcp23017:
    def __init__(self, i2c, address: int, inputs: int):
        """`inputs` get their pull-up and interrupt on every change; all other pins are outputs, low."""
        if inputs & _OUTPUTS_ONLY:
            raise ValueError("MCP23017: GPA7 and GPB7 can only be outputs")
        self._registers = Registers(i2c, address)
        self._inputs = inputs
        self._latch = 0

    def configure(self) -> None:
        registers = self._registers
        registers.write8(_IOCON, _MIRROR)
        registers.write16(_OLAT, self._latch, True)
        registers.write16(_GPPU, self._inputs, True)
        registers.write16(_INTCON, 0, True)
        registers.write16(_IODIR, self._inputs, True)
        registers.write16(_GPINTEN, self._inputs, True)

    def configured(self) -> bool:
        """False after a dip of the supply has put the chip back to its reset state."""
        return self._registers.read16(_IODIR, True) == self._inputs and self._registers.read8(_IOCON) == _MIRROR

    def read(self) -> int:
        """Levels of all pins; ends the interrupt of both ports."""
        return self._registers.read16(_GPIO, True)

    def put(self, bit: int, on: bool) -> None:
        latch = self._latch | 1 << bit if on else self._latch & ~(1 << bit)
        if latch != self._latch:
            self._registers.write16(_OLAT, latch, True)
            self._latch = latch

    @property
    def retries(self) -> int:
        return self._registers.retries
