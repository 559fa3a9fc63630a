"""The table between rounds: start-up and self-test, lock and unlock, hold, closing notice, service, change of game.

The other half of round.py, apart because it has nothing to do with a spin under way.
"""

from dicewire import codes

from controller.cover import Switch
from controller.events import bit_number
from controller.panel import Entry
from controller.records import NO_NOTICE
from controller.records import NO_SPIN as NO_SPIN_RECORD
from controller.store import UNCOMMITTED_MAX, StoreError
from controller.target import const

_NOTICE_MIN = const(3)  # spins (Sic Bo 9.8)
_RESTING = (
    codes.PHASE_BETTING_OPEN, codes.PHASE_NO_SPIN, codes.PHASE_CLOSING, codes.PHASE_LOCKED, codes.PHASE_SELF_TEST,
    codes.PHASE_SERVICE,
)  # fmt: skip
_KEPT_HOLDS = (codes.HOLD_NONE, codes.HOLD_COMMANDED, codes.HOLD_RESULT_REFUSED)


class Rest:
    def __init__(self, parts):
        self._store = parts.store
        self._settings = parts.settings
        self._events = parts.events
        self._faults = parts.faults
        self._uptime = parts.uptime
        self._outcome = parts.outcome
        self._panel = parts.panel
        self._lamps = parts.lamps
        self._spin = parts.spin
        self._reader = parts.reader
        self._tags = parts.tag_reader
        self._selftest = parts.selftest
        self._game_file = parts.game_file
        self._entry = Entry()
        now = parts.board.clock.ms()
        self.cover = Switch(parts.board.cover, now)
        self.door = Switch(parts.board.door, now)
        self.game = None
        self.phase = codes.PHASE_BOOT
        self.host_up = False
        self.host_hold = 0
        self.own_hold = 0  # of a program on trial
        self.hold = 0
        self.unlock_answer = -1  # what became of the last unlock(); -1 while its self-test runs
        self._unlock_by = -1
        self._entered = now
        self._supervisor = False

    def _go(self, phase, now):
        self.phase = phase
        self._entered = now

    @property
    def in_spin(self):
        """Dice are tumbled or read: nothing may disturb it."""
        return codes.PHASE_SPINNING <= self.phase <= codes.PHASE_READING

    @property
    def resting(self):
        """No spin is under way and no result waits to be paid: nothing done now can touch a result."""
        return self.phase in _RESTING and not self._store.state.open_spin and not self._store.state.unpaid

    # ---- start-up ----

    def start(self, now, reset_cause):
        """After the store is loaded. A spin that the power cut is a no spin, whatever the dice show (never guessed)."""
        state = self._store.state
        self.host_hold = state.hold
        if state.open_spin:
            cause, detail = codes.CAUSE_POWER_CUT, reset_cause
            if reset_cause in (codes.RESET_WATCHDOG, codes.RESET_CRASH):
                cause, detail = codes.CAUSE_MALFUNCTION, bit_number(codes.FAULT_WATCHDOG)
            try:
                self._outcome.no_spin(cause, detail, codes.ROLE_TABLE)
            except StoreError as e:
                self._store_failed(e, now)
        if not any(state.game_hash):  # made durable by the self-test's own write
            state.game_hash = self._game_file.chosen() or state.game_hash
        if any(state.game_hash):
            self.game, code = self._game_file.load(state.game_hash)
            if self.game is None:
                self._events.add(codes.EVENT_GAME_REFUSED, code, 0, "the table in flash can't be used")
        self.test(now)

    def test(self, now):
        """Run the self-test; play, if nothing forbids it, comes after it."""
        if self.game:
            self._lamps.use(self.game)
        self._selftest.start(now, self.game)
        self._go(codes.PHASE_SELF_TEST, now)

    def _step_self_test(self, now):
        test = self._selftest
        if test.done:  # it failed for want of something that can still arrive: game table, die set, key
            return
        test.step(now)
        if not test.done:
            return
        if test.passed:
            self._events.add(codes.EVENT_SELF_TEST_PASSED, test.took_ms)
            self._tested(now)
            return
        if not test.only_new:
            self._events.add(codes.EVENT_SELF_TEST_FAILED, test.fault_number, 0, test.text)
        if self._store.state.lock:
            self._end_unlock(codes.ANSWER_FAULT_STAYS)
            self._go(codes.PHASE_LOCKED, now)
        elif not test.only_missing and not self.own_hold:  # one on trial leaves no lock to the program before it
            self._locked(codes.LOCK_SELF_TEST, now)

    def _tested(self, now):
        state = self._store.state
        if state.lock and self._unlock_by >= 0:
            state.lock = 0
            state.streak = state.streak_cause = 0
            if not self._save(now):
                self._end_unlock(codes.ANSWER_FAULT_STAYS)
                return
            self._events.add(codes.EVENT_UNLOCKED, self._unlock_by)
            self._end_unlock(codes.ANSWER_DONE)
        if state.lock:
            self._go(codes.PHASE_LOCKED, now)
            return
        if state.open_spin:  # its end could not be stored when it came
            try:
                self._outcome.no_spin(codes.CAUSE_STORED_BADLY, 0, codes.ROLE_TABLE)
            except StoreError as e:
                self._store_failed(e, now)
                return
        self._resume(now)

    def _resume(self, now):
        """Where the round stood: a result still to be paid is lit again, a no spin is still to be spun again."""
        state = self._store.state
        try:
            last = self._store.fetch(state.last_spin) if state.last_spin else None
        except OSError as e:
            self._store_failed(e, now)
            return
        if state.unpaid:
            if last:
                self._lamps.light(last[1]["areas"], state.puck, state.collected, now)
            self._go(codes.PHASE_RESULT, now)
            return
        self._dark()
        if last and last[0] == NO_SPIN_RECORD:
            self._go(codes.PHASE_NO_SPIN, now)
        else:
            self._rest(now)

    def _rest(self, now):
        closing = self._store.state.closing != NO_NOTICE
        self._go(codes.PHASE_CLOSING if closing else codes.PHASE_BETTING_OPEN, now)

    def _dark(self):
        state = self._store.state
        self._lamps.clear()
        self._lamps.mark(state.puck, state.collected)

    # ---- lock ----

    def lock(self, now, by, reason):
        """No play until it is rectified (Sic Bo 7.4). Kept in flash."""
        self.call_no_spin(now, by, codes.CAUSE_CALLED)
        self._locked(reason, now)
        return codes.ANSWER_DONE

    def _locked(self, reason, now):
        state = self._store.state
        self._events.add(codes.EVENT_LOCKED, reason, state.streak_cause, "call an area manager")
        if state.lock != reason:
            state.lock = reason
            self._save(now)
        self._go(codes.PHASE_LOCKED, now)

    def unlock(self, now, by):
        """Proves the table by its self-test first; `unlock_answer` has the outcome when that is over."""
        tested = self.phase == codes.PHASE_SELF_TEST and self._store.state.lock  # it starts: that test is the proof
        if self.phase != codes.PHASE_LOCKED and not tested:
            return codes.ANSWER_WRONG_PHASE
        self._unlock_by = by
        self.unlock_answer = -1
        if not tested:
            self.test(now)
        return codes.ANSWER_DONE

    def _end_unlock(self, answer):
        if self._unlock_by >= 0:
            self._unlock_by = -1
            self.unlock_answer = answer

    def _save(self, now):
        """Make the state durable; a failure locks the table. -> whether it is durable."""
        try:
            self._store.save_state()
        except StoreError as e:
            self._store_failed(e, now)
            return False
        return True

    def _store_failed(self, error, now):
        """Nothing may follow from what could not be stored: no lamp, no result. The lock holds at least in RAM."""
        self._spin.stop()
        self._faults.set(codes.FAULT_FLASH, str(error))
        if self._store.state.lock != codes.LOCK_STORAGE:
            self._store.state.lock = codes.LOCK_STORAGE
            self._events.add(codes.EVENT_LOCKED, codes.LOCK_STORAGE, 0, str(error))
            try:
                self._store.save_state()
            except StoreError:  # told already; whoever unlocks has to get past the self-test's write
                self._faults.set(codes.FAULT_FLASH, str(error))
        self._go(codes.PHASE_LOCKED, now)

    # ---- hold, closing, service, game ----

    def held_by_host(self, hold, now):
        """Until it says otherwise. What a person has to lift is kept over a power cut: the host may be away then. Other
        reasons are the host's own, told anew in every session; while one of them leads, the person's still stands behind it."""
        self.host_hold = hold
        state = self._store.state
        if hold != state.hold and hold in _KEPT_HOLDS:
            state.hold = hold
            self._save(now)

    def _watch_hold(self):
        full = self._store.pending >= UNCOMMITTED_MAX
        hold = codes.HOLD_RING_FULL if full else self.own_hold or self.host_hold
        if hold != self.hold:
            self.hold = hold
            self._events.add(codes.EVENT_HOLD if hold else codes.EVENT_HOLD_OVER, hold)

    def _watch_supervisor(self):
        on = self._panel.supervisor()
        if on != self._supervisor:
            self._supervisor = on
            self._events.add(codes.EVENT_SUPERVISOR_ON if on else codes.EVENT_SUPERVISOR_OFF)

    def close_table(self, now, spins):
        """Closing after so many more results (Sic Bo 9.8: at least three spins' notice)."""
        if not _NOTICE_MIN <= spins < NO_NOTICE:
            return codes.ANSWER_BAD_ARGUMENT
        self._store.state.closing = spins
        if self._save(now):
            self._events.add(codes.EVENT_CLOSING, spins)
            if self.phase == codes.PHASE_BETTING_OPEN:
                self._go(codes.PHASE_CLOSING, now)
        return codes.ANSWER_DONE

    def open_table(self, now):
        self._store.state.closing = NO_NOTICE
        if self._save(now) and self.phase == codes.PHASE_CLOSING:
            self._go(codes.PHASE_BETTING_OPEN, now)
        return codes.ANSWER_DONE

    def game_start(self, now):
        """Back to the game's first state; what bonus bets had collected is forgotten."""
        if not self.resting:
            return codes.ANSWER_WRONG_PHASE
        self._store.state.game_state = self._store.state.puck = self._store.state.collected = 0
        if self._save(now) and self.game:
            self._dark()
        return codes.ANSWER_DONE

    def use_game(self, wanted, now):
        """-> codes.GAME_*. Only between rounds; the self-test then proves the table for the new game."""
        if self.game and self.game.hash == wanted:
            return codes.GAME_OK
        if self.game and (not self.resting or self.phase == codes.PHASE_NO_SPIN):
            return codes.GAME_BUSY
        try:
            table, code = self._game_file.load(wanted)
        except OSError as e:
            self._faults.set(codes.FAULT_FLASH, f"game table not read: {e}")
            return codes.GAME_ABSENT  # it is sent again, and kept where it can be read
        if table is None:
            return code
        state = self._store.state
        if state.game_hash != wanted:  # the same table again, after its file was lost, goes on where it stood
            state.game_hash = wanted
            state.game_state = state.puck = state.collected = 0
        if not self._save(now):
            return codes.GAME_BUSY
        self.game = table
        self._game_file.forget_others(wanted)
        self._events.add(codes.EVENT_GAME_CHANGED, 0, 0, table.book)
        self.test_again(now)
        return codes.GAME_OK

    def test_again(self, now):
        """Something that the self-test looks at has changed."""
        if self.phase in (codes.PHASE_BETTING_OPEN, codes.PHASE_CLOSING, codes.PHASE_SELF_TEST):
            self.test(now)

    def enter_service(self, now):
        if not self.resting:
            return False
        if self.phase != codes.PHASE_SERVICE:
            self._go(codes.PHASE_SERVICE, now)
            self._events.add(codes.EVENT_SERVICE_ENTERED)
        return True

    def leave_service(self, now):
        """Through the self-test: whatever the technician did, the table is proved before it plays."""
        if self.phase != codes.PHASE_SERVICE:
            return False
        self._events.add(codes.EVENT_SERVICE_LEFT)
        self.test(now)
        return True
