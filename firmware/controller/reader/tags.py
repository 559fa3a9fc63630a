"""What the dice show by their tags: read at low power, where only the face that lies flat on the plate answers.

Full power first says which dice are there at all, so that "not flat" and "missing" are told apart and a foreign die is
seen. Then low-power reads until enough in a row say exactly the same. Not for judging against other opinions: consensus.py.
"""

from dicewire import codes

from controller import clock
from controller.target import const

_LOW = const(0)
_FULL = const(1)
_CAPACITY = const(32)  # tags; three dice have 18
_UID = const(8)
_GAP_MS = const(40)  # between two reads: two reads of one instant are one read
_TRIES = const(4)  # times the reads needed; then the dice can't be read
_EVIDENCE_MAX = const(64)
SOURCE = codes.READER_TAGS


class TagReader:
    """begin(), then step() until `done`; then `cause` (0 = read), `faces` (sorted), `detail` and `reads`."""

    def __init__(self, tags, settings):
        self._tags = tags
        self._settings = settings
        self.die_set = None
        self._uids = bytearray(_CAPACITY * _UID)
        self._down = bytearray(8)  # of each die: face that answered last, 0 = none
        self._last = bytearray(8)
        self._present = 0  # bit a die: answered at full power
        self.faces = b""
        self.evidence = b""
        self.strange = b""  # uid of a tag that is not of the set
        self.cause = 0
        self.detail = 0
        self.reads = 0
        self.done = True
        self._dice = 0

    def begin(self, now, dice):
        self._dice = dice
        self._present = -1
        self._tries = 0
        self._next_at = now
        self.reads = 0
        self.cause = self.detail = 0
        self.faces = self.evidence = self.strange = b""
        self.done = False

    def step(self, now):
        if self.done or clock.diff(now, self._next_at) < 0:
            return
        self._next_at = clock.add(now, _GAP_MS)
        if self._present < 0:
            self._look_around()
        else:
            self._read_once()

    def _look_around(self):
        count = self._tags.inventory(_FULL, self._uids)
        self._present = 0
        if count > _CAPACITY:
            self._refuse(codes.CAUSE_TOO_MANY, count)
            return
        for i in range(count):
            code = self.die_set.find(self._uid(i))
            if code < 0:
                self.strange = bytes(self._uid(i))
                self._refuse(codes.CAUSE_WRONG_DICE, count)
                return
            self._present |= 1 << (code >> 4)

    def _read_once(self):
        cause, detail, count = self._low_read()
        same = cause == self.cause and detail == self.detail and self._down == self._last
        self.reads = self.reads + 1 if same else 1
        self.cause = cause
        self.detail = detail
        self._last[:] = self._down
        self._tries += 1
        needed = self._settings.still_reads
        if self.reads >= needed:
            self._conclude(count)
        elif self._tries >= needed * _TRIES:
            self._refuse(codes.CAUSE_UNREADABLE, self._tries)
            self._note(count)

    def _low_read(self):
        """One inventory -> (cause, detail, tags that answered). Which face of each die is down is left in _down."""
        for die in range(len(self._down)):
            self._down[die] = 0
        count = self._tags.inventory(_LOW, self._uids)
        if count > _CAPACITY:
            return codes.CAUSE_TOO_MANY, count, _CAPACITY
        for i in range(count):
            code = self.die_set.find(self._uid(i))
            if code < 0:
                self.strange = bytes(self._uid(i))
                return codes.CAUSE_WRONG_DICE, count, count
            if self._down[code >> 4]:
                return codes.CAUSE_TOO_MANY_TAGS, code >> 4, count  # a die on its edge
            self._down[code >> 4] = code & 15
        for die in range(self.die_set.dice):
            if not self._down[die]:
                there = self._present >> die & 1
                return codes.CAUSE_NOT_FLAT if there else codes.CAUSE_MISSING, die, count
        if self.die_set.dice != self._dice:
            return codes.CAUSE_TOO_MANY if self.die_set.dice > self._dice else codes.CAUSE_MISSING, count, count
        return 0, 0, count

    def _conclude(self, count):
        if self.cause == 0:
            self.faces = bytes(sorted(7 - self._down[die] for die in range(self._dice)))
        self._note(count)
        self.done = True

    def _refuse(self, cause, detail):
        self.cause = cause
        self.detail = detail
        self.done = True

    def _note(self, count):
        """What answered, for whoever has to believe a no spin: a byte die << 4 | face a tag, a strange one as 255 and its uid."""
        out = bytearray()
        for i in range(count):
            code = self.die_set.find(self._uid(i))
            out.extend(bytes((code,)) if code >= 0 else b"\xff" + bytes(self._uid(i)))
        self.evidence = bytes(out[:_EVIDENCE_MAX])

    def _uid(self, i):
        return memoryview(self._uids)[i * _UID : (i + 1) * _UID]
