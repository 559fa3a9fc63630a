"""What the camera of a running table looks at: its dice as they lie now, under its own lamp, dark while the cover is down.

One Fitting for the life of the table, new Conditions each time the cover is lifted, new noise in each frame; all from the
seed. The chip model asks for a frame only when the firmware takes one, so a table that reads by tags pays nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tumbler.twin.chips.dice import FACE_NORMALS, FACES, DicePoses

from .dieset import DieSet
from .difficulty import NORMAL, Conditions, Difficulty
from .render import Pair, pair, render
from .staged import Lie, stage


class Seen(Protocol):
    @property
    def dice(self) -> DicePoses: ...
    @property
    def cover_closed(self) -> bool: ...


@dataclass(frozen=True)
class Shown:
    """A die as a technician lays it."""

    position: Any
    rotation: Any


@dataclass
class Age:
    """What years do to a table's camera: its lamp gives less light, its lens goes soft, dust gathers on its dome."""

    light: float = 1.0  # share of what the lamp gave
    blur: float = 0.0  # pixels of defocus beside the lens's own
    dust: int = 0

    def on(self, conditions: Conditions) -> Conditions:
        fitting = conditions.fitting
        focus = math.hypot(fitting.focus, self.blur)
        return replace(
            conditions,
            exposure=conditions.exposure * self.light,
            dust=conditions.dust + self.dust,
            fitting=replace(fitting, focus=focus),
        )


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
        self.age = Age()
        self._trouble: Difficulty | None = None

    @property
    def conditions(self) -> Conditions:
        return self._conditions

    def rehearsal(self, throws: int, dice: int) -> list[Pair]:
        """Frames of so many throws that lie flat, by one lamp and by the other, at this very table: what a technician
        calibrates by. Changes nothing."""
        rng = np.random.default_rng((self._seed, 8))
        return [
            pair(stage(Lie.FLAT, dice, rng).poses, self._set, self._difficulty.draw(rng, self._fitting), rng)
            for _ in range(throws)
        ]

    def shows(self, times: int, dice: int) -> list[list[npt.NDArray[np.uint8]]]:
        """In colour, of each face from 1 to 6: throws in which every die shows it, as a technician lays them."""
        rng = np.random.default_rng((self._seed, 9))
        return [[self._show(face, dice, rng) for _ in range(times)] for face in FACES]

    def _show(self, face: int, dice: int, rng: np.random.Generator) -> npt.NDArray[np.uint8]:
        up = np.array(FACE_NORMALS[face], dtype=np.float64)
        aside = np.roll(up, 1)
        across = np.cross(up, aside)
        poses: list[Shown] = []
        for pose in stage(Lie.FLAT, dice, rng).poses:
            turn = float(rng.uniform(0.0, 2.0 * np.pi))
            c, s = np.cos(turn), np.sin(turn)
            rows = (c * aside - s * across, s * aside + c * across, up)
            poses.append(Shown(pose.position, np.array(rows)))
        return render(poses, self._set, self._difficulty.draw(rng, self._fitting), rng, colour=True)

    def suffer(self, trouble: Difficulty | None) -> None:
        """Pictures as of this trouble (difficulty.py) from now on; None: as they were."""
        self._trouble = trouble
        self._conditions = self._drawn()

    def _drawn(self) -> Conditions:
        if self._trouble is None:
            return self._difficulty.draw(self._rng, self._fitting)
        worse = self._trouble.fit(self._rng)
        fitting = replace(self._fitting, focus=worse.focus, scratches=worse.scratches)
        return self._trouble.draw(self._rng, fitting)

    def __call__(self, colour: bool, lamp: int = 0) -> npt.NDArray[np.uint8]:
        covered = self._world.cover_closed
        if self._was_covered and not covered:
            self._conditions = self._drawn()
        self._was_covered = covered
        conditions = self.age.on(replace(self._conditions, covered=covered or self._conditions.covered))
        return render(list(self._world.dice), self._set, conditions, self._rng, colour=colour, lamp=lamp)
