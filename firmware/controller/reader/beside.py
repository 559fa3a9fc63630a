"""Does anything lie beside dice with symbols that doesn't belong there? Not for dice: they have been read, and stand.

Two signs, each against what the table showed when it was taught: colour that the plate hasn't (a coin, a crumb, a ring), and
light as of a die's face (paper), of which a lamp's mirror image gives some everywhere. What is as dark as a shadow and as grey
as the plate shows neither: a hair.
"""

from array import array
from math import cos, pi, sin

from controller.reader import scan
from controller.target import const

_HALF_W = const(160)
_HALF_H = const(120)
_CHROMA_W = const(80)
_CHROMA_H = const(60)
_CHROMA = const(4800)
_COLOUR = const(9)  # steps of u or v off the plate's own
_LIGHT = 0.5  # of the way from the plate to a die's face
_RIM = const(6)  # pixels: housing and gasket have colours of their own
_EDGE = 4.0  # pixels around a die that are its own: soft edges, and what it throws on the plate
_SIDES = 0.1  # that its sides take, of its distance from the plate's middle
_CORNER = 1.45
_MORE_LIGHT = 1.25  # of what was seen when it was taught
_LEAST_LIGHT = const(15)  # pixels of the half-size picture


class Signs:
    """Of one frame: `colour`, samples of chroma that are off, and `light`, pixels at half size that are bright."""

    def __init__(self, colour, light):
        self.colour = colour
        self.light = light


def signs(half, u, v, mask, dice, plate, ground):
    """What is to be seen beside these dice, symbols with their outlines in the frame's measure. Takes the dice out of `half`."""
    shapes = [_shape(symbol, plate) for symbol in dice]
    bodies = sorted([symbol.outline[2] for symbol in dice if symbol.outline is not None])
    light = 0
    if bodies:
        for shape in shapes:
            _fill(half, _HALF_W, _HALF_H, 2, shape, ground)
        tally = array("H", bytes(128))
        scan.tally(half, _HALF_W, 0, 0, _HALF_W, _HALF_H, tally)
        level = ground + _LIGHT * (bodies[len(bodies) // 2] - ground)
        light = sum([tally[k] for k in range(int(level) >> 2, 64)])
    spots = memoryview(mask)[:_CHROMA]
    for row in range(_CHROMA_H):
        spots[row * _CHROMA_W : (row + 1) * _CHROMA_W] = bytes(_CHROMA_W)
    for plane in (u, v):
        scan.depart(plane, _CHROMA_W, _CHROMA_H, 15, 1, bytes((_usual(plane, plate),)), _COLOUR, spots)
    for shape in shapes:
        _fill(spots, _CHROMA_W, _CHROMA_H, 4, shape, 0)
    return Signs(_inside(spots, plate), light)


def strange(seen, known):
    return seen.colour > known.colour or seen.light > known.light * _MORE_LIGHT + _LEAST_LIGHT


def _shape(symbol, plate):
    """(x, y, turn, how far it reaches to its four sides)."""
    x, y = symbol.x, symbol.y
    if symbol.outline is None:
        return x, y, 0.0, [_CORNER * plate.r / 5] * 4
    angle, ends, _ = symbol.outline
    reach = []
    for k in range(4):
        out = (x - plate.x) * cos(angle + k * pi / 2) + (y - plate.y) * sin(angle + k * pi / 2)
        reach.append(ends[k] + max(_EDGE, _EDGE - 1 - _SIDES * out))
    return x, y, angle, reach


def _fill(plane, w, h, scale, shape, level):
    """Gives a turned rectangle of the plane this level. Row by row: where it is between both pairs of sides."""
    x, y, angle, reach = shape
    c, s = cos(angle), sin(angle)
    far = _CORNER * max(reach)
    for row in range(max(0, int((y - far) / scale)), min(h, int((y + far) / scale) + 2)):
        dy = (row + 0.5) * scale - y if scale == 2 else row * scale + 0.5 - y
        left, right = -far, far
        for along, off, low, high in ((c, dy * s, -reach[2], reach[0]), (-s, dy * c, -reach[3], reach[1])):
            if abs(along) < 1e-3:
                if not low <= off <= high:
                    right = left - 1
            else:
                one, other = (low - off) / along, (high - off) / along
                left, right = max(left, min(one, other)), min(right, max(one, other))
        first, last = max(0, int((x + left) / scale)), min(w, int((x + right) / scale) + 1)
        if left < right and first < last:
            plane[row * w + first : row * w + last] = bytes((level,)) * (last - first)


def _usual(plane, plate):
    """The plate's own level of this chroma: the mean of the levels about the middle one."""
    reach = int(plate.r * 0.7) >> 2
    x, y = int(plate.x) >> 2, int(plate.y) >> 2
    tally = array("H", bytes(128))
    scan.tally(plane, _CHROMA_W, max(0, x - reach), max(0, y - reach), x + reach, min(_CHROMA_H, y + reach), tally)
    left = sum(tally) // 2
    k = 0
    while left > tally[k]:
        left -= tally[k]
        k += 1
    near = range(max(0, k - 1), min(64, k + 2))
    n = sum([tally[i] for i in near])
    return int(sum([tally[i] * (i * 4 + 1.5) for i in near]) / max(1, n) + 0.5)


def _inside(spots, plate):
    """How many are marked on the plate."""
    total = 0
    for row in range(_CHROMA_H):
        dy = row * 4 + 0.5 - plate.y
        reach = (plate.r - _RIM) ** 2 - dy * dy
        if reach > 0:
            reach = reach**0.5
            first, last = max(0, int((plate.x - reach) / 4) + 1), min(_CHROMA_W, int((plate.x + reach) / 4) + 1)
            total += scan.count(spots, _CHROMA_W, first, row, last, row + 1)
    return total
