"""How a one is turned: by the edges of its upper face, since one pip does not say. Not for where it is: poses.py."""

from array import array
from math import cos, pi, sin

from controller.reader import scan

_TURNS = 18
_FINE = 5  # degrees from one turn to the next
_IN = 7.0
_OUT = 9.0
_ALONG = (-5.0, -2.5, 0.0, 2.5, 5.0)
_N = 4 * len(_ALONG)


class Turns:
    def __init__(self):
        self._points = []
        for k in range(_TURNS):
            self._points.append(_square(k * pi / 2 / _TURNS))
        self._out = bytearray(2 * _N)

    def find(self, plane, w, h, pose):
        """The turn, in radians from the pose's own."""
        _, turn = self._best(plane, w, h, pose, [(k * pi / 2 / _TURNS, self._points[k]) for k in range(_TURNS)])
        fine = [turn + (k - 2) * pi / 180 for k in range(5)]
        return self._best(plane, w, h, pose, [(t, _square(t)) for t in fine])[1]

    def _best(self, plane, w, h, pose, turns):
        best, chosen = -1e9, 0.0
        out = self._out
        for turn, points in turns:
            scan.sample(plane, w, h, pose.map, points, 2 * _N, out)
            inside = sorted(out[:_N])
            body = inside[_N // 2]
            score = sum([min(40, abs(v - body)) for v in out[_N:]]) - 2 * sum([min(40, abs(v - body)) for v in inside])
            if score > best:
                best, chosen = score, turn
        return best, chosen


def _square(turn):
    points = array("H")
    c, s = cos(turn), sin(turn)
    for t in (_IN, _OUT):
        for ex, ey in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            for a in _ALONG:
                u, v = t * ex - a * ey, t * ey + a * ex
                points.append(int((u * c - v * s) * 16 + 1024.5))
                points.append(int((u * s + v * c) * 16 + 1024.5))
    return points
