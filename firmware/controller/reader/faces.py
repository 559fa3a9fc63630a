"""Finds faces: pips that lie on the 3 x 3 lattice of a die's face, seen from anywhere. Not for which dice: scene.py.

A face from two to five has pips on both ends of a diagonal. In the measure of the pips' own ellipse a face is square, so
a pair of pips taken as a diagonal gives the whole lattice; what lies on it must spell a face, and nothing may lie between.
A six is two columns of three; makers set them nearer to each other than a lattice would, so their distance is free.
"""

from math import sqrt

_NEAREST = 4.2  # length of a diagonal in pip radii
_FARTHEST = 14.0
_NEIGHBOURS = 26
_INSIDE = 1.62  # in lattice steps: pips nearer than this to the centre must be on the lattice

# bit 3 * (row + 1) + column + 1; the diagonal of the pair is bits 0 and 8
_SPELLED = {
    0b100000001: 2,
    0b100010001: 3,
    0b101000101: 4,
    0b101010101: 5,
}


class Face:
    """Centre x, y; u and v: one lattice step. `pips` lie on it. narrow: a six's columns are at -narrow and +narrow of u."""

    __slots__ = (
        "body", "ends", "error", "even", "narrow", "number", "pips", "sure", "thing", "ux", "uy", "vx", "vy", "why", "x", "y",
    )  # fmt: skip

    def place(self, a, b):
        return self.x + a * self.ux + b * self.vx, self.y + a * self.uy + b * self.vy

    def lattice(self, x, y):
        """Where a place is in lattice steps."""
        dx = x - self.x
        dy = y - self.y
        det = self.ux * self.vy - self.uy * self.vx
        return (dx * self.vy - dy * self.vx) / det, (dy * self.ux - dx * self.uy) / det

    def contrast(self):
        return self.body - self.pips[0].core

    def size(self):
        """Area of a lattice cell, in pixels."""
        return abs(self.ux * self.vy - self.uy * self.vx)


def alike(p, q):
    """Could be pips of one face: the same ink, body, size and ellipse."""
    if p.inv != q.inv or p.plane != q.plane:
        return False
    ratio = p.r / q.r
    if ratio < 0.7 or ratio > 1.43:
        return False
    first = p.body - p.core
    second = q.body - q.core
    least = min(first, second)
    if least < 0.55 * max(first, second) or abs(p.core - q.core) > 0.6 * least or abs(p.body - q.body) > 0.6 * least:
        return False
    x = (p.a - p.c) / (p.a + p.c) - (q.a - q.c) / (q.a + q.c)
    y = 2 * p.b / (p.a + p.c) - 2 * q.b / (q.a + q.c)
    return x * x + y * y < 0.12


def find(pips):
    """Every face that the pips can spell, best first; they may share pips."""
    pips = sorted(pips, key=lambda pip: pip.x)
    faces = []
    seen = set()
    columns = []
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
        later = near[first:]
        if len(near) > _NEIGHBOURS:  # a pattern of the ground: a face's own pips are among the nearest
            near.sort(key=lambda q: (q.x - p.x) ** 2 + (q.y - p.y) ** 2)
            near = near[:_NEIGHBOURS]
            later = [q for q in near if q.x >= p.x]
        around = [p]
        around.extend(near)
        for q in later:
            face = _from_diagonal(p, q, around)
            if face is not None:
                key = tuple(sorted([id(pip) for pip in face.pips]))
                if key not in seen:
                    seen.add(key)
                    faces.append(face)
        _columns(p, near, columns)
    faces += _sixes(columns)
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
    face.narrow = 1.0
    face.x = (p.x + q.x) / 2
    face.y = (p.y + q.y) / 2
    face.ux = (dx + ex) / 4
    face.uy = (dy + ey) / 4
    face.vx = (dx - ex) / 4
    face.vy = (dy - ey) / 4
    if not _spell(face, near, 0.5):
        return None
    if face.number > 3:
        _fit(face)
        if not _spell(face, near, 0.25):
            return None
    _measure(face)
    return face if face.error < 0.16 else None


def _columns(middle, near, columns):
    """Every three pips in a row, evenly spaced, with this one in the middle."""
    for i in range(len(near)):
        p = near[i]
        for j in range(i + 1, len(near)):
            q = near[j]
            dx = (q.x - p.x) / 2
            dy = (q.y - p.y) / 2
            long = max(abs(dx), abs(dy))
            if abs(p.x + dx - middle.x) < 0.2 * long and abs(p.y + dy - middle.y) < 0.2 * long:
                det = middle.a * middle.c - middle.b * middle.b
                far = sqrt((middle.c * dx * dx - 2 * middle.b * dx * dy + middle.a * dy * dy) / det)
                if 1.7 < far < 5.0:
                    columns.append((middle, p, q, dx, dy))


def _sixes(columns):
    faces = []
    for i in range(len(columns)):
        middle, p, q, dx, dy = columns[i]
        reach = 3 * (abs(dx) + abs(dy))
        for j in range(i + 1, len(columns)):
            other, r, s, ex, ey = columns[j]
            if other.x - middle.x > reach:  # columns come in the order of their middles
                break
            if dx * ex + dy * ey < 0:
                ex, ey, r, s = -ex, -ey, s, r
            long = abs(dx) + abs(dy)
            if abs(dx - ex) + abs(dy - ey) > 0.25 * long or not alike(middle, other):
                continue
            six = [middle, p, q, other, r, s]
            if len(set([id(pip) for pip in six])) < 6:
                continue
            face = _six(six)
            if face is not None:
                faces.append(face)
    return faces


def _six(six):
    """Two parallel columns, middle first, as a face; None where they are too far apart, too near or askew."""
    a = sum([p.a for p in six]) / 6
    b = sum([p.b for p in six]) / 6
    c = sum([p.c for p in six]) / 6
    det = a * c - b * b
    face = Face()
    face.x = sum([p.x for p in six]) / 6
    face.y = sum([p.y for p in six]) / 6
    ux = sum([p.x for p in six[3:]]) / 3 - face.x
    uy = sum([p.y for p in six[3:]]) / 3 - face.y
    face.vx = (six[2].x - six[1].x + six[5].x - six[4].x) / 4
    face.vy = (six[2].y - six[1].y + six[5].y - six[4].y) / 4
    wide = sqrt((c * ux * ux - 2 * b * ux * uy + a * uy * uy) / det)
    high = sqrt((c * face.vx * face.vx - 2 * b * face.vx * face.vy + a * face.vy * face.vy) / det)
    askew = (c * ux * face.vx - b * (ux * face.vy + uy * face.vx) + a * uy * face.vy) / det
    if wide < 0.45 * high or wide > 1.3 * high or abs(askew) > 0.3 * wide * high:
        return None
    face.narrow = wide / high
    face.ux = ux / face.narrow
    face.uy = uy / face.narrow
    face.number = 6
    face.pips = six
    face.error = 0.0
    for k in range(6):
        x, y = face.lattice(six[k].x, six[k].y)
        row = (0, -1, 1, 0, -1, 1)[k]
        face.error = max(face.error, abs(abs(x) - face.narrow), abs(y - row))
    return face if face.error < 0.2 else None


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
