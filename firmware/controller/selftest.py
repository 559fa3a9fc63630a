"""The self-test at start and before an unlock: every chip, the store, the game table, the die set, the key, every lamp.

No play and no results before it has passed. Each row of CHECKS is one thing, with the fault that stands while it fails. What
only needs provisioning (game table, die set, key) is waited for; anything else that fails locks the table.
"""

from dicewire import codes

from controller import clock, fitted
from controller.dieset import FILE as DICE_FILE
from controller.dieset import DieSet
from controller.events import bit_number
from controller.store import StoreError
from controller.target import const

KEY_FILE = "key.bin"
KEY_SIZE = const(32)

_KEY_UP_MS = const(1500)
_IDLE_MA = const(200)
_TURN_PERMILLE = const(500)
_TURN_MS = const(800)
_TURN_PULSES = const(12)
_TURN_MAX_MA = const(4000)

_AFTER_GAME = const(3)  # place in the order of checks where the readers' come

_FAIL = const(0)
_PASS = const(1)
_AGAIN = const(2)


class SelfTest:
    def __init__(self, parts):
        self._board = parts.board
        self._files = parts.files
        self._store = parts.store
        self._events = parts.events
        self._faults = parts.faults
        self._lamps = parts.lamps
        self._tag_reader = parts.tag_reader
        self.key = None
        self._game = None
        self._at = 0
        self._began = 0
        self._check_began = 0
        self._turning = False
        self._pulses = 0
        self.failed = 0  # bits of the faults found
        self.done = False
        self.took_ms = 0
        self.text = ""
        self._camera_reader = parts.camera_reader
        self._by_tags = parts.readers & fitted.TAGS
        # fault, whether it is only missing, check
        checks = [
            (codes.FAULT_FLASH, False, self._check_store),
            (codes.FAULT_KEY, True, self._check_key),
            (codes.FAULT_GAME_TABLE, True, self._check_game),
            (codes.FAULT_PANEL, False, self._check_panel),
            (codes.FAULT_ACCELEROMETER, False, self._check_accelerometer),
            (codes.FAULT_SUPPLY, False, self._check_supply),
            (codes.FAULT_MOTOR_CURRENT, False, self._check_motor_idle),
            (codes.FAULT_MOTOR_STALL, False, self._check_motor_turns),
            (codes.FAULT_LAMP_SUPPLY, False, self._check_lamp_supply),
            (codes.FAULT_LAMPS, False, self._check_lamps),
        ]
        if self._camera_reader is not None:
            checks.insert(_AFTER_GAME, (codes.FAULT_CAMERA, False, self._check_camera))
            checks.insert(_AFTER_GAME, (codes.FAULT_CALIBRATION, True, self._check_calibration))
        if self._by_tags:
            checks.insert(_AFTER_GAME, (codes.FAULT_TAG_READER, False, self._check_tag_reader))
            checks.insert(_AFTER_GAME, (codes.FAULT_DICE_MAP, True, self._check_dice))
        self._checks = tuple(checks)
        self._missing_bits = 0
        for bit, missing, _ in self._checks:
            if missing:
                self._missing_bits |= bit

    @property
    def passed(self):
        return self.done and not self.failed

    @property
    def only_missing(self):
        """All that failed can still arrive: nothing is broken."""
        return not self.failed & ~self._missing_bits

    def _new(self, bits):
        """Nothing but a first game table is wanting: the host sends it unasked, so STATE says it and nobody is alarmed."""
        return bits == codes.FAULT_GAME_TABLE and not any(self._store.state.game_hash)

    @property
    def only_new(self):
        return self._new(self.failed)

    @property
    def fault_number(self):
        return bit_number(self.failed & -self.failed)

    def start(self, now, game):
        self._game = game
        self._at = 0
        self._began = self._check_began = now
        self._board.motor.stop()
        self._turning = False
        self.failed = 0
        self.text = ""
        self.done = False

    def step(self, now):
        """One check, or one piece of a long one, a turn: the link lives on beside it."""
        if self.done:
            return
        bit, _, check = self._checks[self._at]
        try:
            outcome, text = check(now)
        except (
            StoreError
        ) as e:  # also a file that is there and can't be read: then it is the flash, and nothing is missing
            bit, outcome, text = codes.FAULT_FLASH, _FAIL, str(e)
        except (OSError, ValueError) as e:
            outcome, text = _FAIL, str(e)
        if outcome == _AGAIN:
            return
        if outcome == _FAIL:
            self.failed |= bit
            self.text = self.text or text
            self._faults.set(bit, text, not self._new(bit))
        elif bit != codes.FAULT_LAMPS:  # dead lamps are a fault that passes
            self._faults.clear(bit)
        self._at += 1
        self._check_began = now
        if self._at == len(self._checks):
            self.done = True
            self.took_ms = clock.diff(now, self._began)

    # ---- the checks: each answers (_PASS, _FAIL or _AGAIN, what is wrong) ----

    def _check_store(self, now):
        self._store.save_state()
        return _PASS, ""

    def _file(self, name):
        try:
            return self._files.load(name)
        except OSError as e:
            raise StoreError(f"flash: {name} not read: {e}") from None

    def _check_key(self, now):
        key = self._file(KEY_FILE)
        self.key = key if key and len(key) == KEY_SIZE else None
        return (_PASS, "") if self.key else (_FAIL, f"{KEY_FILE} is missing or not {KEY_SIZE} bytes: provision the key")

    def _check_game(self, now):
        return (_PASS, "") if self._game else (_FAIL, "no game table: the host sends it")

    def _check_dice(self, now):
        self._tag_reader.die_set = None
        die_set = DieSet(self._file(DICE_FILE))
        if self._game and die_set.dice != self._game.dice:
            return _FAIL, f"{DICE_FILE} has {die_set.dice} dice, the game {self._game.dice}"
        self._tag_reader.die_set = die_set
        return _PASS, ""

    def _check_panel(self, now):
        """Whoever unlocks has CONFIRM down at this moment: only a key that stays down is stuck."""
        outcome = self._chip(self._board.panel)
        if outcome[0] == _FAIL and clock.diff(now, self._check_began) < _KEY_UP_MS:
            return _AGAIN, ""
        return outcome

    def _check_accelerometer(self, now):
        return self._chip(self._board.accel)

    def _check_tag_reader(self, now):
        return self._chip(self._board.tags)

    def _check_calibration(self, now):
        """How the table's dice look to its camera; every result is read by it."""
        from controller.reader import taught

        taught.finish(self._files)
        self._camera_reader.load(self._files)
        return _PASS, ""

    def _check_camera(self, now):
        return self._chip(self._board.camera)

    def _check_supply(self, now):
        return self._chip(self._board.supply)

    def _chip(self, chip):
        """Its driver knows best how to try it; `fault` is what it found."""
        return (_PASS, "") if chip.selftest() else (_FAIL, chip.fault)

    def _check_motor_idle(self, now):
        self._board.motor.stop()
        ma = self._board.motor.current_ma()
        return (_PASS, "") if ma <= _IDLE_MA else (_FAIL, f"motor draws {ma} mA when off")

    def _check_motor_turns(self, now):
        """Only before unlocking a table that its motor locked: the dice are tumbled, so the cover must be closed."""
        if self._store.state.lock != codes.LOCK_MOTOR:
            return _PASS, ""
        motor = self._board.motor
        if not self._board.cover.closed():
            motor.stop()
            return _FAIL, "close the cover: the motor must be tried"
        if not self._turning:
            self._turning = True
            self._check_began = now
            self._pulses = motor.pulses()
            motor.drive(_TURN_PERMILLE)
            return _AGAIN, ""
        since = clock.diff(now, self._check_began)
        ma = motor.current_ma()
        if ma <= _TURN_MAX_MA and since < _TURN_MS:
            return _AGAIN, ""
        motor.stop()
        pulses = motor.pulses() - self._pulses
        good = pulses >= _TURN_PULSES and ma <= _TURN_MAX_MA
        return (_PASS, "") if good else (_FAIL, f"motor: {pulses} pulses, {ma} mA in {since} ms")

    def _check_lamp_supply(self, now):
        self._lamps.start_test(now)
        return self._chip(self._board.lamp_current)

    def _check_lamps(self, now):
        """One lamp at a time. Dark lamps are reported and play goes on: the dice decide (Sic Bo 7.3)."""
        if self._lamps.testing:
            self._lamps.step(now)
            return _AGAIN, ""
        dead = self._lamps.dead_count
        if dead:
            self._faults.set(codes.FAULT_LAMPS, f"{dead} of {self._lamps.count} lamps are dead")
            for pixel in range(self._lamps.count):
                if self._lamps.is_dead(pixel):
                    self._events.add(codes.EVENT_LAMP_DEAD, 0, 0, f"lamp {pixel}")
                    break
        else:
            self._faults.clear(codes.FAULT_LAMPS)
        return _PASS, ""
