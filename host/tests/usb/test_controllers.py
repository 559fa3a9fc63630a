"""Finding, naming and remembering controllers, on a USB of our own."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from tumbler.usb.devices import Mode, UsbProblem, controllers, pick
from tumbler.usb.identity import PortMemory
from tumbler.usb.restart import into_bootloader, reset

from .bootrom import BootRom
from .fake_usb import FakeUsb, Plugged, bootloader, running


def test_running_and_bootloader_are_told_apart_and_strangers_left_out() -> None:
    usb = FakeUsb(running("E66A", (1, 4)), bootloader((1, 2)), Plugged((0x1D6B, 2), "hub", (9,)))
    found = controllers(usb)
    assert [(c.path, c.mode, c.serial) for c in found] == [
        ("1-1.2", Mode.BOOTLOADER, "E0C9125B0D9B"),
        ("1-1.4", Mode.RUNNING, "E66A"),
    ]


def test_one_is_picked_by_serial_by_path_and_by_mode() -> None:
    there = controllers(FakeUsb(running("A1", (1,)), running("B2", (2,)), bootloader((3,))))
    assert pick(there, serial="b2").path == "1-2"
    assert pick(there, path="1-1").serial == "A1"
    assert pick(there, mode=Mode.BOOTLOADER).path == "1-3"


def test_none_and_two_alike_are_said_with_what_is_there() -> None:
    there = controllers(FakeUsb(bootloader((1,)), bootloader((2,))))
    with pytest.raises(UsbProblem, match=r"2 controllers fit .*port 1-1.*port 1-2.*--path"):
        pick(there, mode=Mode.BOOTLOADER)
    with pytest.raises(UsbProblem, match=r"no controller fits \(serial X\); plugged in: RP2040"):
        pick(there, serial="X")
    with pytest.raises(UsbProblem, match="plugged in: none"):
        pick([])


def test_missing_permission_is_said_and_not_raised() -> None:
    (one,) = controllers(FakeUsb(running("A1", forbidden=True)))
    assert one.serial is None
    assert "deploy/60-tumbler.rules" in one.trouble


def test_a_table_keeps_its_identity_through_the_bootloader_and_other_ports(tmp_path: Path) -> None:
    file = tmp_path / "state" / "ports.json"
    memory = PortMemory(file)
    memory.look(controllers(FakeUsb(running("A1", (1,)), running("B2", (2,)))))
    memory = PortMemory(file)  # the daemon was restarted
    there = controllers(FakeUsb(bootloader((2,)), running("A1", (3,))))
    memory.look(there)
    by_path = {c.path: memory.serial_of(c) for c in there}
    assert by_path == {"1-2": "B2", "1-3": "A1"}
    assert pick(there, serial="B2", known_as=memory.serial_of).mode is Mode.BOOTLOADER
    assert memory.serial_of(controllers(FakeUsb(bootloader((1,))))[0]) is None, "A1 has moved to port 3"


@pytest.mark.parametrize("text", ["{", "[]", '{"1-1": 7}'])
def test_a_damaged_memory_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "ports.json"
    file.write_text(text)
    with pytest.raises(UsbProblem, match=r"ports\.json.*remove it"):
        PortMemory(file)


def test_a_hung_controller_is_reset_and_a_bootloader_is_started() -> None:
    hung, waiting = running("A1", (1,)), bootloader((2,))
    there = controllers(FakeUsb(hung, waiting))
    assert "reset" in reset(pick(there, serial="A1"))
    assert hung.resets == 1
    reset(pick(there, mode=Mode.BOOTLOADER))
    assert isinstance(waiting.model, BootRom)
    assert waiting.model.rebooted is not None


def test_a_running_controller_is_asked_into_its_bootloader() -> None:
    asked: list[object] = []

    class Port:
        def __init__(self, port: str, baud: int, timeout: float) -> None:
            asked.extend((port, baud))

        def __enter__(self) -> Port:
            return self

        def __exit__(self, *error: object) -> None:
            raise OSError(errno.EIO, "gone, because it is in its bootloader now")

        dtr = True

    into_bootloader("/dev/ttyACM7", Port)
    assert asked == ["/dev/ttyACM7", 1200]
    with pytest.raises(UsbProblem, match="none-there"):
        into_bootloader("/dev/none-there")
