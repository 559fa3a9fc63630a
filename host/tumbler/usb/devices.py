"""Finds controllers by vendor, product, serial and port path, and tells a running one from one in its bootloader.

Not for their serial ports: `tumbler.table.find` does that. Not for what a bootloader can do: `picoboot`.
"""

from __future__ import annotations

import enum
import errno
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import usb.backend.libusb1
import usb.core
import usb.util


class Mode(enum.Enum):
    RUNNING = "running"
    BOOTLOADER = "bootloader"


# (vendor, product): what it is, and in which mode it shows itself like that
KNOWN = {
    (0x2E8A, 0x0005): ("Raspberry Pi Pico", Mode.RUNNING),
    (0x2E8A, 0x0003): ("RP2040", Mode.BOOTLOADER),
    (0x1209, 0xABD1): ("OpenMV", Mode.RUNNING),
    (0x37C5, 0x1204): ("OpenMV", Mode.RUNNING),
}


class UsbProblem(Exception):
    """Something about USB that a person can put right; the message says what and how."""


@dataclass(frozen=True)
class Controller:
    """A controller that is plugged in. `serial` is None where it could not be read; `trouble` says why."""

    vendor: int
    product: int
    name: str
    mode: Mode
    path: str
    serial: str | None
    trouble: str
    device: Any

    def __str__(self) -> str:
        serial = f"usb:{self.serial}" if self.serial else "serial unknown"
        note = f" ({self.trouble})" if self.trouble else ""
        return f"{self.name}, {self.mode.value}, {serial}, port {self.path}{note}"


def libusb() -> Any:
    """pyusb's libusb backend. Looked up by its file name where no linker cache is at hand, as in a small container."""
    found = usb.backend.libusb1.get_backend() or usb.backend.libusb1.get_backend(lambda _: "libusb-1.0.so.0")
    if found is None:
        raise UsbProblem("libusb is not installed; as root: apt-get install libusb-1.0-0")
    return found


def port_path(device: Any) -> str:
    """Bus and ports, as the kernel writes it: `1-1.4`. It stays the same when a device is plugged in again there."""
    ports = device.port_numbers or ()
    return f"{device.bus}-{'.'.join(map(str, ports)) or '0'}"


def explain(error: usb.core.USBError) -> str:
    """What a USB error means to a person."""
    meaning = {
        errno.EACCES: "no permission; install deploy/60-tumbler.rules and plug it in again, or run as root",
        errno.EPERM: "no permission; install deploy/60-tumbler.rules and plug it in again, or run as root",
        errno.ENODEV: "it was unplugged",
        errno.EBUSY: "another program uses it",
        errno.ETIMEDOUT: "it does not answer in time",
        errno.EPIPE: "it refuses the request",
    }
    return meaning.get(error.errno or 0, str(error))


def _serial(device: Any) -> tuple[str | None, str]:
    if not device.iSerialNumber:
        return None, "it has no serial number"
    try:
        return str(usb.util.get_string(device, device.iSerialNumber)), ""
    except usb.core.USBError as error:
        return None, explain(error)
    except ValueError:  # pyusb's word for a device whose string table can't be read without permission
        return None, explain(usb.core.USBError("access", None, errno.EACCES))


def controllers(backend: Any = None) -> list[Controller]:
    """Every controller on this machine's USB, in order of their port paths."""
    try:
        devices = usb.core.find(find_all=True, backend=backend or libusb())
        known = [d for d in devices if (d.idVendor, d.idProduct) in KNOWN]
    except usb.core.USBError as error:
        raise UsbProblem(f"USB can't be searched: {explain(error)}") from error
    found = []
    for device in known:
        name, mode = KNOWN[(device.idVendor, device.idProduct)]
        serial, trouble = _serial(device)
        row = Controller(device.idVendor, device.idProduct, name, mode, port_path(device), serial, trouble, device)
        found.append(row)
    return sorted(found, key=lambda c: c.path)


def pick(
    there: Iterable[Controller],
    *,
    serial: str | None = None,
    path: str | None = None,
    mode: Mode | None = None,
    known_as: Callable[[Controller], str | None] = lambda controller: controller.serial,
) -> Controller:
    """The one controller that fits. UsbProblem when none does or more than one, naming what is there."""
    everything = list(there)
    fits = [
        c
        for c in everything
        if (serial is None or (known_as(c) or "").casefold() == serial.casefold())
        and (path is None or c.path == path)
        and (mode is None or c.mode is mode)
    ]
    if len(fits) == 1:
        return fits[0]
    wanted = [f"serial {serial}" if serial else "", f"port {path}" if path else "", mode.value if mode else ""]
    asked = ", ".join(word for word in wanted if word) or "any"
    if fits:
        raise UsbProblem(f"{len(fits)} controllers fit ({asked}): {'; '.join(map(str, fits))}. Name one by --path")
    seen = "; ".join(map(str, everything)) or "none"
    raise UsbProblem(f"no controller fits ({asked}); plugged in: {seen}")
