"""The round of play (Sic Bo 5.1): betting open, spinning, no more bets, reading, result, paid; no spin; locked.

One method a phase, run once a turn of the loop, and one method for each thing that people do, by key or by the host. The latter
answer with a codes.ANSWER_*. What happens when the table rests between rounds (self-test, lock, service) is in rest.py.
"""

from dicewire import codes

from controller import clock, panel, spin
from controller.events import bit_number
from controller.records import NO_NOTICE
from controller.rest import Rest
from controller.store import StoreError
from controller.target import const

_PAID_MS = const(250)  # the phase `paid` is seen for so long
_READ_MAX_MS = const(20000)
_RESTARTS_MAX = const(3)  # of a reading, when the table was moved
_WRONG_ENTRIES_MAX = const(2)  # a slip of the finger is forgiven once, then the supervisor rules

_CAN_SPIN = (codes.PHASE_BETTING_OPEN, codes.PHASE_NO_SPIN, codes.PHASE_CLOSING)
_BETS_CLOSED = (codes.PHASE_NO_MORE_BETS, codes.PHASE_READING, codes.PHASE_RESULT)
_COVERED = (codes.PHASE_SPINNING, codes.PHASE_NO_MORE_BETS)

# What people may declare (Sic Bo 7.1), beside every cause of the craps documents; the others are the table's own findings.
_CALLABLE = (
    codes.CAUSE_NONE, codes.CAUSE_CALLED, codes.CAUSE_NOT_FLAT, codes.CAUSE_EXPOSED_EARLY, codes.CAUSE_MALFUNCTION,
)  # fmt: skip

# What a failed spin is called, and the fault that stands behind it.
_FAILURES = {
    spin.STALL: (codes.CAUSE_MALFUNCTION, codes.FAULT_MOTOR_STALL),
    spin.OVER_CURRENT: (codes.CAUSE_MALFUNCTION, codes.FAULT_MOTOR_CURRENT),
    spin.NO_TACHOMETER: (codes.CAUSE_MALFUNCTION, codes.FAULT_TACHOMETER),
    spin.RUNAWAY: (codes.CAUSE_MALFUNCTION, codes.FAULT_TACHOMETER),
    spin.NEVER_STILL: (codes.CAUSE_NOT_AT_REST, codes.FAULT_TILT),
}
# Chips without which there is no result: it proves them.
_PROVED = (codes.FAULT_ACCELEROMETER, codes.FAULT_TAG_READER, codes.FAULT_PANEL, codes.FAULT_CAMERA)
# What drifts, by light.py's numbers.
_DRIFTS = ("", "light", "focus", "scale", "dirt")


class Round(Rest):
    def __init__(self, parts):
        Rest.__init__(self, parts)
        self._camera = parts.camera_reader
        self._evidence = parts.evidence
        self._drift = 0  # of the camera, as last told
        self._reading = False
        self._read_window = -1  # of the accelerometer, in which the last read fell; -1 = the reads are judged
        self._moved_window = -1  # in which the table last moved; -1 = it is still
        self._restarts = 0
        self._disputed = False  # the dealer's entry differs from the dice: the supervisor rules
        self._empty_spins = 0  # left to spin without wagers (Sic Bo 5.1.7)
        self._steps = {
            codes.PHASE_SELF_TEST: self._step_self_test,
            codes.PHASE_SPINNING: self._step_covered,
            codes.PHASE_NO_MORE_BETS: self._step_covered,
            codes.PHASE_READING: self._step_reading,
            codes.PHASE_RESULT: self._step_result,
            codes.PHASE_PAID: self._step_paid,
        }
        self._keys = {
            panel.SPIN: self.start_spin,
            panel.NO_MORE_BETS: self.no_more_bets,
            panel.NO_SPIN: self._key_no_spin,
            panel.CONFIRM: self._key_confirm,
            panel.UNDO: self._key_undo,
        }

    def step(self, now):
        self._watch_switches(now)
        self._watch_hold()
        step = self._steps.get(self.phase)
        if step:
            step(now)
        self._panel.announce(self.phase in _BETS_CLOSED)

    def _watch_switches(self, now):
        self._watch_supervisor()
        if self.door.step(now):
            self._events.add(codes.EVENT_DOOR_CLOSED if self.door.closed else codes.EVENT_DOOR_OPENED)
            if self.door.closed:
                self._faults.clear(codes.FAULT_DOOR)
            else:
                self._faults.set(codes.FAULT_DOOR, "service door open")
                if self.in_spin:
                    self._no_spin(codes.CAUSE_DOOR_OPEN, 0, codes.ROLE_TABLE, now)
        if self.cover.step(now) and not self.cover.closed and self.phase in _COVERED:
            self._uncovered(now)

    # ---- what people do ----

    def on_key(self, key, now):
        """-> False when the key was refused, and the panel buzzes."""
        if key <= panel.FACE_SIX:
            answer = self._enter_face(key + 1)
        else:
            act = self._keys.get(key)
            answer = act(now, codes.ROLE_DEALER) if act else codes.ANSWER_UNKNOWN
        if answer == codes.ANSWER_WRONG_PHASE:
            self._events.add(codes.EVENT_KEY_REFUSED, key, self.phase)
        return answer == codes.ANSWER_DONE

    def start_spin(self, now, by):
        """Cover and activate (Sic Bo 5.1.2). The spin's number is in flash before the motor turns."""
        answer = self._spin_refusal()
        if answer != codes.ANSWER_DONE:
            return answer
        state = self._store.state
        try:
            self._store.begin_spin()
        except StoreError as e:
            self._store_failed(e, now)
            return codes.ANSWER_LOCKED
        # The phase at once: whatever fails from here on ends this spin. After a no spin the bets are still closed, if they
        # were (Sic Bo 3.2, 7.2)
        self._go(codes.PHASE_NO_MORE_BETS if state.bets_closed else codes.PHASE_SPINNING, now)
        self._outcome.figures.start(self._uptime.ms)
        self._spin.start(now)
        self._entry.clear()
        self._disputed = self._reading = False
        self._restarts = 0
        self._dark()
        return codes.ANSWER_DONE

    def _spin_refusal(self):
        if self.phase not in _CAN_SPIN:
            return codes.ANSWER_LOCKED if self.phase == codes.PHASE_LOCKED else codes.ANSWER_WRONG_PHASE
        if self._store.state.closing == 0:
            self._events.add(codes.EVENT_CLOSING, 0)
            return codes.ANSWER_LOCKED
        if self.hold or not self._store.has_room():
            self._events.add(codes.EVENT_HOLD, self.hold or codes.HOLD_RING_FULL)
            return codes.ANSWER_BUSY
        if not self.door.closed:
            self._events.add(codes.EVENT_SPIN_REFUSED, codes.CAUSE_DOOR_OPEN)
            return codes.ANSWER_COVER_OPEN
        if not self.cover.closed:
            self._events.add(codes.EVENT_SPIN_REFUSED, codes.CAUSE_COVER_OPEN)
            return codes.ANSWER_COVER_OPEN
        return codes.ANSWER_DONE

    def no_more_bets(self, now, by):
        """Sic Bo 5.1.3. Said again when it stands already, it changes nothing."""
        if self.phase == codes.PHASE_SPINNING:
            self._store.state.bets_closed = 1
            self._outcome.figures.nmb_ms = self._outcome.figures.since(self._uptime.ms)
            if self._save(now):  # a power cut must not open the bets again
                self._go(codes.PHASE_NO_MORE_BETS, now)
        elif self.phase != codes.PHASE_NO_MORE_BETS:
            return codes.ANSWER_WRONG_PHASE
        return codes.ANSWER_DONE

    def call_no_spin(self, now, by, cause):
        """The dealer or above declares it (Sic Bo 7.1). A result that is stored can't be called back here."""
        if not self.in_spin:
            return codes.ANSWER_WRONG_PHASE
        if cause not in _CALLABLE and cause < codes.CAUSE_OFF_TABLE:
            return codes.ANSWER_BAD_ARGUMENT
        self._no_spin(cause or codes.CAUSE_CALLED, 0, by, now)
        return codes.ANSWER_DONE

    def paid(self, now, by):
        if self.phase != codes.PHASE_RESULT:
            return codes.ANSWER_WRONG_PHASE
        self._store.state.unpaid = 0
        if self._save(now):
            self._go(codes.PHASE_PAID, now)
        return codes.ANSWER_DONE

    def spin_empty(self, spins):
        """So many spins without wagers, by direction of an area manager (Sic Bo 5.1.7): their results say so."""
        self._empty_spins = spins
        return codes.ANSWER_DONE

    def rule(self, now, by, arg):
        """The supervisor's ruling on a disputed entry: 1 the dice stand, 2 no spin."""
        if not self._disputed or self.phase != codes.PHASE_READING:
            return codes.ANSWER_WRONG_PHASE
        if arg == 1:
            self._reader.opinions |= codes.READER_SUPERVISOR
            self._result(now)
        elif arg == 2:
            self._no_spin(codes.CAUSE_ENTRY_DIFFERS, 0, by, now)
        else:
            return codes.ANSWER_BAD_ARGUMENT
        return codes.ANSWER_DONE

    def _key_no_spin(self, now, by):
        if self._disputed and self._panel.supervisor():
            return self.rule(now, codes.ROLE_TG_AREA_MANAGER, 2)
        return self.call_no_spin(now, by, codes.CAUSE_CALLED)

    def _key_confirm(self, now, by):
        """Ends whatever the phase waits for."""
        if self.phase == codes.PHASE_RESULT:
            return self.paid(now, by)
        if self.phase == codes.PHASE_LOCKED and self._panel.supervisor():
            return self.unlock(now, codes.ROLE_TG_AREA_MANAGER)
        if self.phase == codes.PHASE_READING and self._disputed:
            return self.rule(now, codes.ROLE_TG_AREA_MANAGER, 1) if self._panel.supervisor() else codes.ANSWER_LOCKED
        if self.phase == codes.PHASE_READING and self._settings.entry:
            return self._confirm_entry(now)
        return codes.ANSWER_WRONG_PHASE

    def _key_undo(self, now, by):
        if self.phase != codes.PHASE_READING or not self._settings.entry or not self._entry.undo():
            return codes.ANSWER_WRONG_PHASE
        return codes.ANSWER_DONE

    def _enter_face(self, face):
        if self.phase != codes.PHASE_READING or not self._settings.entry or self._disputed:
            return codes.ANSWER_WRONG_PHASE
        return codes.ANSWER_DONE if self._entry.press(face, self.game.dice) else codes.ANSWER_BAD_ARGUMENT

    def _confirm_entry(self, now):
        reader, entry = self._reader, self._entry
        if not self._reading or not reader.done or self._read_window != -1 or self._moved_window != -1:
            return codes.ANSWER_BUSY
        if entry.count < self.game.dice:
            return codes.ANSWER_BAD_ARGUMENT
        if reader.with_entry(entry.faces()):
            self._result(now)
            return codes.ANSWER_DONE
        self._events.add(codes.EVENT_ENTRY_DIFFERS, _digits(reader.faces), 0, str(_digits(entry.faces())))
        entry.refuse()
        self._disputed = entry.wrong >= _WRONG_ENTRIES_MAX
        return codes.ANSWER_BAD_ARGUMENT

    # ---- the spin ----

    def _uncovered(self, now):
        figures = self._outcome.figures
        figures.exposed_ms = figures.since(self._uptime.ms)
        if not self._store.state.bets_closed:
            self._no_spin(codes.CAUSE_EXPOSED_EARLY, 0, codes.ROLE_TABLE, now)  # Sic Bo 7.1.3
        elif self._spin.running and self._spin.state != spin.SETTLE:
            self._no_spin(codes.CAUSE_COVER_OPEN, 0, codes.ROLE_TABLE, now)
        else:
            self._go(codes.PHASE_READING, now)

    def _step_covered(self, now):
        if self._spin.state == spin.FAILED:
            self._spin_failed(now)
        elif self._spin.state == spin.REST:
            self._judge_spin(now)

    def _spin_failed(self, now):
        cause, fault = _FAILURES[self._spin.failure]
        self._faults.set(fault, f"spin failure {self._spin.failure}, {self._spin.rpm} rpm, {self._spin.current_ma} mA")
        self._no_spin(cause, bit_number(fault), codes.ROLE_TABLE, now)

    def _judge_spin(self, now):
        """Long and lively enough? -> True when it is; else it has become a no spin."""
        if self._spin.spin_ms < self._settings.min_spin_ms:
            self._no_spin(codes.CAUSE_SHORT_SPIN, self._spin.spin_ms, codes.ROLE_TABLE, now)
        elif self._spin.tumbles < self._settings.min_tumbles:
            self._no_spin(codes.CAUSE_WEAK_SPIN, self._spin.tumbles, codes.ROLE_TABLE, now)
        else:
            return True
        return False

    def _step_reading(self, now):
        if self._spin.state == spin.FAILED:
            self._spin_failed(now)
            return
        if self._spin.state != spin.REST:
            return
        if not self._reading:
            if self._judge_spin(now):
                self._begin_reading(now)
            return
        if self._spin.moved or self._moved_window != -1:
            self._wait_until_still(now)
            return
        if not self._reader.done:
            self._reader.step(now)
            self._read_window = self._spin.windows
            if not self._reader.done and clock.diff(now, self._read_since) > _READ_MAX_MS:
                self._no_spin(codes.CAUSE_UNREADABLE, 0, codes.ROLE_TABLE, now)
        elif (
            self._read_window != -1 and self._read_window != self._spin.windows
        ):  # still in the last read, too: it counts
            self._read_window = -1
            self._read(now)

    def _wait_until_still(self, now):
        """The table was moved, also while the dealer entered: what was read may lie otherwise now. Read anew when it is still."""
        if self._moved_window == -1:
            self._restarts += 1
            self._read_since = now
        if self._restarts > _RESTARTS_MAX or clock.diff(now, self._read_since) > _READ_MAX_MS:
            self._no_spin(codes.CAUSE_DISTURBED, self._restarts, codes.ROLE_TABLE, now)
        elif self._spin.moved or self._moved_window == -1:
            self._spin.moved = False
            self._moved_window = self._spin.windows
        elif self._moved_window != self._spin.windows:
            self._begin_reading(now)

    def _begin_reading(self, now):
        self._reading = True
        self._moved_window = -1
        self._spin.moved = False
        self._read_since = now
        if self._evidence:
            self._evidence.drop()
        self._reader.begin(now, self.game.dice)

    def _read(self, now):
        figures, reader = self._outcome.figures, self._reader
        figures.read_ms = figures.since(self._uptime.ms)
        if reader.cause:
            if self._tags and self._tags.strange:
                self._events.add(codes.EVENT_STRANGE_TAG, 0, 0, _hex(self._tags.strange))
            if self._camera:
                self._keep_picture(reader)
            self._no_spin(reader.cause, reader.detail, codes.ROLE_TABLE, now, reader.evidence)
        elif not self._settings.entry:
            self._result(now)

    def _keep_picture(self, reader):
        """Whoever has to believe a no spin can look at what the camera saw; a camera that gave nothing has nothing."""
        if self._camera.fault:
            self._faults.set(codes.FAULT_CAMERA, self._camera.fault)
        else:
            self._evidence.keep(self._store.state.open_spin, reader.cause, reader.detail)

    def _tell_drift(self):
        """Before it hurts: a table whose light, focus or place changes from what was calibrated still reads for a while."""
        watch = self._camera.watch
        if watch.drift != self._drift:
            self._drift = watch.drift
            if watch.drift:
                text = f"{_DRIFTS[watch.drift]} {watch.amount:+d} of a thousand"
                self._events.add(codes.EVENT_CAMERA_DRIFT, watch.drift, watch.amount, text)

    def _result(self, now):
        """Flash first, then the lamps; the uplink sends it from the flash."""
        state, game, reader = self._store.state, self.game, self._reader
        game.look_up(state.game_state, reader.faces)
        flags = 0
        if reader.opinions & codes.READER_DEALER:
            flags |= codes.RESULT_FLAG_ENTERED
        if not self.host_up:
            flags |= codes.RESULT_FLAG_OFFLINE
        if not self._lamps.all_alive(game.lit):
            flags |= codes.RESULT_FLAG_LAMPS_FAILED
        if self._empty_spins:
            flags |= codes.RESULT_FLAG_NO_WAGERS
        try:
            self._outcome.result(game, reader, self._spin, flags)
        except StoreError as e:
            self._store_failed(e, now)
            return
        if self._camera:
            self._tell_drift()
        self._empty_spins = max(0, self._empty_spins - 1)
        self._lamps.light(game.lit, state.puck, state.collected, now)
        for _, fault in _FAILURES.values():
            self._faults.clear(fault)
        for fault in _PROVED:
            self._faults.clear(fault)
        self._spin.stop()
        self._go(codes.PHASE_RESULT, now)
        if state.closing < NO_NOTICE:
            self._events.add(codes.EVENT_CLOSING, state.closing)

    def _no_spin(self, cause, detail, by, now, evidence=b""):
        self._spin.stop()
        try:
            lock = self._outcome.no_spin(cause, detail, by, evidence)
        except StoreError as e:
            self._store_failed(e, now)
            return
        self._disputed = False
        self._go(codes.PHASE_NO_SPIN, now)
        if lock:
            self._locked(lock, now)

    def abort(self, now):
        """A part of the program failed: the spin under way, if any, is a malfunction."""
        self._spin.stop()
        if self.in_spin:
            self._no_spin(codes.CAUSE_MALFUNCTION, bit_number(codes.FAULT_PROGRAM), codes.ROLE_TABLE, now)

    def chip_failed(self, fault, now):
        """A chip stopped answering. A spin under way does not count; a table at rest proves itself before it plays on."""
        if self.in_spin:
            reading = fault == codes.FAULT_TAG_READER or fault == codes.FAULT_CAMERA
            cause = codes.CAUSE_UNREADABLE if reading else codes.CAUSE_MALFUNCTION
            self._no_spin(cause, bit_number(fault), codes.ROLE_TABLE, now)
        elif self.phase in _CAN_SPIN:
            self.test(now)

    def _step_result(self, now):
        if self._lamps.wrong:
            self._lamps.wrong = False
            self._faults.set(codes.FAULT_LAMPS, "lamp current differs")
            self._events.add(codes.EVENT_LAMP_DEAD, self._lamps.measured_ma, self._lamps.expected_ma)
        after = self._settings.auto_paid_ms
        if after and clock.diff(now, self._entered) >= after:
            self.paid(now, codes.ROLE_TABLE)

    def _step_paid(self, now):
        if clock.diff(now, self._entered) >= _PAID_MS:
            self._dark()
            self._rest(now)


def _digits(faces):
    """Faces as one decimal number, for an event's integers: 1 2 6 is 126."""
    value = 0
    for face in faces:
        value = value * 10 + face
    return value


def _hex(data):
    return "".join([f"{b:02x}" for b in data])
