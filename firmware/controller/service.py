"""The technician's requests (SERVICE_REQ): which are allowed when, one at a time. docs/firmware.md has the bytes.

Works on the machine and never on a result: what moves or lights anything needs the phase `service`, which can only be
entered between rounds and is left through the self-test. Not for what each answers: looking.py,
working.py, teaching.py.
"""

from dicewire import codes

from controller import clock
from controller.passing import forget
from controller.target import const

_ANYTIME = const(0)
_BETWEEN = const(1)  # not while the dice tumble or are read
_SERVICE = const(2)
_WHEN = const(3)
_LOOKS = const(0)
_WORKS = const(4)
_TEACHES = const(8)

_DATA_MAX = const(200)
_RESTART_MS = const(1000)  # so that the answer is on its way
_QUIET_MS = const(10000)  # without a request: the technician's files are forgotten

# When each is allowed, and whether it looks (looking.py), works on the machine (working.py) or teaches the camera (teaching.py).
REQUESTS = {
    codes.SERVICE_INFO: _ANYTIME | _LOOKS,
    codes.SERVICE_SELF_TEST: _SERVICE | _WORKS,
    codes.SERVICE_MOTOR: _SERVICE | _WORKS,
    codes.SERVICE_TAGS: _BETWEEN | _LOOKS,
    codes.SERVICE_LAMPS: _SERVICE | _WORKS,
    codes.SERVICE_INPUTS: _ANYTIME | _LOOKS,
    codes.SERVICE_ACCELEROMETER: _BETWEEN | _LOOKS,
    codes.SERVICE_RECALL: _BETWEEN | _LOOKS,
    codes.SERVICE_LOG: _ANYTIME | _LOOKS,
    codes.SERVICE_FRAME: _BETWEEN | _LOOKS,
    codes.SERVICE_DICE_MAP: _SERVICE | _WORKS,
    codes.SERVICE_DICE_MAP_READ: _ANYTIME | _LOOKS,
    codes.SERVICE_RESET: _BETWEEN | _WORKS,
    codes.SERVICE_BOOTLOADER: _SERVICE | _WORKS,
    codes.SERVICE_ENTER: _BETWEEN | _WORKS,
    codes.SERVICE_LEAVE: _SERVICE | _WORKS,
    codes.SERVICE_BUZZER: _SERVICE | _WORKS,
    codes.SERVICE_UPDATE_APPLY: _SERVICE | _WORKS,
    codes.SERVICE_FORMAT: _SERVICE | _WORKS,
    codes.SERVICE_CURRENT: _BETWEEN | _LOOKS,
    codes.SERVICE_SETTINGS: _ANYTIME | _LOOKS,
    codes.SERVICE_CALIBRATION: _SERVICE | _TEACHES,
    codes.SERVICE_CALIBRATION_READ: _ANYTIME | _TEACHES,
    codes.SERVICE_SYMBOLS: _SERVICE | _TEACHES,
    codes.SERVICE_SYMBOLS_READ: _ANYTIME | _TEACHES,
    codes.SERVICE_ZONES: _SERVICE | _TEACHES,
    codes.SERVICE_ZONES_READ: _ANYTIME | _TEACHES,
    codes.SERVICE_READERS: _ANYTIME | _WORKS,
}


class Refused(Exception):
    """The request is not done; the text goes to the technician."""


class Service:
    def __init__(self, parts, standing):
        self._parts = parts
        self._standing = standing
        self.session = None
        self._answer = None
        self._req = 0  # under way; 0 = none
        self._later = None  # (operation, data) of a request that waits for the end of the self-test
        self.go_on = None  # continues a request that takes time; -> its answer, or None
        self._looking = self._working = self._teaching = None
        self._asked_at = 0
        self._restart = None
        self._restart_at = 0
        self._buzz_until = 0
        self._buzzing = False
        self._update = None  # made when the first one is offered

    # ---- asking and answering ----

    def ask(self, req, op, data, now):
        if self._req:
            self._say(req, 0, b"another request is under way")
            return
        self._req = req
        self._asked_at = now
        if REQUESTS.get(op, 0) & _WHEN == _BETWEEN and self._testing():
            self._later = (op, bytes(data))
        else:
            self._begin(op, data, now)

    def _begin(self, op, data, now):
        try:
            self._allow(op)
            answer = self._room(REQUESTS[op]).answers[op](data, now)
        except (Refused, OSError, ValueError) as e:
            self._end(0, str(e).encode())
            return
        except MemoryError:
            self._end(0, b"no room in memory for it: ask again between two rounds")
            return
        if answer is not None:
            self._end(1, answer)

    def poll(self, now):
        """-> SERVICE_RSP that is ready, or None."""
        answer, self._answer = self._answer, None
        return answer

    def session_ended(self):
        """Nobody is there to stop the motor: it stops."""
        if self.go_on is not None:
            self._parts.board.motor.stop()
        self.go_on = self._answer = self._later = None
        self._req = 0

    def step(self, now):
        if self._buzzing and clock.diff(now, self._buzz_until) >= 0:
            self._buzzing = False
            self._parts.board.panel.buzz(False)
        if self._restart is not None and clock.diff(now, self._restart_at) >= 0:
            self._restart()
        if self._update is not None:
            self._update.step(now)
        if self._later is not None and not self._testing():
            (op, data), self._later = self._later, None
            self._begin(op, data, now)
            return
        if self.go_on is None:
            if self._looking or self._working or self._teaching:
                self._forget_when_quiet(now)
            return
        try:
            answer = self.go_on(now)
        except (Refused, OSError, ValueError) as e:
            self._parts.board.motor.stop()
            self._end(0, str(e).encode())
            return
        if answer is not None:
            self._end(1, answer)

    def _allow(self, op):
        if op not in REQUESTS:
            raise Refused("no such service operation")
        when, table = REQUESTS[op] & _WHEN, self._parts.round
        if when == _SERVICE and table.phase != codes.PHASE_SERVICE:
            raise Refused("enter service first")
        if when == _BETWEEN and table.in_spin:
            raise Refused("not now: ask again between two rounds")

    def _testing(self):
        return self._parts.round.phase == codes.PHASE_SELF_TEST and not self._parts.selftest.done

    def _end(self, ok, data):
        self.go_on = None
        req, self._req = self._req, 0
        self._say(req, ok, data)

    def _say(self, req, ok, data):
        self._answer = {"req": req, "ok": ok, "data": data[:_DATA_MAX]}

    # ---- the technician's files ----

    def _room(self, row):
        if row & _WORKS:
            if self._working is None:
                from controller.working import Working

                self._working = Working(self, self._parts, self._standing)
            return self._working
        if row & _TEACHES:
            if self._teaching is None:
                from controller.teaching import Teaching

                self._teaching = Teaching(self._parts, self)
            return self._teaching
        if self._looking is None:
            from controller.looking import Looking

            self._looking = Looking(self, self._parts, self._standing)
        return self._looking

    def _forget_when_quiet(self, now):
        busy = self._req or self._parts.round.phase == codes.PHASE_SERVICE
        if clock.diff(now, self._asked_at) >= _QUIET_MS and not busy:
            self._looking = self._working = self._teaching = None
            forget("controller.looking")
            forget("controller.working")
            forget("controller.teaching")

    @property
    def update(self):
        if self._update is None:
            from controller.update import Update

            self._update = Update(self._parts, self.session)
        return self._update

    # ---- what a request leaves behind ----

    def buzz_until(self, until):
        self._buzzing = True
        self._buzz_until = until

    def restart_by(self, restart, now):
        """Start anew by this call, when the answer is on its way."""
        self._restart = restart
        self._restart_at = clock.add(now, _RESTART_MS)
        return b""
