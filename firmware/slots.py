"""Which program the controller starts: the factory's, at the root of its flash, or one that an update brought into a slot.

An update never replaces this file, boot.py or main.py: what chooses can't be broken by what is chosen. Two copies of a small
record, written in turn, each with a CRC, say which slot is wanted, which one stands behind it, and whether the wanted one is
on trial. A program on trial has a few starts; it confirms itself (controller/trial.py) or the one before it is back. A slot
counts only with its mark, which is written last. Where nothing can be read, the factory's program starts.
"""

import binascii
import os
import struct

FACTORY = 0
NAMES = ("factory", "slot_a", "slot_b")
STARTS = 3
NOTE_NONE = 0
NOTE_APPLIED = 1
NOTE_ROLLED_BACK = 2

_COPIES = ("/slots.0", "/slots.1")
_WHY = "/slots.why"
_MARK = "/sound"
_MAGIC = b"SLT1"
_FORM = "<4sIBBBBBBH"  # magic, count, want, then, trial, left, note, failed, join_s
_SIZE = struct.calcsize(_FORM)
_WHY_MAX = 60

here = None  # the Slots of this start, made by boot.py; None where it did not run


class Slots:
    """`running`: where the program that runs now was started from."""

    NAMES = NAMES

    def __init__(self, root):
        self._root = root
        self.running = FACTORY
        self._count = 0
        self.want = self.then = FACTORY
        self.trial = 0
        self.left = STARTS  # starts that the wanted slot still has
        self.note = NOTE_NONE  # what the host has to be told
        self.failed = FACTORY  # the slot that the note is about
        self.join_s = 0
        for copy in _COPIES:
            self._load(root + copy)

    def _load(self, path):
        """Takes this copy if it is sound and newer."""
        try:
            with open(path, "rb") as f:
                data = f.read(_SIZE + 5)
        except OSError:
            return
        if len(data) != _SIZE + 4 or data[:4] != _MAGIC:
            return
        if struct.unpack("<I", data[_SIZE:])[0] != binascii.crc32(data[:_SIZE]):
            return
        row = struct.unpack(_FORM, data[:_SIZE])
        if row[1] > self._count and row[2] < len(NAMES) and row[3] < len(NAMES):
            self._count, self.want, self.then, self.trial, self.left, self.note, self.failed, self.join_s = row[1:]

    def _save(self):
        """Over the older copy. -> whether it is durable."""
        self._count += 1
        row = (self.want, self.then, self.trial, self.left, self.note, self.failed, self.join_s)
        body = struct.pack(_FORM, _MAGIC, self._count, *row)
        try:
            with open(self._root + _COPIES[self._count & 1], "wb") as f:
                f.write(body + struct.pack("<I", binascii.crc32(body)))
        except OSError:
            return False
        return True

    def folder(self, slot):
        return self._root + "/" + NAMES[slot]

    # ---- at the start ----

    def choose(self):
        """-> the folder to start from, "" for the factory's program. A start on trial is counted before it is made."""
        while self.want != FACTORY:
            if self.left and self.marked(self.want):
                if not self.trial:
                    break
                self.left -= 1
                if self._save():
                    break
            self._fall_back()
        self.running = self.want
        return self.folder(self.running) if self.running else ""

    def _fall_back(self):
        self.failed, self.want, self.then = self.want, self.then, FACTORY
        self.trial, self.left, self.note = 0, STARTS, NOTE_ROLLED_BACK
        self._save()  # where that can't be, the next start falls back again

    def start_failed(self, why):
        """The program could not even be loaded. One on trial was counted by choose(); a proven one is counted here."""
        if self.running == FACTORY:
            return
        self._keep(why)
        if not self.trial and self.left:
            self.left -= 1
            self._save()

    # ---- for the program that runs ----

    @property
    def on_trial(self):
        """Whether the program that runs is on trial. One that has just tried out another is not."""
        return self.trial != 0 and self.running == self.want

    def spare(self):
        """The slot that an update may be written into."""
        return 2 if self.running == 1 else 1

    def marked(self, slot):
        """Whether everything in this slot has been written and checked."""
        try:
            os.stat(self.folder(slot) + _MARK)
        except OSError:
            return False
        return True

    def mark(self, slot):
        with open(self.folder(slot) + _MARK, "wb") as f:
            f.write(b"1")

    def unmark(self, slot):
        """Before the first byte of it is written anew."""
        if self.marked(slot):
            os.remove(self.folder(slot) + _MARK)

    def try_out(self, slot, join_s):
        """The next start is this slot's, on trial. OSError where that could not be written: then nothing has changed."""
        old = (self.want, self.then, self.trial, self.left, self.note, self.failed, self.join_s)
        self.want, self.then, self.trial, self.left = slot, self.running, 1, STARTS
        self.note, self.failed, self.join_s = NOTE_NONE, FACTORY, join_s
        self._keep("")
        if not self._save():
            self.want, self.then, self.trial, self.left, self.note, self.failed, self.join_s = old
            raise OSError("the slots' record can't be written")

    def confirm(self):
        """The program on trial has proved itself. -> whether that is durable."""
        self.trial, self.left, self.note, self.failed = 0, STARTS, NOTE_APPLIED, self.running
        if self._save():
            return True
        self.trial = 1
        return False

    def give_up(self, why):
        """The program on trial gives itself back: the next start falls back."""
        self._keep(why)
        self.left = 0
        self._save()

    def told(self):
        self.note = NOTE_NONE
        self._save()

    def why(self):
        """In words, why the last program was given back."""
        try:
            with open(self._root + _WHY) as f:
                return f.read(_WHY_MAX)
        except (OSError, ValueError):
            return ""

    def _keep(self, why):
        """For the host; a table without these words is as sound."""
        try:
            with open(self._root + _WHY, "w") as f:
                f.write(why[:_WHY_MAX])
        except OSError:
            return
