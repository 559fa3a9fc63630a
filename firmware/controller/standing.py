"""STATE: where the round stands, and whether that has changed since it was last told.

Compared field by field, so that looking costs no memory in the spin loop; the message is made only when it goes out.
"""

from dicewire import codes


class Standing:
    def __init__(self, parts):
        self._parts = parts
        self._phase = -1
        self._spin = self._pending = self._lock = self._hold = 0
        self._faults = self._inputs = self._game_state = self._collected = 0

    def forget(self):
        """What was told counts no more: a new host listens."""
        self._phase = -1

    def inputs(self):
        parts = self._parts
        table = parts.round
        bits = codes.INPUT_COVER_CLOSED if table.cover.closed else 0
        if table.door.closed:
            bits |= codes.INPUT_DOOR_CLOSED
        if parts.panel.supervisor():
            bits |= codes.INPUT_SUPERVISOR
        if parts.spin.turning:
            bits |= codes.INPUT_MOTOR_ON
        if table.host_up:
            bits |= codes.INPUT_HOST_UP
        if parts.uptime.wall_known:
            bits |= codes.INPUT_TIME_KNOWN
        return bits

    def changed(self):
        state = self._parts.store.state
        return (
            self._phase != self._parts.round.phase
            or self._spin != (state.open_spin or state.last_spin)
            or self._inputs != self.inputs()
            or self._faults != self._parts.faults.bits
            or self._lock != state.lock
            or self._hold != self._parts.round.hold
            or self._pending != self._parts.store.pending
            or self._game_state != state.game_state
            or self._collected != state.collected
        )

    def values(self):
        """The message; from now on it counts as told."""
        parts = self._parts
        state = parts.store.state
        self._phase = parts.round.phase
        self._spin = state.open_spin or state.last_spin
        self._inputs = self.inputs()
        self._faults = parts.faults.bits
        self._lock = state.lock
        self._hold = parts.round.hold
        self._pending = parts.store.pending
        self._game_state = state.game_state
        self._collected = state.collected
        return {
            "phase": self._phase,
            "spin": self._spin,
            "game_state": self._game_state,
            "puck": state.puck,
            "lock": self._lock,
            "faults": self._faults,
            "inputs": self._inputs,
            "pending": self._pending,
            "hold": self._hold,
            "uptime_ms": parts.uptime.uptime_u32(),
            "collected": self._collected,
        }
