"""A picture as the reader sees it: grey planes at full, half, quarter ... size. Not for what is in it: pips.py and up.

A camera frame has one plane (luma). A colour picture has three: luma, the least and the greatest channel, because a white
pip on a coloured die stands out in the least, and a red pip on a black die in the greatest.
"""

from controller.reader import scan

SMALLEST = 48  # pixels: no octave below this side


class Picture:
    """`octaves[k]` is (w, h, [plane, ...]) at 1/2^k of full size."""

    def __init__(self, w, h, planes, octaves=4):
        self.w = w
        self.h = h
        # pixels of the longer side at which to look for things, which takes two bytes a pixel: a camera frame has 320
        self.room = 330 if len(planes) > 1 else 170
        self.octaves = [(w, h, planes)]
        while len(self.octaves) < octaves and min(w, h) >= 2 * SMALLEST:
            halved = []
            for plane in self.octaves[-1][2]:
                half = bytearray((w >> 1) * (h >> 1))
                scan.halve(plane, w, h, half)
                halved.append(half)
            w >>= 1
            h >>= 1
            self.octaves.append((w, h, halved))
        line = bytearray(self.w * 2)
        for w, h, planes in self.octaves:
            for plane in planes:
                scan.smooth(plane, w, h, line)

    def at(self, octave, plane, inv, x, y):
        """The value at full-size place x, y; -1 outside."""
        w, h, planes = self.octaves[octave]
        value = scan.blend(planes[plane], w, h, int(x * 256) >> octave, int(y * 256) >> octave)
        return value if value < 0 else value ^ inv


def of_colour(w, h, rgb, twice=False, octaves=4):
    """From three bytes a pixel; `twice` reads it at double size, which small dice need."""
    n = w * h
    planes = [bytearray(n) for _ in range(3)]
    scan.planes(rgb, n, planes[0], planes[1], planes[2])
    if twice:
        planes = [_doubled(w, h, plane) for plane in planes]
        w *= 2
        h *= 2
    return Picture(w, h, planes, octaves)


def _doubled(w, h, plane):
    large = bytearray(4 * w * h)
    scan.double(plane, w, h, large)
    return large
