"""A die with a symbol on its foot: how far that is from the upper face's edge is taught, and another distance is refused."""

import math

import pytest
from controller.reader import feet, foot_lessons, footing
from controller.reader.calibration import Calibration, Plate, unpack
from controller.reader.symbols import Symbol
from controller.reader.windows import Window

SIDE, STEP, GROUND, FACE, WALL = 110, 11.0, 50, 210, 95
HALF = 20.0
PLATE = Plate(160.0, 120.0, 104.0)


def die(x, y, foot, turned=0.0, glare=False):
    """A flat upper face at x, y of the frame; the wall of its first side is `foot` pixels wide."""
    window = Window(int(x) - SIDE // 2, int(y) - SIDE // 2, int(x) + SIDE // 2, int(y) + SIDE // 2, [])
    window.plane = bytearray([GROUND]) * (SIDE * SIDE)
    c, s = math.cos(turned), math.sin(turned)
    for row in range(SIDE):
        for column in range(SIDE):
            u, v = column + 0.5 + window.left - x, row + 0.5 + window.top - y
            p, q = u * c + v * s, v * c - u * s
            level = GROUND + (2 * max(0.0, 40 - math.hypot(p - 35, q)) if glare else 0)
            for right, value in ((HALF + foot, WALL), (HALF, FACE)):
                inside = max(0.0, min(1.0, min(right - p, HALF + p, HALF - abs(q)) + 0.5))
                level += inside * (value - level)
            window.plane[row * SIDE + column] = round(level)
    symbol = Symbol()
    symbol.x, symbol.y, symbol.window = x, y, window
    symbol.outline = footing.outline(window, x - window.left, y - window.top, STEP, GROUND)
    return symbol


def feet_of(symbol, others=()):
    angle = symbol.outline[0]
    found = feet.sides(symbol, [symbol, *others], STEP, GROUND, PLATE)
    return {round(math.atan2(s, c) - angle, 3) % 6.283: foot for c, s, foot in found}


def known(hidden=1.2, slack=0.9):
    table = Calibration(STEP, HALF, 0, 0)
    table.plate = PLATE
    table.feet = feet.Feet(hidden, -1.0, 0.1, 0.0, 0.0, slack)
    return table


@pytest.mark.parametrize("turned", [0.0, 0.4])
@pytest.mark.parametrize("foot", [3.5, 5.0, 7.5])
def test_a_foot_is_found_where_the_wall_ends(foot, turned):
    measured = feet_of(die(160, 120, foot, turned))
    assert max(measured.values()) == pytest.approx(foot + 0.4, abs=0.8)
    assert len(measured) == 4


def test_a_side_that_another_die_may_hide_is_not_asked():
    lone = die(160, 120, 4.0)
    beside = die(205, 120, 4.0)
    assert len(feet_of(lone, [beside])) == 3


def test_what_a_lamp_throws_on_the_plate_is_no_foot():
    measured = feet_of(die(160, 120, 4.0, glare=True))
    assert all(foot < 6 for foot in measured.values())


def test_a_die_stands_where_its_foot_is_as_far_as_was_taught():
    x = 95.0  # its first side looks to the axis: 65 pixels off, its foot should be 5.5 from the edge
    flat, table = die(x, 120.0, 5.2), known()
    assert feet.stands(flat, [flat], table, GROUND)
    for foot in (2.5, 8.0):
        cocked = die(x, 120.0, foot)
        assert not feet.stands(cocked, [cocked], table, GROUND)


def test_where_feet_are_is_learned_from_flat_dice_and_strays_are_left_out():
    places = []
    for number in range(120):
        a, away = number * 2.4, 10 + number * 83 % 75
        x, y = away * math.cos(a), away * math.sin(a)
        for k in range(4):
            c, s = math.cos(k * math.pi / 2 + number), math.sin(k * math.pi / 2 + number)
            seen = -1.0 - 0.1 * ((x - 4.0) * c + (y + 3.0) * s)
            places.append((x, y, c, s, max(1.2, seen) + (9.0 if number % 29 == 0 else 0.2 * math.sin(number * 7 + k))))
    taught = foot_lessons.feet(places, STEP)
    assert taught.hidden == pytest.approx(1.2, abs=0.2)
    assert (taught.near, taught.grow) == pytest.approx((-1.0, 0.1), abs=0.1)
    assert (taught.x, taught.y) == pytest.approx((4.0, -3.0), abs=1.0)
    assert 0.08 * STEP <= taught.slack < 1.2


def test_too_few_dice_teach_no_feet_and_the_calibration_keeps_what_was_taught():
    assert foot_lessons.feet([], STEP).slack == 0
    table = known()
    table.lean_x, table.colour, table.light = 0.01, 2, 31
    again = unpack(table.pack())
    assert again.feet.values() == pytest.approx(table.feet.values())
    assert (again.colour, again.light, again.lean_x) == (2, 31, pytest.approx(0.01))


def test_the_lens_is_learned_with_the_camera_leaning():
    places = []
    for number in range(60):
        a, away = number * 2.4, number * 37 % 60 / 70
        x, y = away * math.cos(a), away * math.sin(a)
        places.append((x, y, 20 * (1 - 0.015 * away * away + 0.01 * x - 0.004 * y)))
    assert foot_lessons.lens(places) == pytest.approx((20, 0.015, 0.01, -0.004), abs=1e-4)
