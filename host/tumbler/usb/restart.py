"""Brings back a controller that runs but does not answer: a reset of its USB port, or into its bootloader and out again."""

from __future__ import annotations

import errno
from typing import Any

import serial
import usb.core
import usb.util

from tumbler.usb.devices import Controller, Mode, UsbProblem, explain
from tumbler.usb.picoboot import Picoboot

_TOUCH_BAUD = 1200  # opened and closed at this rate, MicroPython's USB serial port goes to the bootloader


def reset(controller: Controller) -> str:
    """What was done, in words. UsbProblem where it can't be done."""
    if controller.mode is Mode.BOOTLOADER:
        with Picoboot(controller.device) as boot:
            boot.reboot()
        return f"{controller.name} on port {controller.path} left its bootloader and starts what is in its flash"
    try:
        controller.device.reset()
    except usb.core.USBError as error:
        # A device that comes back with other descriptors counts as gone for libusb: it was reset all the same.
        if error.errno not in (errno.ENODEV, errno.ENOENT):
            raise UsbProblem(f"{controller} can't be reset: {explain(error)}") from error
    finally:
        usb.util.dispose_resources(controller.device)
    return f"{controller.name} on port {controller.path} was reset on its USB port"


def into_bootloader(port: str, open_port: Any = serial.Serial) -> None:
    """Asks a running controller into its bootloader through its serial port, also when its firmware no longer answers."""
    try:
        with open_port(port, _TOUCH_BAUD, timeout=1) as touched:
            touched.dtr = False
    except (OSError, serial.SerialException) as error:
        if getattr(error, "errno", None) not in (errno.EIO, errno.ENOTTY, errno.ENODEV):  # gone already: as wished
            raise UsbProblem(f"{port}: can't be opened ({error})") from error
