"""Teaches a table option B's symbols, at a desk: frames in colour come on standard input, eye.bin and symbols.bin go out.

The input is a line `plate_x plate_y plate_r shows`; of each face from 1 to 6 so many frames follow in which all dice show it:
76 800 bytes of luma, then U and V, 4 800 each. The answer is one line of JSON. For the unix port; dice with pips: teach.py.
"""

import gc
import json
import sys

from controller.reader import beside, feet, foot_lessons, footing, symbols
from controller.reader.calibration import SYMBOLS, Calibration, Plate, name
from controller.reader.feed import fill
from controller.reader.teach import Lessons

_WIDTH = 320
_HEIGHT = 240
_CHROMA = 4800
_PLATE_STEPS = 8.7  # the plate's radius in steps of its dice: symbols have no rows of pips to measure
_LEAST_DICE = 3  # of each face
_STRAYS = 0.34  # share of the dice that may look otherwise: glare
_TOO_ALIKE = 0.93  # correlation of two faces in one colour


class NotTaught(Exception):
    """The frames don't teach the six faces; the text says which to show again."""


class SymbolLessons:
    """take() every frame of every face, then learned()."""

    def __init__(self, plate):
        self.plate = plate
        self.step = plate.r / _PLATE_STEPS
        self.light = Lessons(plate)
        self.faces = [symbols.Lessons() for _ in range(6)]
        self.strays = [0] * 6
        self.places = []  # of sides: x, y of the die from the plate's middle, where it looks, how far its foot is
        self.beside = []
        self.halves = []  # of upper faces: x, y in the plate's radius, half a side in pixels

    def take(self, face, frame, u, v):
        """A frame in which all dice show this face, 1 to 6."""
        light = self.light
        tops = []
        whole = True  # everything that lies there was read
        floor = light.buffers.floor
        for window in light.light(frame):
            if window.plane is None:
                whole = False
                continue  # too much lies about
            found, loose = symbols.find(window, floor.mask, floor.stack, floor.room, light.ground[-1], self.step, u, v)
            whole = whole and found and not loose
            for symbol in found:
                if not self.faces[face - 1].take(symbol):
                    self.strays[face - 1] += 1
                    whole = False
                    continue
                symbol.outline = footing.outline(window, symbol.x, symbol.y, self.step, light.ground[-1])
                symbol.window = window
                symbol.x += window.left
                symbol.y += window.top
                tops.append(symbol)
        if whole and tops:
            b = light.buffers
            self.beside.append(beside.signs(b.half, u, v, b.floor.mask, tops, self.plate, light.ground[-1]))
        for symbol in tops:
            x, y = symbol.x - self.plate.x, symbol.y - self.plate.y
            if symbol.outline is not None:
                half = sum(footing.halves(symbol.outline)) / 2
                self.halves.append((x / self.plate.r, y / self.plate.r, half))
            for c, s, foot in feet.sides(symbol, tops, self.step, light.ground[-1], self.plate):
                self.places.append((x, y, c, s, foot))

    def learned(self):
        """-> (Calibration, symbols.bin); raises NotTaught."""
        for face in range(6):
            count, strays = self.faces[face].count, self.strays[face]
            if strays > _STRAYS * (count + strays):
                raise NotTaught("face %d: the dice show different faces" % (face + 1))
            if count < _LEAST_DICE:
                raise NotTaught("face %d was seen on %d dice, %d are needed" % (face + 1, count, _LEAST_DICE))
        rows = [lessons.learned() for lessons in self.faces]
        for face in range(6):
            for other in range(face):
                if symbols.alike(rows[face], rows[other]) > _TOO_ALIKE:
                    raise NotTaught("faces %d and %d look the same" % (other + 1, face + 1))
        half, bend, lean_x, lean_y = foot_lessons.lens(self.halves)
        known = Calibration(
            self.step, half, 0, 0
        )  # of symbols `radius` is half a face's side, in the middle of the plate
        known.bend, known.lean_x, known.lean_y = bend, lean_x, lean_y
        known.feet = foot_lessons.feet(self.places, self.step)
        known.colour, known.light = [
            _nearly_all(values)
            for values in ([seen.colour for seen in self.beside], [seen.light for seen in self.beside])
        ]
        known.kind = SYMBOLS
        known.plate = self.plate
        known.ground = _middle(self.light.ground)
        known.bright = _middle(self.light.bright)
        known.sharp = _middle(self.light.sharp)
        known.grain = _middle(self.light.grain)
        return known, symbols.pack(rows)


def _nearly_all(values):
    values = sorted(values)
    return values[len(values) * 9 // 10] if values else 0


def _middle(values):
    values = sorted(values)
    return values[len(values) // 2] if values else 0


def _hex(data):
    return "".join(["%02x" % b for b in data])


def main():
    source = sys.stdin.buffer
    words = source.readline().split()
    lessons = SymbolLessons(Plate(float(words[0]), float(words[1]), float(words[2])))
    frame, u, v = bytearray(_WIDTH * _HEIGHT), bytearray(_CHROMA), bytearray(_CHROMA)
    for face in range(1, 7):
        for _ in range(int(words[3])):
            for part in (frame, u, v):
                fill(source, part)
            lessons.take(face, frame, u, v)
            gc.collect()
    try:
        known, stored = lessons.learned()
    except NotTaught as error:
        print(json.dumps({"why": str(error)}))
        return
    data = known.pack()
    figures = {
        "dice": [one.count for one in lessons.faces],
        "step": known.step,
        "ground": known.ground,
        "bright": known.bright,
        "sharp": known.sharp,
        "grain": known.grain,
    }
    print(json.dumps({"eye": _hex(data), "symbols": _hex(stored), "hash": name(data), "figures": figures}))


if __name__ == "__main__":
    main()
