"""The emulated RP2040's UART as a terminal sees it: on a pty, both ways. With `--rig emulated`."""

from __future__ import annotations

import os

import pytest
from tumbler.rigs.emulated.chip import Chip
from tumbler.rigs.emulated.image import littlefs
from tumbler.rigs.emulated.uartpty import UartPty
from tumbler.rigs.emulated.uf2 import NoUf2, find_uf2

pytestmark = [pytest.mark.xdist_group("quirks"), pytest.mark.timeout(300)]

LONGEST_US = 6_000_000
SLICE_US = 5_000
PROGRAM = b"""
import time
from machine import UART, Pin
port = UART(0, 115200, tx=Pin(0), rx=Pin(1))
port.write(b'table\\r\\n')
while True:
    got = port.read()
    if got:
        port.write(got.upper())
    time.sleep_ms(1)
"""


def test_a_terminal_on_its_pty_hears_the_chip_and_is_heard(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rig") != "emulated":
        pytest.skip("takes a minute: --rig emulated (make hil-emulated)")
    try:
        chip = Chip(find_uf2())
    except NoUf2 as error:
        pytest.skip(f"no emulated controller: {error}")
    chip.files = littlefs({"main.py": PROGRAM})
    uart = UartPty(chip)
    terminal = os.open(uart.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    chip.power_on()
    heard = b""
    asked = False
    while not heard.endswith(b"PAID 3\x03\n") and chip.now_us < LONGEST_US:
        chip.run(SLICE_US)
        uart.pump()
        try:
            heard += os.read(terminal, 100)
        except BlockingIOError:
            continue
        if heard == b"table\r\n" and not asked:
            asked = os.write(terminal, b"paid 3\x03\n") > 0  # raw: no byte of it means anything to the pty
    os.close(terminal)
    uart.close()
    assert heard == b"table\r\nPAID 3\x03\n"
