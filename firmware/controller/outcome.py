"""The end of a spin: its result or its no spin, written to flash before anyone can see it; and faults that stay.

Sic Bo 7.1 and 7.4: a no spin is spun again; the same cause again and again is a malfunction that can't be corrected at once,
and locks the table. The lock is part of the no spin's own record, so no power cut can part them.
"""

from dicewire import codes

from controller import records
from controller.events import bit_number
from controller.records import NO_NOTICE
from controller.target import const

# cause: (how many in a row lock the table, lock reason); 0 = as the settings say. A cause that isn't here is people's doing or
# chance, and never locks. Dice do lie badly by chance, so those need many in a row.
_BY_CHANCE = const(10)
_LOCKS = {
    codes.CAUSE_MALFUNCTION: (0, codes.LOCK_MOTOR),
    codes.CAUSE_SHORT_SPIN: (0, codes.LOCK_MOTOR),
    codes.CAUSE_WEAK_SPIN: (0, codes.LOCK_MOTOR),
    codes.CAUSE_NOT_AT_REST: (0, codes.LOCK_MOTOR),
    codes.CAUSE_MISSING: (0, codes.LOCK_DICE),
    codes.CAUSE_TOO_MANY: (0, codes.LOCK_DICE),
    codes.CAUSE_WRONG_DICE: (1, codes.LOCK_DICE),
    codes.CAUSE_UNREADABLE: (0, codes.LOCK_READER),
    codes.CAUSE_DISAGREE: (0, codes.LOCK_READER),
    codes.CAUSE_NOT_FLAT: (_BY_CHANCE, codes.LOCK_REPEATED_NO_SPIN),
    codes.CAUSE_TOO_MANY_TAGS: (_BY_CHANCE, codes.LOCK_REPEATED_NO_SPIN),
}
# A malfunction's detail is the fault behind it; where that isn't the tumbler itself, the lock says so.
_MALFUNCTIONS = {
    bit_number(codes.FAULT_PANEL): codes.LOCK_PANEL,
    bit_number(codes.FAULT_PROGRAM): codes.LOCK_INTERNAL,
    bit_number(codes.FAULT_WATCHDOG): codes.LOCK_INTERNAL,
}
_U16 = const(0xFFFF)


class Figures:
    """When things happened in the spin under way, in ms since its start."""

    def __init__(self):
        self.start(0)

    def start(self, uptime_ms):
        self._began = uptime_ms
        self.nmb_ms = 0
        self.exposed_ms = 0
        self.read_ms = 0

    def since(self, uptime_ms):
        return uptime_ms - self._began


class Outcome:
    def __init__(self, store, uptime, faults, settings):
        self._store = store
        self._uptime = uptime
        self._faults = faults
        self._settings = settings
        self.figures = Figures()
        self.spins = 0  # since start, for HEALTH
        self.no_spins = 0
        self.last_cause = 0

    def result(self, game, verdict, spin, flags):
        """Store a result; only then may it be lit or sent. game has looked it up. Raises StoreError."""
        state = self._store.state
        figures = self.figures
        faces = verdict.faces
        self._store.end_spin(
            records.RESULT,
            {
                "spin": state.open_spin,
                "faces": faces + bytes(3 - len(faces)),
                "dice": len(faces),
                "state_before": state.game_state,
                "state_after": game.next_state,
                "puck": game.puck,
                "opinions": verdict.opinions,
                "reads": verdict.reads,
                "spin_ms": spin.spin_ms,
                "tumbles": min(spin.tumbles, _U16),
                "peak_rpm": min(spin.peak_rpm, _U16),
                "nmb_ms": figures.nmb_ms,
                "exposed_ms": figures.exposed_ms,
                "read_ms": figures.read_ms,
                "flags": flags,
                "wall_ms": self._uptime.wall_ms(),
                "uptime_ms": self._uptime.uptime_u32(),
                "collected": game.collect(state.collected, faces),
                "closing": state.closing - 1 if 0 < state.closing < NO_NOTICE else state.closing,
                "faults": self._faults.bits,
                "areas": bytes(game.lit),
            },
        )
        self.spins += 1

    def no_spin(self, cause, detail, by, evidence=b""):
        """Store a no spin, and the lock that may follow from it. -> the lock reason, 0 for none. Raises StoreError."""
        state = self._store.state
        streak = min(state.streak + 1, 255) if cause == state.streak_cause else 1
        limit, reason = _LOCKS.get(cause, (0, 0))
        if cause == codes.CAUSE_MALFUNCTION:
            reason = _MALFUNCTIONS.get(detail, reason)
        lock = reason if reason and streak >= (limit or self._settings.lock_after) else state.lock
        self._store.end_spin(
            records.NO_SPIN,
            {
                "spin": state.open_spin,
                "cause": cause,
                "detail": min(detail, _U16),
                "by": by,
                "wall_ms": self._uptime.wall_ms(),
                "uptime_ms": self._uptime.uptime_u32(),
                "lock": lock,
                "faults": self._faults.bits,
                "streak": streak,
                "streak_cause": cause,
                "bets_closed": state.bets_closed,
                "closing": state.closing,
                "evidence": evidence,
            },
        )
        self.spins += 1
        self.no_spins += 1
        self.last_cause = cause
        return lock
