"""Which serial port a table's controller is on: a path as it stands, `usb:SERIAL`, or `auto` for the only one there.

Looked up anew at every connection, because a controller that was plugged in again may have another name. Not for
opening it: port.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from serial.tools import list_ports

from tumbler.usb.devices import KNOWN, Mode, UsbProblem, controllers


class PortNotFound(Exception):
    """There is no such port now; the message says what was looked for and what is there instead."""


@dataclass(frozen=True)
class UsbPort:
    device: str
    vendor: int
    product: int
    serial: str

    def __str__(self) -> str:
        return f"usb:{self.serial or '?'} on {self.device}"


def usb_ports() -> list[UsbPort]:
    """Every USB serial port of this machine."""
    return [
        UsbPort(port.device, port.vid, port.pid, port.serial_number or "")
        for port in list_ports.comports()
        if port.vid is not None and port.pid is not None
    ]


def waiting_in_bootloader() -> list[str]:
    """Controllers that are plugged in but run no firmware; only to say so in a message."""
    try:
        return [str(found) for found in controllers() if found.mode is Mode.BOOTLOADER]
    except UsbProblem:  # no libusb, or no USB at all: nothing to add to the message
        return []


def find_port(
    name: str,
    ports: Callable[[], Iterable[UsbPort]] = usb_ports,
    bootloaders: Callable[[], list[str]] = waiting_in_bootloader,
) -> str:
    """The path to open for a port name of the configuration; PortNotFound when there is none or more than one."""
    if name != "auto" and not name.startswith("usb:"):
        if not os.path.exists(name):
            raise PortNotFound(f"{name} is not there; is the controller plugged in and powered?")
        return name
    there = sorted(ports(), key=str)
    if name == "auto":
        found = [port for port in there if (port.vendor, port.product) in KNOWN]
    else:
        wanted = name.removeprefix("usb:").casefold()
        found = [port for port in there if port.serial.casefold() == wanted]
    if len(found) == 1:
        return found[0].device
    if found:
        raise PortNotFound(f'{name} fits {", ".join(map(str, found))}; name one of them as "usb:SERIAL"')
    others = [*map(str, there), *bootloaders()]
    raise PortNotFound(f"no controller for {name}; plugged in: {', '.join(others) if others else 'nothing'}")
