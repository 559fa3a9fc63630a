"""The reader at a desk: a picture comes on standard input, the verdict goes to standard output. For files of any camera.

The input is a line `width height dice` and then three bytes a pixel; the answer is one line of JSON. With the word `frames`
it reads the table's own kind of frame: a line `width height learn count dice`, then `learn` frames of flat dice to calibrate by
and `count` to read, one byte a pixel. The camera itself comes in by camera.py; all use scene.py. For the unix port.
"""

import gc
import json
import sys
import time

from controller.reader import accord, calibrate, picture, scene, things
from controller.reader.pips import CAMERA_SEEDS, PipFinder
from controller.reader.stamps import Stamper

_SMALL = 4.5  # pixels: pips with a smaller radius are read again at double size
_LARGE = 45  # pixels: larger dice are read by their pips alone
CAMERA_OCTAVES = 3
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
    first = verdict
    verdict = scene.read(twice, finder.find(twice), dice)
    stamper = Stamper()
    lumps = stamper.read(once, rgb)
    if lumps is None or stamper.usual > _LARGE:
        return accord.with_first(verdict, 2, first), 2
    return accord.between(verdict, 2, lumps, stamper.usual, dice, first), 1


def answer(finder, w, h, rgb, dice):
    began = time.ticks_ms()
    verdict, scale = read(finder, w, h, rgb, dice)
    taken = time.ticks_diff(time.ticks_ms(), began)
    seen = [
        {"face": f.number, "x": f.x / scale, "y": f.y / scale, "confidence": max(0.0, min(1.0, f.sure))}
        for f in verdict.dice
    ]
    return {"reason": verdict.reason, "x": verdict.x / scale, "y": verdict.y / scale, "dice": seen, "ms": taken}


def frames(source):
    """Calibrates by the first frames, then reads the others, all in one buffer, as the table does."""
    w, h, learn, count, dice = [int(word) for word in source.readline().split()]
    finder = PipFinder(CAMERA_SEEDS)
    frame = bytearray(w * h)
    floor = things.Floor((w >> 1) * (h >> 1), 1500)
    lessons = []
    for _ in range(learn):
        _fill(source, frame)
        seen = picture.Picture(w, h, [frame], CAMERA_OCTAVES)
        lessons += calibrate.lessons(scene.read(seen, finder.find(seen), 0, None, floor))
        seen = None
        gc.collect()
    try:
        known = calibrate.learn(lessons)
    except calibrate.NotEnough as error:
        print(json.dumps({"reason": "not_calibrated", "why": str(error)}))
        return
    print(json.dumps({"step": known.step, "radius": known.radius, "inv": known.inv, "spread": known.spread}))
    for _ in range(count):
        _fill(source, frame)
        began = time.ticks_us()
        seen = picture.Picture(w, h, [frame], CAMERA_OCTAVES)
        verdict = scene.read(seen, finder.find(seen), dice, known, floor)
        taken = time.ticks_diff(time.ticks_us(), began)
        used = gc.mem_alloc()
        faces = sorted([f.number for f in verdict.dice])
        print(json.dumps({"reason": verdict.reason, "faces": faces, "us": taken, "heap": used}))
        seen = verdict = None
        gc.collect()


def _fill(source, buffer):
    room = memoryview(buffer)
    got = 0
    while got < len(buffer):
        n = source.readinto(room[got:])
        if not n:
            raise OSError("the picture ends after %d of %d bytes" % (got, len(buffer)))
        got += n


def main():
    source = sys.stdin.buffer
    if "frames" in sys.argv:
        frames(source)
        return
    w, h, dice = [int(word) for word in source.readline().split()]
    rgb = bytearray(3 * w * h)
    _fill(source, rgb)
    print(json.dumps(answer(PipFinder(), w, h, rgb, dice)))


if __name__ == "__main__":
    main()
