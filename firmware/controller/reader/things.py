"""What lies on a plain ground, whatever it is: patches that differ from the ground around them. Not for what they show.

Whoever reads dice can ask here whether something of a die's size was left unread, and where a die ends. On a ground with
a pattern (carpet) patches mean little, and `plain` says so.
"""

from array import array

from controller.reader import scan
from controller.target import const

_LONGEST = const(330)  # pixels: the octave to look at
_CELL = const(5)  # 32 pixels: larger than a die, smaller than a change of light
_LIMIT = const(26)
_GRAIN = const(14)
_ROOM = const(4000)
_LEAST = const(20)  # pixels of the octave
_PLAIN = 0.15  # of the pixels around a thing may differ from the ground by more than the grain


class Thing:
    """In full-size pixels: centre, area, box. plain: the ground around it is even, so its outline is to be trusted."""

    __slots__ = ("area", "bottom", "left", "plain", "right", "top", "x", "y")

    def holds(self, spot):
        return self.left < spot.x < self.right and self.top < spot.y < self.bottom


class Floor:
    """The buffers that finding takes, for pictures of up to so many pixels at the octave looked at.

    After find() the mask says where the first plane departs from the ground by more than its grain.
    """

    def __init__(self, pixels, room=_ROOM):
        self.mask = bytearray(pixels)
        self.stack = array("i", bytes(4 * room))
        self.room = room


def size_of(picture, longest=_LONGEST):
    """(octave, pixels) at which a picture is looked at."""
    octave = 0
    while max(picture.octaves[octave][0], picture.octaves[octave][1]) > longest and octave + 1 < len(picture.octaves):
        octave += 1
    return octave, picture.octaves[octave][0] * picture.octaves[octave][1]


def find(picture, floor=None):
    """What lies about, apart from what the picture's rim cuts."""
    octave, pixels = size_of(picture, picture.room)
    if floor is None:
        floor = Floor(pixels)
    w, h, planes = picture.octaves[octave]
    across = (w >> _CELL) + 1
    down = (h >> _CELL) + 1
    grounds = [ground_of(plane, w, h, across, down) for plane in planes]
    mask = floor.mask
    _clear(mask, pixels)
    for plane, ground in zip(planes, grounds):  # noqa: B905 - not on MicroPython
        scan.depart(plane, w, h, _CELL, across, ground, _LIMIT, mask)
    if len(planes) > 2:
        scan.lift_shadow(planes[1], planes[2], w, h, _CELL, across, grounds[1], grounds[2], mask)
    stack = floor.stack
    sums = array("i", bytes(28))
    found = []
    boxes = []
    at = mask.find(b"\x01")
    while at >= 0:
        n = scan.flood(mask, w, h, at, stack, floor.room, sums)
        inside = sums[3] > 1 and sums[4] > 1 and sums[5] < w - 2 and sums[6] < h - 2
        if inside and n >= _LEAST:
            found.append(_thing(sums, octave))
            boxes.append(tuple(sums))
        at = mask.find(b"\x01", at + 1)
    # the mask is empty now and serves again, for the grain of the ground
    _clear(mask, pixels)
    scan.depart(planes[0], w, h, _CELL, across, grounds[0], _GRAIN, mask)
    if len(planes) > 2:
        scan.lift_shadow(planes[1], planes[2], w, h, _CELL, across, grounds[1], grounds[2], mask)
    for thing, box in zip(found, boxes):  # noqa: B905 - not on MicroPython
        thing.plain = _around(mask, w, h, box) < _PLAIN
    return found


def _clear(mask, pixels):
    row = bytes(256)
    for at in range(0, pixels, 256):
        n = min(256, pixels - at)
        mask[at : at + n] = row if n == 256 else row[:n]


def _around(rough, w, h, sums):
    """The share of marked pixels in a frame around a box, half the box wide."""
    x0, y0, x1, y1 = sums[3], sums[4], sums[5] + 1, sums[6] + 1
    wide = max(2, (x1 - x0) // 2)
    high = max(2, (y1 - y0) // 2)
    left = max(0, x0 - wide)
    top = max(0, y0 - high)
    right = min(w, x1 + wide)
    bottom = min(h, y1 + high)
    outer = (right - left) * (bottom - top) - (x1 - x0) * (y1 - y0)
    marked = scan.count(rough, w, left, top, right, bottom) - scan.count(rough, w, x0, y0, x1, y1)
    return marked / max(1, outer)


def _thing(sums, octave):
    thing = Thing()
    n = sums[0]
    thing.area = n << (2 * octave)
    thing.x = (sums[1] / n + 0.5) * (1 << octave)
    thing.y = (sums[2] / n + 0.5) * (1 << octave)
    thing.left = sums[3] << octave
    thing.top = sums[4] << octave
    thing.right = (sums[5] + 1) << octave
    thing.bottom = (sums[6] + 1) << octave
    return thing


def ground_of(plane, w, h, across, down):
    """For each cell the middle level of what most of its neighbourhood has: a die in a cell doesn't count."""
    tally = array("H", bytes(128))
    level = bytearray(across * down)
    side = 1 << _CELL
    for row in range(down):
        for column in range(across):
            x0 = max(0, min((column - 1) * side, w - 3 * side))
            y0 = max(0, min((row - 1) * side, h - 3 * side))
            x1 = min(w, x0 + 3 * side)
            y1 = min(h, y0 + 3 * side)
            scan.tally(plane, w, x0, y0, x1, y1, tally)
            half = (x1 - x0) * (y1 - y0) // 2
            k = 0
            while half > tally[k]:
                half -= tally[k]
                k += 1
            level[row * across + column] = k * 4 + 2
    return level
