"""Flashes an RP2040 in its bootloader so that an interruption can't leave something that starts half-made.

The boot sector is erased first and written last, after everything else was read back and found right. Cut off anywhere in
between, the controller finds no boot block at its next start and waits in its bootloader, where it can be flashed again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from tumbler.usb.devices import UsbProblem
from tumbler.usb.picoboot import Picoboot
from tumbler.usb.uf2 import FLASH, SECTOR, Image

Progress = Callable[[str, int, int], None]  # what is done now, sectors done, sectors in all


class FlashFailed(UsbProblem):
    """The controller does not hold the image; the message says why and that it is safe to try again."""


@dataclass(frozen=True)
class Flashed:
    sectors: int
    size: int
    sha256: str


def flash(boot: Picoboot, image: Image, progress: Progress = lambda what, done, total: None) -> Flashed:
    """Erases, writes and reads back every sector of the image, boot sector last; then starts it."""
    boot_sector = next(data for address, data in image.sectors if address == FLASH)
    others = [(address, data) for address, data in image.sectors if address != FLASH]
    total = len(image.sectors)
    done = 0
    try:
        boot.exclusive()
        boot.exit_xip()
        boot.erase(FLASH, SECTOR)
        for address, data in others:
            _write(boot, address, data)
            done += 1
            progress("writing", done, total)
        for at, (address, data) in enumerate(others, 1):
            _check(boot, address, data)
            progress("checking", at, total)
        _write(boot, FLASH, boot_sector)
        _check(boot, FLASH, boot_sector)
        progress("checking", total, total)
    except FlashFailed:
        raise
    except UsbProblem as error:
        raise FlashFailed(
            f"{error}; {done} of {total} sectors were written and the controller will not start from them: "
            "plug it in again and repeat the command"
        ) from error
    boot.reboot()
    digest = hashlib.sha256(b"".join(data for _, data in image.sectors)).hexdigest()
    return Flashed(total, image.size, digest)


def _write(boot: Picoboot, address: int, data: bytes) -> None:
    boot.erase(address, SECTOR)
    boot.write(address, data)


def _check(boot: Picoboot, address: int, data: bytes) -> None:
    read = boot.read(address, SECTOR)
    if read != data:
        at = next(i for i in range(SECTOR) if read[i] != data[i])
        raise FlashFailed(
            f"flash at {address + at:#010x} reads {read[at]:#04x} instead of {data[at]:#04x}: "
            "repeat the command; if it happens there again the flash is worn"
        )
