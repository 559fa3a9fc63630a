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
_MAGIC = b"TSY2"
_ROW = const(124)  # area u16, colour 2 x i8, the shape
_CHROMA_W = const(80)
AREA = const(64)  # parts of a lattice step squared
_REACH = 1.75  # lattice steps: the outermost circle
_LEAST = const(10)  # pixels of a patch
INK = 0.4  # of the way from the body's level to the ground's: darker is ink
_TOGETHER = 1.75  # steps from the middle of a symbol to the middle of any patch of it; a side's ink is farther
_SYMBOL = 1.5  # steps squared of ink: less is no symbol that faces the camera
_SPECK = 0.5  # of ink: less is dust, or a glare's rim
_SIDE = 3.1  # steps from the middle of a die's symbol to the ink on its sides
_ALIKE = 0.80  # correlation with the face named
_AHEAD = 0.05  # of the next best
_CERTAIN = 0.90  # of a face that a mirror image of a lamp may hide in part: a chicken without its head is a fish
_SHINE = 1.12  # of the body's level: brighter is a mirror image
_BLOWN = const(246)  # where the body is so bright, none is to be seen
_SHONE = const(3)  # of the places looked at
_LEAST_ALIKE = 0.5
_CLEAR = 0.9  # so much alike that its middle is where it was found
_MOVES = const(6)
_HUE = 0.93  # cosine of the angle between two hues that are the same
_COLOURED = 8.0  # steps of chroma: less is grey

_CIRCLE = tuple([(cos(2 * pi * k / ANGLES), sin(2 * pi * k / ANGLES)) for k in range(ANGLES)])


class BadSymbols(ValueError):
    """The file is not what a table was taught about its symbols; teach it again."""


class Symbol:
    """A symbol that was found: its middle, colour, shape and area of ink (in 1/AREA of a step squared, whatever the picture's
    size); `number` and `score` once it is known."""

    __slots__ = ("above", "area", "number", "outline", "score", "shape", "source", "u", "v", "window", "x", "y")


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
        rows = [likeness(symbol.shape, face[3]) for face in self.faces]
        scores = [row[0] for row in rows]
        order = sorted(range(6), key=lambda k: -scores[k])
        if _LEAST_ALIKE < scores[order[0]] < _CLEAR:
            places = {}
            for k in order[:2]:
                scores[k], x, y = _aligned(symbol, self.faces[k][3], rows[k][0], rows[k][1])
                places[k] = (x, y)
            order = sorted(range(6), key=lambda k: -scores[k])
            symbol.x, symbol.y = places.get(order[0], (symbol.x, symbol.y))
        best = order[0]
        symbol.score = scores[best]
        if scores[best] < _CERTAIN and (scores[best] < _ALIKE or _shone_on(symbol)):
            return 0, codes.SIGHT_UNREAD
        if scores[best] - scores[order[1]] < _AHEAD:
            return 0, codes.SIGHT_UNREAD
        area, u, v, _ = self.faces[best]
        if not 0.6 < symbol.area / area < 1.45:
            return 0, codes.SIGHT_UNREAD
        if not _same_colour(symbol.u, symbol.v, u, v):
            return 0, codes.SIGHT_COLOUR_DIFFERS
        return best + 1, 0


def alike(row, other):
    """Of two faces (area, u, v, shape): their correlation, 0 where the colours differ."""
    return likeness(row[3], other[3])[0] if _same_colour(row[1], row[2], other[1], other[2]) else 0.0


def pack(faces):
    """The file: of each face (area, u, v, shape)."""
    body = _MAGIC
    for area, u, v, shape in faces:
        body += struct.pack("<Hbb", area, u, v) + bytes(shape)
    return body + struct.pack("<I", binascii.crc32(body))


def _same_colour(u, v, u2, v2):
    """By hue; light and glare change how strong it is, but not by much."""
    mine, other = sqrt(u * u + v * v), sqrt(u2 * u2 + v2 * v2)
    if mine < _COLOURED or not 0.4 < mine / max(1.0, other) < 2.0:
        return False
    return u * u2 + v * v2 > _HUE * mine * other


def coloured(u, v):
    return u * u + v * v > _COLOURED * _COLOURED


def holds(box, patch):
    """Is a patch inside another's box?"""
    return box[3] < patch[3] and box[4] < patch[4] and patch[5] < box[5] and patch[6] < box[6]


def _apart(x, y, x2, y2):
    return sqrt((x - x2) ** 2 + (y - y2) ** 2)


def find(window, mask, stack, room, ground, step, u, v):
    """Every symbol on a body that faces the camera, and how many patches of ink belong to none of these dice."""
    w, h = window.w, window.h
    if w * h <= len(mask):
        found, loose = _find(window, window.plane, 0, h, mask, stack, room, ground, step, u, v)
    else:  # a clump of dice: its upper and its lower part, which overlap by more than a die
        cut = len(mask) // w
        found, loose = _find(window, window.plane[: cut * w], 0, cut, mask, stack, room, ground, step, u, v)
        more, also = _find(window, window.plane[(h - cut) * w :], h - cut, cut, mask, stack, room, ground, step, u, v)
        for symbol in more:
            twice = [old for old in found if _apart(old.x, old.y, symbol.x, symbol.y) < step]
            if twice and twice[0].area < symbol.area:  # the cut went through it
                found.remove(twice[0])
            if not twice or twice[0] not in found:
                found.append(symbol)
        loose += also
    return found, len(unexplained(found, loose, step))


def unexplained(found, loose, step):
    """The patches that are not on the side of a die that was found."""
    return [p for p in loose if not [1 for s in found if _apart(s.x, s.y, p[0], p[1]) < _SIDE * step]]


def _find(window, plane, above, h, mask, stack, room, ground, step, u, v):
    """In rows `above` and on of a window."""
    w = window.w
    tally = array("H", bytes(128))
    scan.tally(plane, w, 0, 0, w, h, tally)
    left, k = w * h // 10, 63
    while k and left >= tally[k]:
        left -= tally[k]
        k -= 1
    body = k * 4 + 2
    inks = patches(plane, w, h, mask, stack, room, body, ground)
    return read(window, plane, above, h, inks, body, ground, step, u, v, _CHROMA_W)


def patches(plane, w, h, mask, stack, room, body, ground):
    """Patches of ink that something light encloses: (pixels, sum of x, sum of y, box); none where bodies aren't lighter than
    the ground."""
    limit = int(INK * (body - ground))
    if limit < 8:
        return []
    n = w * h
    for at in range(0, n, 256):
        mask[at : min(n, at + 256)] = bytes(min(256, n - at))
    scan.depart(plane, w, h, 15, 1, bytes((body,)), limit, mask)
    sums = array("i", bytes(28))
    found = []
    at = mask.find(b"\x01", 0, n)
    while at >= 0:
        count = scan.flood(mask, w, h, at, stack, room, sums)
        if count >= _LEAST and sums[3] > 0 and sums[4] > 0 and sums[5] < w - 1 and sums[6] < h - 1:
            found.append(tuple(sums))
        at = mask.find(b"\x01", at + 1, n)
    return found


def read(window, plane, above, h, inks, body, ground, step, u, v, chroma_w):
    """Symbols out of patches of ink, and (x, y) of those that face aside."""
    w = window.w
    limit = int(INK * (body - ground))
    found = []
    loose = []
    for group in _groups(inks, step):
        symbol = Symbol()
        ink = sum([p[0] for p in group])
        symbol.x = sum([p[1] for p in group]) / ink + 0.5
        symbol.y = sum([p[2] for p in group]) / ink + 0.5
        if ink < _SPECK * step * step:
            continue
        left = min([p[3] for p in group])
        top = min([p[4] for p in group]) + above
        box = (left, top, max([p[5] for p in group]) + 1, max([p[6] for p in group]) + 1 + above)
        symbol.u, symbol.v = colour(window, box, body - limit, body - limit // 2, u, v, chroma_w)
        if not coloured(symbol.u, symbol.v):
            continue  # bare plate between dice, or pips
        if ink < _SYMBOL * step * step or not _on_top(plane, w, h, symbol.x, symbol.y, step, body - limit):
            loose.append((symbol.x, symbol.y + above))
            continue
        symbol.source = (plane, w, h, step)
        symbol.above = above
        symbol.shape = _sampled(symbol.source, symbol.x, symbol.y)
        symbol.area = int(ink * AREA / (step * step))
        symbol.y += above
        found.append(symbol)
    return found, loose


def _groups(rest, step):
    """Patches about one middle, the largest first: a coin's ring and disc, a fish's head and tail."""
    rest = sorted(rest, key=lambda p: -p[0])
    groups = []
    while rest:
        group = [rest[0]]
        for _ in range(3):  # the middle moves as patches join
            ink = sum([p[0] for p in group])
            x = sum([p[1] for p in group]) / ink
            y = sum([p[2] for p in group]) / ink
            near = [p for p in rest if _apart(p[1] / p[0], p[2] / p[0], x, y) < _TOGETHER * step]
            group = near or group
        groups.append(group)
        rest = [p for p in rest if p not in group]
    return groups


def _on_top(plane, w, h, x, y, step, light):
    """Is it surrounded by body as far as a face reaches? On a side face it isn't."""
    r = 1.62 * step
    bright = 0
    for c, s in _CIRCLE:
        if scan.blend(plane, w, h, int((x + r * c) * 256), int((y + r * s) * 256)) >= light:
            bright += 1
    return bright >= ANGLES - 8


def _shone_on(symbol):
    """Does a mirror image lie on this face? It hides ink as if there were none."""
    plane, w, h, step = symbol.source
    x, y = symbol.x, symbol.y - symbol.above
    levels = []
    for ring in range(RINGS):
        r = _REACH * step * (ring + 0.5) / RINGS
        for c, s in _CIRCLE:
            levels.append(scan.blend(plane, w, h, int((x + r * c) * 256), int((y + r * s) * 256)))
    levels.sort()
    body = levels[_N * 7 // 10]
    return body >= _BLOWN or levels[-_SHONE] > _SHINE * body


def _sampled(source, x, y):
    """How much darker than the body each place about x, y is."""
    plane, w, h, step = source
    out = bytearray(_N)
    for ring in range(RINGS):
        r = _REACH * step * (ring + 0.5) / RINGS
        for k in range(ANGLES):
            c, s = _CIRCLE[k]
            out[ring * ANGLES + k] = max(0, scan.blend(plane, w, h, int((x + r * c) * 256), int((y + r * s) * 256)))
    body = sorted(out)[_N * 4 // 5]
    for k in range(_N):
        out[k] = max(0, body - out[k])
    return out


def likeness(shape, other, turns=range(ANGLES)):
    """(correlation, turn) of two shapes, at the turn where they are most alike."""
    mine = sum(shape) / _N
    theirs = sum(other) / _N
    mm = sum([(a - mine) ** 2 for a in shape])
    tt = sum([(b - theirs) ** 2 for b in other])
    if not mm or not tt:
        return 0.0, 0
    best, turn = -1.0, 0
    for shift in turns:
        total = 0
        for ring in range(0, _N, ANGLES):
            for k in range(ANGLES):
                total += shape[ring + k] * other[ring + (k + shift) % ANGLES]
        score = (total - _N * mine * theirs) / sqrt(mm * tt)
        if score > best:
            best, turn = score, shift
    return best, turn


def _aligned(symbol, other, score, turn):
    """The best correlation with one face, and its place, where the middle may be a little off: a patch that was lost moves it."""
    x, y = symbol.x, symbol.y - symbol.above
    pace = 0.2 * symbol.source[3]
    for _ in range(_MOVES):
        better = False
        for dx, dy in ((pace, 0), (-pace, 0), (0, pace), (0, -pace)):
            shape = _sampled(symbol.source, x + dx, y + dy)
            got, at = likeness(shape, other, (turn - 1, turn, turn + 1))
            if got > score:
                score, turn, here, better = got, at, (x + dx, y + dy), True
        if better:
            x, y = here
        else:
            pace /= 2
    return score, x, y + symbol.above


def turned(shape, turn):
    out = bytearray(_N)
    for ring in range(0, _N, ANGLES):
        for k in range(ANGLES):
            out[ring + (k + turn) % ANGLES] = shape[ring + k]
    return out


def colour(window, box, dark, light, u, v, chroma_w):
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
            at = ((y + window.top) >> 2) * chroma_w + ((x + window.left) >> 2)
            into = ink if level < dark else body if level > light else None
            if into is not None:
                into[0] += 1
                into[1] += u[at]
                into[2] += v[at]
    if not ink[0]:
        return 0, 0
    white = (body[1] / body[0], body[2] / body[0]) if body[0] else (128, 128)
    return round(ink[1] / ink[0] - white[0]), round(ink[2] / ink[0] - white[1])


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
