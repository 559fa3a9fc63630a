"""The dome's shape for MuJoCo: plate, gasket, glass, and the dice in it. Geometry and material only; physics.py moves it.

The walls are planes that face inward, which dice can't tunnel through and which cost little. A die is a smaller box with a
contact margin around it, which rounds its edges. The gasket at the foot of the glass is what cocks a die now and then.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from tumbler.twin.chips.dice import DIE_EDGE_M

PLATE_RADIUS = 0.042
WALLS = 16
WALL_HEIGHT = 0.028
HEIGHT = 0.055
DOME_SLOPE = math.radians(50)
GASKET_WIDTH = 0.0006  # leaves a die not flat in one spin of sixty; 1 mm in one of ten
GASKET_HEIGHT = 0.002
EDGE_RADIUS = 0.0015
DIE_MASS = 0.0049  # kg, acrylic
FRICTION = 0.35
STEP = 0.001  # seconds; at 0.002 a die rocks for ever between two of its edges
# Stiffness as a time constant of five steps, and damping that gives a bounce of about a third.
CONTACT = "0.005 0.5"

PLATE = "plate"
GASKET = "gasket"
GLASS = "glass"


def die_name(die: int) -> str:
    return f"die{die}"


def _plane(name: str, at: tuple[float, float, float], inward: tuple[float, float, float]) -> str:
    numbers = " ".join(f"{v:.7f}" for v in at)
    axis = " ".join(f"{v:.7f}" for v in inward)
    return f'<geom name="{name}" type="plane" size="0.1 0.1 0.1" pos="{numbers}" zaxis="{axis}"/>'


def _glass() -> Iterator[str]:
    yield _plane(f"{GLASS}_top", (0.0, 0.0, HEIGHT), (0.0, 0.0, -1.0))
    for i in range(WALLS):
        angle = 2.0 * math.pi * i / WALLS
        x, y = math.cos(angle), math.sin(angle)
        foot = (PLATE_RADIUS * x, PLATE_RADIUS * y, 0.0)
        yield _plane(f"{GLASS}_wall{i}", foot, (-x, -y, 0.0))
        slope = (-x * math.cos(DOME_SLOPE), -y * math.cos(DOME_SLOPE), -math.sin(DOME_SLOPE))
        yield _plane(f"{GLASS}_dome{i}", (foot[0], foot[1], WALL_HEIGHT), slope)


def _gasket() -> Iterator[str]:
    half = PLATE_RADIUS * math.tan(math.pi / WALLS)
    middle = PLATE_RADIUS - GASKET_WIDTH / 2
    for i in range(WALLS):
        angle = 2.0 * math.pi * i / WALLS
        at = f"{middle * math.cos(angle):.7f} {middle * math.sin(angle):.7f} 0"
        turn = f"{math.cos(angle / 2):.7f} 0 0 {math.sin(angle / 2):.7f}"
        size = f"{GASKET_WIDTH / 2} {half:.7f} {GASKET_HEIGHT}"
        yield f'<geom name="{GASKET}{i}" type="box" size="{size}" pos="{at}" quat="{turn}"/>'


def _dice(dice: int) -> Iterator[str]:
    half = DIE_EDGE_M / 2 - EDGE_RADIUS
    for die in range(dice):
        box = f'type="box" size="{half} {half} {half}" mass="{DIE_MASS}" margin="{EDGE_RADIUS}"'
        yield f'<body name="{die_name(die)}"><freejoint/><geom name="{die_name(die)}" {box}/></body>'


def _pairs(dice: int) -> Iterator[str]:
    """Between two dice both margins count; said outright, because MuJoCo's versions combine margins differently."""
    for a in range(dice):
        for b in range(a + 1, dice):
            yield (
                f'<pair geom1="{die_name(a)}" geom2="{die_name(b)}" margin="{2 * EDGE_RADIUS}" condim="4" '
                f'friction="{FRICTION} {FRICTION} 0.0005 0.00005 0.00005" solref="{CONTACT}" solimp="0.95 0.99 0.0005"/>'
            )


def model_xml(dice: int) -> str:
    parts = [_plane(PLATE, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), *_glass(), *_gasket(), *_dice(dice)]
    return (
        f'<mujoco><option timestep="{STEP}" cone="elliptic" integrator="implicitfast" iterations="20"/>'
        f'<default><geom friction="{FRICTION} 0.0005 0.00005" solref="{CONTACT}" solimp="0.95 0.99 0.0005" condim="4"/>'
        f"</default><worldbody>{''.join(parts)}</worldbody><contact>{''.join(_pairs(dice))}</contact></mujoco>"
    )
