"""Option B's faces: six symbols in three colours, known as a technician taught them. Two opinions: shape, and colour.

A symbol is ink on a die's light body: dark patches that the body encloses. Its shape is its darkness on circles about its
middle, compared at every turn with the six that were taught; its colour is what the ink adds to the body's. Both must name the
same face. Not for dice with pips: scene.py.
"""

import binascii
import struct
from array import array
from math import cos, pi, sin, sqrt

from dicewire import codes

from controller.reader import scan
from controller.target import const

FILE = "symbols.bin"
RINGS = const(5)
ANGLES = const(24)
_N = const(120)  # RINGS * ANGLES
_MAGIC = b"TSY1"
_ROW = const(124)  # area u16, colour 2 x i8, the shape
_CHROMA_W = const(80)
_REACH = 1.75  # lattice steps: the outermost circle
_LEAST = const(10)  # pixels of a patch
_GAP = const(3)  # pixels between patches of one symbol, at most
_ALIKE = 0.80  # correlation with the face named
_AHEAD = 0.05  # of the next best
_COLOUR = 14.0  # steps of chroma from the colour taught

_CIRCLE = tuple([(cos(2 * pi * k / ANGLES), sin(2 * pi * k / ANGLES)) for k in range(ANGLES)])


class BadSymbols(ValueError):
    """The file is not what a table was taught about its symbols; teach it again."""


class Symbol:
    """A symbol that was found: its middle, area of ink, colour and shape; `number` once it is known."""

    __slots__ = ("area", "number", "shape", "u", "v", "x", "y")


class Taught:
    """The six faces as they were shown."""

    def __init__(self, data):
        if data is None or len(data) != 8 + 6 * _ROW or data[:4] != _MAGIC:
            raise BadSymbols("symbols.bin: the symbols have not been taught (docs/calibration.md)")
        if struct.unpack("<I", data[-4:])[0] != binascii.crc32(data[:-4]):
            raise BadSymbols("symbols.bin is damaged: teach the symbols again (docs/calibration.md)")
        self.faces = []
        for face in range(6):
            at = 4 + face * _ROW
            area, u, v = struct.unpack_from("<Hbb", data, at)
            self.faces.append((area, u, v, data[at + 4 : at + _ROW]))

    def name(self, symbol):
        """-> (face, 0) or (0, codes.SIGHT_*) where the opinions differ or one isn't sure."""
        scores = [likeness(symbol.shape, shape)[0] for _, _, _, shape in self.faces]
        order = sorted(range(6), key=lambda k: -scores[k])
        best = order[0]
        if scores[best] < _ALIKE or scores[best] - scores[order[1]] < _AHEAD:
            return 0, codes.SIGHT_UNREAD
        area, u, v, _ = self.faces[best]
        if not 0.7 < symbol.area / area < 1.4:
            return 0, codes.SIGHT_UNREAD
        off = _apart(symbol.u, symbol.v, u, v)
        others = [_apart(symbol.u, symbol.v, f[1], f[2]) for f in self.faces if _apart(u, v, f[1], f[2]) > _COLOUR]
        if off > _COLOUR or (others and off > 0.5 * min(others)):
            return 0, codes.SIGHT_COLOUR_DIFFERS
        return best + 1, 0


def pack(faces):
    """The file: of each face (area, u, v, shape)."""
    body = _MAGIC
    for area, u, v, shape in faces:
        body += struct.pack("<Hbb", area, u, v) + bytes(shape)
    return body + struct.pack("<I", binascii.crc32(body))


def _apart(u, v, u2, v2):
    return sqrt((u - u2) ** 2 + (v - v2) ** 2)


def find(window, mask, stack, room, ground, step, u, v):
    """Every symbol on a body that faces the camera, and how many patches of ink belong to none."""
    w, h = window.w, window.h
    if w * h <= len(mask):
        return _find(window, window.plane, 0, h, mask, stack, room, ground, step, u, v)
    # a clump of dice: its upper and its lower part, which overlap by more than a die
    cut = len(mask) // w
    found, loose = _find(window, window.plane[: cut * w], 0, cut, mask, stack, room, ground, step, u, v)
    more, also = _find(window, window.plane[(h - cut) * w :], h - cut, cut, mask, stack, room, ground, step, u, v)
    for symbol in more:
        if not [1 for old in found if abs(old.x - symbol.x) < step and abs(old.y - symbol.y) < step]:
            found.append(symbol)
    return found, loose + also


def _find(window, plane, above, h, mask, stack, room, ground, step, u, v):
    """In rows `above` and on of a window."""
    w = window.w
    n = w * h
    tally = array("H", bytes(128))
    scan.tally(plane, w, 0, 0, w, h, tally)
    left, k = n // 10, 63
    while k and left >= tally[k]:
        left -= tally[k]
        k -= 1
    body = k * 4 + 2
    limit = int(0.35 * (body - ground))
    if limit < 8:
        return [], 0
    for at in range(0, n, 256):
        mask[at : min(n, at + 256)] = bytes(min(256, n - at))
    scan.depart(plane, w, h, 15, 1, bytes((body,)), limit, mask)
    found = []
    loose = 0
    for group in _groups(_patches(mask, w, h, n, stack, room)):
        symbol = Symbol()
        symbol.area = sum([p[0] for p in group])
        symbol.x = sum([p[1] for p in group]) / symbol.area + 0.5
        symbol.y = sum([p[2] for p in group]) / symbol.area + 0.5
        if symbol.area < 0.5 * step * step:
            continue  # dust, or a glare's rim
        left = min([p[3] for p in group])
        right = max([p[5] for p in group]) + 1
        top = min([p[4] for p in group])
        bottom = max([p[6] for p in group]) + 1
        if not _on_top(plane, w, h, (left + right) / 2, (top + bottom) / 2, step, body - limit):
            loose += 1
            continue
        symbol.shape = _shape(plane, w, h, symbol.x, symbol.y, step, body)
        box = (left, top + above, right, bottom + above)
        symbol.u, symbol.v = _colour(window, box, body - limit, body - limit // 2, u, v)
        symbol.y += above
        found.append(symbol)
    return found, loose


def _patches(mask, w, h, n, stack, room):
    """Dark patches that something light encloses: (pixels, sum of x, sum of y, box)."""
    sums = array("i", bytes(28))
    patches = []
    at = mask.find(b"\x01", 0, n)
    while at >= 0:
        count = scan.flood(mask, w, h, at, stack, room, sums)
        if count >= _LEAST and sums[3] > 0 and sums[4] > 0 and sums[5] < w - 1 and sums[6] < h - 1:
            patches.append(tuple(sums))
        at = mask.find(b"\x01", at + 1, n)
    return patches


def _groups(patches):
    """Patches that are near enough to be one symbol's."""
    groups = [[p] for p in patches]
    merged = True
    while merged:
        merged = False
        for i in range(len(groups)):
            for j in range(i + 1, len(groups)):
                if [1 for a in groups[i] for b in groups[j] if _near(a, b)]:
                    groups[i] += groups.pop(j)
                    merged = True
                    break
            if merged:
                break
    return groups


def _near(a, b):
    return a[3] < b[5] + _GAP and b[3] < a[5] + _GAP and a[4] < b[6] + _GAP and b[4] < a[6] + _GAP


def _on_top(plane, w, h, x, y, step, light):
    """Is it surrounded by body as far as a face reaches? On a side face it isn't."""
    r = 1.62 * step
    bright = 0
    for c, s in _CIRCLE:
        if scan.blend(plane, w, h, int((x + r * c) * 256), int((y + r * s) * 256)) >= light:
            bright += 1
    return bright >= ANGLES - 8


def _shape(plane, w, h, x, y, step, body):
    out = bytearray(_N)
    for ring in range(RINGS):
        r = _REACH * step * (ring + 0.5) / RINGS
        for k in range(ANGLES):
            c, s = _CIRCLE[k]
            level = scan.blend(plane, w, h, int((x + r * c) * 256), int((y + r * s) * 256))
            out[ring * ANGLES + k] = max(0, min(255, body - level)) if level >= 0 else 0
    return out


def likeness(shape, other):
    """(correlation, turn) of two shapes, at the turn where they are most alike."""
    mine = sum(shape) / _N
    theirs = sum(other) / _N
    mm = sum([(a - mine) ** 2 for a in shape])
    tt = sum([(b - theirs) ** 2 for b in other])
    if not mm or not tt:
        return 0.0, 0
    best, turn = -1.0, 0
    for shift in range(ANGLES):
        total = 0
        for ring in range(0, _N, ANGLES):
            for k in range(ANGLES):
                total += shape[ring + k] * other[ring + (k + shift) % ANGLES]
        score = (total - _N * mine * theirs) / sqrt(mm * tt)
        if score > best:
            best, turn = score, shift
    return best, turn


def turned(shape, turn):
    out = bytearray(_N)
    for ring in range(0, _N, ANGLES):
        for k in range(ANGLES):
            out[ring + (k + turn) % ANGLES] = shape[ring + k]
    return out


def _colour(window, box, dark, light, u, v):
    """What the ink adds to the body's chroma, which comes for every fourth pixel and row of the frame."""
    left, top, right, bottom = box
    ink = [0, 0, 0]
    body = [0, 0, 0]
    for y in range(top, bottom):
        if (y + window.top) & 3:
            continue
        for x in range(left, right):
            if (x + window.left) & 3:
                continue
            level = window.plane[y * window.w + x]
            at = ((y + window.top) >> 2) * _CHROMA_W + ((x + window.left) >> 2)
            into = ink if level < dark else body if level > light else None
            if into is not None:
                into[0] += 1
                into[1] += u[at]
                into[2] += v[at]
    if not ink[0] or not body[0]:
        return 0, 0
    return round(ink[1] / ink[0] - body[1] / body[0]), round(ink[2] / ink[0] - body[2] / body[0])


class Lessons:
    """What showing one face teaches: the mean of all symbols seen, each turned as the first lies."""

    def __init__(self):
        self._sums = [0] * _N
        self._first = None
        self.count = self._area = self._u = self._v = 0

    def take(self, symbol):
        shape = symbol.shape
        if self._first is None:
            self._first = bytes(shape)
        else:
            score, turn = likeness(shape, self._first)
            if score < 0.6:
                return False  # another face than the one that is shown
            shape = turned(shape, turn)
        for k in range(_N):
            self._sums[k] += shape[k]
        self.count += 1
        self._area += symbol.area
        self._u += symbol.u
        self._v += symbol.v
        return True

    def learned(self):
        n = self.count
        shape = bytes([total // n for total in self._sums])
        return self._area // n, round(self._u / n), round(self._v / n), shape
