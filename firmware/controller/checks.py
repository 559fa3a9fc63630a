"""What the self-test tries: every chip, the store, the game table, the die set, the key, every lamp. One method a check.

Each answers PASS, FAIL or AGAIN, and what is wrong. Loaded while a self-test runs and forgotten after it; in which order they go
and what follows from them is in selftest.py.
"""

from dicewire import codes

from controller import clock
from controller.passing import forget
from controller.selftest import AGAIN, FAIL, KEY_FILE, KEY_SIZE, PASS
from controller.store import StoreError
from controller.target import const

_KEY_UP_MS = const(1500)
_IDLE_MA = const(200)
_TURN_PERMILLE = const(500)
_TURN_MS = const(800)
_TURN_PULSES = const(12)
_TURN_MAX_MA = const(4000)

_AFTER_GAME = const(3)  # place in the order of checks where the readers' come


class Checks:
    """`rows`: the fault that stands while a check fails, and the check. `began`: when the one under way did."""

    def __init__(self, parts, game, now):
        self._board = parts.board
        self._files = parts.files
        self._store = parts.store
        self._events = parts.events
        self._faults = parts.faults
        self._lamps = parts.lamps
        self._tag_reader = parts.tag_reader
        self._camera_reader = parts.camera_reader
        self._game = game
        self._turning = False
        self._pulses = 0
        self.began = now
        checks = [
            (codes.FAULT_FLASH, self._check_store),
            (codes.FAULT_KEY, self._check_key),
            (codes.FAULT_GAME_TABLE, self._check_game),
            (codes.FAULT_PANEL, self._check_panel),
            (codes.FAULT_ACCELEROMETER, self._check_accelerometer),
            (codes.FAULT_SUPPLY, self._check_supply),
            (codes.FAULT_MOTOR_CURRENT, self._check_motor_idle),
            (codes.FAULT_MOTOR_STALL, self._check_motor_turns),
            (codes.FAULT_LAMP_SUPPLY, self._check_lamp_supply),
            (codes.FAULT_LAMPS, self._check_lamps),
        ]
        if parts.camera_reader is not None:
            checks.insert(_AFTER_GAME, (codes.FAULT_CAMERA, self._check_camera))
            checks.insert(_AFTER_GAME, (codes.FAULT_CALIBRATION, self._check_calibration))
        if parts.tag_reader is not None:
            checks.insert(_AFTER_GAME, (codes.FAULT_TAG_READER, self._check_tag_reader))
            checks.insert(_AFTER_GAME, (codes.FAULT_DICE_MAP, self._check_dice))
        self.rows = tuple(checks)

    def _check_store(self, now):
        self._store.save_state()
        return PASS, ""

    def _file(self, name):
        try:
            return self._files.load(name)
        except OSError as e:
            raise StoreError(f"flash: {name} not read: {e}") from None

    def _check_key(self, now):
        key = self._file(KEY_FILE)
        sound = key and len(key) == KEY_SIZE
        return (PASS, "") if sound else (FAIL, f"{KEY_FILE} is missing or not {KEY_SIZE} bytes: provision the key")

    def _check_game(self, now):
        return (PASS, "") if self._game else (FAIL, "no game table: the host sends it")

    def _check_dice(self, now):
        from controller.dieset import FILE, DieSet  # a table without tags does without

        self._tag_reader.die_set = None
        die_set = DieSet(self._file(FILE))
        if self._game and die_set.dice != self._game.dice:
            return FAIL, f"{FILE} has {die_set.dice} dice, the game {self._game.dice}"
        self._tag_reader.die_set = die_set
        return PASS, ""

    def _check_panel(self, now):
        """Whoever unlocks has CONFIRM down at this moment: only a key that stays down is stuck."""
        outcome = self._chip(self._board.panel)
        if outcome[0] == FAIL and clock.diff(now, self.began) < _KEY_UP_MS:
            return AGAIN, ""
        return outcome

    def _check_accelerometer(self, now):
        return self._chip(self._board.accel)

    def _check_tag_reader(self, now):
        return self._chip(self._board.tags)

    def _check_calibration(self, now):
        """How the table's dice look to its camera; every result is read by it."""
        if self._files.load("taught.bin") is not None:  # a power cut came between the files of a set
            from controller.reader import taught

            taught.finish(self._files)
            forget("controller.reader.taught")
        self._camera_reader.load(self._files)
        return PASS, ""

    def _check_camera(self, now):
        return self._chip(self._board.camera)

    def _check_supply(self, now):
        return self._chip(self._board.supply)

    def _chip(self, chip):
        """Its driver knows best how to try it; `fault` is what it found."""
        return (PASS, "") if chip.selftest() else (FAIL, chip.fault)

    def _check_motor_idle(self, now):
        self._board.motor.stop()
        ma = self._board.motor.current_ma()
        return (PASS, "") if ma <= _IDLE_MA else (FAIL, f"motor draws {ma} mA when off")

    def _check_motor_turns(self, now):
        """Only before unlocking a table that its motor locked: the dice are tumbled, so the cover must be closed."""
        if self._store.state.lock != codes.LOCK_MOTOR:
            return PASS, ""
        motor = self._board.motor
        if not self._board.cover.closed():
            motor.stop()
            return FAIL, "close the cover: the motor must be tried"
        if not self._turning:
            self._turning = True
            self.began = now
            self._pulses = motor.pulses()
            motor.drive(_TURN_PERMILLE)
            return AGAIN, ""
        since = clock.diff(now, self.began)
        ma = motor.current_ma()
        if ma <= _TURN_MAX_MA and since < _TURN_MS:
            return AGAIN, ""
        motor.stop()
        pulses = motor.pulses() - self._pulses
        good = pulses >= _TURN_PULSES and ma <= _TURN_MAX_MA
        return (PASS, "") if good else (FAIL, f"motor: {pulses} pulses, {ma} mA in {since} ms")

    def _check_lamp_supply(self, now):
        self._lamps.start_test(now)
        return self._chip(self._board.lamp_current)

    def _check_lamps(self, now):
        """One lamp at a time. Dark lamps are reported and play goes on: the dice decide (Sic Bo 7.3)."""
        if self._lamps.testing:
            self._lamps.step(now)
            return AGAIN, ""
        dead = self._lamps.dead_count
        if dead:
            self._faults.set(codes.FAULT_LAMPS, f"{dead} of {self._lamps.count} lamps are dead")
            for pixel in range(self._lamps.count):
                if self._lamps.is_dead(pixel):
                    self._events.add(codes.EVENT_LAMP_DEAD, 0, 0, f"lamp {pixel}")
                    break
        else:
            self._faults.clear(codes.FAULT_LAMPS)
        return PASS, ""
