"""A lamp's mirror image on a symbol hides ink as if there were none: such a face must be all the more certain."""

import pytest
from controller.reader import symbols
from dicewire import codes

SIDE, STEP, INK = 60, 11.0, 80


def shown(body=200, spot=None):
    """A symbol of two bars about the middle of a plane; `spot` is where a mirror image lies."""
    plane = bytearray([body]) * (SIDE * SIDE)
    for y in range(SIDE):
        for x in range(SIDE):
            u, v = x - SIDE / 2, y - SIDE / 2
            if (abs(u) < 3 and abs(v) < 14) or (0 < u < 12 and abs(v + 9) < 3):
                plane[y * SIDE + x] = INK
            if spot and (u - spot[0]) ** 2 + (v - spot[1]) ** 2 < 36:
                plane[y * SIDE + x] = 255
    symbol = symbols.Symbol()
    symbol.x = symbol.y = SIDE / 2
    symbol.above = 0
    symbol.source = (plane, SIDE, SIDE, STEP)
    symbol.shape = symbols._sampled(symbol.source, symbol.x, symbol.y)
    symbol.area, symbol.u, symbol.v = 200, 40, -14
    return symbol


@pytest.fixture
def taught():
    """The first face is the one shown; the others are nothing like it."""
    strange = [bytes((k * (face + 3) * 7) % 200 for k in range(symbols.RINGS * symbols.ANGLES)) for face in range(5)]
    return symbols.Taught(symbols.pack([(200, 40, -14, shape) for shape in (shown().shape, *strange)]))


def test_a_clear_face_has_its_name(taught):
    assert taught.name(shown()) == (1, 0)


@pytest.mark.parametrize("spot", [(0, 9), (4, -9)])
def test_a_face_of_which_a_mirror_image_hides_a_part_has_none(taught, spot):
    hidden = shown(spot=spot)
    assert taught.name(hidden) == (0, codes.SIGHT_UNREAD)
    assert symbols._ALIKE < hidden.score < symbols._CERTAIN  # it would have had one


def test_a_mirror_image_beside_the_ink_takes_nothing_away(taught):
    assert taught.name(shown(spot=(-13, 11))) == (1, 0)


def test_on_a_body_that_is_white_itself_no_mirror_image_can_be_seen():
    assert symbols._shone_on(shown(body=250))
    assert not symbols._shone_on(shown(body=225))
