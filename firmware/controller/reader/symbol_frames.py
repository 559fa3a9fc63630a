"""A table's own reading of symbols at a desk: frames in colour out of a file, read by symbol_reader.py. For the unix port.

The file that is named begins with a line `eye symbols count dice`: the sizes of an eye.bin and a symbols.bin, which follow, and
then so many frames, each luma and U and V of every fourth pixel and row. The answer is a line of JSON for each. Picture files, of
whose table nothing is known: symbol_desk.py.
"""

import gc
import json
import sys
import time

from controller.reader import calibration, stills, symbol_reader, symbols
from controller.reader.feed import fill

_WIDTH = 320
_HEIGHT = 240
_CHROMA = 4800


class _Shown:
    """A camera that shows one frame of a file for as long as it is asked."""

    torn = frozen = False

    def __init__(self, source):
        self._source = source
        self.at = 0

    def start(self, colour=False):
        pass

    def light(self, lamp):
        pass

    def begin(self):
        pass

    def ready(self):
        return True

    def read_rows_into(self, strip, first, n, u=None, v=None):
        self._source.seek(self.at + first * _WIDTH)
        fill(self._source, memoryview(strip)[: n * _WIDTH])
        if u is not None and not first:
            self._source.seek(self.at + _WIDTH * _HEIGHT)
            fill(self._source, u)
            fill(self._source, v)


class _Once:
    still_reads = 1


class _Open:
    def closed(self):
        return False


class _Files:
    def __init__(self, eye, taught):
        self._files = {calibration.FILE: eye, symbols.FILE: taught}

    def load(self, name):
        return self._files[name]


def main():
    with open(sys.argv[-1], "rb") as source:
        eye, taught, count, dice = [int(word) for word in source.readline().split()]
        shown = _Shown(source)
        reader = symbol_reader.SymbolReader(shown, _Once, _Open(), symbol_reader.Buffers())
        reader.load(_Files(source.read(eye), source.read(taught)))
        shown.at = source.tell()
        for _ in range(count):
            reader.watch.forget()  # the throws are no row of a table's evening
            gc.collect()
            began = time.ticks_us()
            reader.begin(0, dice)
            while not reader.done:
                reader.step(0)
            taken = time.ticks_diff(time.ticks_us(), began)
            sight = reader.detail - stills.SEEN if reader.cause else 0
            print(json.dumps({"sight": sight, "faces": list(reader.faces), "us": taken}))
            shown.at += _WIDTH * _HEIGHT + 2 * _CHROMA


if __name__ == "__main__":
    main()
