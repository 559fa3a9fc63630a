"""Makes a calibration of pictures, at a desk: frames of flat dice come on standard input, eye.bin and its figures go out.

The input is a line `plate_x plate_y plate_r count`, then so many frames of 320 x 240 bytes, luma. The answer is one line of
JSON. Everything is measured by the files that read in play. For the unix port.

With the word `symbols` the line is `plate_x plate_y plate_r shows`, and of each face from 1 to 6 so many frames follow in which all
dice show it: 76 800 bytes of luma, then U and V, 4 800 each.
"""

import gc
import json
import sys
from math import sqrt

from controller.reader import calibrate, light, picture, scan, scene, symbols, things, windows
from controller.reader.calibration import MIDDLE, SYMBOLS, Calibration, Plate, name
from controller.reader.camera import Buffers, HalfPicture
from controller.reader.pips import PipFinder

_WIDTH = 320
_HEIGHT = 240
_OCTAVES = 3
_PLATE_STEPS = 8.7  # the plate's radius in steps of its dice: symbols have no rows of pips to measure


class Lessons:
    def __init__(self, plate):
        self.plate = plate
        self.rows = []  # of calibrate.lessons()
        self.places = []  # (share of the plate's radius squared, step) of each die that teaches
        self.ground = []
        self.bright = []
        self.sharp = []
        self.grain = []
        self.seen = []  # of each frame: (face, x, y, step) of its dice
        self.buffers = Buffers()
        self._finder = PipFinder()

    def take(self, frame):
        """One frame; True where it taught something about the dice."""
        b = self.buffers
        self.light(frame)
        seen = picture.Picture(_WIDTH, _HEIGHT, [frame], _OCTAVES)
        verdict = scene.read(seen, self._finder.find(seen), 0, None, b.floor)
        rows = calibrate.lessons(verdict)
        self.seen.append([(f.number, round(f.x, 1), round(f.y, 1), round(sqrt(f.size()), 2)) for f in verdict.dice])
        self.rows += rows
        for face in verdict.dice:
            if face.number > 3 and face.error < 0.06:
                away = (face.x - self.plate.x) ** 2 + (face.y - self.plate.y) ** 2
                self.places.append((away / (self.plate.r * self.plate.r), sqrt(face.size())))
        return bool(rows)

    def light(self, frame):
        """Light, focus and dirt of one frame; gives the windows around what lies there."""
        b = self.buffers
        scan.halve(frame, _WIDTH, _HEIGHT, b.half)
        scan.smooth(b.half, _WIDTH >> 1, _HEIGHT >> 1, b.line)
        watch = light.Watch()
        watch.measure(b.half, self.plate)
        self.ground.append(watch.ground)
        self.bright.append(watch.bright)
        light.blank(b.half, _WIDTH >> 1, _HEIGHT >> 1, self.plate, watch.ground)
        large = [thing for thing in things.find(HalfPicture(b.half), b.floor) if thing.area > 400]
        plan = windows.plan(large, _WIDTH, _HEIGHT, self.plate)
        self.grain.append(light.grain(b.floor, plan, self.plate))
        if plan and windows.place(plan, b.block):
            for row in range(_HEIGHT):
                windows.fill(plan, memoryview(frame)[row * _WIDTH : (row + 1) * _WIDTH], _WIDTH, row, 1)
            self.sharp += [light.steepest(window) for window in plan]
        return plan

    def learned(self):
        """-> Calibration; raises calibrate.NotEnough."""
        known = calibrate.learn(self.rows)
        known.plate = self.plate
        known.ground = _middle(self.ground)
        known.bright = _middle(self.bright)
        known.sharp = _middle(self.sharp) if self.sharp else 0
        known.grain = _middle(self.grain)
        known.bend, known.step = _lens(self.places, known.step)
        return known


def _middle(values):
    values = sorted(values)
    return values[len(values) // 2]


def _lens(places, step):
    """(bend, step): how much smaller a step is at the rim than in the middle, by least squares; and a step at MIDDLE. Where
    the dice lay too near together, or too few, the lens is taken as straight."""
    n = len(places)
    mx = sum([x for x, y in places]) / n
    my = sum([y for x, y in places]) / n
    xx = sum([(x - mx) ** 2 for x, y in places])
    if n < 6 or xx < 0.1:
        return 0.0, step
    slope = sum([(x - mx) * (y - my) for x, y in places]) / xx
    centre = my - slope * mx
    bend = min(0.12, max(0.0, -slope / centre))
    return bend, step * (1 - bend * MIDDLE) / (1 - bend * mx)


def main():
    source = sys.stdin.buffer
    words = source.readline().split()
    lessons = Lessons(Plate(float(words[0]), float(words[1]), float(words[2])))
    frame = bytearray(_WIDTH * _HEIGHT)
    taught = []
    for _ in range(int(words[3])):
        got = 0
        while got < len(frame):
            n = source.readinto(memoryview(frame)[got:])
            if not n:
                raise OSError("the picture ends after %d of %d bytes" % (got, len(frame)))
            got += n
        taught.append(lessons.take(frame))
        gc.collect()
    try:
        known = lessons.learned()
    except calibrate.NotEnough as error:
        print(json.dumps({"why": str(error), "taught": taught}))
        return
    data = known.pack()
    print(
        json.dumps(
            {
                "eye": "".join(["%02x" % b for b in data]),
                "hash": name(data),
                "taught": taught,
                "seen": lessons.seen,
                "dice": len(lessons.rows),
                "step": known.step,
                "radius": known.radius,
                "light_pips": known.inv == 255,
                "contrast": known.contrast,
                "spread": known.spread,
                "bend": known.bend,
                "ground": known.ground,
                "bright": known.bright,
                "sharp": known.sharp,
                "grain": known.grain,
            }
        )
    )


def _fill(source, buffer):
    got = 0
    while got < len(buffer):
        n = source.readinto(memoryview(buffer)[got:])
        if not n:
            raise OSError("the pictures end too early")
        got += n


def teach_symbols():
    source = sys.stdin.buffer
    words = source.readline().split()
    plate = Plate(float(words[0]), float(words[1]), float(words[2]))
    lessons = Lessons(plate)
    frame = bytearray(_WIDTH * _HEIGHT)
    u, v = bytearray(4800), bytearray(4800)
    taught = [symbols.Lessons() for _ in range(6)]
    step = plate.r / _PLATE_STEPS
    for face in range(6):
        for _ in range(int(words[3])):
            for part in (frame, u, v):
                _fill(source, part)
            plan = lessons.light(frame)
            floor = lessons.buffers.floor
            for window in plan:
                found, _ = symbols.find(window, floor.mask, floor.stack, floor.room, lessons.ground[-1], step, u, v)
                for symbol in found:
                    taught[face].take(symbol)
            gc.collect()
    for face in range(6):
        if not taught[face].count:
            print(json.dumps({"why": "face %d was not seen on any die" % (face + 1)}))
            return
    known = Calibration(step, 0.0, 0, 0)
    known.kind = SYMBOLS
    known.plate = plate
    known.ground = _middle(lessons.ground)
    known.bright = _middle(lessons.bright)
    known.sharp = _middle(lessons.sharp) if lessons.sharp else 0
    known.grain = _middle(lessons.grain)
    data = known.pack()
    stored = symbols.pack([one.learned() for one in taught])
    print(
        json.dumps(
            {
                "eye": "".join(["%02x" % b for b in data]),
                "symbols": "".join(["%02x" % b for b in stored]),
                "hash": name(data),
                "dice": [one.count for one in taught],
                "step": known.step,
            }
        )
    )


if __name__ == "__main__":
    if "symbols" in sys.argv:
        teach_symbols()
    else:
        main()
