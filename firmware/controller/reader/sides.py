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
        self._glares = [(x * DROP, y * DROP, min(r, _GLARE) * DROP) for x, y, r in known.glares]
        self._points = array("H")
        for k in range(STEPS):
            for a in range(ACROSS):
                self._points.append(int((FIRST + STEP * k) * 16 + MIDDLE + 0.5))
                self._points.append(int((a - 5) * 16 + MIDDLE))
        self._values = bytearray(ACROSS * STEPS)
        self._use = bytearray(ACROSS)
        self._sums = array("H", bytes(2 * STEPS))

    def profile(self, plane, w, h, side, lamp):
        """(where a flat die's outline is, sums of all lines along the side); None where another die or the lamp's image is near."""
        lines = side.lines
        if lines and self._mirrored(side, lamp):
            lines = self._clear_of(side, lamp)
        if lines < _LEAST:
            return None
        plate.sample(plane, w, h, side.map, self._points, ACROSS * STEPS, self._values)
        plate.fold(self._values, ACROSS, STEPS, self._use if lines < side.lines else side.use, self._sums)
        if lines < ACROSS:  # as many as all
            for k in range(STEPS):
                self._sums[k] = self._sums[k] * ACROSS // lines
        return side.at, array("H", self._sums)

    def steep(self, plane, w, h, m, side, reach):
        """How steep a side's outline is by this map, from inside of the upper face's edge to so many mm from the middle."""
        for a in range(ACROSS):
            self._use[a] = 1
        plate.sample(plane, w, h, _turned(m, side), self._points, ACROSS * STEPS, self._values)
        plate.fold(self._values, ACROSS, STEPS, self._use, self._sums)
        return plate.energy(self._sums, _EDGE, int((reach - FIRST) / STEP) - _EDGE)

    def _mirrored(self, side, lamp):
        """Is this lamp mirrored somewhere near this side?"""
        x, y, r = self._glares[lamp]
        return r and (side.x - x) ** 2 + (side.y - y) ** 2 < (r + HALF) ** 2

    def _clear_of(self, side, lamp):
        """How many of a side's lines the lamp's image leaves; which ones goes to `_use`."""
        x, y, r = self._glares[lamp]
        n = 0
        for a in range(ACROSS):
            self._use[a] = side.use[a]
            for t in side.reach if self._use[a] else ():
                px, py = side.point(t, a - 5)
                if (px - x) ** 2 + (py - y) ** 2 < r * r:
                    self._use[a] = 0
                    break
            n += self._use[a]
        return n

    def seen(self, plane, w, h, pose, others, view, lamp):
        """What this lamp's frame shows of all four sides."""
        if pose.sides is None:
            pose.sides = [Side(pose, side, others, view) for side in range(4)]
        return [self.profile(plane, w, h, side, lamp) for side in pose.sides]


class Side:
    """Where one side of a die is to be looked at, the same for every frame: its map, where a flat die's outline is, and which lines
    along it see nothing but this die and the plate."""

    __slots__ = ("_c", "_pose", "_s", "at", "lines", "map", "reach", "use", "x", "y")

    def __init__(self, pose, side, others, view):
        self._pose = pose
        self._c, self._s = c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[side]
        self.map = _turned(pose.map, side)
        x, y = pose.outward(HALF * c, HALF * s)
        px, py = view.project(x, y, 0.0)
        x, y = view.lift(px, py, EDGE)
        u, v = pose.inward(x, y)
        self.at = max(HALF, u * c + v * s)
        outer = self.at + 2.2
        self.reach = (outer, (outer + HALF) / 2, HALF + 0.6)
        self.x, self.y = self.point(outer, 0)
        near = [other for other in others if (other.x - self.x) ** 2 + (other.y - self.y) ** 2 < _FAR * _FAR]
        self.use = bytearray(b"\x01" * ACROSS)
        self.lines = ACROSS
        if near or self.x * self.x + self.y * self.y > _INSIDE * _INSIDE:
            for a in range(ACROSS):
                if self._hidden(a - 5, near):
                    self.use[a] = 0
                    self.lines -= 1

    def point(self, t, along):
        c, s = self._c, self._s
        return self._pose.outward(t * c - along * s, t * s + along * c)

    def _hidden(self, along, near):
        for t in self.reach:
            x, y = self.point(t, along)
            if x * x + y * y > _PLATE * _PLATE:
                return True
            for other in near:
                if _over(other, x, y):
                    return True
        return False


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
