"""The same board on MicroPython's unix port, with the twin behind `machine`. Only what has no pin differs from pico.py:
the serial port, the two clocks, the entropy, the thermometer, the bootloader and where the flash is mounted.

Table time is the twin's and moves only while the firmware waits; the wire's clock is real, because the host is.
"""

import tablebus

from boards import pico


class TableClock:
    def ms(self) -> int:
        return tablebus.ms()

    def wait(self, ms: int) -> None:
        tablebus.wait(ms)


class WireClock:
    def ms(self) -> int:
        return tablebus.wire_ms()


class TwinPort:
    """OSError while the cable is out."""

    def read_into(self, view) -> int:
        return tablebus.port_read_into(view)

    def write(self, view) -> int:
        return tablebus.port_write(view)


class Board(pico.Board):
    name = "twin"
    state_dir = "/flash"

    def _connect(self):
        return TableClock(), WireClock(), TwinPort()

    def entropy(self, n: int) -> bytes:
        return tablebus.entropy(n)

    def bootloader(self) -> None:
        self.reset()  # no drive appears here: the technician is as far as after a plain start
