"""What a spin is, seen from outside: someone pressed SPIN, the crank was driven, the dice came to rest. And what spoilt it.

Watches the world only. A crank that turns without SPIN having been pressed (a self-test) is no spin. Not for the file
that the spins are written to: truth.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from tumbler.twin.lie import Throw, look
from tumbler.twin.world import World

ASKED_US = 2_000_000  # the crank follows SPIN within a chance delay that is shorter than this
SPIN_KEY = "spin"
NO_SPIN_KEY = "no_spin"
NO_MORE_BETS_KEY = "no_more_bets"


class Spoilt(Enum):
    """What happened to a spin besides the dice. In the order in which one is named."""

    POWER_CUT = "power_cut"
    RESTART = "restart"  # the controller stopped: it crashed, hung or was reset
    EXPOSED_EARLY = "exposed_early"
    CALLED = "called"
    MOTOR = "motor"  # it jammed: whether long enough to spoil the spin is the controller's to judge


NEVER_COUNTS = (Spoilt.POWER_CUT, Spoilt.RESTART, Spoilt.EXPOSED_EARLY, Spoilt.CALLED)


@dataclass
class PhysicalSpin:
    number: int
    boot: str
    boot_us: int
    start_us: int
    rest_us: int = 0
    turns: float = 0.0
    spoilt: set[Spoilt] = field(default_factory=set)
    throw: Throw | None = None

    @property
    def why_not(self) -> str | None:
        """None: every die lies flat after a spin that ran its course."""
        for reason in NEVER_COUNTS:
            if reason in self.spoilt:
                return reason.value
        lie = self.throw.why_not if self.throw is not None else None
        return lie.value if lie is not None else None


class SpinWatch:
    """`on_start` when the crank is first driven, `on_rest` when the dice lie still, `on_known` when they've been looked at."""

    def __init__(self, world: World, first: int, boot: Callable[[], tuple[str, int]]) -> None:
        self._world = world
        self._boot = boot
        self._asked_us: int | None = None
        self._begin_turns = 0.0
        self.count = first  # spins so far
        self.current: PhysicalSpin | None = None
        self.on_start: list[Callable[[PhysicalSpin], None]] = []
        self.on_rest: list[Callable[[PhysicalSpin], None]] = []
        self.on_known: list[Callable[[PhysicalSpin], None]] = []
        world.on_step.append(self._step)
        world.on_key.append(self._key)

    def spoil(self, reason: Spoilt) -> None:
        if self.current is not None:
            self.current.spoilt.add(reason)

    def _key(self, key: str) -> None:
        if key == SPIN_KEY:
            self._asked_us = self._world.now_us
        elif key == NO_SPIN_KEY:
            self.spoil(Spoilt.CALLED)

    def _step(self) -> None:
        world, spin = self._world, self.current
        if spin is None:
            asked = self._asked_us is not None and world.now_us - self._asked_us < ASKED_US
            if asked and world.driven:
                self._begin()
            return
        if not world.cover_closed:
            spin.spoilt.add(Spoilt.EXPOSED_EARLY)
        if world.chips.bridge.motor.seized and world.driven:
            spin.spoilt.add(Spoilt.MOTOR)
        if world.still:
            self._end(spin)

    def _begin(self) -> None:
        self._asked_us = None
        self.count += 1
        self._begin_turns = self._world.chips.bridge.motor.turns
        self.current = PhysicalSpin(self.count, *self._boot(), self._world.now_us)
        for hook in self.on_start:
            hook(self.current)

    def _end(self, spin: PhysicalSpin) -> None:
        for hook in self.on_rest:
            hook(spin)
        if not self._world.physics.at_rest:  # fate moved a die: it comes to rest first
            return
        self.current = None
        spin.rest_us = self._world.now_us
        spin.turns = abs(self._world.chips.bridge.motor.turns - self._begin_turns)
        spin.throw = look(self._world.physics)
        for hook in self.on_known:
            hook(spin)
