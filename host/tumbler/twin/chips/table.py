"""All chips of one table on the pins that firmware/boards/pico.py says. What the twin builds, and what breaks (faults.py).

The world around them is asked, never told: where the dice lie, which keys are down, how the plate shakes. Time comes in by
`advance`. Not here: how the world moves, what the firmware makes of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from tumbler.twin.bus import Bus

from .arduchip import ArduChip
from .camera_lamp import CameraLamp
from .contact import Contact
from .dice import DicePoses, DiceSet
from .ina219 import Ina219
from .lis3dh import Lis3dh, Vector
from .mcp23017 import Mcp23017
from .motor import DcMotor, HBridge
from .ov2640 import Ov2640, Scene
from .panel import Panel
from .pn5180 import Pn5180
from .ws2812 import Ws2812Chain

I2C_BUS, SPI_BUS = 0, 0
CAMERA_I2C_BUS, CAMERA_SPI_BUS = 1, 1
EXPANDER_ADDRESS, ACCELEROMETER_ADDRESS, LAMP_SENSE_ADDRESS, CAMERA_ADDRESS = 0x20, 0x18, 0x40, 0x30
CAMERA_SELECT, CAMERA_LAMP = 13, 28
PANEL_INTERRUPT, PWM, DIRECTION = 6, 8, 9
COVER, DOOR = 14, 15
READER_SELECT, READER_BUSY, READER_RESET = 17, 20, 21
TACHOMETER, MOTOR_SENSE, SUPPLY_SENSE = 22, 26, 27
CORE_THERMOMETER, CORE_VOLTS = 30, 0.706  # the RP2040's own, behind the four pins of its converter; 27 degrees
LAMP_SHUNT_OHMS = 0.1
MOST_LAMPS = 160


class Surroundings(Protocol):
    """What the chips see of the world. `acceleration` is in g on the table's axes, gravity included."""

    @property
    def dice(self) -> DicePoses: ...
    @property
    def keys(self) -> Collection[str]: ...
    @property
    def cover_closed(self) -> bool: ...
    @property
    def door_closed(self) -> bool: ...
    @property
    def acceleration(self) -> Vector: ...


class TableChips:
    """Built once; lives through power cycles. A camera is fitted where there is a scene for it to see."""

    def __init__(
        self,
        bus: Bus,
        world: Surroundings,
        dice_set: DiceSet,
        seed: int = 0,
        lamps: int = MOST_LAMPS,
        scene: Scene | None = None,
    ) -> None:
        lines = bus.lines
        self._world = world
        self._lines = lines
        self._powered = True
        self.dice_set = dice_set
        self.bridge = HBridge(DcMotor(), lambda level: lines.drive(TACHOMETER, level))
        self.lamps = Ws2812Chain(lamps)
        self.lamp_sense = Ina219(LAMP_SENSE_ADDRESS, LAMP_SHUNT_OHMS, self.lamps.amps)
        self.accelerometer = Lis3dh(ACCELEROMETER_ADDRESS, lambda: world.acceleration, seed)
        self.expander = Mcp23017(EXPANDER_ADDRESS, lambda level: lines.drive(PANEL_INTERRUPT, level))
        self.panel = Panel(self.expander, seed)
        self.cover = Contact(lambda closed: lines.drive(COVER, not closed), seed + 1, world.cover_closed)
        self.door = Contact(lambda closed: lines.drive(DOOR, not closed), seed + 2, world.door_closed)
        self.reader = Pn5180(self._tags, lambda level: lines.drive(READER_BUSY, level))

        lines.drive(COVER, not world.cover_closed)
        lines.drive(DOOR, not world.door_closed)
        lines.drive(TACHOMETER, 0)
        lines.on_pwm(PWM, self.bridge.on_pwm)
        lines.on_output(DIRECTION, self.bridge.on_direction)
        lines.on_output(READER_RESET, self.reader.reset_line)
        lines.on_adc(MOTOR_SENSE, self.bridge.sense_volts)
        lines.on_adc(SUPPLY_SENSE, self.bridge.supply_sense_volts)
        lines.on_adc(CORE_THERMOMETER, lambda: CORE_VOLTS)
        bus.add_i2c(I2C_BUS, self.expander)
        bus.add_i2c(I2C_BUS, self.accelerometer)
        bus.add_i2c(I2C_BUS, self.lamp_sense)
        bus.add_spi(SPI_BUS, READER_SELECT, self.reader)
        bus.on_pixels.append(self.lamps.latch)
        self.camera_lamp = CameraLamp()
        lines.on_output(CAMERA_LAMP, self.camera_lamp.on_level)
        self.image_sensor: Ov2640 | None = None
        self.camera_fifo: ArduChip | None = None
        if scene is not None:
            self.image_sensor = Ov2640(CAMERA_ADDRESS, scene, self.camera_lamp)
            self.camera_fifo = ArduChip(self.image_sensor, seed)
            bus.add_i2c(CAMERA_I2C_BUS, self.image_sensor)
            bus.add_spi(CAMERA_SPI_BUS, CAMERA_SELECT, self.camera_fifo)

    def advance(self, now_us: int) -> None:
        """Everything but the motor moves on to this time of the table: contacts bounce, samples are taken."""
        self.camera_lamp.on_level(self._lines.level(CAMERA_LAMP), now_us)  # a reset lets the pin go
        self.panel.hold_at(self._world.keys, now_us)
        self.cover.move(self._world.cover_closed, now_us)
        self.door.move(self._world.door_closed, now_us)
        self.cover.advance(now_us)
        self.door.advance(now_us)
        if self._powered:
            self.accelerometer.advance(now_us)
            self.lamp_sense.advance(now_us)
            if self.camera_fifo is not None:
                self.camera_fifo.advance(now_us)

    def step_motor(self, dt: float, load: float = 0.0) -> None:
        """Apart from `advance`, because the physics turns the shaft in its own, finer steps."""
        self.bridge.load = load
        self.bridge.step(dt)

    def power(self, on: bool) -> None:
        """Off: lamps dark, bridge off. On: every chip as it comes out of its power-on reset."""
        self._powered = on
        self.bridge.on_pwm(0, 0)
        self.lamps.power_cycle()
        if on:
            self.expander.power_cycle()
            self.accelerometer.power_cycle()
            self.lamp_sense.power_cycle()
            self.reader.power_cycle()
            if self.image_sensor is not None and self.camera_fifo is not None:
                self.image_sensor.power_cycle()
                self.camera_fifo.power_cycle()

    @property
    def wrong_use(self) -> Sequence[str]:
        """What the firmware's drivers did to any chip that its datasheet forbids."""
        chips = (self.expander, self.accelerometer, self.lamp_sense, self.reader, self.image_sensor, self.camera_fifo)
        return [note for chip in chips if chip is not None for note in chip.wrong_use.notes]

    def _tags(self, drive: float) -> list[bytes]:
        return list(self.dice_set.in_reach(self._world.dice, drive))
