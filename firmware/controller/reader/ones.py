"""How a one is turned: by the edges of its upper face, since one pip does not say. Not for where it is: poses.py."""

from array import array
from math import cos, pi, sin

from controller.reader import plate
from controller.reader.fixed import MIDDLE

_TURNS = 15
_MOST = 40  # grey steps: more than that says no more
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
        out = self._out
        scores = []
        for points in self._points:
            plate.sample(plane, w, h, pose.map, points, 2 * _N, out)
            body = sorted(out[:_N])[_N // 2]
            scores.append(plate.unlike(out, _N, _N, body, _MOST) - 2 * plate.unlike(out, 0, _N, body, _MOST))
        k = scores.index(max(scores))
        before, here, after = scores[k - 1], scores[k], scores[(k + 1) % _TURNS]
        bow = 2 * here - before - after
        return (k + (0.5 * (after - before) / bow if bow else 0.0)) * pi / 2 / _TURNS


def _square(turn):
    points = array("H")
    c, s = cos(turn), sin(turn)
    for t in (_IN, _OUT):
        for ex, ey in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            for a in _ALONG:
                u, v = t * ex - a * ey, t * ey + a * ex
                points.append(int((u * c - v * s) * 16 + MIDDLE + 0.5))
                points.append(int((u * s + v * c) * 16 + MIDDLE + 0.5))
    return points
