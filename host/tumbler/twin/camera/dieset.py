"""The sets of dice that a table may be played with: how they look, and the plate each is used on.

Colours are linear reflectances, not what a screen shows. Lengths are metres. A plate is chosen for contrast with its dice,
as a casino does. Not here: what is drawn on a face (faces.py, symbols.py), tags in the dice (chips/dice.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from tumbler.twin.chips.dice import DIE_EDGE_M

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class DieSet:
    name: str
    body: Colour
    pip: Colour
    plate: Colour
    edge: float = DIE_EDGE_M
    edge_radius: float = 0.0015
    pip_radius: float = 0.00155
    pip_pitch: float = 0.0040  # from the middle of a face to an outer row
    pip_depth: float = 0.0004  # 0: filled flush, as on casino dice
    gloss: float = 0.12  # how much of the light a polished face mirrors
    clear: float = 0.0  # 0 opaque, 1 glass
    symbols: bool = False  # six symbols in three colours in place of pips (Sic Bo option B)
    serial: str = ""  # printed on two faces, as casino dice carry it
    one_radius: float = 0.00155  # the single pip is larger on some sets


WHITE = DieSet("white", (0.80, 0.79, 0.76), (0.025, 0.025, 0.028), (0.050, 0.065, 0.055))
BLACK = DieSet("black", (0.030, 0.030, 0.032), (0.78, 0.78, 0.76), (0.62, 0.63, 0.62), gloss=0.18)
RED = DieSet(
    "red",
    (0.62, 0.030, 0.040),
    (0.84, 0.83, 0.82),
    (0.62, 0.62, 0.61),
    edge_radius=0.0004,
    pip_radius=0.0017,
    pip_pitch=0.0043,
    pip_depth=0.0,
    gloss=0.22,
    clear=0.65,
    serial="T 0417",
    one_radius=0.0017,
)
IVORY = DieSet(
    "ivory", (0.72, 0.66, 0.52), (0.06, 0.045, 0.035), (0.045, 0.030, 0.030), edge_radius=0.0022, one_radius=0.0021
)
SYMBOLS = DieSet("symbols", (0.80, 0.79, 0.77), (0.03, 0.03, 0.03), (0.070, 0.070, 0.072), pip_depth=0.0, symbols=True)

SETS: dict[str, DieSet] = {die_set.name: die_set for die_set in (WHITE, BLACK, RED, IVORY, SYMBOLS)}
