"""What lies on a plain ground at full size: each thing's outline at half its own contrast, holes filled. Not for what it shows.

things.py looks at half size for all pictures and every ground; this is for small dice, whose width must be known to a pixel.
"""

from array import array
from math import cos, pi, sin

from controller.reader import scan
from controller.reader.things import ground_of

_LIMIT = 14
_CELL = 5
_LONGEST = 140  # pixels: a larger thing is a tray or a hand
_SMALLEST = 12
_BLANK = 120.0  # variance of colour below which nothing is printed on a thing
_CROWDED = 0.2  # of all pixels off the ground: not a plain one


class Lump:
    """A thing's outline at half its own contrast: `inside` is a box of bytes with a margin, at left, top of the picture.
    `whole` is its area, `area` what of it no stamp explains."""

    __slots__ = ("area", "bottom", "h", "inside", "left", "long", "right", "stamps", "top", "w", "whole", "wide")

    def holds(self, spot):
        return self.covers(spot.x, spot.y)

    def covers(self, x, y):
        i = int(x) - self.left
        j = int(y) - self.top
        return 0 <= i < self.w and 0 <= j < self.h and self.inside[j * self.w + i] > 0

    def blank(self, picture, rgb):
        """Nothing is printed on it: a magnet, a shadow, a leaf."""
        n = 0
        sums = [0] * 6
        w = self.w
        for i in range(3 * w + 3, len(self.inside) - 3 * w - 3):
            if (
                self.inside[i]
                and self.inside[i - 3]
                and self.inside[i + 3]
                and self.inside[i - 3 * w]
                and self.inside[i + 3 * w]
            ):
                at = 3 * ((self.top + i // w) * picture.w + self.left + i % w)
                n += 1
                for c in (0, 1, 2):
                    v = rgb[at + c]
                    sums[c] += v
                    sums[3 + c] += v * v
        if n < 10:
            return True
        return sum([sums[3 + c] / n - (sums[c] / n) ** 2 for c in (0, 1, 2)]) < _BLANK


class LumpFinder:
    """find() gives the lumps of a picture, or None where the ground isn't plain."""

    def __init__(self):
        self._stack = array("i", bytes(4 * 24000))

    def find(self, picture):
        w, h, planes = picture.octaves[0]
        across = (w >> _CELL) + 1
        down = (h >> _CELL) + 1
        grounds = [ground_of(plane, w, h, across, down) for plane in planes]
        dist = bytearray(w * h)
        mask = bytearray(w * h)
        scan.apart(
            planes[0], planes[1], planes[2], w, h, _CELL, across, grounds[0], grounds[1], grounds[2], _LIMIT, dist, mask
        )
        if scan.count(mask, w, 0, 0, w, h) > _CROWDED * w * h:
            return None
        sums = array("i", bytes(28))
        lumps = []
        at = mask.find(b"\x01")
        while at >= 0:
            n = scan.flood(mask, w, h, at, self._stack, 24000, sums)
            box = sums[3], sums[4], sums[5] + 1, sums[6] + 1
            if (
                n >= _SMALLEST * _SMALLEST
                and box[2] - box[0] <= _LONGEST
                and box[3] - box[1] <= _LONGEST
                and box[0] > 1
                and box[1] > 1
                and box[2] < w - 1
                and box[3] < h - 1
            ):
                self._outline(dist, w, h, box, lumps)
            at = mask.find(b"\x01", at + 1)
        return lumps

    def _outline(self, dist, w, h, box, lumps):
        """The lumps in a box: what is over half of the usual distance from the ground there, holes filled."""
        tally = [0] * 256
        total = 0
        for y in range(box[1], box[3]):
            for v in dist[y * w + box[0] : y * w + box[2]]:
                if v > _LIMIT:
                    tally[v] += 1
                    total += 1
        left = total * 65 // 100
        level = 0
        while left > tally[level]:
            left -= tally[level]
            level += 1
        level = max(_LIMIT, level // 2)
        margin = 2 + int(0.62 * max(box[2] - box[0], box[3] - box[1]))
        bw = box[2] - box[0] + 2 * margin
        bh = box[3] - box[1] + 2 * margin
        outside = bytearray(b"\x01" * (bw * bh))
        for y in range(box[1], box[3]):
            at = (y - box[1] + margin) * bw + margin
            for v in dist[y * w + box[0] : y * w + box[2]]:
                if v > level:
                    outside[at] = 0
                at += 1
        holes = bytearray(outside)
        sums = array("i", bytes(28))
        scan.flood(holes, bw, bh, 0, self._stack, 24000, sums)
        solid = bytearray(bw * bh)
        for i in range(bw * bh):
            if holes[i] or not outside[i]:
                solid[i] = 1
        solid = opened(solid, bw)
        rest = bytearray(solid)
        at = rest.find(b"\x01")
        while at >= 0:
            before = bytearray(rest)
            n = scan.flood(rest, bw, bh, at, self._stack, 24000, sums)
            if n >= 0.8 * _SMALLEST * _SMALLEST:
                lump = Lump()
                lump.inside = bytearray([1 if before[i] and not rest[i] else 0 for i in range(bw * bh)])
                lump.w = bw
                lump.h = bh
                lump.left = box[0] - margin
                lump.top = box[1] - margin
                lump.area = lump.whole = n
                lump.stamps = []
                _measure(lump)
                if lump.wide >= 0.7 * _SMALLEST and not [
                    k for k in lumps if k.left == lump.left and k.top == lump.top and k.area == n
                ]:
                    lumps.append(lump)
            at = rest.find(b"\x01", at + 1)


def opened(solid, w):
    """Without what is thinner than three pixels."""
    n = len(solid)
    thin = bytearray(n)
    for i in range(w + 1, n - w - 1):
        if solid[i] and solid[i - 1] and solid[i + 1] and solid[i - w] and solid[i + w]:
            thin[i] = 1
    out = bytearray(n)
    for i in range(w + 1, n - w - 1):
        if thin[i]:
            out[i] = out[i - 1] = out[i + 1] = out[i - w] = out[i + w] = 1
    return out


def _measure(lump):
    """Its least and greatest width over all directions."""
    w = lump.w
    rim = []
    inside = lump.inside
    for i in range(w, len(inside) - w):
        if inside[i] and not (inside[i - 1] and inside[i + 1] and inside[i - w] and inside[i + w]):
            rim.append((i % w, i // w))
    widths = []
    for k in range(18):
        c = cos(k * pi / 18)
        s = sin(k * pi / 18)
        along = sorted([x * c + y * s for x, y in rim])
        cut = len(along) // 50
        widths.append(along[-1 - cut] - along[cut] + 1)
    lump.wide = min(widths)
    lump.long = max(widths)
    lump.right = lump.left + w
    lump.bottom = lump.top + lump.h
