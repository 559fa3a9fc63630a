"""One spin of the dome: the motor's profile, what the tachometer and the accelerometer saw of it, and what went wrong.

Strength, start and length are drawn from the board's entropy within limits, so that no player can time the dice. Not for
whether the spin counts: round.py judges by the figures left here. Between start() and the end step() allocates nothing.
"""

from controller import clock
from controller.target import const

# States
IDLE = const(0)
DELAY = const(1)
DRIVE = const(2)
COAST = const(3)  # braking by ever less drive, then off
SETTLE = const(4)
REST = const(5)
FAILED = const(6)

# Failures
NONE = const(0)
STALL = const(1)
OVER_CURRENT = const(2)
NO_TACHOMETER = const(3)  # draws a running motor's current and gives no pulses
RUNAWAY = const(4)  # told to stop and still turning
NEVER_STILL = const(5)

_PULSES_A_TURN = const(12)
_DELAY_MAX_MS = const(300)
_DRIVE_SPAN_MS = const(1500)
_DRIVE_MARGIN_MS = const(700)  # over the shortest spin the settings allow: ramp and slow start don't count
_FULL_RPM = const(900)  # at 1000 permille
_LEVEL_MAX = const(950)
_LEVEL_LOW = const(80)  # percent of the speed set; with the span, the limits of chance
_LEVEL_SPAN = const(30)
_LEVEL_MS = const(256)  # a new strength is taken this often
_SLEW = const(4)  # permille a ms, spares the gears
_BRAKE_SLEW = const(2)  # a motor switched off at speed coasts for seconds; led down, it stands in less than one
_WINDOW_MS = const(100)
_LIVE_RPM = const(120)  # slower than this does not tumble the dice
_STALL_RPM = const(60)
_STALL_GRACE_MS = const(600)
_STALL_WINDOWS = const(4)
_OVER_MA = const(4000)
_OVER_GRACE_MS = const(250)
_OVER_MS = const(100)
_RUNNING_MA = const(200)
_COAST_MAX_MS = const(3000)
_STILL_WINDOWS = const(4)
_SETTLE_MAX_MS = const(6000)
_DRAWS = const(32)


class Spin:
    def __init__(self, motor, accel, entropy, settings):
        self._motor = motor
        self._accel = accel
        self._entropy = entropy
        self._settings = settings
        self.state = IDLE
        self.failure = NONE
        self.spin_ms = 0  # driven and lively
        self.tumbles = 0  # turns of the crank that the accelerometer felt
        self.peak_rpm = 0
        self.rpm = 0
        self.current_ma = 0
        self.moved = False  # set whenever the table is felt to move; the reader clears it
        self.windows = 0  # looks at the accelerometer so far
        self._draws = bytes(_DRAWS)
        self._forward = True
        self._nominal = 0
        self._level = 0
        self._entered = 0  # when this state began
        self._drive_ms = 0
        self._last = 0
        self._window_at = 0
        self._pulses = 0
        self._felt_pulses = 0
        self._slow = 0
        self._still = 0
        self._over_ms = 0

    def start(self, now):
        draws = self._draws = self._entropy(_DRAWS)
        self._forward = bool(draws[1] & 1)
        at_least = self._settings.min_spin_ms + _DRIVE_MARGIN_MS
        self._drive_ms = max(self._settings.spin_ms, at_least) + (draws[2] * _DRIVE_SPAN_MS >> 8)
        self._nominal = self._settings.spin_rpm * 1000 // _FULL_RPM
        self.failure = NONE
        self.spin_ms = self.tumbles = self.peak_rpm = self.rpm = 0
        self._level = self._felt_pulses = self._slow = self._still = self._over_ms = 0
        self._pulses = self._motor.pulses()
        self._last = self._window_at = now
        self._enter(DELAY, now)

    def stop(self):
        """At once, from any state: the motor is off and the spin is over."""
        self._motor.stop()
        self.state = IDLE

    @property
    def running(self):
        return DELAY <= self.state <= SETTLE

    @property
    def turning(self):
        return self.state == DRIVE or self.state == COAST

    def _enter(self, state, now):
        self.state = state
        self._entered = now

    def _fail(self, failure, now):
        self._motor.stop()
        self.failure = failure
        self._enter(FAILED, now)

    def step(self, now):
        state = self.state
        if state == IDLE or state == FAILED:
            return
        since = clock.diff(now, self._entered)
        if state == DELAY:
            if since >= self._draws[0] * _DELAY_MAX_MS >> 8:
                self._accel.activity()  # what it felt before is not of this spin
                self._enter(DRIVE, now)
        elif state == DRIVE:
            self._drive(now, since)
        elif state == COAST and self._level:
            self._brake(now)
        self._last = now
        if clock.diff(now, self._window_at) >= _WINDOW_MS:
            self._window(now)

    def _drive(self, now, since):
        dt = clock.diff(now, self._last)
        if since >= self._drive_ms:
            self._still = 0
            self._enter(COAST, now)
            return
        chance = self._draws[3 + since // _LEVEL_MS % (_DRAWS - 3)]
        target = min(_LEVEL_MAX, self._nominal * (_LEVEL_LOW + (chance * _LEVEL_SPAN >> 8)) // 100)
        step = dt * _SLEW
        if self._level < target:
            self._level = min(target, self._level + step)
        else:
            self._level = max(target, self._level - step)
        self._motor.drive(self._level, self._forward)
        self.current_ma = self._motor.current_ma()
        self._over_ms = self._over_ms + dt if self.current_ma > _OVER_MA and since > _OVER_GRACE_MS else 0
        if self._over_ms >= _OVER_MS:
            self._fail(OVER_CURRENT, now)

    def _brake(self, now):
        self._level = max(0, self._level - clock.diff(now, self._last) * _BRAKE_SLEW)
        if self._level:
            self._motor.drive(self._level, self._forward)
        else:
            self._motor.stop()

    def _window(self, now):
        """Every 100 ms: speed, liveliness and stillness, each from what really happened in the window."""
        felt = self._accel.activity()  # first: when it raises, the window stays open and is looked at again
        dt = clock.diff(now, self._window_at)
        self._window_at = now
        pulses = self._motor.pulses()
        turned = (pulses - self._pulses) & clock.MASK
        self._pulses = pulses
        self.windows = (self.windows + 1) & clock.MASK
        if felt:
            self.moved = True
        self.rpm = turned * 60000 // (_PULSES_A_TURN * dt)
        state = self.state
        if state == DRIVE or state == COAST:
            self._count(turned, felt, dt)
        if state == DRIVE:
            self._watch_stall(now)
        elif state == COAST:
            self._still = 0 if turned else self._still + 1
            if self._still >= 2:
                self._still = 0
                self._enter(SETTLE, now)
            elif clock.diff(now, self._entered) > _COAST_MAX_MS:
                self._fail(RUNAWAY, now)
        elif state == SETTLE:
            self._still = 0 if felt or turned else self._still + 1
            if self._still >= _STILL_WINDOWS:
                self.moved = False
                self._enter(REST, now)
            elif clock.diff(now, self._entered) > _SETTLE_MAX_MS:
                self._fail(NEVER_STILL, now)

    def _count(self, turned, felt, dt):
        if self.rpm > self.peak_rpm:
            self.peak_rpm = self.rpm
        if felt:  # a motor that turns without shaking the dome (a broken coupling) tumbles nothing
            self._felt_pulses += turned
            self.tumbles = self._felt_pulses // _PULSES_A_TURN
        if self.rpm >= _LIVE_RPM and self.state == DRIVE:
            self.spin_ms += dt

    def _watch_stall(self, now):
        if self.rpm >= _STALL_RPM or clock.diff(now, self._entered) < _STALL_GRACE_MS:
            self._slow = 0
            return
        self._slow += 1
        if self._slow >= _STALL_WINDOWS:
            running = _RUNNING_MA <= self.current_ma < _OVER_MA // 2 and self.rpm == 0
            self._fail(NO_TACHOMETER if running else STALL, now)
