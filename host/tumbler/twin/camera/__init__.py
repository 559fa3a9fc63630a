"""The table's camera picture, rendered from where the dice lie: a numpy ray caster, and throws staged with their truth.

    frame = render(poses, SETS["white"], NORMAL, rng)                 240 x 320, uint8, luma
    throw = stage(Lie.LEANING, 3, rng)                               poses, and what is true of them by geometry

Everything is drawn from the generator that the caller gives, so a seed repeats. Not here: how dice come to lie somewhere
(physics.py), the camera's chips (chips/ov2640.py, chips/arduchip.py), reading what the picture shows (the firmware).
"""

from .clutter import Foreign, ForeignKind
from .dieset import SETS, DieSet
from .difficulty import EASY, HARD, NORMAL, PRESETS, TROUBLES, Conditions, Difficulty, Fitting
from .render import Pair, pair, render, render_frames
from .scene import TableScene
from .staged import Lie, StagedThrow, judge, stage, stage_any
from .view import View

__all__ = [
    "EASY",
    "HARD",
    "NORMAL",
    "PRESETS",
    "SETS",
    "TROUBLES",
    "Conditions",
    "DieSet",
    "Difficulty",
    "Fitting",
    "Foreign",
    "ForeignKind",
    "Lie",
    "Pair",
    "StagedThrow",
    "TableScene",
    "View",
    "judge",
    "pair",
    "render",
    "render_frames",
    "stage",
    "stage_any",
]
