"""The second opinion: what raw pixels at the nine places of a face say, with no regard to which marks were found there."""

from array import array
from math import cos, pi, sin

from controller.reader import plate
from controller.reader.fixed import MIDDLE
from controller.reader.poses import SLOTS, SPELLED

_CORE = 7
_RING = 8
_EACH = _CORE + _RING
_PIP = 0.55  # of the way from body to pip
_BARE = 0.3
_UNLIKE = 1.5
_GLARE_MIDDLE = 0.15
_BLOWN = 240  # a body so bright hides a pip under a reflection
_TO_WHITE = 0.4  # of the way from the body to white
_GLARE = 0.35  # of the contrast, brighter than the body


class Slots:
    def __init__(self, known):
        """Points of all places, once for a set of dice."""
        self._points = array("H")
        self._out = bytearray(9 * _EACH)
        r = known.size
        for column, row in SLOTS:
            u, v = column * known.pitch, row * known.pitch
            self._put(u, v)
            for k in range(6):
                self._put(u + 0.5 * r * cos(k * pi / 3), v + 0.5 * r * sin(k * pi / 3))
            away = 1.32 * r if (column or row) else max(1.32 * r, 1.25 * known.one_size)
            for k in range(8):
                self._put(u + away * cos((k + 0.5) * pi / 4), v + away * sin((k + 0.5) * pi / 4))

    def _put(self, u, v):
        self._points.append(int(u * 16 + MIDDLE + 0.5))
        self._points.append(int(v * 16 + MIDDLE + 0.5))

    def read(self, plane, w, h, pose, inv):
        """The number that the pixels spell, 0 for none. By the contrast of the marks that were found on the face."""
        out = self._out
        contrast = sum([mark.body - mark.core for mark in pose.marks]) / len(pose.marks)
        plate.sample(plane, w, h, pose.map, self._points, 9 * _EACH, out)
        bits = 0
        cores = []
        bodies = []
        bare = []
        middle = 0.0
        for k in range(9):
            at = k * _EACH
            core = sum(out[at : at + _CORE]) / _CORE
            ring = sorted(out[at + _CORE : at + _EACH])
            body = (ring[2] + ring[3] + ring[4] + ring[5]) / 4
            if k == 4:
                middle = core
            share = (core - body if inv else body - core) / contrast
            bodies.append(body)
            if share > _PIP:
                bits |= 1 << k
                cores.append(share)
            elif share > _BARE:
                return 0
            else:
                bare.append(core)
        bodies.sort()
        if inv:
            # the lamp's reflection looks like a pip, but not like the others
            if len(cores) > 1 and max(cores) > _UNLIKE * min(cores):
                return 0
        elif bare and max(bare) > bodies[4] + _GLARE * contrast:
            return 0  # a pip may be hidden under a reflection
        number = SPELLED.get(bits, 0)
        if not inv and number in (2, 4):
            # one hidden pip in the middle would make it a three or a five
            if bodies[4] > _BLOWN or middle > bodies[4] + min(_GLARE_MIDDLE * contrast, _TO_WHITE * (255 - bodies[4])):
                return 0
        return number
