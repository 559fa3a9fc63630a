"""MCP23017, 16 inputs and outputs on I2C, as its datasheet (DS20001952) has it, with IOCON.BANK = 0.

The pins are two callbacks: what the outside drives onto the inputs, and what the chip drives out. Not here: the keys.
"""

from __future__ import annotations

from collections.abc import Callable

from .i2c import I2cRegisters

IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON, GPPU, INTF, INTCAP, GPIO, OLAT = range(0x00, 0x16, 2)
LAST_REGISTER = 0x15
IOCON_BANK, IOCON_MIRROR, IOCON_SEQOP, IOCON_ODR, IOCON_INTPOL = 0x80, 0x40, 0x20, 0x04, 0x02
READ_ONLY = (INTF, INTCAP)
BOTH = 0xFFFF


class Mcp23017(I2cRegisters):
    """Ports are 16-bit here, A in the low byte. `set_inputs` is the outside world: None where nothing drives a pin."""

    name = "MCP23017"

    def __init__(
        self,
        address: int,
        interrupt: Callable[[bool], None] | None = None,
        outputs: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(address)
        self._interrupt = interrupt
        self._outputs = outputs
        self._driven = 0  # levels on the pins from outside, where the outside drives them
        self._floating = BOTH  # pins that nothing outside drives: pulled up, or of unknown level
        self.power_cycle()

    def power_cycle(self) -> None:
        self._reg = dict.fromkeys(range(0, LAST_REGISTER + 1, 2), 0)
        self._reg[IODIR] = BOTH
        self._pointer = 0
        self._seen = self._levels()
        self._put_interrupt()

    def set_inputs(self, low: int, high: int = 0) -> None:
        """Bits of `low` are tied to ground, bits of `high` to the supply, by whatever is outside."""
        self._driven = high & ~low & BOTH
        self._floating = BOTH & ~(low | high)
        self._compare()

    @property
    def driven_out(self) -> int:
        """Levels that the chip drives: output pins with a one in their latch."""
        return self._reg[OLAT] & ~self._reg[IODIR] & BOTH

    def _levels(self) -> int:
        """A pin that nothing drives reads one with its pull-up, and zero here without: a driver must not rely on it."""
        inputs = self._driven | (self._floating & self._reg[GPPU])
        outward = self._reg[OLAT] & ~self._reg[IODIR]
        return (inputs & self._reg[IODIR]) | (outward & BOTH & ~self._reg[IODIR])

    def _after(self, pointer: int) -> int:
        if self._reg[IOCON] & IOCON_SEQOP:
            return pointer ^ 1  # byte mode toggles between the ports of a pair
        return 0 if pointer >= LAST_REGISTER else pointer + 1

    def _store(self, register: int, value: int) -> None:
        if register > LAST_REGISTER:
            self.wrong_use.note(f"write to register 0x{register:02x}, the last is 0x{LAST_REGISTER:02x}")
            return
        pair, shift = register & ~1, 8 * (register & 1)
        if pair in READ_ONLY:
            self.wrong_use.note(f"write to read-only register 0x{register:02x}")
            return
        if pair == IOCON:
            if value & IOCON_BANK:
                self.wrong_use.note("IOCON.BANK set: the registers would move, this table leaves them paired")
                return
            self._reg[IOCON] = value
            self._put_interrupt()
            return
        target = OLAT if pair == GPIO else pair
        self._reg[target] = (self._reg[target] & ~(0xFF << shift)) | value << shift
        if target == IODIR and value & 0x80:
            # DS20001952D: GPA7 and GPB7 are outputs only; as inputs they can corrupt SDA while the port is read
            self.wrong_use.note(f"GP{'AB'[register & 1]}7 made an input")
        if target in (OLAT, IODIR) and self._outputs is not None:
            self._outputs(self.driven_out)
        self._compare()

    def _fetch(self, register: int) -> int:
        if register > LAST_REGISTER:
            self.wrong_use.note(f"read of register 0x{register:02x}, the last is 0x{LAST_REGISTER:02x}")
            return 0xFF
        pair, shift = register & ~1, 8 * (register & 1)
        if pair == GPIO:
            value = self._levels() ^ self._reg[IPOL] & self._reg[IODIR]
        elif pair == IOCON:
            return self._reg[IOCON]
        else:
            value = self._reg[pair]
        if pair in (GPIO, INTCAP):
            self._release(0xFF << shift)
        return value >> shift & 0xFF

    def _compare(self) -> None:
        """Interrupt on change: against the last value seen, or against DEFVAL where INTCON says so."""
        levels = self._levels()
        against = (self._seen & ~self._reg[INTCON]) | (self._reg[DEFVAL] & self._reg[INTCON])
        differs = (levels ^ against) & self._reg[GPINTEN] & self._reg[IODIR] & BOTH
        for half in (0x00FF, 0xFF00):
            if differs & half and not self._reg[INTF] & half:  # INTCAP keeps the first change until it is read
                self._reg[INTF] |= differs & half
                self._reg[INTCAP] = (self._reg[INTCAP] & ~half) | levels & half
        self._seen = levels
        self._put_interrupt()

    def _release(self, half: int) -> None:
        self._reg[INTF] &= ~half
        self._compare_default()
        self._put_interrupt()

    def _compare_default(self) -> None:
        if self._reg[INTCON] & self._reg[GPINTEN]:
            self._compare()

    def _put_interrupt(self) -> None:
        """INTA of a mirrored pair. Active low unless IOCON.INTPOL says high."""
        if self._interrupt is None:
            return
        watched = BOTH if self._reg[IOCON] & IOCON_MIRROR else 0x00FF
        active = bool(self._reg[INTF] & watched)
        self._interrupt(active == bool(self._reg[IOCON] & IOCON_INTPOL))
