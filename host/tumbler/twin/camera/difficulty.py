"""How hard the picture is to read, as numbers: ranges that a Difficulty gives, and the Conditions drawn from them.

A Fitting is what stays for the life of a table (lens, lamp, scratches); Conditions are those of one spin. Several frames of
one spin share their Conditions and differ in noise alone, so draw them once:

    fitting = NORMAL.fit(rng); conditions = NORMAL.draw(rng, fitting); frame = render(poses, die_set, conditions, rng)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from .view import View

Range = tuple[float, float]
Place = tuple[float, float, float]


@dataclass(frozen=True)
class Difficulty:
    name: str
    seed: int = 0  # for a caller that brings no generator
    # what is fitted once
    lamp_aside: Range = (0.02, 0.05)  # metres off the axis, each of both lamps, which stand about opposite each other
    lamp_turned: Range = (0.0, 10.0)  # degrees off opposite
    lamp_height: Range = (0.24, 0.28)
    lamp_radius: Range = (0.025, 0.035)  # a larger lamp has softer shadows
    tilt_degrees: Range = (0.0, 0.0)
    shift_pixels: Range = (0.0, 0.0)
    turn_degrees: Range = (0.0, 0.0)
    barrel: Range = (0.08, 0.12)
    focus: Range = (0.25, 0.40)  # sigma in pixels
    vignette: Range = (0.05, 0.10)  # loss in the corners
    scratches: Range = (0.0, 0.0)  # how many, on the glass
    plate_wear: Range = (0.01, 0.02)
    # what changes from spin to spin
    ambient: Range = (0.35, 0.40)
    exposure: Range = (0.95, 1.05)
    glare: Range = (0.0, 0.0)  # brightness of the lamp's mirror image on the dome
    glares: Range = (0.0, 0.0)  # how many more lights are mirrored
    veil: Range = (0.0, 0.005)  # light that the glass scatters over all
    shake_pixels: Range = (0.0, 0.0)
    noise: Range = (0.8, 1.2)  # grey steps in mid grey
    row_noise: Range = (0.0, 0.2)
    dust: Range = (0.0, 2.0)
    smudges: Range = (0.0, 0.0)
    colour_cast: Range = (0.0, 0.01)
    covered: bool = False  # the opaque cover is down

    def fit(self, rng: np.random.Generator) -> Fitting:
        angle = float(rng.uniform(0.0, 2.0 * math.pi))
        other = angle + math.pi + math.radians(_one(self.lamp_turned, rng)) * float(rng.choice((-1.0, 1.0)))
        tilt, lean = math.radians(_one(self.tilt_degrees, rng)), float(rng.uniform(0.0, 2.0 * math.pi))
        shift, away = _one(self.shift_pixels, rng), float(rng.uniform(0.0, 2.0 * math.pi))
        view = View(
            shift_x=shift * math.cos(away),
            shift_y=shift * math.sin(away),
            tilt_x=tilt * math.cos(lean),
            tilt_y=tilt * math.sin(lean),
            turn=math.radians(_one(self.turn_degrees, rng)) * float(rng.choice((-1.0, 1.0))),
            k1=_one(self.barrel, rng),
        )
        return Fitting(
            view,
            (self._lamp(angle, rng), self._lamp(other, rng)),
            _one(self.lamp_radius, rng),
            _one(self.focus, rng),
            _one(self.vignette, rng),
            round(_one(self.scratches, rng)),
            _one(self.plate_wear, rng),
            int(rng.integers(2**32)),
        )

    def _lamp(self, angle: float, rng: np.random.Generator) -> Place:
        aside = _one(self.lamp_aside, rng)
        return (aside * math.cos(angle), aside * math.sin(angle), _one(self.lamp_height, rng))

    def draw(self, rng: np.random.Generator, fitting: Fitting | None = None) -> Conditions:
        """One spin's. Without a fitting every spin is seen at a table of its own."""
        return Conditions(
            fitting if fitting is not None else self.fit(rng),
            ambient=_one(self.ambient, rng),
            exposure=_one(self.exposure, rng),
            glare=_one(self.glare, rng),
            glares=round(_one(self.glares, rng)),
            veil=_one(self.veil, rng),
            shake=_one(self.shake_pixels, rng),
            noise=_one(self.noise, rng),
            row_noise=_one(self.row_noise, rng),
            dust=round(_one(self.dust, rng)),
            smudges=round(_one(self.smudges, rng)),
            cast=_one(self.colour_cast, rng),
            covered=self.covered,
            seed=int(rng.integers(2**32)),
        )


@dataclass(frozen=True)
class Fitting:
    view: View
    lamps: tuple[Place, Place]  # of which one is lit while a frame is taken
    lamp_radius: float
    focus: float
    vignette: float
    scratches: int
    plate_wear: float
    seed: int


@dataclass(frozen=True)
class Conditions:
    fitting: Fitting
    ambient: float
    exposure: float
    glare: float
    glares: int
    veil: float
    shake: float
    noise: float
    row_noise: float
    dust: int
    smudges: int
    cast: float
    covered: bool
    seed: int  # of all that is placed by chance: dust, glare, shake


def _one(limits: Range, rng: np.random.Generator) -> float:
    return float(rng.uniform(*limits))


EASY = Difficulty("easy")
NORMAL = Difficulty(
    "normal",
    lamp_aside=(0.03, 0.09),
    lamp_height=(0.22, 0.30),
    lamp_radius=(0.015, 0.030),
    lamp_turned=(0.0, 20.0),
    tilt_degrees=(0.0, 1.0),
    shift_pixels=(0.0, 2.0),
    turn_degrees=(0.0, 2.0),
    barrel=(0.08, 0.20),
    focus=(0.35, 0.60),
    vignette=(0.08, 0.20),
    scratches=(0.0, 3.0),
    plate_wear=(0.01, 0.04),
    ambient=(0.28, 0.40),
    exposure=(0.85, 1.15),
    glare=(0.2, 0.8),
    veil=(0.0, 0.01),
    shake_pixels=(0.0, 0.3),
    noise=(1.0, 2.5),
    row_noise=(0.0, 0.6),
    dust=(0.0, 8.0),
    colour_cast=(0.0, 0.03),
)
HARD = replace(
    NORMAL,
    name="hard",
    lamp_aside=(0.06, 0.16),
    lamp_height=(0.18, 0.26),
    lamp_radius=(0.006, 0.020),
    tilt_degrees=(0.0, 3.0),
    shift_pixels=(0.0, 6.0),
    turn_degrees=(0.0, 6.0),
    barrel=(0.05, 0.32),
    focus=(0.5, 1.1),
    vignette=(0.15, 0.40),
    scratches=(2.0, 9.0),
    plate_wear=(0.03, 0.10),
    ambient=(0.18, 0.35),
    exposure=(0.65, 1.40),
    glare=(0.5, 2.5),
    glares=(0.0, 2.0),
    veil=(0.0, 0.03),
    shake_pixels=(0.0, 1.2),
    noise=(2.0, 5.0),
    row_noise=(0.2, 1.5),
    dust=(5.0, 30.0),
    smudges=(0.0, 3.0),
    colour_cast=(0.0, 0.06),
)
PRESETS: dict[str, Difficulty] = {level.name: level for level in (EASY, NORMAL, HARD)}
# Pictures that nobody should read from.
TROUBLES: dict[str, Difficulty] = {
    trouble.name: trouble
    for trouble in (
        replace(NORMAL, name="dark", exposure=(0.004, 0.02)),
        replace(NORMAL, name="blown", exposure=(8.0, 20.0), veil=(0.1, 0.3)),
        replace(NORMAL, name="defocused", focus=(3.5, 6.0)),
        replace(NORMAL, name="shaken", shake_pixels=(8.0, 16.0)),
        replace(NORMAL, name="dirty", smudges=(30.0, 45.0), dust=(120.0, 200.0), scratches=(20.0, 40.0)),
        replace(NORMAL, name="covered", covered=True),
    )
}
