"""Does a die that carries a symbol stand flat where it was read? By its outline. Not for what it shows: symbols.py.

Rays from the symbol's middle find where the light upper face ends: four sides, whichever way it is turned. How far they are from
each other was taught by dice that lay flat.
"""

from math import cos, pi, sin

from controller.reader import scan
from controller.target import const

_RAYS = const(36)
_TURNS = const(18)  # of a quarter, 5 degrees each
_FAR = 2.75  # steps: the end of a ray
_NEAR = 1.55
_TOP = 0.30  # of the way from the body's level to the ground's: below it the upper face has ended
_SQUARE = 0.021  # by which a flat die's face may seem longer than wide, of half its side
_SIZE = 0.015  # by which it may seem larger or smaller
_DIRECTIONS = tuple([(cos(2 * pi * k / _RAYS), sin(2 * pi * k / _RAYS)) for k in range(_RAYS)])


def at(window, x, y):
    """The level there, -1 outside of the window."""
    return scan.blend(window.plane, window.w, window.h, int(x * 256), int(y * 256))


def _end(window, x, y, c, s, t, far, level):
    """How far along a ray it is to the first place below this level; None where there is none, or the window ends."""
    old = at(window, x + t * c, y + t * s)
    if old < level:
        return None
    while t < far:
        t += 0.75
        new = at(window, x + t * c, y + t * s)
        if new < 0:
            return None
        if new < level:
            return t - 0.75 * (level - new) / max(1, old - new)
        old = new
    return None


def _body(window, x, y, step):
    """The level of the face around its symbol."""
    levels = sorted([at(window, x + 1.68 * step * c, y + 1.68 * step * s) for c, s in _DIRECTIONS])
    return levels[_RAYS * 3 // 4]


def outline(window, x, y, step, ground):
    """Of the upper face: (how it is turned, how far each of its four sides is from x, y, its level). None where fewer than three
    sides are to be seen. In pixels of the window."""
    body = _body(window, x, y, step)
    top = body - _TOP * (body - ground)
    ends = []
    for c, s in _DIRECTIONS:
        end = _end(window, x, y, c, s, _NEAR * step, _FAR * step, top)
        if end is not None:
            ends.append((c * end, s * end))
    best = None
    for turn in range(_TURNS):
        a = pi / 2 * turn / _TURNS
        ca, sa = cos(a), sin(a)
        sides = [[], [], [], []]
        for u, v in ends:
            p, q = u * ca + v * sa, v * ca - u * sa
            if abs(p) > 1.25 * abs(q):
                sides[0 if p > 0 else 2].append(abs(p))
            elif abs(q) > 1.25 * abs(p):
                sides[1 if q > 0 else 3].append(abs(q))
        cost = 0.0
        for side in sides:
            side.sort()
            if len(side) > 1:
                middle = side[len(side) // 2]
                cost += sum([min(3.0, abs(d - middle)) for d in side])
        if best is None or cost < best[0]:
            best = (cost, a, [side[len(side) // 2] if len(side) > 1 else None for side in sides])
    d = best[2]
    if len([1 for side in d if side is not None]) < 3:
        return None
    for k in range(4):
        if d[k] is None:
            d[k] = d[(k + 1) % 4] + d[(k + 3) % 4] - d[(k + 2) % 4]  # as long as it is wide
    return best[1], d, body


def halves(outline):
    """(half length, half width) of the upper face."""
    d = outline[1]
    return (d[0] + d[2]) / 2, (d[1] + d[3]) / 2


def _half(known, x, y, c, s):
    """Half a flat die's side along c, s; x, y is its place in the plate's radius. A barrel lens presses it together along the way
    to the middle thrice as much as across; a camera that leans, along the way that it leans twice as much."""
    along = x * c + y * s
    lean_x, lean_y = known.lean_x * 2 / 3, known.lean_y * 2 / 3
    bent = known.bend * ((x * x + y * y) / 2 + along * along)
    return known.radius * (1 - bent + lean_x * x + lean_y * y + (lean_x * c + lean_y * s) * along)


def flat(window, symbol, known):
    """Is its upper face as long and as wide as a flat die's? Tilted, it is shorter one way, and nearer to the camera larger."""
    if symbol.outline is None:
        return True  # dice all around it: they hide its outline
    plate = known.plate
    x, y = (symbol.x + window.left - plate.x) / plate.r, (symbol.y + window.top - plate.y) / plate.r
    c, s = cos(symbol.outline[0]), sin(symbol.outline[0])
    long, wide = halves(symbol.outline)
    longer, wider = long - _half(known, x, y, c, s), wide - _half(known, x, y, -s, c)
    return abs(longer - wider) < _SQUARE * known.radius and abs(longer + wider) / 2 < _SIZE * known.radius
