"""Frames in a row, until enough of them say the same: what every reading by camera has in common. Not for what a frame shows.

A reader gives take() (the rows of a frame into its memory) and look() (what it shows), asks for _more() frames where a reading
takes several, and says _saw() or _said() once a reading. Each step() does one piece of work, so that the loop turns meanwhile. A
refusal has a cause and, as its detail, 256 plus what was seen (codes.SIGHT_*).
"""

import gc

from dicewire import codes

from controller import clock
from controller.target import const

SEEN = const(256)  # NO_SPIN.detail is this plus a codes.SIGHT_*
_FRAME_MS = const(500)
TRIES = const(4)  # times the reads needed; then the dice can't be read
_LOST_MAX = const(3)  # frames that the camera did not give
_STILL = 1.6  # pixels that a die may seem to move between two frames
_EVIDENCE_MAX = const(64)


class Stills:
    """begin(), then step() until `done`; then `cause` (0 = read), `faces` (sorted), `detail` and `reads`."""

    LAMPS: "tuple[int, ...]" = (0,)  # lit one after the other for the frames that one reading takes
    LOOKS = 1  # at the dice, in frames of their own, that a reading takes

    def __init__(self, camera, settings, cover):
        self._camera = camera
        self._settings = settings
        self._cover = cover
        self.known = None  # the table's calibration
        self.done = True
        self.cause = self.detail = self.reads = 0
        self.faces = self.evidence = b""
        self.opinions = 0
        self.fault = ""  # what the camera failed with, empty while it answers
        self._work = self._start
        self._dice = 0
        self._frame = 0  # of a reading: which of LAMPS
        self._colour = False
        self._dropped = True

    def begin(self, now, dice):
        self._dice = dice
        self._tries = self._lost = 0
        self._spots = []
        self._work = self._start
        self.cause = self.detail = self.reads = 0
        self.faces = self.evidence = b""
        self.fault = ""
        self.done = False
        if self.known is None:
            self._refuse(codes.CAUSE_UNREADABLE, codes.SIGHT_NOT_CALIBRATED)

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

    def _start(self, now):
        """Again for each frame after an error: a camera that lost its power for a moment forgot its settings."""
        if self._dropped or self._lost:
            self._camera.start(self._colour)
            self._dropped = False
        self._again(now)

    def _again(self, now):
        """The first frame of a reading."""
        self._frame = 0
        self._capture(now)

    def _more(self):
        """The next frame of this reading."""
        self._frame += 1
        self._work = self._capture

    def _capture(self, now):
        if self._cover.closed():
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_COVER_CLOSED)
            return
        self._camera.light(self.LAMPS[self._frame])
        self._camera.begin()
        self._asked_at = now
        self._work = self._await

    def _await(self, now):
        if not self._camera.ready():
            if clock.diff(now, self._asked_at) > _FRAME_MS:
                raise OSError("camera: no frame in %d ms" % _FRAME_MS)
            return
        # it is in the camera's memory: the lamp of the next one can come on
        self._camera.light(self.LAMPS[(self._frame + 1) % len(self.LAMPS)])
        self.take()
        if self._camera.torn:
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_TORN)
        elif self._camera.frozen:
            self._said(codes.CAUSE_UNREADABLE, codes.SIGHT_FROZEN)
        else:
            self._work = self.look

    def _saw(self, dice):
        """A frame that was read: (face, x, y) of each die. Dice that stand elsewhere than in the frame before begin anew."""
        spots = sorted(dice)
        faces = bytes([spot[0] for spot in spots])
        still = len(self._spots) == len(spots) and faces == self.faces
        if still:
            for old, new in zip(self._spots, spots):  # noqa: B905 - not on MicroPython
                still = still and (old[1] - new[1]) ** 2 + (old[2] - new[2]) ** 2 < _STILL * _STILL
        moved = self._spots and not still
        self.reads = self.reads + self.LOOKS if still and not self.cause else 1
        self.cause = self.detail = 0
        self._spots = spots
        self.faces = faces
        self._next(moved)

    def _said(self, cause, sight):
        """A frame that was refused."""
        same = cause == self.cause and self.detail == SEEN + sight
        self.reads = self.reads + self.LOOKS if same else 1
        self.cause = cause
        self.detail = SEEN + sight
        self._spots = []
        self._next(False)

    def _next(self, moved):
        self._tries += self.LOOKS
        needed = self._settings.still_reads
        if self.reads >= needed:
            self._conclude()
        elif self._tries >= needed * TRIES:
            # never the same in a row: whatever was read in between does not count
            if self.cause:
                self._refuse(self.cause, self.detail - SEEN)
            elif moved:
                self._refuse(codes.CAUSE_NOT_AT_REST, codes.SIGHT_MOVING)
            else:
                self._refuse(codes.CAUSE_UNREADABLE, codes.SIGHT_UNREAD)
        else:
            self._work = self._again

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
