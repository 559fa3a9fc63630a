"""Option B's symbols read at a desk: a picture comes on standard input, the verdict goes to standard output.

The input is a line `width height dice size`, then a symbols.bin of that size, luma, U and V of every fourth pixel and row; the
answer is one line of JSON. No plate or scale is known: the dice are as large as the light bodies in view say, for one die, two,
and so on, and only where every symbol then has a name and all that is light is explained is it a reading. For the
unix port; dice with pips: desk.py.
"""

import gc
import json
import sys
import time
from array import array
from math import sqrt

from dicewire import codes

from controller.reader import scan, scene, symbols, windows
from controller.reader.feed import fill

_BODY = 0.6  # of the way from the ground's level to the lightest: a die's body
_LIGHTER = 60  # grey steps from the ground to a body, at least
_SMALLEST = 0.0012  # of the picture: a body, or a part of one
_MOST_DICE = 6
_FACE = 14.6  # steps squared of a die's upper face, corners rounded, and of what else of it is light
_LEAST_FACE = 12.9
_MOST_FACE = 17.0
_TELLING = 40  # pixels of a patch that has a colour of its own, chroma being every fourth pixel and row
_DISAGREE = "disagree"
_SIZES = (0.94, 1.0, 1.06)  # of the step that the bodies tell
_SIGHT_REASONS = {codes.SIGHT_UNREAD: scene.UNREAD, codes.SIGHT_COLOUR_DIFFERS: _DISAGREE}


class Guess:
    """The picture read as if it showed so many dice: `reason` is scene.OK where all is explained."""

    def __init__(self, reason, found, step):
        self.reason = reason
        self.found = found
        self.dice = [symbol for symbol in found if symbol.number]
        self.step = step

    def rank(self):
        return (self.reason == scene.OK, len(self.dice), sum([symbol.score for symbol in self.found]))


class Sheet:
    """A picture file: its levels, its light bodies, its patches of ink."""

    def __init__(self, w, h, luma, u, v):
        self.window = windows.Window(0, 0, w, h, [])
        self.window.plane = luma
        self.u = u
        self.v = v
        self.chroma_w = (w + 3) // 4
        tally = array("i", bytes(256))
        for row in range(h):  # a tally holds 16 bits
            part = array("H", bytes(128))
            scan.tally(luma, w, 0, row, w, row + 1, part)
            for k in range(64):
                tally[k] += part[k]
        self.ground = _level(tally, w * h // 2)
        self.body = _level(tally, w * h - w * h // 100)
        self.inks = []
        self.light = 0
        if self.body - self.ground >= _LIGHTER:
            self._look(w, h)

    def _look(self, w, h):
        n = w * h
        luma = self.window.plane
        mask = bytearray(n)
        stack = array("i", bytes(4 * (n + 8)))
        self.inks = symbols.patches(luma, w, h, mask, stack, n, self.body, self.ground)
        limit = self.ground + int(_BODY * (self.body - self.ground))
        for k in range(n):
            mask[k] = luma[k] > limit
        sums = array("i", bytes(28))
        boxes = []
        at = mask.find(b"\x01")
        while at >= 0:
            if scan.flood(mask, w, h, at, stack, n, sums) > _SMALLEST * n:
                self.light += sums[0]
                boxes.append(tuple(sums))
            at = mask.find(b"\x01", at + 1)
        inside = [p for p in self.inks if [1 for b in boxes if symbols.holds(b, p)]]
        self.inks = [p for p in inside if not self._grey(p)]

    def guess(self, taught, count):
        """As if there were so many dice."""
        best = None
        area = self.light + sum([p[0] for p in self.inks])
        for size in _SIZES:
            guess = self._at(taught, count, sqrt(area / (count * _FACE)) * size)
            if best is None or guess.rank() > best.rank():
                best = guess
        if best.reason == scene.OK and not _LEAST_FACE < area / (count * best.step * best.step) < _MOST_FACE:
            best.reason = scene.UNEXPLAINED
        return best

    def _grey(self, patch):
        """The ground between dice, or a pip; a patch too small to tell its colour by may be part of a symbol."""
        limit = int(symbols.INK * (self.body - self.ground))
        u, v = symbols.colour(
            self.window,
            (patch[3], patch[4], patch[5] + 1, patch[6] + 1),
            self.body - limit,
            256,
            self.u,
            self.v,
            self.chroma_w,
        )
        return patch[0] > _TELLING and not symbols.coloured(u, v)

    def _at(self, taught, count, step):
        window = self.window
        found, loose = symbols.read(
            window, window.plane, 0, window.h, self.inks, self.body, self.ground, step, self.u, self.v, self.chroma_w
        )
        reason = scene.OK
        for symbol in found:
            symbol.number, sight = taught.name(symbol)
            if sight:
                reason = _SIGHT_REASONS[sight]
        if reason == scene.OK and len(found) != count:
            reason = scene.UNREAD
        if reason == scene.OK and symbols.unexplained(found, loose, step):
            reason = scene.UNEXPLAINED
        return Guess(reason, found, step)


def _level(tally, count):
    """The grey level that so many pixels don't exceed."""
    k = 0
    while k < 63 and count > tally[k]:
        count -= tally[k]
        k += 1
    return k * 4 + 2


def read(w, h, luma, u, v, taught, dice):
    """-> (reason, dice that have a name)."""
    sheet = Sheet(w, h, luma, u, v)
    if not sheet.inks:
        return scene.NO_DICE, []
    guesses = [sheet.guess(taught, count) for count in range(1, _MOST_DICE + 1)]
    best = max(guesses, key=lambda guess: guess.rank())
    if best.reason != scene.OK:
        return (best.reason, best.dice) if best.found else (scene.NO_DICE, [])
    if len([1 for guess in guesses if guess.reason == scene.OK]) > 1:
        return _DISAGREE, []
    if dice and len(best.dice) != dice:
        return (scene.MISSING if len(best.dice) < dice else scene.TOO_MANY), best.dice
    return scene.OK, best.dice


def main():
    source = sys.stdin.buffer
    w, h, dice, size = [int(word) for word in source.readline().split()]
    try:
        taught = symbols.Taught(bytes(fill(source, bytearray(size))))
    except symbols.BadSymbols as error:
        print(json.dumps({"why": str(error)}))
        return
    luma = fill(source, bytearray(w * h))
    u, v = [fill(source, bytearray(((w + 3) // 4) * ((h + 3) // 4))) for _ in range(2)]
    gc.collect()
    began = time.ticks_ms()
    reason, found = read(w, h, luma, u, v, taught, dice)
    taken = time.ticks_diff(time.ticks_ms(), began)
    seen = [{"face": s.number, "x": s.x, "y": s.y, "confidence": max(0.0, min(1.0, s.score))} for s in found]
    print(json.dumps({"reason": reason, "x": 0, "y": 0, "dice": seen, "ms": taken}))


if __name__ == "__main__":
    main()
