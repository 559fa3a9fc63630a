"""A table without a controller: dome, chips and pins, driven by the test; and waiting for what another process does."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tumbler.twin.bus import Bus, Seed
from tumbler.twin.chips.dice import DiceSet
from tumbler.twin.chips.table import PWM, TableChips
from tumbler.twin.flash import Flash
from tumbler.twin.line import Line
from tumbler.twin.lines import Lines
from tumbler.twin.physics import Physics
from tumbler.twin.spinwatch import PhysicalSpin, SpinWatch
from tumbler.twin.world import World

PWM_HZ = 20_000
HALF_DUTY = 45_000
SECOND = 1_000_000


@dataclass
class Bare:
    """The table as the firmware's pins reach it; the test drives the pins."""

    world: World
    chips: TableChips
    watch: SpinWatch
    spins: list[PhysicalSpin]

    def drive(self, seconds: float) -> None:
        self.world.lines.set_pwm(PWM, PWM_HZ, HALF_DUTY)
        self.world.advance(round(seconds * SECOND))
        self.world.lines.set_pwm(PWM, PWM_HZ, 0)

    def spin(self, seconds: float = 1.0) -> None:
        self.world.press("spin", 80_000)
        self.world.advance(100_000)
        self.drive(seconds)

    def rest(self) -> None:
        for _ in range(60):
            self.world.advance(100_000)
            if self.world.still:
                return
        raise AssertionError("the dice did not come to rest in six seconds")


def bare_table(folder: Path, flash: Flash) -> Bare:
    lines = Lines()
    bus = Bus(lines, flash, Line(folder / "link", 1), Seed(1), bytes(8))
    world = World(lines, Physics(3, random.Random(1)))
    chips = TableChips(bus, world, DiceSet.made_from(1, 4), 1)
    world.attach(chips)
    watch = SpinWatch(world, 0, lambda: ("00", 0))
    known: list[PhysicalSpin] = []
    watch.on_known.append(known.append)
    return Bare(world, chips, watch, known)


def wait_until(what: Callable[[], Any], seconds: float = 20.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (seen := what()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)  # another process does it; nothing tells when
    return seen
