"""What option B's dice show by the camera: symbols by colour and shape, as they were taught. Dice with pips: pip_reader.py.

A frame comes by rows. It is kept at half size, where things are found, and at full size only in windows around what the
frame before showed: so dice that moved are seen by their windows.
"""

import gc
from math import sqrt

from dicewire import codes

from controller.reader import beside, calibration, feet, footing, light, scan, symbols, things, windows
from controller.reader.camera import SYMBOLS
from controller.reader.stills import TRIES, Stills
from controller.target import const

_WIDTH = const(320)
_HEIGHT = const(240)
_STRIP = const(8)  # rows read at a time
_STACK = const(1500)
_SMALLEST = 0.15  # of a die: anything less is dust or a glare
_CHROMA = const(4800)  # bytes: 80 x 60
DIE = 16  # area of a die's face in squares of a step


class Buffers:
    """All memory of the camera's reading that is large, taken once at the start, before the heap is in pieces."""

    def __init__(self):
        self.block = bytearray(windows.ROOM)
        self.half = bytearray((_WIDTH >> 1) * (_HEIGHT >> 1))
        self.floor = things.Floor(len(self.half), _STACK)
        self.strip = bytearray(_STRIP * _WIDTH)
        self.line = bytearray(2 * _WIDTH)
        self.u = bytearray(_CHROMA)
        self.v = bytearray(_CHROMA)


class HalfPicture:
    """A frame of which only the half-size plane is here; in full-size measure, as every picture."""

    room = 170

    def __init__(self, plane):
        self.octaves = [(_WIDTH, _HEIGHT, None), (_WIDTH >> 1, _HEIGHT >> 1, [plane])]


class SymbolReader(Stills):
    kind = SYMBOLS

    def __init__(self, camera, settings, cover, buffers):
        Stills.__init__(self, camera, settings, cover)
        self._buffers = buffers
        self.strip = buffers.strip  # for whoever reads the camera while nothing is read here
        self._half = HalfPicture(buffers.half)
        self.symbols = None  # what option B's faces look like
        self.watch = light.Watch()
        self._plan = []
        self._found = ()
        self._colour = True
        self.opinions = codes.READER_SYMBOLS

    def load(self, files):
        """The calibration in flash comes into force. Raises ValueError where there is none that is sound."""
        self.known = self.symbols = None
        known = calibration.unpack(files.load(calibration.FILE))
        self.symbols = symbols.Taught(files.load(symbols.FILE))
        self.known = known
        self.watch.forget()
        self._dropped = True

    def begin(self, now, dice):
        self._moves = 0
        self._plan = []
        Stills.begin(self, now, dice)

    def take(self):
        b = self._buffers
        half = memoryview(b.half)
        for row in range(0, _HEIGHT, _STRIP):
            self._camera.read_rows_into(b.strip, row, _STRIP, b.u, b.v)
            at = (row >> 1) * (_WIDTH >> 1)
            scan.halve(b.strip, _WIDTH, _STRIP, half[at : at + (_STRIP >> 1) * (_WIDTH >> 1)])
            windows.fill(self._plan, b.strip, _WIDTH, row, _STRIP)

    def look(self, now):
        """The frame as a whole: is it fit to be read, what lies on the plate, and did it move since the frame before?"""
        b, known = self._buffers, self.known
        scan.smooth(b.half, _WIDTH >> 1, _HEIGHT >> 1, b.line)
        sight = self.watch.look(b.half, known)
        if sight:
            self._said(codes.CAUSE_UNREADABLE, sight)
            return
        light.blank(b.half, _WIDTH >> 1, _HEIGHT >> 1, known.plate, self.watch.ground)
        found = things.find(self._half, b.floor)
        least = _SMALLEST * DIE * known.step * known.step
        large = [thing for thing in found if thing.area > least]
        for thing in found:
            if known.plate.cuts(thing):
                thing.plain = False  # the rim took part of it: its outline isn't to be trusted
        if not large:
            self._said(codes.CAUSE_MISSING, codes.SIGHT_NO_DICE)
            return
        if light.grain(b.floor, self._plan, known.plate) > known.grain + light.DIRTY and self._plan:
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_DIRTY)
            return
        if not self._plan or not _same(self._plan, large):
            self._replan(large)
            return
        self._found = found
        self._at = 0
        self._tops = []
        self._work = self._read_window

    def _replan(self, large):
        self._moves += 1
        plan = windows.plan(large, _WIDTH, _HEIGHT, self.known.plate)
        if self._moves > TRIES * self._settings.still_reads:
            self._refuse(codes.CAUSE_NOT_AT_REST, codes.SIGHT_MOVING)
        elif not windows.place(plan, self._buffers.block):
            self._said(codes.CAUSE_FOREIGN_OBJECT, codes.SIGHT_CROWDED)
        else:
            self._plan = plan
            self._spots = []
            self.reads = 0
            self._work = self._capture

    def _read_window(self, now):
        """Every symbol must have a name by its shape and its colour, and nothing be left."""
        window = self._plan[self._at]
        if self._at == 0 and not self.watch.sharp_enough(self._plan, self.known):
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_OUT_OF_FOCUS)
            return
        b = self._buffers
        floor = b.floor
        found, loose = symbols.find(
            window, floor.mask, floor.stack, floor.room, self.watch.ground, self.known.step, b.u, b.v
        )
        for symbol in found:
            symbol.number, sight = self.symbols.name(symbol)
            if sight:
                self._said(
                    codes.CAUSE_DISAGREE if sight == codes.SIGHT_COLOUR_DIFFERS else codes.CAUSE_UNREADABLE, sight
                )
                return
            symbol.outline = footing.outline(window, symbol.x, symbol.y, self.known.step, self.watch.ground)
            if self.known.radius and not footing.flat(window, symbol, self.known):
                self._said(codes.CAUSE_NOT_FLAT, codes.SIGHT_COCKED)
                return
            symbol.window = window
            symbol.x += window.left
            symbol.y += window.top
            self._tops.append(symbol)
        gc.collect()
        if loose:
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_UNEXPLAINED)
        elif not found:
            self._nothing_shown(window)
        elif self._holds_more(window, len(found)):
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_UNREAD)
        else:
            self._at += 1
            if self._at == len(self._plan):
                self._judge()

    def _holds_more(self, window, count):
        """Is there more in the window than the dice read there, with their sides, can be? A die that shows nothing hides so."""
        area = sum([thing.area for thing in self._found if window.holds(thing, 0)])
        return area > (1.35 * count + 0.4) * DIE * self.known.step * self.known.step

    def _nothing_shown(self, window):
        """A thing of a die's size that shows nothing is a die that can't be read; else it doesn't belong here."""
        area = max([0] + [thing.area for thing in window.things]) / (DIE * self.known.step * self.known.step)
        if 0.55 < area < 3.5:
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_NO_DICE)
        else:
            self._said(codes.CAUSE_FOREIGN_OBJECT, codes.SIGHT_FOREIGN)

    def _judge(self):
        """All windows are read: the dice of the whole frame."""
        count = len(self._tops)
        if count < self._dice:
            self._said(codes.CAUSE_MISSING, codes.SIGHT_MISSING)
        elif count > self._dice:
            self._said(codes.CAUSE_TOO_MANY, codes.SIGHT_TOO_MANY)
        else:
            self._at = 0
            self._work = self._stand

    def _stand(self, now):
        """One die a step: does it stand on its foot?"""
        if self.known.feet.slack and not feet.stands(self._tops[self._at], self._tops, self.known, self.watch.ground):
            self._said(codes.CAUSE_NOT_FLAT, codes.SIGHT_COCKED)
            return
        self._at += 1
        if self._at == len(self._tops):
            self._work = self._look_beside

    def _look_beside(self, now):
        b = self._buffers
        seen = beside.signs(b.half, b.u, b.v, b.floor.mask, self._tops, self.known.plate, self.watch.ground)
        if beside.strange(seen, self.known):
            self._said(codes.CAUSE_FOREIGN_OBJECT, codes.SIGHT_FOREIGN)
        else:
            self._saw([(symbol.number, symbol.x, symbol.y) for symbol in self._tops])


def _same(plan, large):
    """Is everything still where the windows are, and in each of them something?"""
    for thing in large:
        if not [1 for window in plan if window.holds(thing, 4)]:
            return False
    for window in plan:
        for old in window.things:
            if not [1 for new in large if sqrt((old.x - new.x) ** 2 + (old.y - new.y) ** 2) < 6]:
                return False
    return True
