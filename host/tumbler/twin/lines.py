"""The controller's pins as nets: what the firmware drives, what the table drives, who wants to know, which edges interrupt.

Not for buses (bus.py) and not for what hangs on a pin (chips/).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

PINS = 30

MODE_IN = 0
MODE_OUT = 1
MODE_OPEN_DRAIN = 2
PULL_UP = 1
IRQ_FALLING = 4
IRQ_RISING = 8

OutputHook = Callable[[int, int], None]
PwmHook = Callable[[int, int, int], None]
AdcHook = Callable[[], float]


class Edge(NamedTuple):
    gpio: int
    level: int
    t_us: int


class Lines:
    """All pins. `now_us` is the table time that edges and hooks are stamped with; the world sets it."""

    def __init__(self) -> None:
        self.now_us = 0
        self.levels = 0  # what a read of each pin gives, bit n is GPn
        self.edges: list[Edge] = []
        self._mode = [MODE_IN] * PINS
        self._pull = [0] * PINS
        self._out = [0] * PINS
        self._driven: list[int | None] = [None] * PINS
        self._trigger = [0] * PINS
        self._on_output: dict[int, list[OutputHook]] = {}
        self._on_pwm: dict[int, list[PwmHook]] = {}
        self._on_adc: dict[int, AdcHook] = {}
        self._pwm: dict[int, tuple[int, int]] = {}

    # --- the table's side ---------------------------------------------------------------------------------------

    def level(self, gpio: int) -> int:
        return self.levels >> gpio & 1

    def drive(self, gpio: int, level: int | bool | None) -> None:
        """What the table puts on the pin; None lets it float to its pull."""
        self._driven[gpio] = None if level is None else int(bool(level))
        self._settle(gpio)

    def on_output(self, gpio: int, hook: OutputHook) -> None:
        """hook(level, t_us) whenever the level that the firmware puts out changes."""
        self._on_output.setdefault(gpio, []).append(hook)

    def on_pwm(self, gpio: int, hook: PwmHook) -> None:
        """hook(freq, duty_u16, t_us) whenever either changes."""
        self._on_pwm.setdefault(gpio, []).append(hook)

    def on_adc(self, gpio: int, hook: AdcHook) -> None:
        """hook() gives the volts at the pin when the firmware converts it."""
        self._on_adc[gpio] = hook

    # --- the firmware's side ------------------------------------------------------------------------------------

    def set_mode(self, gpio: int, mode: int, pull: int, value: int | None) -> None:
        self._mode[gpio] = mode
        self._pull[gpio] = pull
        if value is not None:
            self._out[gpio] = value
        self._settle(gpio)

    def put_out(self, gpio: int, level: int) -> None:
        self._out[gpio] = level
        self._settle(gpio)

    def set_trigger(self, gpio: int, trigger: int) -> None:
        self._trigger[gpio] = trigger

    def set_pwm(self, gpio: int, freq: int, duty_u16: int) -> None:
        if self._pwm.get(gpio) == (freq, duty_u16):
            return
        self._pwm[gpio] = (freq, duty_u16)
        for hook in self._on_pwm.get(gpio, ()):
            hook(freq, duty_u16, self.now_us)

    def convert(self, gpio: int) -> int:
        """A 12-bit conversion against 3.3 V, stretched to 16 bits as the RP2040's port does it."""
        hook = self._on_adc.get(gpio)
        volts = hook() if hook is not None else 0.0
        raw = max(0, min(4095, int(volts / 3.3 * 4096.0)))
        return raw << 4 | raw >> 8

    def take_edges(self, most: int) -> list[Edge]:
        taken, self.edges = self.edges[:most], self.edges[most:]
        return taken

    def reset(self) -> None:
        """The microcontroller restarts: every pin an input without pull, no PWM, no interrupt. The table's side stays."""
        self.edges.clear()
        for gpio in range(PINS):
            self._trigger[gpio] = 0
            self._pull[gpio] = 0
            self._mode[gpio] = MODE_IN
            self._settle(gpio)
        for gpio, (freq, duty) in list(self._pwm.items()):
            if duty:
                self.set_pwm(gpio, freq, 0)
        self._pwm.clear()

    # --- the nets -----------------------------------------------------------------------------------------------

    def _wanted(self, gpio: int) -> int:
        mode = self._mode[gpio]
        if mode == MODE_OUT:
            return self._out[gpio]
        if mode == MODE_OPEN_DRAIN and not self._out[gpio]:
            return 0
        driven = self._driven[gpio]
        return driven if driven is not None else int(self._pull[gpio] == PULL_UP)

    def _settle(self, gpio: int) -> None:
        level = self._wanted(gpio)
        if level == self.levels >> gpio & 1:
            return
        self.levels ^= 1 << gpio
        if self._trigger[gpio] & (IRQ_RISING if level else IRQ_FALLING):
            self.edges.append(Edge(gpio, level, self.now_us))
        if self._mode[gpio] == MODE_OUT:
            for hook in self._on_output.get(gpio, ()):
                hook(level, self.now_us)
