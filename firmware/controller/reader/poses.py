"""Where dice lie flat, by the marks on them: every face but a one has two pips at a diagonal's distance. Outlines: sides.py.

A pose is the middle and turn of a die's upper face; its map takes points of the face, in millimetres, to pixels.
"""

from array import array
from math import atan2, cos, pi, sin, sqrt

from controller.reader.fixed import BIAS
from controller.reader.view import EDGE

_NEAR = 0.8  # mm between a diagonal and the taught one
_AT_SLOT = 0.9  # mm between a mark and its place, before the pose is fitted
APART = 14.5  # mm between the middles of two dice
_SAME = 1.0  # mm between the middles of two poses that are one
_INSIDE = 7.0  # mm from the middle: a mark there is on the upper face
SLOTS = ((-1, -1), (0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1), (1, 1))
SPELLED = {
    0b000010000: 1,
    0b100000001: 2,
    0b001000100: 2,
    0b100010001: 3,
    0b001010100: 3,
    0b101000101: 4,
    0b101010101: 5,
    0b101101101: 6,
    0b111000111: 6,
}


class Pose:
    """x, y in mm, `turn` in radians of the face's u axis; number and bits by marks; `off`: how badly its marks fit, in mm."""

    __slots__ = (
        "bits",
        "body",
        "c",
        "contrast",
        "edges",
        "map",
        "marks",
        "number",
        "off",
        "s",
        "scale",
        "scores",
        "second",
        "seen",
        "sides",
        "skew",
        "slots",
        "x",
        "y",
    )

    def __init__(self, x, y, turn):
        self.x = x
        self.y = y
        self.face(turn)
        self.bits = self.number = 0
        self.off = 0.0
        self.scale = self.skew = 1.0
        self.marks = []
        self.slots = []
        self.body = self.contrast = 0
        self.map = self.scores = self.sides = self.edges = None
        self.seen = [None, None]

    def face(self, turn):
        self.c = cos(turn)
        self.s = sin(turn)

    def inward(self, x, y):
        """A point of the table's top plane in the face's measure."""
        x -= self.x
        y -= self.y
        return x * self.c + y * self.s, y * self.c - x * self.s

    def outward(self, u, v):
        return self.x + u * self.c - v * self.s, self.y + u * self.s + v * self.c


def find(marks, view, known, height=EDGE):
    """Poses of two to six by marks, the best first; marks get .u and .v, their place on the plane of the upper faces."""
    for mark in marks:
        mark.u, mark.v = view.lift(mark.x, mark.y, height)
    diagonal = known.pitch * 2.828427
    found = []
    for i in range(len(marks)):
        for j in range(i):
            dx = marks[i].u - marks[j].u
            dy = marks[i].v - marks[j].v
            if abs(dx) > diagonal + _NEAR or abs(dy) > diagonal + _NEAR:
                continue
            if abs(sqrt(dx * dx + dy * dy) - diagonal) > _NEAR:
                continue
            pose = Pose((marks[i].u + marks[j].u) / 2, (marks[i].v + marks[j].v) / 2, atan2(dy, dx) - pi / 4)
            if [1 for other in found if abs(other.x - pose.x) < _SAME and abs(other.y - pose.y) < _SAME]:
                continue  # a face has two diagonals
            fit(pose, marks, known)
            if pose.number:
                found.append(pose)
    return found


def choose(found):
    """The poses of which no two share a mark or stand in each other: those that the second opinion bears out first."""
    found.sort(key=lambda pose: (pose.second != pose.number, -len(pose.marks), pose.off))
    kept = []
    taken = []
    for pose in found:
        if [1 for mark in pose.marks if mark in taken]:
            continue
        if [1 for other in kept if (other.x - pose.x) ** 2 + (other.y - pose.y) ** 2 < APART * APART]:
            continue
        kept.append(pose)
        taken += pose.marks
    return kept


def fit(pose, marks, known):
    """Takes the marks at the face's places and moves the pose onto them; `number` 0 where they spell nothing."""
    pitch = known.pitch
    for reach in (_AT_SLOT, 0.6 * _AT_SLOT):
        bits = 0
        at = []
        pose.number = 0
        for mark in marks:
            if abs(mark.u - pose.x) > 9 or abs(mark.v - pose.y) > 9:
                continue
            u, v = pose.inward(mark.u, mark.v)
            if abs(u) > _INSIDE or abs(v) > _INSIDE:
                continue
            column = int(u / pitch + 1.5)
            row = int(v / pitch + 1.5)
            du = u - (column - 1) * pitch
            dv = v - (row - 1) * pitch
            if du * du + dv * dv > reach * reach or not (0 <= column < 3 and 0 <= row < 3):
                if known.like(mark):
                    return  # a pip where none can be: another die's, or not a face
                continue
            bit = 1 << (3 * row + column)
            if bits & bit:
                return
            bits |= bit
            at.append((mark, (column - 1) * pitch, (row - 1) * pitch, 3 * row + column))
        number = SPELLED.get(bits, 0)
        if not number:
            return
        # least squares of place, turn and scale (complex: table = middle + (p + i q) * face)
        n = len(at)
        mx = sum([m.u for m, _, _, _ in at]) / n
        my = sum([m.v for m, _, _, _ in at]) / n
        p = q = w = 0.0
        for m, u, v, _ in at:
            p += (m.u - mx) * u + (m.v - my) * v
            q += (m.v - my) * u - (m.u - mx) * v
            w += u * u + v * v
        pose.x = mx
        pose.y = my
        if w:
            pose.face(atan2(q, p))
            pose.scale = sqrt(p * p + q * q) / w
        pose.skew = _skew(at, mx, my) if number > 3 else 1.0
        off = 0.0
        for m, u, v, _ in at:
            x, y = pose.outward(u, v)
            off += (m.u - x) ** 2 + (m.v - y) ** 2
        pose.off = sqrt(off / n)
        pose.bits = bits
        pose.marks = [m for m, _, _, _ in at]
        pose.slots = [slot for _, _, _, slot in at]
        pose.number = number


def _skew(at, mx, my):
    """How much longer than wide the face is seen, whichever way: a tilted one is foreshortened one way only."""
    xu = xv = yu = yv = uu = vv = uv = 0.0
    for m, u, v, _ in at:
        x, y = m.u - mx, m.v - my
        xu += x * u
        xv += x * v
        yu += y * u
        yv += y * v
        uu += u * u
        vv += v * v
        uv += u * v
    det = uu * vv - uv * uv
    a, b = (xu * vv - xv * uv) / det, (xv * uu - xu * uv) / det
    c, d = (yu * vv - yv * uv) / det, (yv * uu - yu * uv) / det
    # singular values of (a b; c d)
    half = (a * a + b * b + c * c + d * d) / 2
    swing = sqrt(max(0.0, half * half - (a * d - b * c) ** 2))
    return sqrt((half + swing) / max(1e-6, half - swing))


def make_map(pose, view, left):
    """The pose's map for plate.sample(), in the measure of a plane whose first column is the frame's `left`."""
    h = EDGE / 2
    at = [view.project(pose.outward(u, v)[0], pose.outward(u, v)[1], EDGE) for u, v in
          ((0, 0), (h, 0), (-h, 0), (0, h), (0, -h), (h, h))]  # fmt: skip
    numbers = array("I", bytes(48))
    for axis in (0, 1):
        o, a, b, c, d, e = [place[axis] for place in at]
        u = (a - b) / (2 * h)
        v = (c - d) / (2 * h)
        uu = (a + b - 2 * o) / (2 * h * h)
        vv = (c + d - 2 * o) / (2 * h * h)
        uv = (e - o - h * (u + v) - h * h * (uu + vv)) / (h * h)
        if axis == 0:
            o -= left
        k = 6 * axis
        for value, step in ((o, 65536), (u, 4096), (v, 4096), (uu, 65536), (uv, 65536), (vv, 65536)):
            numbers[k] = int(value * step) + BIAS
            k += 1
    pose.map = numbers
