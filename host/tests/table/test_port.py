"""The port on a real pty: bytes both ways, partial writes, exclusive, and losing it."""

from __future__ import annotations

import asyncio
import os
import tty
from collections.abc import Iterator

import pytest
from tumbler.table.find import PortNotFound, UsbPort, find_port
from tumbler.table.port import Port, PortError


class Cable:
    """The far end of a pty."""

    def __init__(self) -> None:
        self.far, near = os.openpty()
        tty.setraw(near)
        self.path = os.ttyname(near)
        os.set_blocking(self.far, False)
        os.close(near)

    def unplug(self) -> None:
        if self.far >= 0:
            os.close(self.far)
            self.far = -1


@pytest.fixture
def cable() -> Iterator[Cable]:
    made = Cable()
    yield made
    made.unplug()


async def arrive(queue: asyncio.Queue[bytes], count: int) -> bytes:
    got = b""
    async with asyncio.timeout(5):
        while len(got) < count:
            got += await queue.get()
    return got


async def test_bytes_pass_both_ways(cable: Cable) -> None:
    came: asyncio.Queue[bytes] = asyncio.Queue()
    port = Port(cable.path, came.put_nowait, print)
    os.write(cable.far, b"hello")
    assert await arrive(came, 5) == b"hello"
    assert port.write(b"\x00\xff\x0a\x0d") == 4
    assert os.read(cable.far, 10) == b"\x00\xff\x0a\x0d"
    port.close()


async def test_a_full_port_takes_a_part_and_says_when_there_is_room(cable: Cable) -> None:
    port = Port(cable.path, print, print)
    data = memoryview(bytes(range(256)) * 1024)
    sent = 0
    while taken := port.write(data[sent:]):
        sent += taken
    assert 0 < sent < len(data)
    room = asyncio.Event()
    port.when_room(room.set)
    got = bytearray()
    far: asyncio.Queue[bytes] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    loop.add_reader(cable.far, lambda: far.put_nowait(os.read(cable.far, 65536)))
    async with asyncio.timeout(5):
        while sent < len(data):
            await room.wait()
            room.clear()
            while taken := port.write(data[sent:]):
                sent += taken
            port.when_room(room.set)
        while len(got) < len(data):
            got += await far.get()
    loop.remove_reader(cable.far)
    assert got == data
    port.close()


async def test_a_second_program_is_refused(cable: Cable) -> None:
    port = Port(cable.path, print, print)
    with pytest.raises(PortError, match="in use by another program"):
        Port(cable.path, print, print)
    port.close()
    Port(cable.path, print, print).close()


async def test_unplugging_is_told_once(cable: Cable) -> None:
    lost: asyncio.Queue[str] = asyncio.Queue()
    port = Port(cable.path, lambda data: None, lost.put_nowait)
    cable.unplug()
    async with asyncio.timeout(5):
        await lost.get()
    assert not port.is_open
    assert port.write(b"x") == 0
    await asyncio.sleep(0)
    assert lost.empty()


@pytest.mark.parametrize("path", ["/dev/null", "/nonexistent/port"])
async def test_what_is_no_port_is_refused_with_its_name(path: str) -> None:
    with pytest.raises(PortError, match=path):
        Port(path, print, print)


PICO = UsbPort("/dev/ttyACM0", 0x2E8A, 0x0005, "E661A")
OTHER_PICO = UsbPort("/dev/ttyACM1", 0x2E8A, 0x0005, "E661B")
PRINTER = UsbPort("/dev/ttyUSB0", 0x0403, 0x6001, "FT1")


@pytest.mark.parametrize(
    ("name", "there", "found"),
    [
        ("auto", [PRINTER, PICO], "/dev/ttyACM0"),
        ("usb:e661b", [PICO, OTHER_PICO], "/dev/ttyACM1"),
        ("usb:FT1", [PICO, PRINTER], "/dev/ttyUSB0"),
        ("/dev/null", [], "/dev/null"),
    ],
)
def test_port_is_found(name: str, there: list[UsbPort], found: str) -> None:
    assert find_port(name, lambda: there, list) == found


@pytest.mark.parametrize(
    ("name", "there", "boot", "said"),
    [
        ("auto", [], [], "no controller for auto; plugged in: nothing"),
        ("auto", [PRINTER], [], "usb:FT1 on /dev/ttyUSB0"),
        ("auto", [PICO, OTHER_PICO], [], "usb:E661A on /dev/ttyACM0, usb:E661B on /dev/ttyACM1"),
        ("usb:E661C", [PICO], ["RP2040 in its bootloader"], "RP2040 in its bootloader"),
        ("/dev/nonexistent", [], [], "/dev/nonexistent is not there"),
    ],
)
def test_a_port_that_is_not_there_is_said_so(name: str, there: list[UsbPort], boot: list[str], said: str) -> None:
    with pytest.raises(PortNotFound, match=said):
        find_port(name, lambda: there, lambda: boot)
