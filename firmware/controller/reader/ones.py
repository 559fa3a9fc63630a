"""How a one is turned, which its pip does not say: its outline is steepest where it is looked at square. Not where: poses.py."""

from array import array
from math import cos, pi, sin

from controller.reader.fixed import BIAS
from controller.reader.sides import DROP, HALF

_TURNS = 20
_BEYOND = 0.5  # mm beyond the outline that is looked at


class Turns:
    """look() at each lamp's frame; then find()."""

    def __init__(self, sides):
        self._sides = sides
        self._map = array("I", bytes(48))

    def look(self, plane, w, h, pose):
        if pose.scores is None:
            pose.scores = [0] * _TURNS
        for k in range(_TURNS):
            c, s = cos(k * pi / 2 / _TURNS), sin(k * pi / 2 / _TURNS)
            _rotate(pose.map, c, s, self._map)
            total = 0
            for side, ex, ey in ((0, c, s), (1, -s, c), (2, -c, -s), (3, s, -c)):
                # the foot is seen on the sides that face the middle
                reach = max(HALF, HALF * DROP - (1 - DROP) * (pose.x * ex + pose.y * ey)) + _BEYOND
                total += self._sides.steep(plane, w, h, self._map, side, reach)
            pose.scores[k] += total

    def find(self, pose):
        """The turn, in radians from the pose's own."""
        scores = pose.scores
        k = scores.index(max(scores))
        before, here, after = scores[k - 1], scores[k], scores[(k + 1) % _TURNS]
        bow = 2 * here - before - after
        return (k + (0.5 * (after - before) / bow if bow else 0.0)) * pi / 2 / _TURNS


def _rotate(m, c, s, out):
    """The map with its u axis turned."""
    for k in (0, 6):
        u, v, uu, uv, vv = [m[k + 1 + i] - BIAS for i in range(5)]
        out[k] = m[k]
        # where the new axes' point (a, b) is a c - b s, a s + b c of the old ones
        turned = (
            u * c + v * s,
            v * c - u * s,
            uu * c * c + uv * c * s + vv * s * s,
            2 * (vv - uu) * c * s + uv * (c * c - s * s),
            uu * s * s - uv * c * s + vv * c * c,
        )
        for i in range(5):
            out[k + 1 + i] = int(turned[i]) + BIAS
