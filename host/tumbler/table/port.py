"""An open serial port on the event loop: bytes come by callback, writes take what the kernel takes.

pyserial opens and configures the port (exclusively, so that no second program steals bytes of a game); reading and
writing go through the descriptor and the loop's selector, so an idle port costs nothing. Not for frames: session.py.
"""

from __future__ import annotations

import asyncio
import errno
import os
import termios
from collections.abc import Callable

import serial

BAUD = 115200  # means nothing on USB or a pty; what the controller's UART runs at where it has one
READ_BYTES = 8192  # more than a pty or a USB driver holds


class PortError(Exception):
    """The port cannot be opened; the message says why and what to do next, `code` in one word."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def port_error(error: Exception, path: str) -> PortError:
    cause = error.__context__  # pyserial hides what the terminal said
    number = cause.args[0] if isinstance(cause, termios.error) else getattr(error, "errno", None)
    if number in (errno.ENOTTY, errno.EISDIR, errno.EINVAL):
        return PortError("not_serial", f"{path} is not a serial port; name the controller's port or usb:SERIAL")
    if number == errno.EACCES:
        text = f"{path}: permission denied; add the daemon's user to the port's group (see deploy/)"
        return PortError("denied", text)
    if number in (errno.EAGAIN, errno.EWOULDBLOCK, errno.EBUSY):
        return PortError("in_use", f"{path} is in use by another program; only one may hold a table")
    return PortError("closed", f"{path} cannot be opened: {os.strerror(number) if number else error}")


class Port:
    """Open until `close()` or until the device goes, which is told once through `on_lost`."""

    def __init__(self, path: str, on_bytes: Callable[[bytes], None], on_lost: Callable[[str], None]) -> None:
        self.path = path
        self._on_bytes = on_bytes
        self._on_lost = on_lost
        self._on_room: Callable[[], None] | None = None
        self._loop = asyncio.get_running_loop()
        try:
            self._serial = serial.Serial(path, BAUD, timeout=0, write_timeout=0, exclusive=True)
        except (serial.SerialException, OSError, ValueError) as error:
            raise port_error(error, path) from error
        self._fd: int = self._serial.fileno()
        self._loop.add_reader(self._fd, self._readable)

    @property
    def is_open(self) -> bool:
        return self._fd >= 0

    def write(self, data: bytes | bytearray | memoryview) -> int:
        """How many bytes the port took now; 0 when it is full or gone."""
        if self._fd < 0:
            return 0
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            self._lose(f"write failed: {os.strerror(error.errno or 0)}")
            return 0

    def when_room(self, callback: Callable[[], None]) -> None:
        """Call once, as soon as the port takes bytes again."""
        if self._fd >= 0 and self._on_room is None:
            self._on_room = callback
            self._loop.add_writer(self._fd, self._writable)

    def close(self) -> None:
        if self._fd < 0:
            return
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        self._fd = -1
        self._on_room = None
        try:
            self._serial.close()
        except (serial.SerialException, OSError):
            # The device is gone and cannot say good-bye; the descriptor is free all the same.
            return

    def _writable(self) -> None:
        self._loop.remove_writer(self._fd)
        callback, self._on_room = self._on_room, None
        if callback is not None:
            callback()

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(f"read failed: {os.strerror(error.errno or 0)}")
            return
        if data:
            self._on_bytes(data)
        else:
            self._lose("the device hung up")

    def _lose(self, why: str) -> None:
        """Told from the loop, not from inside write(): whoever writes is in the middle of something."""
        if self._fd >= 0:
            self.close()
            self._loop.call_soon(self._on_lost, why)
