"""Finds faces: pips that lie on the 3 x 3 lattice of a die's face, seen from anywhere. Not for which dice: scene.py.

Every face from two up has pips on both ends of a diagonal. In the measure of the pips' own ellipse a face is square, so a
pair of pips taken as a diagonal gives the whole lattice; what lies on it must spell a face, and nothing may lie between.
"""

from math import sqrt

_NEAREST = 5.0  # length of a diagonal in pip radii
_FARTHEST = 14.0
_INSIDE = 1.62  # in lattice steps: pips nearer than this to the centre must be on the lattice

# bit 3 * (row + 1) + column + 1; the diagonal of the pair is bits 0 and 8
_SPELLED = {
    0b100000001: 2,
    0b100010001: 3,
    0b101000101: 4,
    0b101010101: 5,
    0b101101101: 6,
    0b111000111: 6,
}


class Face:
    """Centre x, y; u and v: one lattice step. `pips` lie on it."""

    __slots__ = ("error", "number", "pips", "ux", "uy", "vx", "vy", "why", "x", "y")

    def place(self, a, b):
        return self.x + a * self.ux + b * self.vx, self.y + a * self.uy + b * self.vy

    def lattice(self, x, y):
        """Where a place is in lattice steps."""
        dx = x - self.x
        dy = y - self.y
        det = self.ux * self.vy - self.uy * self.vx
        return (dx * self.vy - dy * self.vx) / det, (dy * self.ux - dx * self.uy) / det

    def size(self):
        """Area of a lattice cell, in pixels."""
        return abs(self.ux * self.vy - self.uy * self.vx)


def alike(p, q):
    """Could be pips of one face."""
    if p.inv != q.inv:
        return False
    ratio = p.r / q.r
    if ratio < 0.7 or ratio > 1.43:
        return False
    least = min(p.body - p.core, q.body - q.core)
    return abs(p.core - q.core) < 0.6 * least and abs(p.body - q.body) < 0.6 * least


def find(pips):
    """Every face that the pips can spell, best first; they may share pips."""
    pips = sorted(pips, key=lambda pip: pip.x)
    faces = []
    seen = set()
    n = len(pips)
    for i in range(n):
        p = pips[i]
        far = _FARTHEST * sqrt(max(p.a, p.c))
        near = []
        j = i - 1
        while j >= 0 and p.x - pips[j].x < far:
            if abs(pips[j].y - p.y) < far and alike(p, pips[j]):
                near.append(pips[j])
            j -= 1
        first = len(near)
        j = i + 1
        while j < n and pips[j].x - p.x < far:
            if abs(pips[j].y - p.y) < far and alike(p, pips[j]):
                near.append(pips[j])
            j += 1
        for q in near[first:]:
            face = _from_diagonal(p, q, near)
            if face is not None:
                key = tuple(sorted([id(pip) for pip in face.pips]))
                if key not in seen:
                    seen.add(key)
                    faces.append(face)
    faces.sort(key=lambda face: (-face.number, face.error))
    return faces


def _from_diagonal(p, q, near):
    ma = (p.a + q.a) / 2
    mb = (p.b + q.b) / 2
    mc = (p.c + q.c) / 2
    det = ma * mc - mb * mb
    dx = q.x - p.x
    dy = q.y - p.y
    gx = (mc * dx - mb * dy) / det
    gy = (ma * dy - mb * dx) / det
    d2 = dx * gx + dy * gy
    if d2 < _NEAREST * _NEAREST or d2 > _FARTHEST * _FARTHEST:
        return None
    root = sqrt(det)
    ex = -gy * root
    ey = gx * root
    face = Face()
    face.x = (p.x + q.x) / 2
    face.y = (p.y + q.y) / 2
    face.ux = (dx + ex) / 4
    face.uy = (dy + ey) / 4
    face.vx = (dx - ex) / 4
    face.vy = (dy - ey) / 4
    if not _spell(face, [p, q, *near], 0.5):
        return None
    if face.number > 3:
        _fit(face)
        if not _spell(face, [p, q, *near], 0.25):
            return None
    _measure(face)
    return face if face.error < 0.16 else None


def _spell(face, pips, slack):
    """Reads the pips on the face's lattice; False where they spell nothing."""
    bits = 0
    on = []
    for pip in pips:
        if pip in on:
            continue
        a, b = face.lattice(pip.x, pip.y)
        if abs(a) > _INSIDE or abs(b) > _INSIDE:
            continue
        row = round(b)
        column = round(a)
        if max(abs(a - column), abs(b - row)) > slack or abs(row) > 1 or abs(column) > 1:
            return False
        bit = 1 << (3 * (row + 1) + column + 1)
        if bits & bit:
            return False
        bits |= bit
        on.append(pip)
    face.number = _SPELLED.get(bits, 0)
    face.pips = on
    return face.number > 0


def _fit(face):
    """Centre and steps by least squares; the patterns of 4, 5 and 6 are orthogonal, so each is a mean."""
    n = len(face.pips)
    spots = []
    for pip in face.pips:
        a, b = face.lattice(pip.x, pip.y)
        spots.append((round(a), round(b), pip.x, pip.y))
    aa = sum([a * a for a, b, x, y in spots])
    bb = sum([b * b for a, b, x, y in spots])
    cx = sum([x for a, b, x, y in spots]) / n
    cy = sum([y for a, b, x, y in spots]) / n
    ux = sum([a * x for a, b, x, y in spots]) / aa
    uy = sum([a * y for a, b, x, y in spots]) / aa
    vx = sum([b * x for a, b, x, y in spots]) / bb
    vy = sum([b * y for a, b, x, y in spots]) / bb
    face.x, face.y, face.ux, face.uy, face.vx, face.vy = cx, cy, ux, uy, vx, vy


def _measure(face):
    worst = 0.0
    for pip in face.pips:
        a, b = face.lattice(pip.x, pip.y)
        worst = max(worst, abs(a - round(a)), abs(b - round(b)))
    face.error = worst
