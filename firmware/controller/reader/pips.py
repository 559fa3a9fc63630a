"""Finds pips: small elliptic marks, darker or lighter than the ring around them. Not for what they spell: faces.py.

A mark is grown from its lowest pixel to the level half way between it and its surroundings, so each pip has a threshold
of its own and light that changes over the picture doesn't matter. Its moments give centre and ellipse.
"""

from array import array
from math import pi, sqrt

from controller.reader import scan
from controller.target import const

_MARGIN = const(8)
_REACH = const(11)
_ROOM = const(6000)  # seeds of one plane
CAMERA_SEEDS = 1200  # enough for the table's own frames, in an RP2040's memory
_CONTRAST = const(22)
_LEAST_AREA = const(8)
_CROWD = const(500)
_MOST = const(1200)  # pips of a picture: on a carpet the dice's are the strongest, in the most even surroundings
_RADII = (2, 3, 4, 5, 6, 7)
_DIAGONAL = 0.7071
_ROUND16 = tuple((c, s) for c, s in (
    (1.0, 0.0), (0.924, 0.383), (0.707, 0.707), (0.383, 0.924), (0.0, 1.0), (-0.383, 0.924), (-0.707, 0.707),
    (-0.924, 0.383), (-1.0, 0.0), (-0.924, -0.383), (-0.707, -0.707), (-0.383, -0.924), (0.0, -1.0),
    (0.383, -0.924), (0.707, -0.707), (0.924, -0.383)))  # fmt: skip


class Pip:
    """In full-size pixels. a, b, c: the ellipse's matrix (xx, xy, yy), 1 at its border; r: radius of the circle of its area."""

    __slots__ = ("a", "b", "body", "c", "core", "face", "inv", "octave", "plane", "r", "rough", "uneven", "x", "y")

    def contrast(self):
        return self.body - self.core


class PipFinder:
    """Holds the buffers. find() gives the pips of a picture."""

    def __init__(self, room=_ROOM, patient=False):
        """`patient`: a mark is grown again for as long as that finds more of it, up to four times instead of twice. A seed's
        ring may lie in the blur of its own pip, which looks small and faint then."""
        self._room = room
        self._passes = 4 if patient else 2
        self._seeds = array("i", bytes(4 * room))
        side = 2 * _REACH + 1
        self._work = bytearray(side * side)
        self._stack = array("H", bytes(2 * side * side))
        self._sums = array("i", bytes(24))

    def find(self, picture):
        found = []
        for octave in range(len(picture.octaves)):
            w, _, planes = picture.octaves[octave]
            ring = _rings(w)
            for plane in range(len(planes)):
                for inv in (0, 255):
                    self._find_in(picture, octave, plane, inv, ring, found)
        return _without_doubles(found)

    def _find_in(self, picture, octave, plane, inv, ring, found):
        w, h, planes = picture.octaves[octave]
        p = planes[plane]
        n = scan.seeds(p, w, h, _MARGIN, inv, _CONTRAST, ring, len(_RADII), self._seeds, self._room)
        for k in range(n):
            seed = self._seeds[k]
            at = seed >> 4
            pip = self._measure(picture, p, w, h, at, seed & 15, octave, plane, inv, ring)
            if pip is not None and not (pip.uneven and len(found) > _CROWD * 3):
                found.append(pip)

    def _measure(self, picture, p, w, h, at, radius, octave, plane, inv, ring):
        core = p[at] ^ inv
        bias = _MARGIN * w + _MARGIN
        around = sorted([p[at - bias + ring[radius * 8 + k]] ^ inv for k in range(8)])
        body = around[4]
        sums = self._sums
        pip = None
        last = self._passes - 1
        before = 0
        for again in range(self._passes):
            level = (core + body + 1) >> 1
            ax = at % w
            ay = at // w
            reach = min(_REACH, ax, ay, w - 1 - ax, h - 1 - ay)
            n = scan.grow(p, w, at, inv, level, reach, self._work, self._stack, sums)
            if n < _LEAST_AREA or (octave and n < 14):
                return None
            mx = sums[1] / n
            my = sums[2] / n
            # + 1/12: a pixel is a square and not a point
            cxx = sums[3] / n - mx * mx + 0.0833
            cyy = sums[4] / n - my * my + 0.0833
            cxy = sums[5] / n - mx * my
            det = cxx * cyy - cxy * cxy
            if det <= 0:
                return None
            fill = n / (4 * pi * sqrt(det))
            half = (cxx + cyy) / 2
            swing = sqrt((cxx - cyy) * (cxx - cyy) / 4 + cxy * cxy)
            if fill < 0.75 or (half - swing) < 0.1 * (half + swing):
                return None
            if again == last or (again and n < 1.15 * before):
                break
            before = n
            pip = Pip()
            f = 4.0
            pip.a = f * cxx
            pip.b = f * cxy
            pip.c = f * cyy
            around = ring_of(picture, octave, plane, inv, ax + mx + 0.5, ay + my + 0.5, pip.a, pip.b, pip.c, 1.7, True)
            if around[0] < 0:
                return None
            body = around[8]
            if body - core < _CONTRAST or around[3] < core + (body - core) * 0.25:
                return None
            uneven = around[4] < core + (body - core) * 0.4 or around[13] - around[6] > (body - core) * 0.4
        scale = 1 << octave
        pip.x = (ax + mx + 0.5) * scale
        pip.y = (ay + my + 0.5) * scale
        f = 4.0 * scale * scale
        pip.a = f * cxx
        pip.b = f * cxy
        pip.c = f * cyy
        pip.r = sqrt(n / pi) * scale
        pip.core = core
        pip.body = body
        pip.rough = around[12] - around[5]
        pip.uneven = uneven
        pip.inv = inv
        pip.octave = octave
        pip.plane = plane
        pip.face = None
        return pip


def ring_of(picture, octave, plane, inv, x, y, a, b, c, times, local=False):
    """Sixteen pixels around an ellipse, `times` its size, sorted; -1 for each outside the picture."""
    # the ellipse as a square root of its matrix (Cholesky): enough, the sixteen need not be evenly spread
    l11 = sqrt(a)
    l21 = b / l11
    l22 = sqrt(max(c - l21 * l21, 0.01))
    out = []
    scale = 1 << octave if local else 1
    for cos, sin in _ROUND16:
        out.append(
            picture.at(
                octave, plane, inv, (x + times * l11 * cos) * scale, (y + times * (l21 * cos + l22 * sin)) * scale
            )
        )
    out.sort()
    return out


def _rings(w):
    ring = array("i")
    bias = _MARGIN * w + _MARGIN
    for r in _RADII:
        d = int(r * _DIAGONAL + 0.5)
        for x, y in ((r, 0), (-r, 0), (0, r), (0, -r), (d, d), (-d, d), (d, -d), (-d, -d)):
            ring.append(y * w + x + bias)
    return ring


def _without_doubles(found):
    """One pip a place, plane and polarity: the strongest of what the octaves saw there."""
    found.sort(key=lambda pip: -pip.contrast())
    cells = {}
    kept = []
    for pip in found:
        key = (int(pip.x) >> 5, int(pip.y) >> 5)
        double = False
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                for other in cells.get((key[0] + dx, key[1] + dy), ()):
                    if other.inv == pip.inv and other.plane == pip.plane:
                        d = max(abs(other.x - pip.x), abs(other.y - pip.y))
                        # a mark much larger or smaller at the same place is another mark: the die around its pip
                        if d < 0.7 * max(other.r, pip.r) and 0.6 * other.r < pip.r < 1.7 * other.r:
                            double = True
        if not double:
            cells.setdefault(key, []).append(pip)
            kept.append(pip)
    kept.sort(key=lambda pip: 2 * pip.rough - pip.contrast())
    if len(kept) > _CROWD:  # a carpet: what is much fainter than the best, or on an uneven body, is not worth the time
        best = sum([pip.contrast() for pip in kept[:8]]) / 8
        kept = [pip for pip in kept if pip.contrast() > 0.42 * best and not pip.uneven]
    return kept[:_MOST]
