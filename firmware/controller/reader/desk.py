"""The reader at a desk: a picture comes on standard input, the verdict goes to standard output. For files of any camera.

The input is a line `width height dice` and then three bytes a pixel; the answer is one line of JSON. With the words `frames
PATH` it reads the table's own kind of frame as the table does, by camera.py: the file is a line `size count dice`, then an
eye.bin of that size and `count` frames of 320 x 240, one byte a pixel. All use scene.py. For the unix port.
"""

import gc
import json
import sys
import time

from controller.reader import accord, picture, scene
from controller.reader.pips import PipFinder
from controller.reader.stamps import Stamper
from controller.target import ON_MICROPYTHON

if ON_MICROPYTHON:
    from controller.reader.stretch_viper import stretch
else:
    from controller.reader.stretch_plain import stretch  # type: ignore[no-redef]

_SMALL = 4.5  # pixels: pips with a smaller radius are read again at double size
_WIDTH = 320
_HEIGHT = 240
_LARGEST_DOUBLED = 720  # pixels of the longer side
_SIZES = ((1, 1), (7, 8), (9, 8))  # of a picture: what is read must not hang on how its pixels happen to fall
_ENOUGH = 2  # sizes that say the same
_SAME = 0.03  # of the longer side: so near to each other two readings of a die are
_GARBAGE = 24 << 20  # bytes between collections: a heap full of small things has no room for a plane


def read(finder, w, h, rgb, dice):
    """(verdict, scale): what two sizes of the picture say and none denies; else the refusal at its own size."""
    gc.threshold(_GARBAGE)
    agreed = None
    refusal = None
    count = 0
    for k, (times, of) in enumerate(_SIZES):
        if count + len(_SIZES) - k < _ENOUGH:
            break
        verdict, scale = _read_at(finder, w * times // of, h * times // of, sized(w, h, rgb, times, of), dice)
        gc.collect()
        scale *= times / of
        if verdict.reason != scene.OK:
            refusal = refusal or (verdict, scale)
        elif agreed is None:
            agreed = verdict, scale
            count = 1
        elif accord.same(agreed[0], agreed[1], verdict, scale, _SAME * max(w, h)):
            count += 1
        else:
            return scene.Verdict(accord.DISAGREE), 1
        if count == _ENOUGH:
            return agreed
    return refusal


def sized(w, h, rgb, times, of):
    """Three bytes a pixel at times/of of the size."""
    if times == of:
        return rgb
    out = bytearray(3 * (w * times // of) * (h * times // of))
    stretch(rgb, w, h, w * times // of, h * times // of, out)
    return out


def _read_at(finder, w, h, rgb, dice):
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
    if lumps is None:
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


class _Still:
    """A camera that shows one frame of a file for as long as it is asked."""

    torn = frozen = False

    def __init__(self, source):
        self._source = source
        self.at = 0

    def start(self, colour=False):
        pass

    def begin(self):
        pass

    def ready(self):
        return True

    def read_rows_into(self, strip, first, n, u=None, v=None):
        self._source.seek(self.at + first * _WIDTH)
        _fill(self._source, memoryview(strip)[: n * _WIDTH])


class _Once:
    still_reads = 1


class _Open:
    def closed(self):
        return False


def frames(path):
    """Reads each frame of a file by camera.py with the calibration in it, as the table does."""
    from controller.reader import pip_reader, stills  # the reading of pictures does without

    with open(path, "rb") as source:
        size, count, dice = [int(word) for word in source.readline().split()]
        shown = _Still(source)
        reader = pip_reader.PipReader(shown, _Once, _Open(), pip_reader.Buffers())
        reader.teach(source.read(size))
        shown.at = source.tell()
        for _ in range(count):
            gc.collect()
            began = time.ticks_us()
            reader.begin(0, dice)
            used = 0
            while not reader.done:
                reader.step(0)
                used = max(used, gc.mem_alloc())
            taken = time.ticks_diff(time.ticks_us(), began)
            sight = reader.detail - stills.SEEN if reader.cause else 0
            print(json.dumps({"sight": sight, "faces": list(reader.faces), "us": taken, "heap": used}))
            shown.at += _WIDTH * _HEIGHT


def _fill(source, buffer):
    room = memoryview(buffer)
    got = 0
    while got < len(buffer):
        n = source.readinto(room[got:])
        if not n:
            raise OSError("the picture ends after %d of %d bytes" % (got, len(buffer)))
        got += n


def main():
    if "frames" in sys.argv:
        frames(sys.argv[-1])
        return
    source = sys.stdin.buffer
    w, h, dice = [int(word) for word in source.readline().split()]
    rgb = bytearray(3 * w * h)
    _fill(source, rgb)
    print(json.dumps(answer(PipFinder(patient=True), w, h, rgb, dice)))


if __name__ == "__main__":
    main()
