"""Where on a small die's face there is ink in the round: pips, and not the thin lines that a lamp draws on a glossy die.

Each point of the face is measured between body (0) and ink (1) along the colours' own direction, so red on black and white
on green are alike; a pip is where nearly all of a disc is ink. A stamp (stamps.py) is believed where the discs found are its
pips and no others. Not for where the face lies.
"""

from controller.reader.colours import axis_of, colour_at

_HALF = 12  # cells from the centre to the side of the map
_CELL = 0.14  # lattice steps
_SIDE = 2 * _HALF + 1
_CELLS = _SIDE * _SIDE
_INK = 0.38  # radius of a pip, in lattice steps
_CLEAR = 0.6  # from a pip's centre: beyond it there is body
_LEVELS = (0.5, 0.42, 0.6)  # from body to ink: what counts as ink
_HIGH = 1.7  # more than ink: a glare on coloured pips
_DISC = [dy * _SIDE + dx for dy in range(-2, 3) for dx in range(-2, 3) if dx * dx + dy * dy <= 5]
_MOST = 18  # of the disc's 21 cells must be ink
_NEAR = 0.4  # lattice steps between a disc and its pip
_ACROSS = [(k % _SIDE - _HALF) * _CELL for k in range(_CELLS)]
_DOWN = [(k // _SIDE - _HALF) * _CELL for k in range(_CELLS)]


def middle(values):
    values = sorted(values)
    return values[len(values) // 2] if values else 0.0


class Pattern:
    """A face as a map: which cells should be ink, which body; the rest is the rim of a pip."""

    def __init__(self, spots):
        self.spots = spots
        self.ink = bytearray(_CELLS)
        self.body = bytearray(_CELLS)
        for k in range(_CELLS):
            away = min([(_ACROSS[k] - p) ** 2 + (_DOWN[k] - q) ** 2 for p, q in spots])
            self.ink[k] = away < _INK * _INK
            self.body[k] = away > _CLEAR * _CLEAR

    def on(self, rgb, w, h, lump, x, y, c, s, step):
        """Is the face at x, y, turned by c, s, spelled by discs: each pip is one and there are no others?"""
        cells = []
        ink = []
        body = []
        for k in range(_CELLS):
            px = x + step * (_ACROSS[k] * c - _DOWN[k] * s)
            py = y + step * (_ACROSS[k] * s + _DOWN[k] * c)
            if lump.covers(px, py):
                colour = colour_at(rgb, w, h, px, py)
                if colour is not None:
                    cells.append((k, colour))
                    if self.ink[k]:
                        ink.append(colour)
                    elif self.body[k]:
                        body.append(colour)
        if len(ink) < 8 or len(body) < 30:
            return False
        p, q, r = axis_of(ink, body)
        base = middle([p * red + q * green + r * blue for red, green, blue in body])
        span = middle([p * red + q * green + r * blue for red, green, blue in ink]) - base
        if span <= 0:
            return False
        values = [(k, (p * red + q * green + r * blue - base) / span) for k, (red, green, blue) in cells]
        for low in _LEVELS:
            if self._matched(_discs(values, low)):
                return True
        return False

    def _matched(self, found):
        if len(found) != len(self.spots):
            return False
        for p, q in self.spots:
            if not [1 for a, b in found if (a - p) ** 2 + (b - q) ** 2 < _NEAR * _NEAR]:
                return False
        return True


def _discs(values, low):
    """The centres of discs of ink, in lattice steps."""
    mask = bytearray(_CELLS)
    for k, v in values:
        if low < v < _HIGH:
            mask[k] = 1
    marks = bytearray(_CELLS)
    for row in range(2, _SIDE - 2):
        for k in range(row * _SIDE + 2, row * _SIDE + _SIDE - 2):
            if mask[k]:
                n = 0
                for d in _DISC:
                    n += mask[k + d]
                if n >= _MOST:
                    marks[k] = 1
    found = []
    first = marks.find(b"\x01")
    while first >= 0:
        marks[first] = 0
        patch = [first]
        for k in patch:  # grows while it is walked
            for d in (-1, 1, -_SIDE, _SIDE, -_SIDE - 1, -_SIDE + 1, _SIDE - 1, _SIDE + 1):
                if marks[k + d]:
                    marks[k + d] = 0
                    patch.append(k + d)
        n = len(patch)
        found.append((sum([_ACROSS[k] for k in patch]) / n, sum([_DOWN[k] for k in patch]) / n))
        first = marks.find(b"\x01", first)
    return found
