"""Marks on the plate that look like pips of the dice this table was taught: each with its middle and size. Not for what they spell.

A mark is grown from its lowest pixel to the level half way to the ring around it.
"""

from array import array
from math import pi, sqrt

from controller.reader import plate
from controller.target import const

_MARGIN = const(10)
_REACH = const(12)
_ROOM = const(160)  # seeds
_D = 0.7071
_ROUND = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (_D, _D), (-_D, _D), (_D, -_D), (-_D, -_D))
_AWAY = 1.35  # of a pip's radius: the ring; farther out the next pip of a six begins
_WEAKEST = 0.3  # of the contrast that was taught


class Mark:
    """x, y in pixels of the frame; r its radius; long: longest by shortest diameter; core and body its levels."""

    __slots__ = ("body", "core", "long", "r", "u", "v", "x", "y")


class MarkFinder:
    def __init__(self):
        self._seeds = array("i", bytes(4 * _ROOM))
        side = 2 * _REACH + 1
        self._work = bytearray(side * side)
        self._stack = array("H", bytes(2 * side * side))
        self._sums = array("i", bytes(24))

    def find(self, plane, w, h, left, known):
        """Marks of the plane, whose first column is the frame's column `left`. None where there are more than dice ever show."""
        radii = [known.radius * _AWAY]
        if known.one > 1.15 * known.radius:
            radii.append(known.one * _AWAY)
        ring = array("i")
        for r in radii:
            for x, y in _ROUND:
                ring.append((int(y * r + 50.5) - 50 + _MARGIN) * w + int(x * r + 50.5) - 50 + _MARGIN)
        n = plate.spots(
            plane, w, h, _MARGIN, known.inv, int(_WEAKEST * known.contrast), ring, len(radii), int(1.6 * known.radius),
            self._seeds, _ROOM,
        )  # fmt: skip
        if n >= _ROOM:
            return None
        found = []
        for k in range(n):
            self._measure(plane, w, left, self._seeds[k], ring, known, found)
        return found

    def _measure(self, p, w, left, seed, ring, known, found):
        first = (seed & 15) * 8
        inv = known.inv
        ax = seed >> 4 & 255
        ay = seed >> 12
        at = ay * w + ax
        core = p[at] ^ inv
        base = at - _MARGIN * w - _MARGIN
        body = sum([p[base + ring[first + i]] ^ inv for i in range(8)]) >> 3
        sums = self._sums
        n = plate.grow(p, w, at, inv, (core + body + 1) >> 1, min(_REACH, ax, ay), self._work, self._stack, sums)
        if n < 8:
            return
        mark = Mark()
        mx = sums[1] / n
        my = sums[2] / n
        xx = sums[3] / n - mx * mx + 0.0833  # + 1/12: a pixel is a square and not a point
        yy = sums[4] / n - my * my + 0.0833
        xy = sums[5] / n - mx * my
        half = (xx + yy) / 2
        swing = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy)
        mark.long = sqrt((half + swing) / max(0.05, half - swing))
        mark.x = left + ax + mx + 0.5
        mark.y = ay + my + 0.5
        mark.r = sqrt(n / pi)
        for other in found:
            if abs(mark.x - other.x) < 0.7 * mark.r and abs(mark.y - other.y) < 0.7 * mark.r:
                return
        mark.core = core
        mark.body = body
        found.append(mark)
