"""Light, focus and dirt of a table as frames show them, and where things lie in them: taught to every table with symbols.

At a desk, for the unix port. The symbols themselves: symbol_lessons.py. Dice with pips: lesson.py.
"""

from controller.reader import light, scan, things, windows
from controller.reader.symbol_reader import Buffers, HalfPicture

_WIDTH = 320
_HEIGHT = 240


class Lessons:
    def __init__(self, plate):
        self.plate = plate
        self.ground = []
        self.bright = []
        self.sharp = []
        self.grain = []
        self.buffers = Buffers()

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
