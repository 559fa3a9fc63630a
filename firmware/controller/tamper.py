"""The table at rest: struck, leant upon or tilted. While dice tumble or are read, spin.py listens to the accelerometer.

A blow is an event for surveillance and changes nothing: dice that count are read later. A table that stands askew favours
a side: that is a fault, which stands until it is level again. Not for dice that were moved while they were read: round.py.
"""

from dicewire import codes

from controller import clock
from controller.target import const

_LOOK_MS = const(250)
_QUIET_MS = const(2000)  # one event a blow, not one a bounce
_TILT_MG = const(120)  # 7 degrees
_LEVEL_MG = const(80)
_OPEN = (codes.PHASE_BETTING_OPEN, codes.PHASE_CLOSING)
_LOOKS = const(8)  # in a row that must agree before a tilt comes or goes


class Tamper:
    def __init__(self, parts, now):
        self._accel = parts.board.accel
        self._round = parts.round
        self._events = parts.events
        self._faults = parts.faults
        self._look_at = now
        self._told_at = clock.add(now, -_QUIET_MS)
        self._listening = False
        self._looks = 0

    def step(self, now):
        if clock.diff(now, self._look_at) < _LOOK_MS:
            return
        self._look_at = now
        if self._round.phase not in _OPEN:
            self._listening = False  # dealers' hands, lamps under test, a technician: nothing to be learnt from them
            return
        moved = self._accel.activity()
        peak = self._accel.take_peak()
        if not self._listening:  # what it felt until now was the round's own
            self._listening = True
            return
        if moved and clock.diff(now, self._told_at) >= _QUIET_MS:
            self._told_at = now
            self._events.add(codes.EVENT_STRUCK, peak)
        if not moved:
            self._watch_level()

    def _watch_level(self):
        mg = self._accel.read()
        lean = max(abs(mg[0]), abs(mg[1]))
        tilted = self._faults.bits & codes.FAULT_TILT
        if lean < _LEVEL_MG if tilted else lean > _TILT_MG:
            self._looks += 1
        else:
            self._looks = 0
        if self._looks < _LOOKS:
            return
        self._looks = 0
        if tilted:
            self._faults.clear(codes.FAULT_TILT)
        else:
            self._faults.set(codes.FAULT_TILT, f"the table leans by {lean} mg: level it")
