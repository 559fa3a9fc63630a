"""Byte registers of a chip on I2C, with one more try when a transfer fails: the motor's brushes reach this bus.

A chip that stays away is an OSError for the caller; tries that were needed are counted, so that a bad cable is seen
before it breaks. Reads go into the caller's buffer: nothing is allocated.
"""

from micropython import const

_TRIES = const(3)


class Registers:
    def __init__(self, i2c, address):
        self._i2c = i2c
        self._address = address
        self._byte = bytearray(1)
        self._pair = bytearray(2)
        self.retries = 0

    def read_into(self, register: int, buffer) -> None:
        for left in range(_TRIES - 1, -1, -1):
            try:
                self._i2c.readfrom_mem_into(self._address, register, buffer)
                return
            except OSError:
                self.retries += 1
                if not left:
                    raise

    def write_from(self, register: int, buffer) -> None:
        for left in range(_TRIES - 1, -1, -1):
            try:
                self._i2c.writeto_mem(self._address, register, buffer)
                return
            except OSError:
                self.retries += 1
                if not left:
                    raise

    def read8(self, register: int) -> int:
        self.read_into(register, self._byte)
        return self._byte[0]

    def write8(self, register: int, value: int) -> None:
        self._byte[0] = value
        self.write_from(register, self._byte)

    def read16(self, register: int, low_first: bool) -> int:
        self.read_into(register, self._pair)
        pair = self._pair
        return pair[0] | pair[1] << 8 if low_first else pair[0] << 8 | pair[1]

    def write16(self, register: int, value: int, low_first: bool) -> None:
        pair = self._pair
        pair[0 if low_first else 1] = value & 0xFF
        pair[1 if low_first else 0] = value >> 8
        self.write_from(register, pair)
