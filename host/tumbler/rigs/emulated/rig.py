"""The emulated table as a rig: `tumbler twin --emulated` in a process of its own, for the suite that a daemon takes part in.

The daemon lives in real time and the chip behind it: whatever is waited for here is given longer.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from tumbler.rigs.capability import Capability
from tumbler.rigs.emulated.uf2 import NoUf2, find_uf2
from tumbler.rigs.twin import TwinPlan, TwinRig


class EmulatedRig(TwinRig):
    name: ClassVar[str] = "emulated"
    capabilities: ClassVar[frozenset[Capability]] = frozenset(Capability) - {Capability.FAST}

    slowness: ClassVar[float] = 10.0  # at worst, on a busy machine without the fast emulator

    def __init__(self, plan: TwinPlan) -> None:
        # Real time at most: a chip that sleeps would otherwise leave the daemon's clock behind.
        super().__init__(dataclasses.replace(plan, speed=1.0, more=(*plan.more, "--emulated")))

    def absent(self) -> str:
        try:
            find_uf2()
        except NoUf2 as error:
            return f"no emulated controller: {error}"
        return ""

    def wait_spins(self, number: int, seconds: float = 60.0) -> None:
        super().wait_spins(number, seconds * self.slowness)

    def wait_played(self, seconds: float = 120.0) -> None:
        super().wait_played(seconds * self.slowness)
