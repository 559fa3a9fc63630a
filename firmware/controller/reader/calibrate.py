"""Teaches a table its camera and dice from a few frames of dice lying flat. Not for reading with it: scene.py.

Reads the frames as a stranger would, takes the dice that were read beyond doubt (four pips and more fix a lattice in both
directions) and keeps the middle of what they measure.
"""

from math import sqrt

from controller.reader import scene
from controller.reader.calibration import Calibration

LEAST_FACES = 4


class NotEnough(Exception):
    """Too few dice of four and more pips were read in the frames; show other faces."""


def lessons(verdict):
    """What one frame teaches: (inv, step, pip radius, contrast) of each die that is beyond doubt. The frame may go."""
    return [
        (f.pips[0].inv, sqrt(f.size()), _middle([pip.r for pip in f.pips]), f.contrast())
        for f in verdict.dice
        if f.number > 3 and f.error < 0.06 and scene.shape(f)[2] > 0.95
    ]


def learn(rows):
    """From the lessons of all frames."""
    inv = 255 if 2 * len([1 for row in rows if row[0]]) > len(rows) else 0
    rows = [row for row in rows if row[0] == inv]
    if len(rows) < LEAST_FACES:
        raise NotEnough("%d dice of four and more pips were read, %d are needed" % (len(rows), LEAST_FACES))
    step = _middle([row[1] for row in rows])
    spread = _middle([abs(row[1] - step) for row in rows]) * 1.5 / step
    return Calibration(step, _middle([row[2] for row in rows]), inv, _middle([row[3] for row in rows]), spread)


def _middle(values):
    values = sorted(values)
    return values[len(values) // 2]
