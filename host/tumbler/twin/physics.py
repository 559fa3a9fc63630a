"""The dice in the dome as MuJoCo moves them: shaken by the crank, thrown about, come to rest. Poses out, nothing else.

The dome is the frame of reference: it stands still and gravity carries the crank's acceleration, which for a plate that
moves without turning is exact. While nothing moves no step is taken, so idle time changes nothing; the step's grid begins
anew when the crank does. Not for what a pose means (lie.py) nor for the motor (chips/motor.py).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from tumbler.twin import dome
from tumbler.twin.chips.dice import DIE_EDGE_M, FACE_NORMALS

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

GRAVITY = 9.81
# Throw of the crank along each axis of the table, in metres: the plate goes up and down and a little round.
THROW_X, THROW_Y, THROW_Z = 0.002, 0.002, 0.005
PLATE_MASS = 0.5  # kg: what a die's knock moves, and the accelerometer feels
STILL_SECONDS = 0.12
STILL_METRES = 0.00004
STILL_RADIANS = 0.004
HALF = DIE_EDGE_M / 2
AWAY: Vector = (0.5, 0.0, 0.1)  # where a die is that is not in the dome
CRANK_STILL = 0.05  # rad/s


@dataclass(frozen=True)
class Pose:
    """Centre in metres with the plate at z = 0; rotation as three rows, from the die's frame to the table's."""

    position: Vector
    rotation: tuple[Vector, Vector, Vector]


class Physics:
    """`shake` for each step of the crank; `poses`, `at_rest`, `touches` and `knock` to look. `dice` are in the model, of
    which `expected` belong to the set."""

    def __init__(self, dice: int, rng: random.Random) -> None:
        self.expected = self.dice = dice
        self._rng = rng
        self._out: set[int] = set()
        self._build()
        self._cached: tuple[Pose, ...] | None = None
        self._still_steps = 0
        self._reference = np.zeros((dice, 7))
        self._gravity: Vector = (0.0, 0.0, -GRAVITY)
        self.knock: Vector = (0.0, 0.0, 0.0)  # acceleration of the plate by the dice, m/s2
        self.plate: Vector = (0.0, 0.0, 0.0)  # acceleration of the plate by the crank, m/s2
        self.at_rest = True
        self.seconds = 0.0  # simulated in all
        for die in range(dice):
            self.place(die, self._ring(die, HALF), self._any_square())
        self.settle()

    def _build(self) -> None:
        self._model = mujoco.MjModel.from_xml_string(dome.model_xml(self.dice))
        self._data = mujoco.MjData(self._model)
        self._names = [self._model.geom(i).name for i in range(self._model.ngeom)]

    # --- moving -------------------------------------------------------------------------------------------------

    def shake(self, angle: float, rad_s: float, rad_s2: float) -> None:
        """One step with the crank at this angle, speed and acceleration."""
        turning = abs(rad_s) > CRANK_STILL
        if self.at_rest and not turning:
            self.plate = self.knock = (0.0, 0.0, 0.0)
            return
        self.at_rest = False
        c, s, w2 = math.cos(angle), math.sin(angle), rad_s * rad_s
        self.plate = (
            -THROW_X * (w2 * c + rad_s2 * s),
            -THROW_Y * (w2 * s - rad_s2 * c),
            -THROW_Z * (w2 * c + rad_s2 * s),
        )
        self._gravity = (-self.plate[0], -self.plate[1], -GRAVITY - self.plate[2])
        self._step()
        self._watch(turning)

    def settle(self, most_seconds: float = 3.0) -> bool:
        """Let the dice come to rest with the crank standing, outside of table time: for placing dice by hand."""
        self.at_rest = False
        self._gravity = (0.0, 0.0, -GRAVITY)
        for _ in range(int(most_seconds / dome.STEP)):
            self._step()
            self._watch(False)
            if self.at_rest:
                return True
        return False

    def _step(self) -> None:
        model, data = self._model, self._data
        model.opt.gravity[:] = self._gravity
        before = data.qvel.reshape(self.dice, 6)[:, :3].sum(axis=0)
        mujoco.mj_step(model, data)
        change = (data.qvel.reshape(self.dice, 6)[:, :3].sum(axis=0) - before) / dome.STEP
        share = dome.DIE_MASS / PLATE_MASS
        falling = self.dice - len(self._out)
        self.knock = (
            share * (falling * self._gravity[0] - float(change[0])),
            share * (falling * self._gravity[1] - float(change[1])),
            share * (falling * self._gravity[2] - float(change[2])) + share * falling * GRAVITY,
        )
        for die in self._out:
            self._hold_away(die)
        self._cached = None
        self.seconds += dome.STEP

    def _watch(self, turning: bool) -> None:
        """At rest when no die has moved from a reference pose for a while: the solver's own tremor is far smaller."""
        now = self._data.qpos.reshape(self.dice, 7)
        moved = np.abs(now - self._reference)
        if turning or moved[:, :3].max() > STILL_METRES or moved[:, 3:].max() > STILL_RADIANS:
            self._reference = now.copy()
            self._still_steps = 0
            return
        self._still_steps += 1
        if self._still_steps * dome.STEP >= STILL_SECONDS:
            self.at_rest = True
            self._data.qvel[:] = 0.0
            self._data.qacc_warmstart[:] = 0.0

    # --- looking ------------------------------------------------------------------------------------------------

    @property
    def poses(self) -> tuple[Pose, ...]:
        if self._cached is None:
            mujoco.mj_kinematics(self._model, self._data)
            found = []
            for die in range(self.dice):
                x, y, z = self._data.xpos[die + 1].tolist()
                m = self._data.xmat[die + 1].tolist()
                found.append(Pose((x, y, z), ((m[0], m[1], m[2]), (m[3], m[4], m[5]), (m[6], m[7], m[8]))))
            self._cached = tuple(found)
        return self._cached

    def quaternion(self, die: int) -> Quaternion:
        w, x, y, z = self._data.qpos[die * 7 + 3 : die * 7 + 7].tolist()
        return (w, x, y, z)

    def present(self, die: int) -> bool:
        return die not in self._out

    def touches(self, die: int) -> frozenset[str]:
        """What the die lies on or against: plate, gasket, glass, other dice by name."""
        name = dome.die_name(die)
        found = set()
        mujoco.mj_forward(self._model, self._data)
        for contact in self._data.contact:
            pair = [self._names[contact.geom1], self._names[contact.geom2]]
            if name in pair and contact.dist <= contact.includemargin:
                pair.remove(name)
                other = pair[0]
                found.add(next((part for part in (dome.GASKET, dome.GLASS) if other.startswith(part)), other))
        return frozenset(found)

    # --- hands --------------------------------------------------------------------------------------------------

    def place(self, die: int, position: Sequence[float], quaternion: Sequence[float], *, wedged: bool = False) -> None:
        """Put a die somewhere, without speed; the physics goes on from there. Wedged, it stays until the next shake."""
        at = die * 7
        self._data.qpos[at : at + 3] = position
        self._data.qpos[at + 3 : at + 7] = np.asarray(quaternion) / np.linalg.norm(quaternion)
        self._data.qvel[die * 6 : die * 6 + 6] = 0.0
        self._out.discard(die)
        self._collide(die, True)
        rested = self.at_rest
        self._wake()
        self.at_rest = wedged and rested

    def take_out(self, die: int) -> None:
        self._out.add(die)
        self._collide(die, False)
        self._hold_away(die)
        self._wake()

    def add_die(self) -> int:
        """One die too many, dropped in from above; it is not of the set. Gives its number."""
        old, die = self._data, self.dice
        self.dice += 1
        self._build()
        self._data.qpos[: old.qpos.size] = old.qpos
        self._data.qvel[: old.qvel.size] = old.qvel
        self._reference = np.zeros((self.dice, 7))
        for out in self._out:
            self._collide(out, False)
        self.place(die, (0.0, 0.0, HEIGHT_OF_HAND), self._any_square())
        return die

    def put_back(self) -> None:
        """Every die that is out comes back, dropped in from above."""
        for die in sorted(self._out):
            if die >= self.expected:
                continue
            self.place(die, self._ring(die, HEIGHT_OF_HAND), self._any_square())

    def _wake(self) -> None:
        self._cached = None
        self._still_steps = 0
        self.at_rest = False

    def _collide(self, die: int, on: bool) -> None:
        geom = self._names.index(dome.die_name(die))
        self._model.geom_contype[geom] = self._model.geom_conaffinity[geom] = int(on)

    def _hold_away(self, die: int) -> None:
        self._data.qpos[die * 7 : die * 7 + 3] = (AWAY[0] + die * 0.1, AWAY[1], AWAY[2])
        self._data.qvel[die * 6 : die * 6 + 6] = 0.0

    def _ring(self, die: int, height: float) -> Vector:
        angle = 2.0 * math.pi * (die / self.dice + self._rng.random() * 0.1)
        return (0.019 * math.cos(angle), 0.019 * math.sin(angle), height)

    def _any_square(self) -> Quaternion:
        """Any face up, turned by any angle about the vertical."""
        tilt = self._rng.choice(SQUARE_TILTS)
        half = self._rng.random() * math.pi
        c, s = math.cos(half), math.sin(half)
        w, x, y, z = tilt
        return (c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w)


HEIGHT_OF_HAND = 0.03
_R = math.sqrt(0.5)
SQUARE_TILTS: tuple[Quaternion, ...] = (
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 0.0),
    (_R, _R, 0.0, 0.0),
    (_R, -_R, 0.0, 0.0),
    (_R, 0.0, _R, 0.0),
    (_R, 0.0, -_R, 0.0),
)


def square(face: int, turn: float = 0.0) -> Quaternion:
    """The attitude of a die that lies flat with this face up, turned so many radians about the vertical."""
    x, y, z = FACE_NORMALS[face]
    tilt = (0.0, 1.0, 0.0, 0.0) if z < 0 else (1.0, 0.0, 0.0, 0.0) if z > 0 else (_R, y * _R, -x * _R, 0.0)
    c, s = math.cos(turn / 2), math.sin(turn / 2)
    w, i, j, k = tilt
    return (c * w - s * k, c * i - s * j, c * j + s * i, c * k + s * w)


def tilted(attitude: Quaternion, degrees: float) -> Quaternion:
    """The same, tipped over the table's x axis."""
    half = math.radians(degrees) / 2
    c, s = math.cos(half), math.sin(half)
    w, x, y, z = attitude
    return (c * w - s * x, c * x + s * w, c * y - s * z, c * z + s * y)
