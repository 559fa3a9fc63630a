"""The self-test at start and before an unlock: every chip, the store, the game table, the die set, the key, every lamp.

No play and no results before it has passed. Each check is one thing, with the fault that stands while it fails (checks.py). What
only needs provisioning (game table, die set, key) is waited for; anything else that fails locks the table.
"""

from dicewire import codes

from controller import clock
from controller.events import bit_number
from controller.passing import forget
from controller.store import StoreError
from controller.target import const

KEY_FILE = "key.bin"
KEY_SIZE = const(32)

FAIL = const(0)
PASS = const(1)
AGAIN = const(2)

# What can still arrive: nothing is broken where only these are wanting.
_MISSING = codes.FAULT_KEY | codes.FAULT_GAME_TABLE | codes.FAULT_DICE_MAP | codes.FAULT_CALIBRATION


class SelfTest:
    def __init__(self, parts):
        self._parts = parts
        self._store = parts.store
        self._faults = parts.faults
        self._checks = None
        self._at = 0
        self._began = 0
        self.failed = 0  # bits of the faults found
        self.done = False
        self.took_ms = 0
        self.text = ""

    @property
    def passed(self):
        return self.done and not self.failed

    @property
    def only_missing(self):
        """All that failed can still arrive: nothing is broken."""
        return not self.failed & ~_MISSING

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
        from controller.checks import Checks

        self._parts.board.motor.stop()
        self._checks = Checks(self._parts, game, now)
        self._at = 0
        self._began = now
        self.failed = 0
        self.text = ""
        self.done = False

    def step(self, now):
        """One check, or one piece of a long one, a turn: the link lives on beside it."""
        if self.done:
            return
        checks = self._checks
        bit, check = checks.rows[self._at]
        try:
            outcome, text = check(now)
        except (
            StoreError
        ) as e:  # also a file that is there and can't be read: then it is the flash, and nothing is missing
            bit, outcome, text = codes.FAULT_FLASH, FAIL, str(e)
        except (OSError, ValueError) as e:
            outcome, text = FAIL, str(e)
        if outcome == AGAIN:
            return
        if outcome == FAIL:
            self.failed |= bit
            self.text = self.text or text
            self._faults.set(bit, text, not self._new(bit))
        elif bit != codes.FAULT_LAMPS:  # dead lamps are a fault that passes
            self._faults.clear(bit)
        self._at += 1
        checks.began = now
        if self._at == len(checks.rows):
            self.done = True
            self.took_ms = clock.diff(now, self._began)
            self._checks = None
            forget("controller.checks")
