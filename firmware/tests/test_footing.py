"""The upper face of a die with a symbol, by its outline: as long and as wide as a flat one's, whichever way it is turned."""

import math

import pytest
from controller.reader import footing
from controller.reader.calibration import Plate
from controller.reader.windows import Window

SIDE, STEP, GROUND, BODY = 90, 11.0, 50, 210


def face(long, wide, degrees, neighbour=False):
    """A light face on a dark plate, edges one pixel soft, in the middle of a window."""
    window = Window(0, 0, SIDE, SIDE, [])
    window.plane = bytearray(SIDE * SIDE)
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    for y in range(SIDE):
        for x in range(SIDE):
            u, v = x + 0.5 - SIDE / 2, y + 0.5 - SIDE / 2
            p, q = abs(u * c + v * s), abs(v * c - u * s)
            inside = max(0.0, min(1.0, min(long - p, wide - q) + 0.5))
            if neighbour and u * c + v * s > 0 and q < wide:
                inside = 1.0  # another die touches it there: no edge is to be seen
            window.plane[y * SIDE + x] = round(GROUND + inside * (BODY - GROUND))
    return window


class Symbol:
    x = y = SIDE / 2

    def __init__(self, window):
        self.outline = footing.outline(window, self.x, self.y, STEP, GROUND)


def measured(window):
    return footing.halves(Symbol(window).outline)


def flat(window):
    return footing.flat(window, Symbol(window), Known)


class Known:
    step, radius, bend = STEP, 19.75, 0.0  # as such a face is measured
    lean_x = lean_y = 0.0
    plate = Plate(SIDE / 2, SIDE / 2, 100.0)


@pytest.mark.parametrize("degrees", [0, 17, 45, 71])
def test_a_flat_face_is_measured_whichever_way_it_is_turned(degrees):
    long, wide = measured(face(20, 20, degrees))
    assert abs(long - 20) < 0.4
    assert abs(wide - 20) < 0.4
    assert flat(face(20, 20, degrees))


@pytest.mark.parametrize(("long", "wide"), [(20, 18.9), (18.9, 20), (21, 21), (19, 19)])
@pytest.mark.parametrize("degrees", [0, 31])
def test_a_face_that_is_shorter_one_way_or_of_another_size_is_not_flat(long, wide, degrees):
    assert not flat(face(long, wide, degrees))


def test_a_side_that_another_die_hides_is_taken_from_the_others():
    long, wide = measured(face(20, 20, 10, neighbour=True))
    assert abs(long - 20) < 0.6
    assert abs(wide - 20) < 0.6
