"""The reader at a desk: pictures come on standard input, verdicts go to standard output. For files of any camera.

A request is a line `width height dice` and then three bytes a pixel; the answer is one line of JSON. The table's own
camera comes in by camera.py; both use scene.py. Runs on MicroPython's unix port.
"""

import gc
import json
import sys
import time

from controller.reader import picture, scene
from controller.reader.pips import PipFinder

_SMALL = 4.5  # pixels: pips with a smaller radius are read again at double size
_LARGEST_DOUBLED = 720  # pixels of the longer side


def read(finder, w, h, rgb, dice):
    """(verdict, scale): at once, and where that fails or the dice are small at double size."""
    verdict = _look(finder, w, h, rgb, dice, False)
    radii = sorted([face.pips[0].r for face in verdict.dice])
    small = not radii or radii[len(radii) // 2] < _SMALL
    if (verdict.reason == scene.OK and not small) or max(w, h) > _LARGEST_DOUBLED:
        return verdict, 1
    gc.collect()
    return _look(finder, w, h, rgb, dice, True), 2


def _look(finder, w, h, rgb, dice, twice):
    seen = picture.of_colour(w, h, rgb, twice)
    return scene.read(seen, finder.find(seen), dice)


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
    finder = PipFinder()
    source = sys.stdin.buffer
    while True:
        line = source.readline()
        if not line:
            return
        w, h, dice = [int(word) for word in line.split()]
        rgb = bytearray(3 * w * h)
        room = memoryview(rgb)
        got = 0
        while got < len(rgb):
            n = source.readinto(room[got:])
            if not n:
                return
            got += n
        print(json.dumps(answer(finder, w, h, rgb, dice)))
        if hasattr(sys.stdout, "flush"):
            sys.stdout.flush()
        rgb = room = None
        gc.collect()


if __name__ == "__main__":
    main()
