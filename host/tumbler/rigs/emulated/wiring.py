"""The twin's chips at the emulated RP2040's pins: levels, I2C, SPI, ADC, PWM and the lamps' waveform.

The same chips on the same pins as behind the twin's `machine`; only who speaks to them differs. Every access brings the
world to the emulator's time first, so that a chip never answers out of the past. Not for what the chips do (twin/chips).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tumbler.rigs.emulated.chip import HZ, Chip
from tumbler.twin.bus import I2cChip, SpiChip
from tumbler.twin.chips.ina219 import Ina219
from tumbler.twin.lines import MODE_IN, MODE_OUT, PINS, PULL_UP, Lines

LAMPS_PIN = 7
PWM_PIN = 8
FIRST_ADC_PIN = 26
FULL_DUTY = 65535
PWM_FUNCTION = 4

Sync = Callable[[], None]


class PinLines(Lines):
    """The nets, with the emulated pads on the controller's side of them."""

    def __init__(self, chip: Chip) -> None:
        super().__init__()
        self._chip = chip
        for gpio in range(PINS):
            if gpio not in chip.fast_outputs:
                chip.mcu.gpio[gpio].add_listener(self._follow(gpio))

    def _follow(self, gpio: int) -> Callable[[Any, Any], None]:
        from rp2040py.gpio_pin import GPIOPinState

        def changed(new: Any, _old: Any) -> None:
            if new in (GPIOPinState.HIGH, GPIOPinState.LOW):
                self.set_mode(gpio, MODE_OUT, 0, int(new))
            else:
                self.set_mode(gpio, MODE_IN, PULL_UP if new == GPIOPinState.INPUT_PULL_UP else 0, None)

        return changed

    def drive(self, gpio: int, level: int | bool | None) -> None:
        super().drive(gpio, level)
        self._chip.drive(gpio, None if level is None else bool(level))


class I2cWire:
    """One I2C controller: bytes of a transaction gathered into what the chips take."""

    def __init__(self, peripheral: Any, chips: dict[int, I2cChip], sync: Sync) -> None:
        from rp2040py.peripherals.i2c import I2CMode

        self._port, self._chips, self._sync = peripheral, chips, sync
        self._writing = I2CMode.WRITE
        self._chip: I2cChip | None = None
        self._out: bytearray | None = None
        self._words = b""
        peripheral.on_start = self._start
        peripheral.on_connect = self._connect
        peripheral.on_write_byte = self._write
        peripheral.on_read_byte = self._read
        peripheral.on_stop = self._stop

    def _flush(self) -> None:
        """What was written counts when the transaction ends or turns round."""
        if self._out is not None and self._chip is not None:
            self._chip.write(bytes(self._out))
        self._out = None

    def _start(self, _repeated: bool) -> None:
        self._flush()
        self._words = b""
        self._port.complete_start()

    def _connect(self, address: int, mode: Any) -> None:
        self._sync()
        self._chip = self._chips.get(address)
        there = self._chip is not None and self._chip.write(b"")
        if there and mode == self._writing:
            self._out = bytearray()
        self._port.complete_connect(there)

    def _write(self, value: int) -> None:
        if self._out is not None:
            self._out.append(value)
        self._port.complete_write(True)

    def _read(self, _more: bool) -> None:
        chip = self._chip
        if isinstance(chip, Ina219):  # its registers are words; a read of one byte would give the upper half again
            if not self._words:
                self._words = chip.read(2)
            value, self._words = self._words[:1], self._words[1:]
        else:
            value = chip.read(1) if chip is not None else b""
        self._port.complete_read(value[0] if value else 0xFF)

    def _stop(self) -> None:
        self._flush()
        self._port.complete_stop()


class SpiWire:
    """One SPI controller: every byte goes to the chip whose select line is low."""

    def __init__(self, peripheral: Any, chips: Sequence[tuple[int, SpiChip]], lines: Lines, sync: Sync) -> None:
        def transmit(value: int) -> None:
            back = 0
            for select, chip in chips:
                if not lines.level(select):
                    back = chip.exchange(bytes((value & 0xFF,)))[0]
            peripheral.complete_transmit(back)

        peripheral.on_transmit = transmit
        for select, _ in chips:
            lines.on_output(select, lambda level, _t: None if level else sync())


def wire_adc(chip: Chip, lines: Lines, sync: Sync) -> None:
    adc = chip.mcu.adc
    convert = adc.on_adc_read

    def read(channel: int) -> None:
        sync()
        adc.channel_values[channel] = lines.convert(FIRST_ADC_PIN + channel) >> 4
        convert(channel)

    adc.on_adc_read = read


def wire_pwm(chip: Chip, lines: Lines, sync: Sync) -> None:
    """The bridge averages; so frequency and duty are taken from the slice's registers whenever one is written."""
    pwm = chip.mcu.pwm
    write = pwm.write_uint32

    def written(offset: int, value: int) -> None:
        write(offset, value)
        sync()
        lines.set_pwm(PWM_PIN, *_pwm_of(chip))

    pwm.write_uint32 = written


def _pwm_of(chip: Chip) -> tuple[int, int]:
    """(frequency, duty of 65535) at the motor's pin; none while the pin is not the PWM's or the slice is off."""
    channel = chip.mcu.pwm.channels[PWM_PIN // 2 % 8]
    if not channel.csr & 1 or chip.mcu.gpio[PWM_PIN].function_select != PWM_FUNCTION:
        return 0, 0
    steps = channel.top + 1
    compare = channel.cc >> 16 if PWM_PIN & 1 else channel.cc & 0xFFFF
    divisor = (channel.div >> 4 & 0xFF or 256) + (channel.div & 0xF) / 16
    return round(HZ / divisor / steps), min(FULL_DUTY, round(compare * FULL_DUTY / steps))


def wire_lamps(chip: Chip, shown: Callable[[list[tuple[int, int, int]]], None]) -> Any:
    """Decoded from the waveform on the pin: a late or short pulse is a wrong colour here too."""
    from rp2040py.external.ws2812 import Ws2812

    decoder = Ws2812(gpio=LAMPS_PIN, on_pixels=lambda pixels: shown([(r, g, b) for r, g, b in pixels]))
    decoder.attach(chip.mcu)
    return decoder
