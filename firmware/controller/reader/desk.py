"""The reader at a desk: a picture comes on standard input, the verdict goes to standard output. For files of any camera.

The input is a line `width height dice` and then three bytes a pixel; the answer is one line of JSON. The table's own
camera comes in by camera.py; both use scene.py. Runs on MicroPython's unix port.
"""

import json
import sys
import time

from controller.reader import picture, scene
from controller.reader.pips import PipFinder

_SMALL = 4.5  # pixels: pips with a smaller radius are read again at double size
_LARGEST_DOUBLED = 720  # pixels of the longer side


def read(finder, w, h, rgb, dice):
    """(verdict, scale): at once, and where that fails or the dice are small at double size.

    Both pictures are made first: after a reading the heap is full of small things, and a large plane may find no room.
    """
    once = picture.of_colour(w, h, rgb)
    twice = picture.of_colour(w, h, rgb, True) if max(w, h) <= _LARGEST_DOUBLED else None
    verdict = scene.read(once, finder.find(once), dice)
    radii = sorted([face.pips[0].r for face in verdict.dice])
    small = not radii or radii[len(radii) // 2] < _SMALL
    if (verdict.reason == scene.OK and not small) or twice is None:
        return verdict, 1
    return scene.read(twice, finder.find(twice), dice), 2


def answer(finder, w, h, rgb, dice):
    began = time.ticks_ms()
    verdict, scale = read(finder, w, h, rgb, dice)
    taken = time.ticks_diff(time.ticks_ms(), began)
    seen = [
        {"face": f.number, "x": f.x / scale, "y": f.y / scale, "confidence": max(0.0, min(1.0, f.sure))}
        for f in verdict.dice
    ]
    return {"reason": verdict.reason, "x": verdict.x / scale, "y": verdict.y / scale, "dice": seen, "ms": taken}


def main():
    source = sys.stdin.buffer
    w, h, dice = [int(word) for word in source.readline().split()]
    rgb = bytearray(3 * w * h)
    room = memoryview(rgb)
    got = 0
    while got < len(rgb):
        n = source.readinto(room[got:])
        if not n:
            raise OSError("the picture ends after %d of %d bytes" % (got, len(rgb)))
        got += n
    print(json.dumps(answer(PipFinder(), w, h, rgb, dice)))


if __name__ == "__main__":
    main()
