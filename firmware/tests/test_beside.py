"""What lies beside dice with symbols: a spot of another colour and something as light as a die are seen, the dice are not."""

import math

import pytest
from controller.reader import beside
from controller.reader.calibration import Calibration, Plate
from controller.reader.symbols import Symbol

GROUND, FACE, WALL = 50, 210, 95
PLATE = Plate(160.0, 120.0, 104.0)
DICE = ((120.0, 90.0, 0.0), (200.0, 110.0, 0.5), (150.0, 165.0, 1.1))


class Frame:
    """A plate with three dice whose sides carry coloured ink, at half size and in chroma."""

    def __init__(self):
        self.half = bytearray([GROUND]) * (160 * 120)
        self.u = bytearray([126]) * 4800
        self.v = bytearray([131]) * 4800
        self.dice = []
        for x, y, turned in DICE:
            symbol = Symbol()
            symbol.x, symbol.y = x, y
            symbol.outline = (turned, [20.0] * 4, FACE)
            self.dice.append(symbol)
            self.paint(x, y, 20.0, turned, level=FACE, hue=170)

    def paint(self, x, y, half, turned=0.0, level=None, hue=None):
        for row in range(240):
            for column in range(320):
                u, v = column + 0.5 - x, row + 0.5 - y
                p, q = u * math.cos(turned) + v * math.sin(turned), v * math.cos(turned) - u * math.sin(turned)
                if max(abs(p), abs(q)) < half:
                    if level is not None:
                        self.half[row // 2 * 160 + column // 2] = level
                    if hue is not None and not row & 3 and not column & 3:
                        self.v[row // 4 * 80 + column // 4] = hue

    def signs(self):
        return beside.signs(self.half, self.u, self.v, bytearray(19200), self.dice, PLATE, GROUND)


@pytest.fixture
def frame():
    return Frame()


@pytest.fixture
def taught():
    return Calibration(11.0, 20.0, 0, 0)


def test_dice_alone_show_nothing_strange(frame, taught):
    seen = frame.signs()
    assert (seen.colour, seen.light) == (0, 0)
    assert not beside.strange(seen, taught)


def test_a_brown_crumb_is_seen_by_its_colour(frame, taught):
    frame.paint(160.5, 60.5, 3.0, hue=145)
    seen = frame.signs()
    assert seen.colour >= 1
    assert beside.strange(seen, taught)


def test_a_slip_of_paper_is_seen_by_its_light(frame, taught):
    frame.paint(90.0, 140.0, 9.0, level=200)
    seen = frame.signs()
    assert (seen.colour, seen.light) == (0, pytest.approx(90, abs=10))
    assert beside.strange(seen, taught)


def test_a_lamps_mirror_image_as_large_as_it_always_was_is_none(frame, taught):
    frame.paint(90.0, 140.0, 9.0, level=200)
    taught.light = 70
    assert not beside.strange(frame.signs(), taught)


def test_what_lies_beyond_the_plate_is_not_asked(frame, taught):
    frame.paint(20.0, 20.0, 12.0, hue=200)
    assert not beside.strange(frame.signs(), taught)


def test_a_die_without_an_outline_is_taken_out_all_the_same(frame, taught):
    frame.dice[1].outline = None
    assert not beside.strange(frame.signs(), taught)
