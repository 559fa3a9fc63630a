"""What rp2040py 0.3.6 does otherwise than an RP2040, each put right in one place. hil_tests/test_emulated_quirks.py has a test
for each that shows the defect with the correction left out.

`apply(chip, quirk)` changes the emulator's objects, never its files. What can't be put right stands in docs/hil.md.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tumbler.rigs.emulated.chip import Chip

ROSC_PAGE = 0x40060
ROSC_STATUS, ROSC_RANDOMBIT = 0x18, 0x1C
ROSC_STABLE = 1 << 31 | 1 << 12
OUT_AFTER_NS = 50_000  # a host's next OUT token, once it has something to say
UNIQUE_ID = 0x4B
UNIQUE_ID_AT = 5  # after the opcode and four bytes of nothing
PIN_OUTPUTS = range(30)


class Quirk(Enum):
    """Value: what goes wrong without the correction."""

    OUT_STORM = "an idle host sends empty OUT packets for ever, and the core never sleeps"
    SAME_LEVEL_EDGE = "a pin driven to the level it has counts as an edge"
    OUTPUT_READS_LOW = "an output reads back as low"
    NO_ENTROPY = "the oscillator's random bit is always one, so every boot draws the same numbers"
    NO_UNIQUE_ID = "the flash has no serial number: every board is the same one"
    PWM_WAVES = "every PWM period costs two callbacks, although nobody looks at the pin"
    IDLE_PIO = "state machines that nobody starts are looked at after every instruction"
    UART_STORM = "machine.UART() never leaves its transmit interrupt, and its baud is of another clock"


def apply(chip: Chip, quirk: Quirk) -> None:
    _CORRECTIONS[quirk](chip)


def _out_storm(chip: Chip) -> None:
    """A real host sends no OUT token without data. The armed endpoint waits here until there is some."""
    usb, cdc = chip.mcu.usb_ctrl, chip.device.cdc
    inner, came_reset, push = usb.on_endpoint_read, usb.on_reset, cdc.send_serial_byte
    armed: list[tuple[int, int]] = []
    due = False

    def fire() -> None:
        nonlocal due
        due = False
        if armed:
            inner(*armed.pop())

    alarm = chip.clock.create_alarm(fire)

    def wanted(endpoint: int, size: int) -> None:
        data_endpoint = endpoint == cdc._out_endpoint and endpoint > 0
        if data_endpoint and cdc.tx_fifo.empty:
            armed[:] = [(endpoint, size)]
        else:
            inner(endpoint, size)

    def send(byte: int) -> None:
        nonlocal due
        push(byte)
        if armed and not due:
            due = True
            alarm.schedule(OUT_AFTER_NS)

    def reset() -> None:
        armed.clear()
        came_reset()

    usb.on_endpoint_read, usb.on_reset, cdc.send_serial_byte = wanted, reset, send


def _same_level_edge(chip: Chip) -> None:
    chip.drives_changes_only = True


def _output_reads_low(chip: Chip) -> None:
    """Whoever drives the pad is what a read of it sees."""
    from rp2040py.gpio_pin import GPIOPinState

    def follow(pin: Any) -> Callable[[Any, Any], None]:
        def changed(new: Any, _old: Any) -> None:
            if new in (GPIOPinState.HIGH, GPIOPinState.LOW) and pin.index not in chip.fast_outputs:
                pin.set_input_value(new == GPIOPinState.HIGH)

        return changed

    for gpio in PIN_OUTPUTS:
        pin = chip.mcu.gpio[gpio]
        pin.add_listener(follow(pin))


def _no_entropy(chip: Chip) -> None:
    from rp2040py.peripherals.peripheral import BasePeripheral

    bits = random.Random(chip.seed)

    class RingOscillator(BasePeripheral):
        def read_uint32(self, offset: int) -> int:
            if offset == ROSC_RANDOMBIT:
                return bits.getrandbits(1)
            return ROSC_STABLE if offset == ROSC_STATUS else 0

        def write_uint32(self, offset: int, value: int) -> None:
            """Its speed is of no consequence here."""

    chip.mcu.peripherals[ROSC_PAGE] = RingOscillator(chip.mcu, "ROSC")


def _no_unique_id(chip: Chip) -> None:
    ssi = chip.mcu.ssi
    shift = ssi._shift_byte

    def answer(byte: int) -> int:
        back: int = shift(byte)
        at = len(ssi._tx_buffer) - 1 - UNIQUE_ID_AT
        if ssi._tx_buffer[0] == UNIQUE_ID and 0 <= at < len(chip.uid):
            return chip.uid[at]
        return back

    ssi._shift_byte = answer


def _pwm_waves(chip: Chip) -> None:
    """Duty and frequency are read from the registers (wiring.py)."""
    for channel in chip.mcu.pwm.channels:
        for alarm in (channel.alarm_a, channel.alarm_b, channel.alarm_bottom):
            alarm.enable = False
        write = channel.write_register

        def written(offset: int, value: int, channel: Any = channel, write: Any = write) -> None:
            write(offset, value)
            channel._update_double_buffered()  # there is no wrap at which it would happen

        channel.write_register = written


def _idle_pio(chip: Chip) -> None:
    """The firmware drives its lamps by machine.bitstream and starts no state machine: only a reset looks at them."""
    blocks, enter_reset = chip.mcu.pio, chip.device._enter_reset

    def reset(cause: Any) -> None:
        chip.mcu.pio = blocks
        enter_reset(cause)
        chip.mcu.pio = []

    chip.device._enter_reset = reset
    chip.mcu.pio = []


def _uart_storm(chip: Chip) -> None:
    from tumbler.rigs.emulated.uart import install

    for port in chip.mcu.uart:
        install(port, chip.clock)


_CORRECTIONS: dict[Quirk, Callable[[Chip], None]] = {
    Quirk.OUT_STORM: _out_storm,
    Quirk.SAME_LEVEL_EDGE: _same_level_edge,
    Quirk.OUTPUT_READS_LOW: _output_reads_low,
    Quirk.NO_ENTROPY: _no_entropy,
    Quirk.NO_UNIQUE_ID: _no_unique_id,
    Quirk.PWM_WAVES: _pwm_waves,
    Quirk.IDLE_PIO: _idle_pio,
    Quirk.UART_STORM: _uart_storm,
}
