"""Does a die that carries a symbol stand on its foot where a flat one does? Not for its upper face: footing.py.

Beyond the upper face's edge the camera sees the sides that look toward its axis, down to the foot: the farther out the die, the
more of them. Tilted by three degrees, upper face and foot are moved against each other by two pixels. How far a flat die's foot
is from the edge was taught; a side that another die or the rim may hide is not asked.
"""

from math import cos, pi, sin

from controller.reader import footing
from controller.target import const

_LINES = (-1.44, -1.08, -0.72, 0.72, 1.08, 1.44)  # steps to both sides of the middle, where a side's symbol hides less
_HEARD = const(4)  # of these lines must lie on the plate
_PACE = 0.75  # pixels
_REACH = 1.25  # steps beyond the upper edge
_DROP = 0.10
_LEAST_DROP = const(10)
_LEVEL = 0.06  # above the plate beside it a side has ended
_RIM = const(5)  # pixels: the gasket's edge is soft
_BESIDE = 5.6  # steps from a die's middle to another's that may hide its side
_ASIDE = 3.8


class Feet:
    """Where flat dice's feet are, in pixels from the upper edge: `hidden` where the side is not seen (the edge's own softness),
    else `near` and `grow` with the distance from the axis, which stands `x`, `y` from the plate's middle. `slack` 0: not taught."""

    __slots__ = ("grow", "hidden", "near", "slack", "x", "y")

    def __init__(self, hidden=0.0, near=0.0, grow=0.0, x=0.0, y=0.0, slack=0.0):
        self.hidden = hidden
        self.near = near
        self.grow = grow
        self.x = x
        self.y = y
        self.slack = slack

    def values(self):
        return self.hidden, self.near, self.grow, self.x, self.y, self.slack

    def expected(self, x, y, c, s):
        """Of a flat die x, y from the plate's middle, on the side that looks along c, s."""
        seen = self.near - self.grow * ((x - self.x) * c + (y - self.y) * s)
        more = seen - self.hidden
        if more > 1:
            return seen
        return self.hidden if more < -1 else self.hidden + (more + 1) * (more + 1) / 4


def _profile(window, symbol, k, step, plate):
    """Levels outward from side k's upper edge: of each place the middle of all lines; as far as the plate goes."""
    angle, sides, _ = symbol.outline
    c, s = cos(angle + k * pi / 2), sin(angle + k * pi / 2)
    x, y = symbol.x - window.left, symbol.y - window.top
    far = (plate.r - _RIM) * (plate.r - _RIM)
    levels = []
    t = sides[k]
    end = t + _REACH * step
    while t < end:
        px, py = x + t * c, y + t * s
        if (px + window.left - plate.x) ** 2 + (py + window.top - plate.y) ** 2 > far:
            break
        row = []
        for line in _LINES:
            level = footing.at(window, px - s * line * step, py + c * line * step)
            if level >= 0:
                row.append(level)
        if len(row) < _HEARD:
            break
        row.sort()
        levels.append(row[len(row) // 2])
        t += _PACE
    return levels


def _foot(levels, span):
    """Pixels from the upper edge to the foot: the outermost place where it becomes darker within three pixels. None where there
    is none, or where it may be farther out than was looked."""
    steep = max(_LEAST_DROP, _DROP * span)
    last = len(levels) - 6
    i = last
    while i >= 0:
        low = sorted(levels[i + 3 : i + 6])[1]
        if levels[i] - low >= steep:
            break
        i -= 1
    if i < 0 or i == last:
        return None
    level = low + _LEVEL * span
    j = i + 3
    while j > i and levels[j] < level:
        j -= 1
    return (j + (levels[j] - level) / max(1, levels[j] - levels[j + 1])) * _PACE


def _hidden(symbol, others, c, s, step):
    for other in others:
        if other is not symbol:
            dx, dy = other.x - symbol.x, other.y - symbol.y
            if 0 < dx * c + dy * s < _BESIDE * step and abs(dy * c - dx * s) < _ASIDE * step:
                return True
    return False


def sides(symbol, others, step, ground, plate):
    """(c, s, pixels from the upper edge to the foot) of each side that can be measured. Symbols in the frame's measure."""
    if symbol.outline is None:
        return []
    angle, _, body = symbol.outline
    found = []
    for k in range(4):
        c, s = cos(angle + k * pi / 2), sin(angle + k * pi / 2)
        if not _hidden(symbol, others, c, s, step):
            foot = _foot(_profile(symbol.window, symbol, k, step, plate), body - ground)
            if foot is not None:
                found.append((c, s, foot))
    return found


def stands(symbol, others, known, ground):
    plate, feet = known.plate, known.feet
    for c, s, foot in sides(symbol, others, known.step, ground, plate):
        if abs(foot - feet.expected(symbol.x - plate.x, symbol.y - plate.y, c, s)) > feet.slack:
            return False
    return True
