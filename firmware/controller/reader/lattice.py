"""The second opinion: what raw pixels on a face's 3 x 3 lattice say, with no regard to which pips were found.

Each of the nine places is taken as pip or body by its own pixels; the places between them must all be body. Not for
where the lattice lies: faces.py.
"""

from math import sqrt

from controller.reader.poses import SPELLED

_CROSS = ((0.0, 0.0), (0.35, 0.0), (-0.35, 0.0), (0.0, 0.35), (0.0, -0.35))
_BETWEEN = ((0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5))


def read(picture, face):
    """The number that the pixels spell, 0 for none. Leaves how sure it is, 0 to 1, in face.sure and the body's level."""
    pip = face.pips[0]
    face.body = pip.body
    face.sure = 0.0
    octave, plane, inv = pip.octave, pip.plane, pip.inv
    core = sum([p.core for p in face.pips]) / len(face.pips)
    step = sqrt(face.size())
    small = pip.r / step  # of a pip, in lattice steps
    between = [_pixel(picture, octave, plane, inv, face, a * face.narrow, b) for a, b in _BETWEEN]
    if min(between) < 0:
        return 0
    between.sort()
    body = (between[1] + between[2]) / 2
    contrast = body - core
    if contrast < 16:
        return 0
    face.body = body
    bits = 0
    margin = 1.0
    for row in (-1, 0, 1):
        for column in (-1, 0, 1):
            values = [
                _pixel(picture, octave, plane, inv, face, column * face.narrow + dx * small, row + dy * small)
                for dx, dy in _CROSS
            ]
            if min(values) < 0:
                return 0
            values.sort()
            share = (body - values[2]) / contrast
            if share > 0.5:
                bits |= 1 << (3 * (row + 1) + column + 1)
                # a highlight may sit in a pip: its dark part counts
                share = (body - values[1]) / contrast
            elif share < 0:
                share = max(0.0, -share - 0.4)  # lighter than the body: a glare, harmless unless it is strong
            elif values[4] - values[0] > 0.22 * contrast and share > 0.1:
                share = 0.5  # neither body nor pip: a pip under a glare looks so
            margin = min(margin, abs(share - 0.5) * 2)
    # one of the four may lie under a glare
    spread = min(between[2] - between[0], between[3] - between[1]) / contrast
    face.sure = min(margin, 1 - 2 * spread)
    return SPELLED.get(bits, 0)


def _pixel(picture, octave, plane, inv, face, a, b):
    x, y = face.place(a, b)
    return picture.at(octave, plane, inv, x, y)
