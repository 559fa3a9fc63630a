"""Does a die stand flat where its face was read? By its outline on four sides, against where a flat die's is. Not for faces.

Every side is looked at in one profile: from inside of the upper face outward, the mean of several parallel lines. The upper edge is
where the pose says; the foot is drawn toward the middle of the plate, so that sides facing the middle are in view.
"""

from array import array

from controller.reader import plate
from controller.reader.fixed import BIAS, MIDDLE
from controller.reader.view import EDGE

ACROSS = 11
STEPS = 40
FIRST = 6.0  # mm from the face's middle
STEP = 0.2
HALF = EDGE / 2
_EDGE = 5  # steps to just inside of the upper face's edge
_CLEAR = 1.2  # mm
DROP = 0.893  # of a length on the plate, as one on the top plane that hides it
_GLARE = 8.0  # mm
_FAR = 19.0  # mm: another die, or the reflection, cannot be on a line to a side
_INSIDE = 31.0  # mm from the middle: no line leaves the plate
_PLATE = 36.4  # mm on the top plane: beyond, the gasket is seen behind the die
_LEAST = 3  # lines that no other die is in
_FAINT = 7  # grey steps
_FAINT_DARK = 12
_LIGHT_SHARE = 0.12  # of the way from plate to die: a light die's side may be in its own shadow
_DARK_SHARE = 0.35
_MIRRORED = 0.3  # of the way from die to plate
_DARKER = 0.8
BEYOND = 3.0  # mm: more than is looked at


class Sides:
    def __init__(self, known):
        # where the lamps are mirrored on the dome, as if on the top plane: what is seen there is not the die's edge
        self._glares = [(x * DROP, y * DROP, (min(r, _GLARE) * DROP) ** 2) for x, y, r in known.glares]
        self._points = array("H")
        for k in range(STEPS):
            for a in range(ACROSS):
                self._points.append(int((FIRST + STEP * k) * 16 + MIDDLE + 0.5))
                self._points.append(int((a - 5) * 16 + MIDDLE))
        self._values = bytearray(ACROSS * STEPS)
        self._use = bytearray(ACROSS)
        self._sums = array("H", bytes(2 * STEPS))

    def profile(self, plane, w, h, pose, side, others, view, lamp):
        """(where a flat die's outline is, sums of all lines along the side); None where another die or the lamp's image is near."""
        m = _turned(pose.map, side)
        c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[side]
        x, y = pose.outward(HALF * c, HALF * s)
        px, py = view.project(x, y, 0.0)
        x, y = view.lift(px, py, EDGE)
        u, v = pose.inward(x, y)
        foot = u * c + v * s
        outer = max(HALF, foot) + 2.2
        n = self._lines(pose, c, s, outer, others, lamp)
        use = self._use
        if n < _LEAST:
            return None
        plate.sample(plane, w, h, m, self._points, ACROSS * STEPS, self._values)
        plate.fold(self._values, ACROSS, STEPS, use, self._sums)
        if n < ACROSS:  # as many as all
            for k in range(STEPS):
                self._sums[k] = self._sums[k] * ACROSS // n
        return max(HALF, foot), array("H", self._sums)

    def steep(self, plane, w, h, m, side, reach):
        """How steep a side's outline is by this map, from inside of the upper face's edge to so many mm from the middle."""
        for a in range(ACROSS):
            self._use[a] = 1
        plate.sample(plane, w, h, _turned(m, side), self._points, ACROSS * STEPS, self._values)
        plate.fold(self._values, ACROSS, STEPS, self._use, self._sums)
        return plate.energy(self._sums, _EDGE, int((reach - FIRST) / STEP) - _EDGE)

    def _lines(self, pose, c, s, outer, others, lamp):
        """How many lines see nothing but this die and the plate; which ones goes to `use`."""
        use = self._use
        x, y = pose.outward(outer * c, outer * s)
        near = [other for other in others if (other.x - x) ** 2 + (other.y - y) ** 2 < _FAR * _FAR]
        gx, gy, gr = self._glares[lamp]
        if not near and x * x + y * y < _INSIDE * _INSIDE and (x - gx) ** 2 + (y - gy) ** 2 > _FAR * _FAR:
            for a in range(ACROSS):
                use[a] = 1
            return ACROSS
        n = 0
        for a in range(ACROSS):
            use[a] = 1
            along = a - 5
            for t in (outer, (outer + HALF) / 2, HALF + 0.6):
                x, y = pose.outward(t * c - along * s, t * s + along * c)
                if x * x + y * y > _PLATE * _PLATE or (x - gx) ** 2 + (y - gy) ** 2 < gr:
                    use[a] = 0
                    break
                for other in near:
                    if _over(other, x, y):
                        use[a] = 0
            n += use[a]
        return n

    def seen(self, plane, w, h, pose, others, view, lamp):
        """What this lamp's frame shows of all four sides."""
        return [self.profile(plane, w, h, pose, side, others, view, lamp) for side in range(4)]


def edge(seen, clear, bare, inv):
    """(how far outside of a flat die's outline a side's is found, None where it isn't seen; where that outline is, both in mm;
    whether no shadow lies beyond it).

    By what both lamps show of it; where a lamp is mirrored on the dome, or in a dark die beside its edge, by the other. A shadow,
    where not `clear` by each lamp, hides a dark die's edge; elsewhere the plate must be as bright as `bare`, by each lamp."""
    one, other = seen
    if one is None and other is None:
        return None, 0.0, True
    at = (one or other)[0]
    start = min(STEPS - 5, int((at - FIRST) / STEP) + 6)
    if inv and one and other:
        beside = sum([one[1][k] - other[1][k] for k in range(2, 6)]) / 4
        out = sum([max(one[1][k], other[1][k]) for k in range(start, start + 5)]) / 5
        if abs(beside) > _MIRRORED * (out - min(min(one[1]), min(other[1]))):
            if beside > 0:
                one = None
            else:
                other = None
    if one and other:
        sums = [max(one[1][k], other[1][k]) for k in range(STEPS)]
        level = max(bare)
        sure = clear[0] or clear[1] or not inv
    else:
        sums = (one or other)[1]
        level = bare[0 if one else 1]
        sure = clear[0 if one else 1] or not inv
    out = sum([sums[start + k] for k in range(5)]) / 5
    if inv and out < _DARKER * level * ACROSS:
        return (BEYOND if sure else None), at, sure
    inner = [sums[k] for k in range(1, int((at - FIRST) / STEP) - 1)] or [sums[1]]
    span = (out - min(inner)) if inv else (max(inner) - out)
    if span < (_FAINT_DARK if inv else _FAINT) * ACROSS:
        return None, at, sure
    limit = span * _DARK_SHARE if inv else max(_FAINT * ACROSS, span * _LIGHT_SHARE)
    k = start + 4
    old = (out - sums[k]) if inv else (sums[k] - out)
    while k > 0:
        k -= 1
        new = (out - sums[k]) if inv else (sums[k] - out)
        if new > limit:
            return FIRST + STEP * (k + min(1.0, (new - limit) / max(1, new - old))) - at, at, sure
        old = new
    return None, at, sure


def _over(other, x, y):
    """Is this point of the top plane where another die is seen: its upper face, or its foot?"""
    u, v = other.inward(x, y)
    if abs(u) < HALF + _CLEAR and abs(v) < HALF + _CLEAR:
        return True
    u, v = other.inward(x / DROP, y / DROP)
    return abs(u) < HALF + _CLEAR and abs(v) < HALF + _CLEAR


def _turned(m, side):
    """The map with its u axis on this side."""
    if side == 0:
        return m
    b = BIAS
    out = array("I", m)
    for k in (0, 6):
        u, v, uu, uv, vv = [m[k + 1 + i] - b for i in range(5)]
        if side == 1:
            u, v, uu, uv, vv = v, -u, vv, -uv, uu
        elif side == 2:
            u, v = -u, -v
        else:
            u, v, uu, uv, vv = -v, u, vv, -uv, uu
        for i, value in enumerate((u, v, uu, uv, vv)):
            out[k + 1 + i] = value + b
    return out
