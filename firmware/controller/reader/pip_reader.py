"""What dice with pips show by the table's own camera, as it was taught. Not for pictures of other cameras: desk.py.

One frame is enough to read by: marks (marks.py) give the dice that lie flat (poses.py); raw pixels at the places of each face are
a second opinion (slots.py); each die must have a flat one's outline (sides.py) and the rest of the plate be bare (bare.py).
"""

import gc
from array import array
from math import sqrt

from dicewire import codes

from controller.reader import bare, pip_table, plate, poses, sides
from controller.reader.camera import FILE, PIPS
from controller.reader.marks import MarkFinder
from controller.reader.ones import Turns
from controller.reader.slots import Slots
from controller.reader.stills import Stills
from controller.reader.view import EDGE
from controller.reader.watch import Watch
from controller.target import const

_WIDTH = const(320)
_HEIGHT = const(240)
_STRIP = const(8)  # rows read at a time
_W = pip_table.WIDTH
_OFF = 0.22  # mm that the marks of a face may be off their places, in the mean
_SCALE = 0.025  # by which a face may seem nearer or farther
# four and more pips tell it better: usual errors of a flat face's scale and of its length by its width, and how unusual both may be
_NEARER = 0.0035
_NEARER_OF_TWO = 0.0055
_SKEWED = 0.0075
_ODD = 16.0
_ALL_ODD = 1.6  # everything together, of what is allowed to each: a small tilt shows a little everywhere
_LIT = 0.02  # slope of a lamp to a side: below, the die's own shadow lies there
_SHADED = 3.0  # a dark die's edge merges with a shadow beyond it, and seems farther out
_NEXT = EDGE / 2 + 1.5  # mm from the middle: the plate beyond a side
_HEIGHTS = (3.0, 7.0, 11.0, 15.0)  # mm
_WIDE = EDGE / 2 + 0.6
_SHADOW_REACH = 26.0  # mm from a die's middle
_SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))
_FAINT = const(160)  # sixteenths of a grey step by which the bare plate may be brighter or darker
_UNEVEN = 0.05  # of its level, at least
_FILTHY = const(6)  # patches of the plate that are not as taught; dice, their shadows and a thing are fewer
_DIE_CELLS = const(60)  # cells of a thing that may be a die


class Buffers:
    """All memory of the camera's reading that is large, taken once at the start, before the heap is in pieces."""

    def __init__(self):
        self.plane = bytearray(_W * _W)
        self.cells = bytearray(bare.SIDE * bare.SIDE)
        self.mask = bytearray(bare.SIDE * bare.SIDE)
        self.strip = bytearray(_STRIP * _WIDTH)
        self.line = bytearray(_W)


class Eye:
    """One frame in `buffers.plane`, smoothed, by what was taught."""

    def __init__(self, buffers, known):
        self.buffers = buffers
        self.known = known
        self.light = 1.0  # against the calibration
        self.sides = sides.Sides(known)
        self._marks = MarkFinder()
        self._turns = Turns(self.sides)
        self._slots = Slots(known)
        self._counts = array("H", bytes(128))
        self.bare = bare.Bare(known, buffers.cells, buffers.mask)

    def find(self):
        """Poses of all dice by their marks, or None where there are more marks than dice ever show."""
        plane, known = self.buffers.plane, self.known
        marks = self._marks.find(plane, _W, _W, known.left, known)
        self.marks = marks
        if marks is None:
            return None
        found = poses.find(marks, known.view, known)
        for pose in found:
            poses.make_map(pose, known.view, known.left)
            pose.second = self._slots.read(plane, _W, _W, pose, known.inv)
        found = poses.choose([pose for pose in found if pose.second or len(pose.marks) > 2 or not self._askew(pose)])
        taken = [mark for pose in found for mark in pose.marks]
        for mark in marks:
            if mark in taken or not known.like_one(mark) or [1 for pose in found if _holds(pose, mark)]:
                continue
            pose = poses.Pose(mark.u, mark.v, 0.0)
            poses.make_map(pose, known.view, known.left)
            pose.number = 1
            pose.bits = 16
            pose.marks = [mark]
            pose.slots = [4]
            pose.second = self._slots.read(plane, _W, _W, pose, known.inv)
            found.append(pose)
        return found

    def _askew(self, pose):
        """Two marks that are no flat die's: those of two ones may stand at about a diagonal's distance."""
        return pose.off > _OFF or abs(pose.scale - 1) > _SCALE

    def turn(self, found, last):
        """What this frame shows of how ones are turned; after the last one they stand so."""
        for pose in found:
            if pose.number == 1:
                self._turns.look(self.buffers.plane, _W, _W, pose)
                if last:
                    pose.face(self._turns.find(pose))
                    poses.make_map(pose, self.known.view, self.known.left)

    def outline(self, found, lamp):
        """What this lamp's frame shows of each die's sides."""
        for pose in found:
            others = [other for other in found if other is not pose]
            pose.seen[lamp] = self.sides.seen(self.buffers.plane, _W, _W, pose, others, self.known.view, lamp)

    def _shadowed(self, pose, c, s, lamp, found):
        """Does another die's shadow by this lamp lie beyond this side?"""
        x, y = self.known.lamps[lamp]
        for along in (-3.5, 0.0, 3.5):
            px, py = pose.outward(_NEXT * c - along * s, _NEXT * s + along * c)
            for other in found:
                if other is pose or (other.x - px) ** 2 + (other.y - py) ** 2 > _SHADOW_REACH * _SHADOW_REACH:
                    continue
                for z in _HEIGHTS:
                    u, v = other.inward(
                        px + (x - px) * z / pip_table.LAMP_HEIGHT, py + (y - py) * z / pip_table.LAMP_HEIGHT
                    )
                    if -_WIDE < u < _WIDE and -_WIDE < v < _WIDE:
                        return True
        return False

    def edges(self, pose, found):
        """(how far out its outline is, where it should be, how far the lamps shine on it, whether the plate beyond is free of a
        shadow) of each side, by both lamps."""
        if pose.edges is None:
            pose.edges = [self._edge(pose, side, found) for side in range(4)]
        return pose.edges

    def _edge(self, pose, side, found):
        known = self.known
        c, s = _SIDES[side]
        lit = known.lit(pose, c, s, 0), known.lit(pose, c, s, 1)
        if known.inv:
            clear = [lit[lamp] > _LIT and not self._shadowed(pose, c, s, lamp, found) for lamp in (0, 1)]
            x, y = pose.outward(EDGE * c, EDGE * s)
            bare = known.level(0, x, y) * self.light, known.level(1, x, y) * self.light
        else:
            clear = [True, True]
            bare = 1.0, 1.0
        edge, at, sure = sides.edge((pose.seen[0][side], pose.seen[1][side]), clear, bare, known.inv)
        return edge, at, lit, sure

    def _is_die(self, pose, found):
        """A mark alone: the lamp's reflection on the bare plate has no outline around it."""
        return len([1 for edge, _, _, _ in self.edges(pose, found) if edge is not None and -1.5 < edge < 1.5]) > 0

    def stacked(self):
        """Do marks spell a face at the height of two dice?"""
        return bool(self.marks and poses.find(self.marks, self.known.view, self.known, 2 * EDGE))

    def flat(self, pose, found):
        """Sides on which its outline is where a flat die's is; -1 where it doesn't lie flat."""
        if self._askew(pose):
            return -1
        if pose.number > 3:
            odd = ((pose.scale - 1) / _NEARER) ** 2 + ((pose.skew - 1) / _SKEWED) ** 2
        else:
            odd = ((pose.scale - 1) / _NEARER_OF_TWO) ** 2
        if odd > _ODD:
            return -1
        odd /= _ODD
        known = self.known
        seen = 0
        for edge, at, lit, clear in self.edges(pose, found):
            if edge is None:
                continue
            share = known.odd(edge, at, lit)
            if not clear and share > 0:
                share /= _SHADED
                if share > 1:
                    continue
            odd += share * share
            if abs(share) > 1:
                return -1
            seen += 1
        return seen if odd < _ALL_ODD else -1

    def steepest(self):
        """The step between neighbours that one pair in two hundred exceeds."""
        plate.steps(self.buffers.plane, _W, _W, self._counts)
        left = sum(self._counts) // 200
        k = 63
        while k and left >= self._counts[k]:
            left -= self._counts[k]
            k -= 1
        return 4 * k + 2

    def strange(self, found):
        """Cells of the largest thing on the plate that is no part of these dice."""
        limit = max(_FAINT, int(_UNEVEN * 16 * self.known.middle))
        return self.bare.strange(found, limit, limit)

    def dirty(self):
        """Is the plate uneven in many places, as under a dome with dust and smears? Dice and things are few."""
        return self.strange(()) > 0 and self.bare.pieces > _FILTHY

    def _least_sides(self, number, away):
        """On which a die's outline must be seen: one pip does not say how it lies, and at the rim it may lean on the glass."""
        if number > 1:
            return 1
        return 2 if away > self.known.plate_r - 0.75 * EDGE else 1

    def verdict(self, found, wanted):
        """(cause, sight, poses): cause 0 where so many dice lie flat and are read. After outline() by both lamps."""
        dice = [pose for pose in found if pose.number > 1 or self._is_die(pose, found)]
        if len(dice) < len(found):
            for pose in dice:
                pose.edges = None  # by a die that is none
        found = dice
        for pose in found:
            if pose.second != pose.number:
                return codes.CAUSE_UNREADABLE, codes.SIGHT_UNREAD, ()
        for pose in found:
            away = sqrt(pose.x * pose.x + pose.y * pose.y)
            if self.flat(pose, found) < self._least_sides(pose.number, away):
                if self.stacked():
                    return codes.CAUSE_NOT_FLAT, codes.SIGHT_STACKED, ()
                sight = codes.SIGHT_LEANING if away > self.known.plate_r - EDGE else codes.SIGHT_COCKED
                return codes.CAUSE_NOT_FLAT, sight, ()
        most = self.strange(found)
        if most >= _DIE_CELLS and len(found) < wanted:
            if self.stacked():
                return codes.CAUSE_NOT_FLAT, codes.SIGHT_STACKED, ()
            return codes.CAUSE_UNREADABLE, codes.SIGHT_UNREAD, ()
        if most:
            return codes.CAUSE_FOREIGN_OBJECT, codes.SIGHT_FOREIGN, ()
        if len(found) < wanted:
            return codes.CAUSE_MISSING, codes.SIGHT_MISSING if found else codes.SIGHT_NO_DICE, ()
        if len(found) > wanted:
            return codes.CAUSE_TOO_MANY, codes.SIGHT_TOO_MANY, ()
        return 0, 0, found


def _holds(pose, mark):
    """Is this mark on the die, or so near that no other die can have it in its middle?"""
    return (pose.x - mark.u) ** 2 + (pose.y - mark.v) ** 2 < poses.APART * poses.APART


class PipReader(Stills):
    """A reading takes two or three frames by each lamp. Of the first two the darker pixels are kept: no lamp's reflection is left
    in them, and marks are looked for. In the others the brighter counts: no lamp's shadow lies on plate and outlines."""

    kind = PIPS
    LAMPS = (0, 1, 1, 0, 1)  # the third is for ones only
    LOOKS = 2

    def __init__(self, camera, settings, cover, buffers):
        Stills.__init__(self, camera, settings, cover)
        self._buffers = buffers
        self.strip = buffers.strip  # for whoever reads the camera while nothing is read here
        self.watch = Watch()
        self._eye = None

    def load(self, files):
        """The calibration in flash comes into force. Raises ValueError where there is none that is sound."""
        self.teach(files.load(FILE))

    def teach(self, data):
        self.known = self._eye = None
        self.known = pip_table.unpack(data)
        self._eye = Eye(self._buffers, self.known)
        self.opinions = codes.READER_PIPS | codes.READER_LATTICE
        self.watch.forget()
        self._dropped = True

    def take(self):
        b = self._buffers
        left = self.known.left
        copy = plate.darker if self._frame == 1 else plate.crop
        for row in range(0, _HEIGHT, _STRIP):
            self._camera.read_rows_into(b.strip, row, _STRIP)
            copy(b.strip, _WIDTH, _STRIP, left, b.plane, row * _W, _W)

    def look(self, now):
        """What to do with the plane after each frame."""
        if self._frame == 0:
            self._more()
        elif self._frame == 1:
            self._check()
        else:
            self._work = self.outline

    def _check(self):
        """Is the picture fit to be read?"""
        b, eye = self._buffers, self._eye
        plate.coarse(b.plane, _W, _W, b.cells)
        sight = self.watch.look(b.cells, eye.bare, self.known)
        if not sight:
            plate.smooth(b.plane, _W, _W, b.line)
            eye.light = self.watch.ground / (self.known.ground or self.watch.ground)
            sight = self.watch.focus(eye.steepest(), self.known)
            if sight and eye.dirty():
                sight = codes.SIGHT_DIRTY
        if sight:
            self._said(codes.CAUSE_UNREADABLE, sight)
        else:
            self._work = self.find

    def find(self, now):
        self._found = self._eye.find()
        if self._found is None:
            self._said(codes.CAUSE_FOREIGN_OBJECT, codes.SIGHT_CROWDED)
        else:
            if not [1 for pose in self._found if pose.number == 1]:
                self._frame += 1
            self._more()
        gc.collect()

    def outline(self, now):
        b, eye, frame = self._buffers, self._eye, self._frame
        if frame > 2:
            plate.coarse(b.plane, _W, _W, b.cells if frame == 3 else b.mask)
        plate.smooth(b.plane, _W, _W, b.line)
        if frame < 4:
            eye.turn(self._found, frame == 3)
        if frame > 2:
            eye.outline(self._found, self.LAMPS[frame])
        if frame < 4:
            self._more()
        else:
            plate.brighter(b.cells, b.mask, len(b.cells))
            self._work = self.judge

    def judge(self, now):
        cause, sight, found = self._eye.verdict(self._found, self._dice)
        self._found = ()
        if cause and self._eye.dirty():
            cause, sight = codes.CAUSE_UNREADABLE, codes.SIGHT_DIRTY
        if cause:
            self._said(cause, sight)
        else:
            project = self.known.view.project
            dice = []
            for pose in found:
                x, y = project(pose.x, pose.y, EDGE)
                dice.append((pose.number, x, y))
            self.watch.measured(found)
            self._saw(dice)
        gc.collect()
