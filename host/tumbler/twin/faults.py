"""What goes wrong, by the seed: each kind at its rate, drawn for each spin apart from all others, so that it repeats.

Kinds of play happen to the dice or by the dealer; of the board to its power, its flash, its program; of the line to its
bytes; the rest are chips that break for a while (chips/faults.py). Not for one fault on demand: commands.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import Protocol

from tumbler.twin.bus import Seed
from tumbler.twin.chips.faults import ChipFault
from tumbler.twin.dealer import Slip
from tumbler.twin.lie import look, upper_face
from tumbler.twin.physics import HALF, Physics, square, tilted
from tumbler.twin.spinwatch import PhysicalSpin
from tumbler.twin.world import World

COCKED_DEGREES = 14.0
COCKED_HEIGHT = HALF * (math.cos(math.radians(COCKED_DEGREES)) + math.sin(math.radians(COCKED_DEGREES)))
BETWEEN_DICE = 0.0005  # metres of air under a die that is set on another
SPOT_RADII = (0.0, 0.012, 0.02, 0.026)
SPOT_ANGLES = tuple(math.pi * i / 4 for i in range(8))
LEANING_NEAR = 0.75
WINDOW_US = 7_000_000  # of table time from the crank's start, in which a fault of the board or the line falls
CHIP_WINDOW_US = 2_500_000
MENDED_US = 9_000_000
FLASH_BYTES = 40_000  # about what a spin writes and erases


class PlayFault(Enum):
    COCKED = "cocked"
    LEANING = "leaning"
    STACKED = "stacked"
    MISSING = "missing"
    TOO_MANY = "too_many"


class BoardFault(Enum):
    POWER_CUT = "power_cut"
    FLASH_CUT = "flash_cut"  # the power fails inside a write or an erase
    CRASH = "crash"  # the firmware's process dies, the watchdog bites
    UNPLUG = "unplug"
    STALL = "stall"  # the host does not read for a while
    BUMP = "bump"  # someone knocks against the table


class LineFault(Enum):
    """Names of line.Noise's fields. `flip` is a rate a bit, the others a byte."""

    FLIP = "flip"
    DROP = "drop"
    INSERT = "insert"
    DOUBLE = "double"
    BURST = "burst"


Kind = PlayFault | Slip | BoardFault | LineFault | ChipFault
KINDS: dict[str, Kind] = {
    kind.value: kind for kinds in (PlayFault, Slip, BoardFault, LineFault, ChipFault) for kind in kinds
}


class Rig(Protocol):
    """What of the twin the faults need."""

    @property
    def world(self) -> World: ...
    def cause(self, fault: BoardFault, chance: float) -> None: ...
    def break_for(self, fault: ChipFault, us: int) -> None: ...


def lay(physics: Physics, fault: PlayFault, die: int = 0) -> None:
    """Let a die lie badly: what fate does now and then in the dome, done on purpose. All are at rest afterwards."""
    if fault is PlayFault.MISSING:
        physics.take_out(die)
    elif fault is PlayFault.TOO_MANY:
        physics.add_die()
    else:
        _lay_somewhere(physics, fault, die)
    if not physics.at_rest:
        physics.settle()


def _lay_somewhere(physics: Physics, fault: PlayFault, die: int) -> None:
    """Where there is room for it: spot after spot, until it lies as it should."""
    pose = physics.poses[die]
    attitude = square(upper_face(pose).face, math.atan2(pose.rotation[1][0], pose.rotation[0][0]))
    others = [other for other in range(physics.dice) if other != die and physics.present(other)]
    spots = [(r * math.cos(a), r * math.sin(a)) for r in SPOT_RADII for a in SPOT_ANGLES]
    for x, y in spots:
        if fault is PlayFault.COCKED:
            physics.place(die, (x, y, COCKED_HEIGHT), tilted(attitude, COCKED_DEGREES), wedged=True)
        elif fault is PlayFault.LEANING:
            at = physics.poses[others[0]].position
            beside = (at[0] + x * LEANING_NEAR, at[1] + y * LEANING_NEAR, COCKED_HEIGHT)
            physics.place(die, beside, tilted(attitude, COCKED_DEGREES), wedged=True)
        else:
            base = physics.poses[others[0]]
            turn = math.atan2(base.rotation[1][0], base.rotation[0][0])
            physics.place(others[0], (x, y, HALF), square(upper_face(base).face, turn))
            physics.place(die, (x, y, 3 * HALF + BETWEEN_DICE), attitude)
            physics.settle()
        lie = look(physics).why_not
        if lie is not None and lie.value == fault.value:
            return


class Faults:
    """Draws at the start of each spin and when its dice rest. `next` forces kinds on the next spin."""

    def __init__(self, seed: Seed, rates: Mapping[Kind, float], rig: Rig) -> None:
        self._seed = seed
        self._rates = dict(rates)
        self._rig = rig
        self._laid = 0
        self._drawn: set[Kind] = set()
        self.next: set[Kind] = set()
        self.done: dict[str, int] = {}

    def chance(self, *name: object) -> float:
        return self._seed.number("fault", *name) / 2.0**64

    def _falls(self, kind: Kind, spin: int) -> bool:
        rate = self._rates.get(kind, 0.0)
        return kind in self.next or bool(rate and self.chance(kind.value, spin) < rate)

    def set_rate(self, kind: Kind, rate: float) -> None:
        self._rates[kind] = rate

    def at_start(self, spin: PhysicalSpin) -> None:
        kinds = [kind for kind in KINDS.values() if not isinstance(kind, LineFault)]
        self._drawn = {kind for kind in kinds if self._falls(kind, spin.number)}
        self.next.clear()
        for kind in kinds:  # in the table's order: a set has none that repeats
            if kind not in self._drawn:
                continue
            self.done[kind.value] = self.done.get(kind.value, 0) + 1
            when = self.chance(kind.value, spin.number, "when")
            if isinstance(kind, BoardFault):
                self._later(kind, when, self.chance(kind.value, spin.number, "how"))
            elif isinstance(kind, ChipFault):
                self._break(kind, round(when * CHIP_WINDOW_US))

    def _later(self, fault: BoardFault, when: float, how: float) -> None:
        delay = 0 if fault is BoardFault.FLASH_CUT else round(when * WINDOW_US)
        self._rig.world.later(delay, lambda: self._rig.cause(fault, how))

    def _break(self, fault: ChipFault, after_us: int) -> None:
        self._rig.world.later(after_us, lambda: self._rig.break_for(fault, MENDED_US - after_us))

    def slip(self) -> Slip | None:
        return next((slip for slip in Slip if slip in self._drawn), None)

    def at_rest(self, spin: PhysicalSpin) -> None:
        if self._laid == spin.number:
            return  # once a spin: the die that was laid has come to rest
        self._laid = spin.number
        for fault in PlayFault:
            if fault in self._drawn:
                physics = self._rig.world.physics
                lay(physics, fault, spin.number % physics.expected)

    def tidy(self) -> None:
        """Before the next spin, as the dealer does: dice that are out come back, one that doesn't belong goes."""
        physics = self._rig.world.physics
        for die in range(physics.expected, physics.dice):
            if physics.present(die):
                physics.take_out(die)
        physics.put_back()
