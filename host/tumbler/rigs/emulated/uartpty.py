"""A UART of the emulated RP2040 on a pty: what a debug cable on its pins would be.

`pump()` moves what has come either way; whoever lets the chip run calls it. Not for the link to the host, which is USB and has the
twin's line with its faults (twin/line.py); nor for the UART's own registers: uart.py.
"""

from __future__ import annotations

import os
import pty
import tty

from tumbler.rigs.emulated.chip import Chip

READ_BYTES = 1024


class UartPty:
    """`path` is where a terminal opens it."""

    def __init__(self, chip: Chip, number: int = 0) -> None:
        self._master, self._slave = pty.openpty()  # the slave stays open here: a terminal that leaves is no hang-up
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)
        self._port = chip.mcu.uart[number]
        self._port.on_byte = self._said
        self._unsent = bytearray()

    def _said(self, byte: int) -> None:
        self._unsent.append(byte)

    def pump(self) -> None:
        try:
            if self._unsent:
                del self._unsent[: os.write(self._master, self._unsent)]
        except BlockingIOError:
            pass  # nobody reads: what does not fit waits
        try:
            self._port.host_send(os.read(self._master, READ_BYTES))
        except BlockingIOError:
            return  # nothing has come

    def close(self) -> None:
        os.close(self._master)
        os.close(self._slave)
