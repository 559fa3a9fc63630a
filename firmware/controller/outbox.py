"""What goes to the host by itself: records in spin order until each is committed, then STATE, EVENT and HEALTH.

Records are read from flash, never from memory: what is sent is what would be sent after a power cut. A new session begins
again at the oldest that is not committed. Not for answers: uplink.py sends those.
"""

from dicewire import codes
from dicewire import messages as wire

from controller import records
from controller.target import const

_READ_TRIES = const(1000)  # turns, ten seconds: a flash that fails for a moment must not cost a result that was shown
_STORE_ONLY = ("closing", "faults", "lock", "streak", "streak_cause", "bets_closed")


class Outbox:
    def __init__(self, parts, standing, health):
        self._store = parts.store
        self._events = parts.events
        self._round = parts.round
        self._standing = standing
        self._health = health
        self._next_spin = 1
        self._tries = 0  # reads of that spin that failed
        self._old = 0  # spins up to this one were stored before this start

    def started(self):
        self._old = self._store.state.last_spin

    def session_up(self):
        self._next_spin = self._store.committed + 1
        self._tries = 0
        self._standing.forget()

    def standing_told(self, session, wire_now):
        """Tell STATE where it has changed. -> whether the host has been told all there is."""
        if not self._standing.changed():
            return True
        return session.room(wire.STATE) and session.send(wire.STATE, self._standing.values(), wire_now)

    def fill(self, session, wire_now):
        """Queue as much as the session takes now."""
        while self._next_spin <= self._store.state.last_spin and session.room(wire.RESULT):
            record = self._record(self._next_spin)
            if record is None:
                break
            if not session.send(record[0], record[1], wire_now):
                return
            self._next_spin += 1
            self._tries = 0
        self.standing_told(session, wire_now)
        event = self._events.first()
        while event is not None and session.send(wire.EVENT, event, wire_now):
            self._events.sent()
            event = self._events.first()
        if self._health.due(wire_now) and not self._round.in_spin and session.room(wire.HEALTH):
            session.send(wire.HEALTH, self._health.values(wire_now, session.counters), wire_now)

    def _record(self, spin):
        """-> (message number, values), or None when it can't be read now and is worth another try.

        One that stays unreadable is told as a no spin: its faces are never guessed.
        """
        try:
            found = self._store.fetch(spin)
        except OSError:
            self._tries += 1
            if self._tries < _READ_TRIES:
                return None
            found = None
        if found is None:
            self._events.add(codes.EVENT_RECORD_UNSOUND, spin)
            lost = {"spin": spin, "cause": codes.CAUSE_STORED_BADLY, "detail": 0, "by": codes.ROLE_TABLE}
            lost.update(wall_ms=0, uptime_ms=0, evidence=b"")
            return wire.NO_SPIN, lost
        kind, values = found
        for name in _STORE_ONLY:
            values.pop(name, None)
        if kind == records.NO_SPIN:
            return wire.NO_SPIN, values
        if spin <= self._old:
            values["flags"] |= codes.RESULT_FLAG_RESTORED
        return wire.RESULT, values
