"""A program that an update brought proves itself: it stays when its self-test has passed and a session with a host has lasted.

Until then no spin starts, so that going back costs no result. A failed self-test, or no host in time, gives it back at once; a
crash or a hang is counted by slots.py. Afterwards the host is told what became of the update, again after a power cut
until it has been told. Loaded only at a start that has one of both to do. Not for receiving one: update.py.
"""

import slots
from dicewire import codes

from controller import clock
from controller.target import const
from controller.version import FIRMWARE

_LASTS_MS = const(2000)  # a program that falls over its first session has not proved itself
_TOLD_MS = const(2000)  # of a session: by then the event has crossed the wire or come back


class Trial:
    def __init__(self, parts):
        self._parts = parts
        self._slots = parts.board.slots
        self._wire = parts.board.wire_clock
        self._began = self._up_at = self._wire.ms()
        self._queued = False
        self._told_at = 0
        if self._slots.on_trial:
            parts.round.own_hold = codes.HOLD_UPDATING

    def step(self, now):
        if self._slots.on_trial:
            self._prove()
        elif self._slots.note:
            self._tell()

    def _prove(self):
        test, now = self._parts.selftest, self._wire.ms()
        if not self._parts.round.host_up:
            self._up_at = now
        if test.passed and clock.diff(now, self._up_at) >= _LASTS_MS:
            if self._slots.confirm():
                self._parts.round.own_hold = codes.HOLD_NONE
        elif test.done and test.failed and not test.only_missing:
            self._give_up(f"self-test: {test.text}")
        elif clock.diff(now, self._began) >= self._slots.join_s * 1000:
            self._give_up(f"no host joined in {self._slots.join_s} s" if test.passed else "the self-test did not pass")

    def _give_up(self, why):
        self._slots.give_up(why)
        self._parts.board.reset(codes.RESET_UPDATE)

    def _tell(self):
        """The event once a start; it counts as told when a session has lasted after it."""
        table = self._parts.round
        now = self._wire.ms()
        if not table.host_up:
            self._told_at = now
            return
        if not self._queued:
            self._queued = True
            self._told_at = now
            self._queue()
        elif not table.in_spin and clock.diff(now, self._told_at) >= _TOLD_MS:
            self._slots.told()

    def _queue(self):
        if self._slots.note == slots.NOTE_APPLIED:
            text = f"{FIRMWARE} in {slots.NAMES[self._slots.running]}"
            self._parts.events.add(codes.EVENT_UPDATE_APPLIED, self._slots.running, 0, text)
            return
        why = self._slots.why() or f"{slots.STARTS} starts and none lasted"
        text = f"{self._version(self._slots.failed)}: {why}"
        self._parts.events.add(codes.EVENT_UPDATE_ROLLED_BACK, self._slots.failed, self._slots.running, text)

    def _version(self, slot):
        from dicewire.image import HEAD, Head

        from controller.slotwriter import INDEX_FILE  # rarely needed, and not small

        try:
            with open(self._slots.folder(slot) + INDEX_FILE, "rb") as f:
                return Head(f.read(HEAD)).version
        except (OSError, ValueError):
            return "an update"
