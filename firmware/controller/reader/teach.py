"""Makes a calibration of pictures, at a desk: frames of flat dice come on standard input, eye.bin and its figures go out.

The input is a line `plate_x plate_y plate_r count`, then so many frames of 320 x 240 bytes, luma. The answer is one line of
JSON. Everything is measured by the files that read in play. For the unix port. Not for option B's symbols: symbol_lessons.py.
"""

import gc
import json
import sys
from math import sqrt

from controller.reader import calibrate, light, picture, scan, scene, things, windows
from controller.reader.calibration import MIDDLE, Plate, name
from controller.reader.camera import Buffers, HalfPicture
from controller.reader.pips import PipFinder

_WIDTH = 320
_HEIGHT = 240
_OCTAVES = 3


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


if __name__ == "__main__":
    main()
