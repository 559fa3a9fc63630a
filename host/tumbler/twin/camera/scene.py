"""What the camera of a running table looks at: its dice as they lie now, under its own lamp, dark while the cover is down.

One Fitting for the life of the table, new Conditions each time the cover is lifted, new noise in each frame; all from the
seed. The chip model asks for a frame only when the firmware takes one, so a table that reads by tags pays nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tumbler.twin.chips.dice import DicePoses

from .dieset import DieSet
from .difficulty import NORMAL, Conditions, Difficulty
from .render import render
from .staged import Lie, stage


class Seen(Protocol):
    @property
    def dice(self) -> DicePoses: ...
    @property
    def cover_closed(self) -> bool: ...


class TableScene:
    """Give it to TableChips as `scene`."""

    def __init__(self, world: Seen, die_set: DieSet, difficulty: Difficulty = NORMAL, seed: int = 0) -> None:
        self._world = world
        self._set = die_set
        self._difficulty = difficulty
        self._seed = seed
        self._rng = np.random.default_rng((seed, 7))
        self._fitting = difficulty.fit(self._rng)
        self._conditions = difficulty.draw(self._rng, self._fitting)
        self._was_covered = True

    @property
    def conditions(self) -> Conditions:
        return self._conditions

    def rehearsal(self, throws: int, dice: int) -> list[npt.NDArray[np.uint8]]:
        """Frames of so many throws that lie flat, at this very table: what a technician calibrates by. Changes nothing."""
        rng = np.random.default_rng((self._seed, 8))
        return [
            render(
                stage(Lie.FLAT, dice, rng).poses,
                self._set,
                self._difficulty.draw(rng, self._fitting),
                rng,
                colour=False,
            )
            for _ in range(throws)
        ]

    def __call__(self, colour: bool) -> npt.NDArray[np.uint8]:
        covered = self._world.cover_closed
        if self._was_covered and not covered:
            self._conditions = self._difficulty.draw(self._rng, self._fitting)
        self._was_covered = covered
        conditions = replace(self._conditions, covered=covered or self._conditions.covered)
        return render(list(self._world.dice), self._set, conditions, self._rng, colour=colour)
