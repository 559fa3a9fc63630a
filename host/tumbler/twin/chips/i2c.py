"""What the register chips on the I2C bus share: a pointer that a write sets and that moves on with every byte.

Not here: the bus itself (bus.py), what any register means (each chip's own file).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from .wrong_use import WrongUse


class I2cRegisters(ABC):
    """A chip of byte registers. A subclass says how the pointer moves and what reading and writing a register does."""

    name = "i2c"

    def __init__(self, address: int) -> None:
        self.address = address
        self.wrong_use = WrongUse(self.name)
        self.no_ack = False  # fault: the chip is gone from the bus
        self._pointer = 0

    def write(self, data: bytes) -> bool:
        """One write transaction; False where the chip does not acknowledge its address."""
        if self.no_ack:
            return False
        if data:
            self._point(data[0])
            for value in data[1:]:
                self._store(self._pointer, value)
                self._pointer = self._after(self._pointer)
        return True

    def read(self, n: int) -> bytes:
        """One read transaction of n bytes from where the pointer stands; empty where there is no acknowledge."""
        if self.no_ack:
            return b""
        out = bytearray()
        for _ in range(n):
            out.append(self._fetch(self._pointer))
            self._pointer = self._after(self._pointer)
        return bytes(out)

    def _point(self, value: int) -> None:
        self._pointer = value

    def _after(self, pointer: int) -> int:
        return pointer + 1

    @abstractmethod
    def _store(self, register: int, value: int) -> None:
        """The master writes a register."""

    @abstractmethod
    def _fetch(self, register: int) -> int:
        """The master reads a register."""
