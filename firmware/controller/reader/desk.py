"""The reader at a desk: a picture comes on standard input, the verdict goes to standard output. For files of any camera.

The input is a line `width height dice` and then three bytes a pixel; the answer is one line of JSON. With the words `frames
PATH` it reads the table's own kind of frame as the table does, by camera.py: the file is a line `size count dice`, then an
eye.bin of that size and of each of `count` throws a frame by one lamp and one by the other, 320 x 240 bytes each. For the unix
port.
"""

import gc
import json
import sys
import time

from controller.reader.feed import fill

_WIDTH = 320
_HEIGHT = 240


def answer(w, h, rgb, dice):
    from controller.reader import sizes  # the reading of frames does without, in a table's memory

    began = time.ticks_ms()
    verdict, scale = sizes.read(w, h, rgb, dice)
    taken = time.ticks_diff(time.ticks_ms(), began)
    seen = [
        {"face": f.number, "x": f.x / scale, "y": f.y / scale, "confidence": max(0.0, min(1.0, f.sure))}
        for f in verdict.dice
    ]
    return {"reason": verdict.reason, "x": verdict.x / scale, "y": verdict.y / scale, "dice": seen, "ms": taken}


class _Still:
    """A camera that shows one throw of a file for as long as it is asked."""

    torn = frozen = False

    def __init__(self, source):
        self._source = source
        self.at = self._lit = self._from = 0

    def start(self, colour=False):
        pass

    def light(self, lamp):
        self._lit = lamp

    def begin(self):
        self._from = self.at + self._lit * _WIDTH * _HEIGHT

    def ready(self):
        return True

    def read_rows_into(self, strip, first, n, u=None, v=None):
        self._source.seek(self._from + first * _WIDTH)
        fill(self._source, memoryview(strip)[: n * _WIDTH])


class _Once:
    still_reads = 1


class _Open:
    def closed(self):
        return False


def frames(path):
    """Reads each throw of a file by camera.py with the calibration in it, as the table does."""
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
            shown.at += 2 * _WIDTH * _HEIGHT


def main():
    if "frames" in sys.argv:
        frames(sys.argv[-1])
        return
    source = sys.stdin.buffer
    w, h, dice = [int(word) for word in source.readline().split()]
    rgb = bytearray(3 * w * h)
    fill(source, rgb)
    print(json.dumps(answer(w, h, rgb, dice)))


if __name__ == "__main__":
    main()
