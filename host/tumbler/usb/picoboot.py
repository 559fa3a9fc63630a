"""PICOBOOT: what an RP2040 in its bootloader does on request (RP2040 datasheet, 2.8.5). One request, one method.

Every request ends with an empty packet the other way; a refused one ends with a stall, and the status then says why. Not
here: what to write where (`flash`), which device (`devices`).
"""

from __future__ import annotations

import enum
import errno
import struct
from types import TracebackType
from typing import Any

import usb.core
import usb.util

from tumbler.usb.devices import UsbProblem, explain

MAGIC = 0x431F_D10B
COMMAND = struct.Struct("<IIBBHI16s")
STATUS = struct.Struct("<IIBB6x")
VENDOR_CLASS = 0xFF


class Request(enum.IntEnum):
    """Bit 7: data come from the controller."""

    EXCLUSIVE_ACCESS = 0x01
    REBOOT = 0x02
    FLASH_ERASE = 0x03
    WRITE = 0x05
    EXIT_XIP = 0x06
    ENTER_XIP = 0x07
    READ = 0x84


class Status(enum.IntEnum):
    OK = 0
    UNKNOWN_CMD = 1
    INVALID_CMD_LENGTH = 2
    INVALID_TRANSFER_LENGTH = 3
    INVALID_ADDRESS = 4
    BAD_ALIGNMENT = 5
    INTERLEAVED_WRITE = 6
    REBOOTING = 7
    UNKNOWN_ERROR = 8


INTERFACE_RESET, GET_STATUS = 0x41, 0x42
_TO_INTERFACE, _FROM_INTERFACE = 0x41, 0xC1
_TIMEOUT_MS = 3000
_EXCLUSIVE = 1


class PicobootError(UsbProblem):
    """The bootloader refused a request, or is gone. `unplugged` tells the two apart."""

    def __init__(self, text: str, *, unplugged: bool = False) -> None:
        super().__init__(text)
        self.unplugged = unplugged


def _status_name(code: int) -> str:
    return Status(code).name if code in Status._value2member_map_ else f"status {code}"


class Picoboot:
    """An open bootloader. Use it with `with`: leaving gives the device back to other programs."""

    def __init__(self, device: Any) -> None:
        self._device = device
        self._token = 0
        self._interface, self._out, self._in = self._endpoints()
        try:
            usb.util.claim_interface(device, self._interface)
            self._reset()
        except usb.core.USBError as error:
            raise self._gone("open", error) from error

    def __enter__(self) -> Picoboot:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        usb.util.dispose_resources(self._device)

    def _endpoints(self) -> tuple[int, int, int]:
        try:
            configuration = self._device[0]
        except usb.core.USBError as error:
            raise self._gone("open", error) from error
        for interface in configuration:
            ends = [e.bEndpointAddress for e in interface]
            if interface.bInterfaceClass == VENDOR_CLASS and len(ends) == 2:
                out = next((e for e in ends if not e & 0x80), None)
                back = next((e for e in ends if e & 0x80), None)
                if out is not None and back is not None:
                    return interface.bInterfaceNumber, out, back
        raise PicobootError("the device has no PICOBOOT interface; is it an RP2040 in its bootloader?")

    # Requests

    def exclusive(self) -> None:
        """Keeps the bootloader's drive from writing to the flash at the same time."""
        self._ask(Request.EXCLUSIVE_ACCESS, struct.pack("<B", _EXCLUSIVE))

    def release(self) -> None:
        self._ask(Request.EXCLUSIVE_ACCESS, struct.pack("<B", 0))

    def exit_xip(self) -> None:
        """Flash can be erased and written only while no code runs from it."""
        self._ask(Request.EXIT_XIP)

    def erase(self, address: int, size: int) -> None:
        self._ask(Request.FLASH_ERASE, struct.pack("<II", address, size))

    def write(self, address: int, data: bytes) -> None:
        self._ask(Request.WRITE, struct.pack("<II", address, len(data)), out=data)

    def read(self, address: int, size: int) -> bytes:
        return self._ask(Request.READ, struct.pack("<II", address, size), length=size)

    def reboot(self, delay_ms: int = 100) -> None:
        """Starts what is in flash."""
        self._ask(Request.REBOOT, struct.pack("<III", 0, 0, delay_ms))

    # How a request goes over the wire

    def _ask(self, request: Request, arguments: bytes = b"", *, out: bytes = b"", length: int = 0) -> bytes:
        self._token += 1
        size = len(out) or length
        head = COMMAND.pack(MAGIC, self._token, request, len(arguments), 0, size, arguments.ljust(16, b"\0"))
        back = b""
        try:
            self._device.write(self._out, head, _TIMEOUT_MS)
            if out:
                self._device.write(self._out, out, _TIMEOUT_MS)
            elif length:
                while len(back) < length:
                    piece = bytes(self._device.read(self._in, length - len(back), _TIMEOUT_MS))
                    if not piece:
                        break
                    back += piece
            if request & 0x80:
                self._device.write(self._out, b"", _TIMEOUT_MS)
            else:
                self._device.read(self._in, 64, _TIMEOUT_MS)
        except usb.core.USBError as error:
            raise self._refused(request, error) from error
        if len(back) != length:
            raise PicobootError(f"{request.name.lower()} gave {len(back)} bytes instead of {length}")
        return back

    def _refused(self, request: Request, error: usb.core.USBError) -> PicobootError:
        """Asks for the status of a request that stalled, and makes the interface usable again."""
        if error.errno != errno.EPIPE:
            return self._gone(request.name.lower(), error)
        try:
            raw = bytes(self._device.ctrl_transfer(_FROM_INTERFACE, GET_STATUS, 0, self._interface, 16, _TIMEOUT_MS))
            self._reset()
        except usb.core.USBError as second:
            return self._gone(request.name.lower(), second)
        if len(raw) < STATUS.size:
            return PicobootError(f"the bootloader refused {request.name.lower()} and gives no status")
        token, code, _, _ = STATUS.unpack_from(raw)
        text = _status_name(code) if token == self._token else "no status of this request"
        return PicobootError(f"the bootloader refused {request.name.lower()}: {text}")

    def _reset(self) -> None:
        """Ends what was under way and clears stalls."""
        for endpoint in (self._out, self._in):
            self._device.clear_halt(endpoint)
        self._device.ctrl_transfer(_TO_INTERFACE, INTERFACE_RESET, 0, self._interface, None, _TIMEOUT_MS)

    def _gone(self, what: str, error: usb.core.USBError) -> PicobootError:
        text = f"the bootloader failed at {what}: {explain(error)}"
        return PicobootError(text, unplugged=error.errno == errno.ENODEV)
