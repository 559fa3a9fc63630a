"""What the dice show by the camera: frame after frame, until enough in a row say the same. Not for reading one: scene.py.

A frame comes by rows. It is kept at half size, where things are found, and at full size only in windows around what the
frame before showed: so a reading needs 90 KB less than two frames would, and dice that moved are seen by their windows.
Each step() does one piece of work, so that the loop turns meanwhile. A refusal has a cause and, as its detail, 256 plus
what was seen (codes.SIGHT_*).
"""

import gc
from math import sqrt

from dicewire import codes

from controller import clock
from controller.reader import calibration, footing, light, scan, scene, things, windows
from controller.reader.calibration import SYMBOLS
from controller.reader.pips import CAMERA_SEEDS, PipFinder
from controller.target import const

SEEN = const(256)  # NO_SPIN.detail is this plus a codes.SIGHT_*
_WIDTH = const(320)
_HEIGHT = const(240)
_STRIP = const(8)  # rows read at a time
_STACK = const(1500)
_FRAME_MS = const(500)
_TRIES = const(4)  # times the reads needed; then the dice can't be read
_LOST_MAX = const(3)  # frames that the camera did not give
_STILL = 1.6  # pixels that a die may seem to move between two frames
_SMALLEST = 0.15  # of a die: anything less is dust or a glare
_EVIDENCE_MAX = const(64)
_CHROMA = const(4800)  # bytes: 80 x 60

# What scene.py says, and what it means to the table: (cause, sight).
_CAUSES = {
    scene.NO_DICE: (codes.CAUSE_UNREADABLE, codes.SIGHT_NO_DICE),
    scene.NOT_FLAT: (codes.CAUSE_NOT_FLAT, codes.SIGHT_COCKED),
    scene.FOREIGN: (codes.CAUSE_FOREIGN_OBJECT, codes.SIGHT_FOREIGN),
    scene.OFF_CENTRE: (codes.CAUSE_UNREADABLE, codes.SIGHT_OFF_CENTRE),
    scene.UNREAD: (codes.CAUSE_UNREADABLE, codes.SIGHT_UNREAD),
    scene.UNEXPLAINED: (codes.CAUSE_UNREADABLE, codes.SIGHT_UNEXPLAINED),
}


class Buffers:
    """All memory of the camera's reading that is large, taken once at the start, before the heap is in pieces."""

    def __init__(self):
        self.block = bytearray(windows.ROOM)
        self.half = bytearray((_WIDTH >> 1) * (_HEIGHT >> 1))
        self.floor = things.Floor(len(self.half), _STACK)
        self.strip = bytearray(_STRIP * _WIDTH)
        self.line = bytearray(2 * _WIDTH)


class HalfPicture:
    """A frame of which only the half-size plane is here; in full-size measure, as every picture."""

    room = 170

    def __init__(self, plane):
        self.octaves = [(_WIDTH, _HEIGHT, None), (_WIDTH >> 1, _HEIGHT >> 1, [plane])]


class CameraReader:
    """begin(), then step() until `done`; then `cause` (0 = read), `faces` (sorted), `detail` and `reads`."""

    def __init__(self, camera, settings, cover, buffers):
        self._camera = camera
        self._settings = settings
        self._cover = cover
        self._buffers = buffers
        self.strip = buffers.strip  # for whoever reads the camera while nothing is read here
        self._finder = PipFinder(CAMERA_SEEDS)
        self._half = HalfPicture(buffers.half)
        self.known = None  # the table's calibration
        self.symbols = None  # what option B's faces look like
        self._u = self._v = None  # chroma, where the dice have colours
        self.watch = light.Watch()
        self.done = True
        self.cause = self.detail = self.reads = 0
        self.faces = self.evidence = b""
        self.opinions = 0
        self.fault = ""  # what the camera failed with, empty while it answers
        self._work = self._start
        self._dice = 0
        self._plan = []
        self._found = ()
        self._dropped = True

    def load(self, files):
        """The calibration in flash comes into force. Raises ValueError where there is none that is sound."""
        self.known = None
        self.known = calibration.unpack(files.load(calibration.FILE))
        if self.known.kind == SYMBOLS:
            from controller.reader import symbols  # a table with pips does without

            self.symbols = self._finder = None
            self.symbols = symbols.Taught(files.load(symbols.FILE))
            self._find_symbols = symbols.find
            if self._u is None:
                self._u, self._v = bytearray(_CHROMA), bytearray(_CHROMA)
        self.watch.forget()
        self._dropped = True

    def begin(self, now, dice):
        self._dice = dice
        self._tries = self._lost = self._moves = 0
        self._plan = []
        self._spots = []
        self._work = self._start
        self.cause = self.detail = self.reads = 0
        self.faces = self.evidence = b""
        self.fault = ""
        self.done = False
        if self.known is None:
            self._refuse(codes.CAUSE_UNREADABLE, codes.SIGHT_NOT_CALIBRATED)
            return
        self.opinions = codes.READER_SYMBOLS if self.known.kind == SYMBOLS else codes.READER_PIPS | codes.READER_LATTICE

    def step(self, now):
        if self.done:
            return
        try:
            self._work(now)
        except MemoryError:  # more marks in view than any throw of dice has
            gc.collect()
            self._said(codes.CAUSE_FOREIGN_OBJECT, codes.SIGHT_CROWDED)
        except OSError as error:
            self._lost += 1
            self._work = self._start
            if self._lost >= _LOST_MAX:
                self.fault = str(error)
                self._refuse(codes.CAUSE_UNREADABLE, codes.SIGHT_NO_ANSWER)

    # ---- one frame, piece by piece ----

    def _start(self, now):
        """Again for each frame after an error: a camera that lost its power for a moment forgot its settings."""
        if self._dropped or self._lost:
            self._camera.start(self.known.kind == SYMBOLS)
            self._dropped = False
        self._capture(now)

    def _capture(self, now):
        if self._cover.closed():
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_COVER_CLOSED)
            return
        self._camera.begin()
        self._asked_at = now
        self._work = self._await

    def _await(self, now):
        if not self._camera.ready():
            if clock.diff(now, self._asked_at) > _FRAME_MS:
                raise OSError("camera: no frame in %d ms" % _FRAME_MS)
            return
        b = self._buffers
        half = memoryview(b.half)
        for row in range(0, _HEIGHT, _STRIP):
            self._camera.read_rows_into(b.strip, row, _STRIP, self._u, self._v)
            at = (row >> 1) * (_WIDTH >> 1)
            scan.halve(b.strip, _WIDTH, _STRIP, half[at : at + (_STRIP >> 1) * (_WIDTH >> 1)])
            windows.fill(self._plan, b.strip, _WIDTH, row, _STRIP)
        if self._camera.torn:
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_TORN)
        elif self._camera.frozen:
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_FROZEN)
        else:
            self._work = self._look

    def _look(self, now):
        """The frame as a whole: is it fit to be read, what lies on the plate, and did it move since the frame before?"""
        b, known = self._buffers, self.known
        scan.smooth(b.half, _WIDTH >> 1, _HEIGHT >> 1, b.line)
        sight = self.watch.look(b.half, known)
        if sight:
            self._said(codes.CAUSE_UNREADABLE, sight)
            return
        light.blank(b.half, _WIDTH >> 1, _HEIGHT >> 1, known.plate, self.watch.ground)
        found = things.find(self._half, b.floor)
        least = _SMALLEST * scene.DIE * known.step * known.step
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
            self._replan(found, large)
            return
        self._found = found
        self._at = 0
        self._tops = []
        self._work = self._read_window

    def _replan(self, found, large):
        self._moves += 1
        plan = windows.plan(large, _WIDTH, _HEIGHT, self.known.plate)
        if self._moves > _TRIES * self._settings.still_reads:
            self._refuse(codes.CAUSE_NOT_AT_REST, codes.SIGHT_MOVING)
        elif not windows.place(plan, self._buffers.block):
            self._said(codes.CAUSE_FOREIGN_OBJECT, codes.SIGHT_CROWDED)
        else:
            self._plan = plan
            self._spots = []
            self.reads = 0
            self._work = self._capture

    def _read_window(self, now):
        window = self._plan[self._at]
        if self._at == 0 and not self.watch.sharp_enough(self._plan, self.known):
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_OUT_OF_FOCUS)
            return
        if self.symbols is not None:
            self._read_symbols(window, now)
            return
        patch = windows.Patch(window, self._buffers.line)
        inside = [_shifted(thing, -window.left, -window.top) for thing in self._found if window.holds(thing, 0)]
        known = self.known.seen_from(window.left, window.top)
        verdict = scene.read(patch, self._finder.find(patch), 0, known, None, inside)
        reason, dice = verdict.reason, verdict.dice
        patch = inside = verdict = None
        count = len(dice)
        for face in dice:
            face.x += window.left
            face.y += window.top
            face.thing = None
            self._tops.append(face)
        dice = None
        gc.collect()
        if reason != scene.OK:
            self._bad(reason)
            return
        if self._holds_more(window, count):
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_UNREAD)
            return
        self._window_read(now)

    def _read_symbols(self, window, now):
        """A window of option B's dice: every symbol must have a name by its shape and its colour, and nothing be left."""
        floor, step = self._buffers.floor, self.known.step
        found, loose = self._find_symbols(
            window, floor.mask, floor.stack, floor.room, self.watch.ground, step, self._u, self._v
        )
        for symbol in found:
            symbol.number, sight = self.symbols.name(symbol)
            if sight:
                self._said(
                    codes.CAUSE_DISAGREE if sight == codes.SIGHT_COLOUR_DIFFERS else codes.CAUSE_UNREADABLE, sight
                )
                return
            symbol.x += window.left
            symbol.y += window.top
            self._tops.append(symbol)
        gc.collect()
        if loose:
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_UNEXPLAINED)
        elif not found:
            self._bad(scene.NO_DICE)
        elif self._holds_more(window, len(found)):
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_UNREAD)
        else:
            self._window_read(now)

    def _window_read(self, now):
        self._at += 1
        if self._at == len(self._plan):
            self._judge(now)

    def _holds_more(self, window, count):
        """Is there more in the window than the dice read there, with their sides, can be? A die that shows nothing hides so."""
        area = sum([thing.area for thing in self._found if window.holds(thing, 0)])
        return area > (1.35 * count + 0.4) * scene.DIE * self.known.step * self.known.step

    def _bad(self, reason):
        cause, sight = _CAUSES[reason]
        if reason == scene.NO_DICE:
            # a thing of a die's size that shows nothing is a die that can't be read; else it doesn't belong here
            window = self._plan[self._at]
            area = max([0] + [thing.area for thing in window.things]) / (scene.DIE * self.known.step * self.known.step)
            if not 0.55 < area < 3.5:
                cause, sight = codes.CAUSE_FOREIGN_OBJECT, codes.SIGHT_FOREIGN
        elif reason == scene.NOT_FLAT:
            sight = self._posture()
        self._said(cause, sight)

    def _posture(self):
        """How the die that isn't flat lies: nearer to the camera it is on another one; at the rim it leans; else cocked."""
        known = self.known
        for face in self._tops:
            if known.flat(face, scene.shape(face)):
                continue
            if known.ratio(face) > 1.15:
                return codes.SIGHT_STACKED
            if (face.x - known.plate.x) ** 2 + (face.y - known.plate.y) ** 2 > (known.plate.r - 4 * known.step) ** 2:
                return codes.SIGHT_LEANING
        return codes.SIGHT_COCKED

    def _judge(self, now):
        """All windows are read: the dice of the whole frame."""
        tops, sides = scene.tops_of(self._tops) if self.symbols is None else (self._tops, [])
        count = len(self._tops)
        if sides:
            self._said(codes.CAUSE_NOT_FLAT, codes.SIGHT_COCKED)
        elif count < self._dice:
            self._said(codes.CAUSE_MISSING, codes.SIGHT_MISSING)
        elif count > self._dice:
            self._said(codes.CAUSE_TOO_MANY, codes.SIGHT_TOO_MANY)
        elif self.symbols is not None:
            self._saw(tops)
        else:
            self._check(tops)

    def _check(self, tops):
        """Every die read stands flat where it was read, and the rest of the plate is bare."""
        b, plate = self._buffers, self.known.plate
        ground = footing.level(b.half, _WIDTH >> 1, plate, tops)
        for face in tops:
            for window in self._plan:
                if window.spans(face) and not footing.stands(window, face, plate, ground):
                    self._said(codes.CAUSE_NOT_FLAT, codes.SIGHT_COCKED)
                    return
        if footing.strange(b.half, _WIDTH >> 1, _HEIGHT >> 1, b.floor, plate, ground, tops):
            self._said(codes.CAUSE_FOREIGN_OBJECT, codes.SIGHT_FOREIGN)
        else:
            self._saw(tops)

    # ---- frames in a row ----

    def _saw(self, tops):
        """A frame that was read. Dice that stand elsewhere than in the frame before begin the count anew."""
        spots = sorted([(face.number, face.x, face.y) for face in tops])
        faces = bytes([spot[0] for spot in spots])
        still = len(self._spots) == len(spots) and faces == self.faces
        if still:
            for old, new in zip(self._spots, spots):  # noqa: B905 - not on MicroPython
                still = still and (old[1] - new[1]) ** 2 + (old[2] - new[2]) ** 2 < _STILL * _STILL
        self.reads = self.reads + 1 if still and not self.cause else 1
        self.cause = self.detail = 0
        self._spots = spots
        self.faces = faces
        if self.symbols is None:
            self.watch.measured(tops, self.known)
        self._next(True)

    def _said(self, cause, sight):
        """A frame that was refused."""
        same = cause == self.cause and self.detail == SEEN + sight
        self.reads = self.reads + 1 if same else 1
        self.cause = cause
        self.detail = SEEN + sight
        self._spots = []
        self._next(False)

    def _next(self, good):
        self._tops = []
        self._found = ()
        self._tries += 1
        needed = self._settings.still_reads
        if self.reads >= needed:
            self._conclude()
        elif self._tries >= needed * _TRIES:
            # never the same in a row: whatever was read in between does not count
            self._refuse(
                self.cause or codes.CAUSE_UNREADABLE, (self.detail - SEEN) if self.cause else codes.SIGHT_UNREAD
            )
        else:
            self._work = self._capture

    def _conclude(self):
        if self.cause:
            self.faces = b""
        self._note()
        self.done = True

    def _refuse(self, cause, sight):
        self.cause = cause
        self.detail = SEEN + sight
        self._conclude()

    def _note(self):
        """Where what was read lay, for whoever has to believe it: face, x / 2, y / 2 of each die."""
        out = bytearray()
        for number, x, y in self._spots if self._spots else ():
            out.extend(bytes((number, int(x) >> 1, int(y) >> 1)))
        self.evidence = bytes(out[:_EVIDENCE_MAX])


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


def _shifted(thing, dx, dy):
    """The same thing in a window's measure."""
    moved = things.Thing()
    moved.area = thing.area
    moved.plain = thing.plain
    moved.x = thing.x + dx
    moved.y = thing.y + dy
    moved.left = thing.left + dx
    moved.right = thing.right + dx
    moved.top = thing.top + dy
    moved.bottom = thing.bottom + dy
    return moved
