"""Runs on MicroPython: the camera's reader on frames from standard input, by a camera that is not there. For measuring.

Input: a line `dice reads spins frames`, a line with the length of eye.bin, eye.bin, then for each spin so many frames of
320 x 240 bytes, luma. Answers one line of JSON a spin.
"""

import gc
import json
import sys
import time

from controller.reader.pip_reader import Buffers, PipReader

N = 320 * 240


class Frames:
    """Each begin() takes the next frame of the spin; the last stays."""

    torn = frozen = False

    def __init__(self, source, frames):
        self._source = source
        self._frames = frames
        self._left = 0
        self._row = 0

    def new_spin(self):
        while self._left:
            self.begin()
            self._skip()
        self._left = self._frames

    def start(self, colour=False):
        pass

    def light(self, lamp):
        pass

    def begin(self):
        if not self._left:
            raise OSError("no more frames")  # as a camera that hangs
        self._left -= 1
        self._row = 0

    def _skip(self):
        rest = bytearray(320)
        for _ in range(240):
            self._source.readinto(rest)

    def ready(self):
        return True

    def read_rows_into(self, strip, first, n, u=None, v=None):
        view = memoryview(strip)
        got = 0
        while got < n * 320:
            got += self._source.readinto(view[got : n * 320])


class Fixed:
    still_reads = 3


class Cover:
    def closed(self):
        return False


def main():
    source = sys.stdin.buffer
    dice, reads, spins, frames = [int(word) for word in source.readline().split()]
    size = int(source.readline())
    eye = source.read(size)
    settings = Fixed()
    settings.still_reads = reads
    gc.collect()
    before = gc.mem_alloc()
    camera = Frames(source, frames)
    reader = PipReader(camera, settings, Cover(), Buffers())
    reader.teach(eye)
    gc.collect()
    fixed = gc.mem_alloc() - before
    for _ in range(spins):
        camera.new_spin()
        reader.begin(0, dice)
        began = time.ticks_us()
        most = 0
        while not reader.done:
            reader.step(0)
            used = gc.mem_alloc()
            most = max(most, used)
        us = time.ticks_diff(time.ticks_us(), began)
        print(
            json.dumps(
                {
                    "cause": reader.cause,
                    "sight": reader.detail & 255,
                    "faces": list(reader.faces),
                    "reads": reader.reads,
                    "us": us,
                    "fixed": fixed,
                    "most": most,
                    "fault": reader.fault,
                }
            )
        )


main()
