"""The table's loop: one turn steps every part, in a fixed order, and feeds the watchdog when the turn was sound.

How long it waits between two turns depends on the table alone and never on the link, so that a twin's seed repeats exactly.
A chip that fails (OSError) and a part that fails (any other exception) are told apart: the first is a fault of the table, the
second of this program.

A flash that can't be read at the start is neither an empty one nor an unlocked one: the table stays locked, says so where it has
its key, and starts anew as soon as everything can be read.
"""

from dicewire import codes

from controller import clock
from controller.commands import Commands
from controller.health import Health
from controller.outbox import Outbox
from controller.parts import Parts
from controller.selftest import KEY_FILE
from controller.service import Service
from controller.standing import Standing
from controller.store import CORRUPT, FORMATTED, StoreError
from controller.tamper import Tamper
from controller.target import const
from controller.uplink import Uplink

_WAIT_SPIN_MS = const(5)
_WAIT_MS = const(10)
_FEED_MS = const(500)  # the watchdog bites after 8000
_CHIP_TRIES = const(5)  # turns in a row: a disturbance on a bus is over by then
_FAILURES_MAX = const(5)  # of the program in a row; then it starts anew
_BEAT_MS = const(500)
_READ_AGAIN_MS = const(3000)  # long enough for the host to be told


class Table:
    def __init__(self, board, files=None):
        self._board = board
        self.parts = parts = Parts(board, files)
        now, wire_now = board.clock.ms(), board.wire_clock.ms()
        self._unread = False
        key = self._load(parts)
        self.round = parts.round
        standing = Standing(parts)
        self._health = Health(parts, wire_now)
        self._outbox = Outbox(parts, standing, self._health)
        self._service = Service(parts, standing)
        self.uplink = Uplink(parts, self._outbox, Commands(parts), self._service, key, wire_now)
        # part, chip that fails with it
        stages = [
            (parts.panel.step, codes.FAULT_PANEL),
            (parts.spin.step, codes.FAULT_ACCELEROMETER),
            (parts.round.step, codes.FAULT_TAG_READER),
            (parts.lamps.step, codes.FAULT_LAMP_SUPPLY),
            (self._service.step, codes.FAULT_PANEL),
            (Tamper(parts, now).step, codes.FAULT_ACCELEROMETER),
        ]
        if parts.evidence:
            parts.evidence.session = self.uplink.session
            stages.append((parts.evidence.step, codes.FAULT_CAMERA))
        slots = getattr(board, "slots", None)
        if slots and (slots.trial or slots.note):
            from controller.trial import Trial

            stages.append((Trial(parts).step, codes.FAULT_FLASH))
        self._stages = tuple(stages)
        self._receive = self.uplink.receive  # bound once: binding in every turn would allocate
        self._send = self.uplink.send
        self._tries = bytearray(len(self._stages))
        self._failures = 0
        self._fed_at = self._beat_at = self._read_at = now
        self._beat = False

    def _load(self, parts):
        """-> the key, None where there is none or where it could not be read."""
        key = None
        try:
            key = parts.files.load(KEY_FILE)  # first: with it the table can say what else can't be read
            parts.settings.load()
            found = parts.store.load()
        except OSError as e:
            self._not_read(e)
            return key
        except StoreError as e:
            parts.faults.set(codes.FAULT_FLASH, f"no store: {e}")
            return key
        if found & FORMATTED:
            epoch = "".join([f"{b:02x}" for b in parts.store.state.epoch])
            parts.events.add(codes.EVENT_STORE_FORMATTED, 0, 0, epoch)
        if found & CORRUPT:
            parts.events.add(codes.EVENT_RECORD_UNSOUND, 0, 0, "the ring has damage that no power cut explains")
        return key

    def _not_read(self, error):
        self._unread = True
        self.parts.store.close()
        self.parts.faults.set(codes.FAULT_FLASH, f"flash not read: {error}")

    def start(self):
        parts, board = self.parts, self._board
        again = "the flash could not be read at the start before" if board.reset_cause == codes.RESET_SOFT else ""
        parts.events.add(codes.EVENT_BOOT, board.reset_cause, 0, again)
        if board.reset_cause == codes.RESET_WATCHDOG:
            parts.faults.set(codes.FAULT_WATCHDOG, "the program hung and was started anew")
        if not parts.settings.sound:
            parts.events.add(codes.EVENT_RECORD_UNSOUND, 0, 0, "settings.bin: the defaults are in force")
        try:
            self.round.start(board.clock.ms(), board.reset_cause)
        except OSError as e:
            self._not_read(e)
            self.round.test(board.clock.ms())
        self._outbox.started()

    def step(self):
        """One turn. -> ms to wait before the next."""
        board = self._board
        now, wire_now = board.clock.ms(), board.wire_clock.ms()
        self.parts.uptime.step(now, wire_now)
        sound = self._guarded(self._receive, now, wire_now)
        for i in range(len(self._stages)):
            sound = self._stage(i, now) and sound
        sound = self._guarded(self._send, now, wire_now) and sound
        self._failures = 0 if sound else self._failures + 1
        if self._failures >= _FAILURES_MAX:
            board.reset(codes.RESET_CRASH)
        if sound and clock.diff(now, self._fed_at) >= _FEED_MS:
            self._fed_at = now
            board.watchdog.feed()
        if clock.diff(now, self._beat_at) >= _BEAT_MS:
            self._beat_at = now
            self._beat = not self._beat
            board.heartbeat(self._beat)
        if self._unread and clock.diff(now, self._read_at) >= _READ_AGAIN_MS:
            self._read_at = now
            if self.parts.files.readable():
                board.reset(codes.RESET_SOFT)
        self._health.turned(clock.diff(board.wire_clock.ms(), wire_now))
        return _WAIT_SPIN_MS if self.round.in_spin else _WAIT_MS

    def run(self):
        wait = self._board.clock.wait
        while True:
            wait(self.step())

    def _stage(self, i, now):
        step, fault = self._stages[i]
        try:
            step(now)
            self._tries[i] = 0
        except OSError as e:
            self._tries[i] = min(self._tries[i] + 1, 255)
            if self._tries[i] == _CHIP_TRIES:
                self.parts.faults.set(fault, f"no answer: {e}")
                self.round.chip_failed(fault, now)
        except Exception as e:
            self._failed(e, now)
            return False
        return True

    def _guarded(self, part, now, wire_now):
        try:
            part(now, wire_now)
        except Exception as e:
            self._failed(e, now)
            return False
        return True

    def _failed(self, error, now):
        """A defect of this program. The spin under way does not count; the next turn begins afresh."""
        self.parts.faults.set(codes.FAULT_PROGRAM, type(error).__name__)
        self.parts.events.add(codes.EVENT_PROGRAM_FAILED, self._failures, 0, f"{type(error).__name__}: {error}")
        self.round.abort(now)
