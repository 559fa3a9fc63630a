"""Flashing by PICOBOOT against a bootloader that behaves as its datasheet says. Never a half-flashed success."""

from __future__ import annotations

import pytest
from tumbler.usb.devices import controllers
from tumbler.usb.flashing import FlashFailed, flash
from tumbler.usb.picoboot import Picoboot, PicobootError
from tumbler.usb.uf2 import FLASH, SECTOR, parse

from .bootrom import BootRom
from .fake_usb import FakeUsb, bootloader
from .uf2_maker import contents, firmware

PAGES = 40
SECTORS = 3


def _open(rom: BootRom) -> Picoboot:
    (one,) = controllers(FakeUsb(bootloader(model=rom)))
    return Picoboot(one.device)


def _starts(rom: BootRom) -> bool:
    """Whether the boot ROM would find something to start: a boot block that is not empty."""
    return bytes(rom.flash[:256]) != b"\xff" * 256 and bytes(rom.flash[:256]) == contents(PAGES)[:256]


def test_the_flash_holds_the_image_and_is_started() -> None:
    rom, shown = BootRom(), []
    image = parse("f", firmware(PAGES))
    with _open(rom) as boot:
        done = flash(boot, image, lambda what, n, total: shown.append((what, n, total)))
    assert bytes(rom.flash[: PAGES * 256]) == contents(PAGES)
    assert rom.flash[SECTORS * SECTOR] == 0xA5, "what the file does not name is left alone"
    assert rom.rebooted == (0, 0, 100)
    assert done.sectors == SECTORS
    assert shown[-1] == ("checking", SECTORS, SECTORS)
    assert [n for what, n, _ in shown if what == "writing"] == [1, 2]


def test_the_boot_sector_is_erased_first_and_written_last() -> None:
    rom = BootRom()
    with _open(rom) as boot:
        flash(boot, parse("f", firmware(PAGES)))
    touched = [(c, int.from_bytes(a[:4], "little")) for c, a in rom.log if c in (0x03, 0x05)]
    assert touched[0] == (0x03, FLASH)
    assert [c for c in touched if c == (0x05, FLASH)] == [touched[-1]]


@pytest.mark.parametrize("after", range(21))
def test_unplugged_at_any_moment_is_an_error_and_can_be_repeated(after: int) -> None:
    image = parse("f", firmware(PAGES))
    rom = BootRom(unplug_after=after)
    commands = len(_commands_of_a_whole_run())
    if after >= commands:
        return
    with pytest.raises((FlashFailed, PicobootError), match="unplugged"), _open(rom) as boot:
        flash(boot, image)
    if after > 2:  # from the erasing of the boot sector on, until it has been written
        assert not _starts(rom) or after >= commands - 2
    again = BootRom()
    again.flash[:] = rom.flash
    with _open(again) as boot:
        flash(boot, image)
    assert bytes(again.flash[: PAGES * 256]) == contents(PAGES)


def _commands_of_a_whole_run() -> list[tuple[int, bytes]]:
    rom = BootRom()
    with _open(rom) as boot:
        flash(boot, parse("f", firmware(PAGES)))
    return rom.log


def test_worn_flash_is_found_and_nothing_is_started() -> None:
    byte = next(i for i, b in enumerate(contents(PAGES)) if i > SECTOR and b & 1)
    rom = BootRom(worn=[FLASH + byte])
    with pytest.raises(FlashFailed, match=f"{FLASH + byte:#010x}"), _open(rom) as boot:
        flash(boot, parse("f", firmware(PAGES)))
    assert rom.rebooted is None
    assert not _starts(rom)


def test_a_refused_request_says_why_and_the_next_one_works() -> None:
    rom = BootRom()
    with _open(rom) as boot:
        boot.exclusive()
        boot.exit_xip()
        for ask, why in (
            (lambda: boot.erase(FLASH + 1, SECTOR), "BAD_ALIGNMENT"),
            (lambda: boot.erase(0x2000_0000, SECTOR), "INVALID_ADDRESS"),
            (lambda: boot.write(FLASH + 3, bytes(256)), "BAD_ALIGNMENT"),
            (lambda: boot.read(0, 16), "INVALID_ADDRESS"),
        ):
            with pytest.raises(PicobootError, match=why):
                ask()
        boot.release()
        with pytest.raises(PicobootError, match="INTERLEAVED_WRITE"):
            boot.write(FLASH, bytes(256))
        boot.exclusive()
        assert boot.read(FLASH, 300) == b"\xa5" * 300
        boot.reboot()
        with pytest.raises(PicobootError, match="REBOOTING"):
            boot.erase(FLASH, SECTOR)


def test_a_device_without_picoboot_and_one_without_permission_are_named() -> None:
    (one,) = controllers(FakeUsb(bootloader(vendor_interface=False)))
    with pytest.raises(PicobootError, match="no PICOBOOT interface"):
        Picoboot(one.device)
    (one,) = controllers(FakeUsb(bootloader(forbidden=True)))
    with pytest.raises(PicobootError, match="no permission"):
        Picoboot(one.device)
