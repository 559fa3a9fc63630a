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
        """The pixel that covers full-size place x, y; -1 outside."""
        w, h, planes = self.octaves[octave]
        i = int(x) >> octave
        j = int(y) >> octave
        if x < 0 or y < 0 or i >= w or j >= h:
            return -1
        return planes[plane][j * w + i] ^ inv


def of_colour(w, h, rgb, octaves=4):
    """From three bytes a pixel."""
    n = w * h
    luma = bytearray(n)
    low = bytearray(n)
    high = bytearray(n)
    scan.planes(rgb, n, luma, low, high)
    return Picture(w, h, [luma, low, high], octaves)
