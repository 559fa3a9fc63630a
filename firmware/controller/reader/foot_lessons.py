"""What flat dice teach about how they stand: how large an upper face is where, and how far its foot is from its edge.

At a desk, for symbol_lessons.py. By least squares; dice that came out otherwise than nearly all are left out.
"""

from controller.reader.feet import Feet

_SEEN = 3.0  # steps off the axis: from there on a side is seen for certain
_UNSEEN = 0.8
_STRAY = 0.075  # steps
_LEAST_SIDES = 16
_LEAST_FACES = 9
_MARGIN = 1.5  # of what nearly all of the dice taught had
_SLACK = (0.08, 0.22)  # steps: least and most
_STRAY_FACE = 0.02  # of a half side
_MOST = 0.1  # that a half side may change from the middle of the plate to its rim
_ROUNDS = 8


def feet(places, step):
    """Out of (x, y, c, s, foot): the die from the plate's middle, where the side looks, its foot's distance from the edge."""
    hidden = sorted([foot for x, y, c, s, foot in places if x * c + y * s > -_UNSEEN * step])
    seen = [(1.0, -(x * c + y * s), c, s, foot) for x, y, c, s, foot in places if x * c + y * s < -_SEEN * step]
    fit = _fitted(seen, _STRAY * step) if len(seen) >= _LEAST_SIDES else None
    if fit is None or fit[1] <= 0 or not hidden:
        return Feet()
    found = Feet(hidden[len(hidden) // 2], fit[0], fit[1], fit[2] / fit[1], fit[3] / fit[1])
    off = sorted([abs(foot - found.expected(x, y, c, s)) for x, y, c, s, foot in places])
    found.slack = max(_SLACK[0] * step, min(_SLACK[1] * step, _MARGIN * off[len(off) * 19 // 20]))
    return found


def lens(places):
    """Out of (x, y, half side), x and y in the plate's radius: (half side in the middle, bend, lean_x, lean_y), how much smaller
    it is at the rim, and larger along x and y because the camera leans."""
    halves = sorted([half for _, _, half in places])
    middle = halves[len(halves) // 2] if halves else 0
    fit = None
    if len(places) >= _LEAST_FACES:
        fit = _fitted([(1.0, x * x + y * y, x, y, half) for x, y, half in places], _STRAY_FACE * middle)
    if fit is None:
        return middle, 0.0, 0.0, 0.0
    bend, lean_x, lean_y = [max(-_MOST, min(_MOST, weight / fit[0])) for weight in (-fit[1], fit[2], fit[3])]
    return fit[0], bend, lean_x, lean_y


def _fitted(rows, stray):
    near = rows
    for _ in range(_ROUNDS):
        fit = _least_squares(near)
        if fit is None:
            return None
        near = [row for row in rows if abs(row[4] - sum([row[i] * fit[i] for i in range(4)])) < stray]
    return fit


def _least_squares(rows):
    """The four weights of rows' first four that come nearest to their fifth; None where they don't tell."""
    m = [[sum([row[i] * row[j] for row in rows]) for j in range(5)] for i in range(4)]
    for i in range(4):
        if abs(m[i][i]) < 1e-6:
            return None
        for k in range(4):
            if k != i:
                f = m[k][i] / m[i][i]
                m[k] = [m[k][j] - f * m[i][j] for j in range(5)]
    return [m[i][4] / m[i][i] for i in range(4)]
