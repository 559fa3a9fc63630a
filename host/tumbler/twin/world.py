"""The table around the chips: time, the dome and its crank, cover, door, keys; and whatever is to happen later.

Time moves only by `advance`, in steps of the physics while anything moves and in leaps while nothing does. The physics'
grid begins where the crank does, so when a spin is started changes nothing about the spin. Not for who does what when:
dealer.py, faults.py and commands.py use the hands here. Not for what a lie means (lie.py) or a spin is (spinwatch.py).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence

from tumbler.twin import dome
from tumbler.twin.chips.lis3dh import Vector
from tumbler.twin.chips.table import TableChips
from tumbler.twin.lines import Lines
from tumbler.twin.physics import CRANK_STILL, GRAVITY, Physics, Pose

STEP_US = round(dome.STEP * 1_000_000)
CHIPS_US = 2_000  # the accelerometer takes 400 samples a second at most
LEAP_US = 20_000
BOUNCE_US = 4_000  # contacts chatter for less
BOWL_LOAD = 0.04  # newton metres: bowl and bearing
DRIVEN = 0.001  # duty

Act = Callable[[], None]


class World:
    """What the chips see of the table (chips/table.py's Surroundings), and the hands that people have on it."""

    def __init__(self, lines: Lines, physics: Physics) -> None:
        self.lines = lines
        self.physics = physics
        self.cover_closed = True
        self.door_closed = True
        self.keys: set[str] = set()
        self.on_step: list[Act] = []  # after every step in which something moved
        self.on_key: list[Callable[[str], None]] = []
        self._chips: TableChips | None = None
        self._later: list[tuple[int, int, Act]] = []
        self._queued = 0
        self._grid_us: int | None = None
        self._bounce_until = 0
        self._bump: Vector = (0.0, 0.0, 0.0)
        self._rad_s = 0.0

    def attach(self, chips: TableChips) -> None:
        self._chips = chips

    @property
    def chips(self) -> TableChips:
        if self._chips is None:
            raise RuntimeError("the world has no chips yet: attach them first")
        return self._chips

    # --- what there is to see and hear --------------------------------------------------------------------------

    @property
    def now_us(self) -> int:
        return self.lines.now_us

    @property
    def dice(self) -> Sequence[Pose]:
        return self.physics.poses

    @property
    def acceleration(self) -> Vector:
        """In g on the table's axes, gravity included."""
        plate, knock, bump = self.physics.plate, self.physics.knock, self._bump
        return (
            (plate[0] + knock[0]) / GRAVITY + bump[0],
            (plate[1] + knock[1]) / GRAVITY + bump[1],
            (plate[2] + knock[2]) / GRAVITY + bump[2] + 1.0,
        )

    @property
    def motor_rpm(self) -> float:
        return self.chips.bridge.motor.rpm

    @property
    def driven(self) -> bool:
        return abs(self.chips.bridge.duty) > DRIVEN

    @property
    def crank_turns(self) -> bool:
        return abs(self.chips.bridge.motor.rad_s) > CRANK_STILL

    @property
    def still(self) -> bool:
        return self.physics.at_rest and not self.crank_turns and not self.driven

    # --- hands --------------------------------------------------------------------------------------------------

    def press(self, key: str, hold_us: int) -> None:
        self.hold(key)
        self.later(hold_us, lambda: self.release(key))

    def hold(self, key: str) -> None:
        self.keys.add(key)
        self._bounce_until = self.now_us + BOUNCE_US
        for hook in self.on_key:
            hook(key)

    def release(self, key: str) -> None:
        self.keys.discard(key)
        self._bounce_until = self.now_us + BOUNCE_US

    def cover(self, closed: bool) -> None:
        self.cover_closed = closed
        self._bounce_until = self.now_us + BOUNCE_US

    def door(self, closed: bool) -> None:
        self.door_closed = closed
        self._bounce_until = self.now_us + BOUNCE_US

    def bump(self, g: float, us: int) -> None:
        """Someone knocks against the table."""
        self._bump = (g, g / 2, g / 3)
        self._bounce_until = self.now_us + us
        self.later(us, self._unbump)

    def _unbump(self) -> None:
        self._bump = (0.0, 0.0, 0.0)

    # --- time ---------------------------------------------------------------------------------------------------

    def later(self, us: int, act: Act) -> None:
        """Once, so much table time from now; acts of one moment run in the order in which they were asked for."""
        self._queued += 1
        heapq.heappush(self._later, (self.now_us + us, self._queued, act))

    def advance(self, us: int) -> None:
        end = self.now_us + us
        while True:
            while self._later and self._later[0][0] <= self.now_us:
                heapq.heappop(self._later)[2]()
            if self.now_us >= end:
                return
            self._move(min(end, self._later[0][0]) if self._later else end)

    def _move(self, most_us: int) -> None:
        if self.still:
            if self._grid_us is not None:
                self._grid_us = None
                self._tell_step()  # a jammed crank that is no longer driven comes to rest between two steps
            leap = STEP_US if self.now_us < self._bounce_until else LEAP_US
            self.lines.now_us = min(most_us, self.now_us + leap)
            self.chips.advance(self.now_us)
            return
        if self._grid_us is None:
            self._grid_us = self.now_us
        if self._grid_us + STEP_US > most_us:
            self.lines.now_us = most_us
            return
        self._grid_us += STEP_US
        self.lines.now_us = self._grid_us
        self._step()

    def _step(self) -> None:
        chips = self.chips
        chips.step_motor(dome.STEP, BOWL_LOAD)
        motor = chips.bridge.motor
        turned = (motor.rad_s - self._rad_s) / dome.STEP
        self._rad_s = motor.rad_s
        self.physics.shake(motor.turns % 1.0 * 2.0 * math.pi, motor.rad_s, turned)
        if self.now_us % CHIPS_US < STEP_US:
            chips.advance(self.now_us)
        self._tell_step()

    def _tell_step(self) -> None:
        for hook in self.on_step:
            hook()
