"""The shaker's DC motor: how fast it turns and what it draws for a duty; the H-bridge, tachometer and sense around it.

`DcMotor` is pure mechanics of one shaft, without pins or time of its own: the physics steps it and reads rpm and phase.
`HBridge` is what the firmware's pins see of it. Not here: what the turning does to the dice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

SUPPLY_VOLTS = 24.0
PULSES_PER_TURN = 12
SENSE_VOLTS_PER_AMP = 0.5
SENSE_FULL_SCALE_VOLTS = 3.3
PWM_LOWEST_HZ = 15_000  # below it the motor whines audibly and the sense ripple is not filtered
PWM_HIGHEST_HZ = 100_000  # above it the bridge's dead time eats the pulse
STANDSTILL_RAD_S = 1e-3


@dataclass(frozen=True)
class MotorPlate:
    """What the maker prints on the plate. 24 V: 900 rpm free, 6 A stalled; a geared shaft with the bowl's inertia."""

    ohms: float = 4.0
    volts_per_rad_s: float = 24.0 / (900.0 * 2.0 * math.pi / 60.0)  # also newton metres an ampere
    inertia: float = 0.0026  # kg m2 at the shaft: with the values above 160 ms to 63 % of the speed
    friction: float = 0.10  # newton metres, the same at every speed: 0.4 A running free
    bridge_limit_amps: float = 6.5  # the bridge chops above it


class DcMotor:
    """One shaft. `step` moves it on; `rpm`, `amps` and `turns` say where it got to."""

    def __init__(self, plate: MotorPlate | None = None) -> None:
        self.plate = plate or MotorPlate()
        self.rad_s = 0.0
        self.turns = 0.0
        self.amps = 0.0
        self.seized = False

    @property
    def rpm(self) -> float:
        return self.rad_s * 60.0 / (2.0 * math.pi)

    def step(self, dt: float, duty: float, load: float = 0.0) -> None:
        """dt seconds at a duty of -1 to 1, against a load in newton metres that always brakes (the bowl, the dice).

        At no duty the bridge shorts the motor: it brakes on its own current, as a sign-magnitude bridge does.
        """
        plate = self.plate
        volts = SUPPLY_VOLTS * max(-1.0, min(1.0, duty))
        if self.seized:
            self.rad_s = 0.0
        else:
            self._turn(dt, volts * plate.volts_per_rad_s / plate.ohms, plate.friction + load)
        limit = plate.bridge_limit_amps
        self.amps = max(-limit, min(limit, (volts - plate.volts_per_rad_s * self.rad_s) / plate.ohms))

    def _turn(self, dt: float, drive: float, drag: float) -> None:
        """d(w)/dt = a - b w, solved exactly: any dt is stable, and the twin's pace cannot change a spin."""
        plate = self.plate
        b = plate.volts_per_rad_s**2 / (plate.ohms * plate.inertia)
        start = self.rad_s
        braking = max(-drag, min(drag, drive)) if abs(start) < STANDSTILL_RAD_S else math.copysign(drag, start)
        aim = (drive - braking) / (plate.inertia * b)
        end = aim + (start - aim) * math.exp(-b * dt)
        if start * end < 0.0 and abs(drive) <= drag:
            end = 0.0  # friction stops a shaft; it never turns it back
        self.rad_s = end
        self.turns += (start + end) * 0.5 * dt / (2.0 * math.pi)


class HBridge:
    """PWM and DIR in, tachometer edges and sense voltage out."""

    def __init__(self, motor: DcMotor, tach: Callable[[bool], None]) -> None:
        self.motor = motor
        self._tach = tach
        self._duty = 0.0
        self._forward = True
        self._half_pulses = 0
        self.load = 0.0
        self.tach_dead = False
        self.sense_open = False
        self.supply_volts = SUPPLY_VOLTS

    def on_pwm(self, freq: int, duty_u16: int, _t_us: int = 0) -> None:
        """Outside the bridge's frequencies its inputs see no clean pulse: it stays off."""
        usable = PWM_LOWEST_HZ <= freq <= PWM_HIGHEST_HZ
        self._duty = duty_u16 / 65535.0 if usable else 0.0

    def on_direction(self, level: int, _t_us: int = 0) -> None:
        self._forward = bool(level)

    @property
    def duty(self) -> float:
        return self._duty if self._forward else -self._duty

    def step(self, dt: float) -> None:
        """Move the shaft on and send the tachometer's edges that fall into this time, in order."""
        self.motor.step(dt, self.duty * self.supply_volts / SUPPLY_VOLTS, self.load)
        reached = math.floor(abs(self.motor.turns) * PULSES_PER_TURN * 2)
        while self._half_pulses != reached:
            self._half_pulses += 1 if reached > self._half_pulses else -1
            if not self.tach_dead:
                self._tach(bool(self._half_pulses & 1))

    def sense_volts(self) -> float:
        """Over the shunt between bridge and supply: it sees what is drawn, not what circulates while braking."""
        drawn = self.motor.amps * math.copysign(1.0, self.duty) if self.duty else 0.0
        if self.sense_open or drawn < 0.0:
            return 0.0
        return min(SENSE_FULL_SCALE_VOLTS, drawn * SENSE_VOLTS_PER_AMP)

    def supply_sense_volts(self) -> float:
        """The 24 V supply behind its 1:11 divider."""
        return min(SENSE_FULL_SCALE_VOLTS, self.supply_volts / 11.0)
