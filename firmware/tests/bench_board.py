"""A board of plain parts for the controller's own files on CPython: no chips, no buses, time that a test moves.

The parts answer as the drivers do (same methods, same units) and obey a few figures of the real machine: a motor that takes
time to turn, a table that shakes while it turns, dice that lie as the test says. The chips themselves, and the drivers,
are tested elsewhere; the whole on MicroPython is in test_on_micropython.py.
"""

from dicewire import codes

FULL_RPM = 900
PULSES_A_TURN = 12
SPIN_UP_MS = 160
LAMP_MA = 36
DARK_MA = 4
TICKS = 0x3FFFFFFF


class Reset(BaseException):
    """The board started anew: nothing after it runs."""

    def __init__(self, cause):
        super().__init__(cause)
        self.cause = cause


class Clock:
    def __init__(self, board):
        self._board = board

    def ms(self):
        return self._board.now & TICKS

    def wait(self, ms):
        self._board.advance(ms)


class Port:
    """The controller's end of the cable; the host's end reads and writes the two buffers."""

    def __init__(self):
        self.to_controller = bytearray()
        self.to_host = bytearray()
        self.plugged = True

    def read_into(self, view):
        if not self.plugged:
            raise OSError(19)
        if not self.to_controller:
            return 0
        n = min(len(view), len(self.to_controller))
        view[:n] = self.to_controller[:n]
        del self.to_controller[:n]
        return n

    def write(self, view):
        if not self.plugged:
            raise OSError(19)
        self.to_host += bytes(view)
        return len(view)

    def unplug(self):
        self.plugged = False
        self.to_controller.clear()
        self.to_host.clear()


class Motor:
    def __init__(self):
        self.permille = 0
        self.rpm = 0.0
        self._turns = 0.0
        self._pulses = 0  # counted when time passes: asking must cost no memory, as with the driver
        self.stalled = False
        self.jammed_current = False
        self.tachometer_dead = False

    def drive(self, permille, forward=True):
        assert 0 <= permille <= 1000
        self.permille = permille

    def stop(self):
        self.permille = 0

    def advance(self, ms):
        aim = 0 if self.stalled else self.permille * FULL_RPM / 1000
        self.rpm += (aim - self.rpm) * min(1.0, ms / SPIN_UP_MS)
        if not aim and self.rpm < 3:
            self.rpm = 0.0
        self._turns += self.rpm * ms / 60000
        if not self.tachometer_dead:
            self._pulses = int(self._turns * PULSES_A_TURN) & TICKS

    def pulses(self):
        return self._pulses

    def current_ma(self):
        if not self.permille:
            return 0
        if self.jammed_current:
            return 6000
        return 3500 if self.stalled else 800


class Accelerometer:
    def __init__(self, motor):
        self._motor = motor
        self._active = 0
        self.fault = ""
        self.sound = True
        self.gone = False
        self.uncoupled = False
        self.gravity = (0, 0, 1000)
        self.shaken = False  # someone leans on the table

    def advance(self, ms):
        if (self._motor.rpm > 20 and not self.uncoupled) or self.shaken:
            self._active += ms

    def read(self):
        return self.gravity

    def take_peak(self):
        return 400

    def activity(self):
        if self.gone:
            raise OSError(5)
        active, self._active = self._active, 0
        return active

    def selftest(self):
        self.fault = "" if self.sound and not self.gone else "accelerometer: no answer"
        return not self.fault


class Tags:
    """`dice`: for each die the face that lies down, 0 for one that is tilted, None for one that is gone."""

    def __init__(self, rows):
        self._uids = {(die, face): uid for uid, die, face in rows}
        self.dice = [1, 2, 3]
        self.strange = []
        self.twice = None  # a die that answers with two faces
        self.fault = ""
        self.sound = True
        self.gone = False
        self.reads = 0
        self.flicker = False

    def answering(self, power):
        uids = list(self.strange)
        for die, down in enumerate(self.dice):
            if down is None:
                continue
            if power:
                uids += [self._uids[die, face] for face in range(1, 7)]
            elif down:
                uids.append(self._uids[die, down])
                if self.twice == die:
                    uids.append(self._uids[die, down % 6 + 1])
        if self.flicker and not power and self.reads % 2:
            uids = uids[1:]
        return uids

    def inventory(self, power, out):
        if self.gone:
            raise OSError(5)
        self.reads += 1
        uids = self.answering(power)
        for i, uid in enumerate(uids):
            if (i + 1) * 8 <= len(out):
                out[i * 8 : i * 8 + 8] = uid
        return len(uids)

    def selftest(self):
        self.fault = "" if self.sound and not self.gone else "tag reader: no chip"
        return not self.fault


class Lamps:
    def __init__(self):
        self.fit(160)
        self.dead = set()

    def fit(self, n):
        self.n = n
        self._set = [(0, 0, 0)] * n
        self.shown = list(self._set)

    def set(self, i, r, g, b):
        self._set[i] = (r, g, b)

    def clear(self):
        self._set = [(0, 0, 0)] * self.n

    def show(self):
        self.shown = list(self._set)

    def lit(self):
        return {i for i, colour in enumerate(self.shown) if any(colour)}

    def drawn_ma(self):
        return sum(sum(colour) * LAMP_MA // 765 for i, colour in enumerate(self.shown) if i not in self.dead)


class LampCurrent:
    def __init__(self, lamps):
        self._lamps = lamps
        self.fault = ""
        self.sound = True

    def ma(self):
        return DARK_MA + self._lamps.drawn_ma()

    def selftest(self):
        self.fault = "" if self.sound else "lamp current: no answer"
        return self.sound


class Panel:
    def __init__(self):
        self.pressed = []
        self.key_switch = False
        self.announcing = False
        self.buzzing = False
        self.buzzes = 0
        self.fault = ""
        self.sound = True
        self.gone = False

    def scan(self, now):
        if self.gone:
            raise OSError(5)

    def next_key(self):
        return self.pressed.pop(0) if self.pressed else -1

    def held(self):
        return 0

    def supervisor(self):
        return self.key_switch

    def announce(self, on):
        if self.gone:
            raise OSError(5)
        self.announcing = on

    def buzz(self, on):
        self.buzzes += 1 if on and not self.buzzing else 0
        self.buzzing = on

    def selftest(self):
        self.fault = "" if self.sound and not self.gone else "panel: a key is stuck"
        return not self.fault


class Contact:
    def __init__(self):
        self.is_closed = True

    def closed(self):
        return self.is_closed


class Supply:
    def __init__(self):
        self.volts = 24000
        self.fault = ""

    def mv(self):
        return self.volts

    def selftest(self):
        self.fault = "" if 21600 <= self.volts <= 26400 else f"supply: {self.volts} mV, 24000 expected"
        return not self.fault


class Watchdog:
    def __init__(self, board):
        self._board = board
        self.fed_at = board.now

    def feed(self):
        self.fed_at = self._board.now


class Board:
    name = "bench"
    uid = bytes(range(8))

    def __init__(self, state_dir, rows, now=0, seed=1, reset_cause=codes.RESET_POWER_ON):
        self.state_dir = state_dir
        self.now = now
        self.reset_cause = reset_cause
        self._seed = seed
        self.clock = self.wire_clock = Clock(self)
        self.port = Port()
        self.motor = Motor()
        self.accel = Accelerometer(self.motor)
        self.tags = Tags(rows)
        self.lamps = Lamps()
        self.lamp_current = LampCurrent(self.lamps)
        self.panel = Panel()
        self.cover = Contact()
        self.door = Contact()
        self.supply = Supply()
        self.watchdog = Watchdog(self)
        self.beats = 0

    def advance(self, ms):
        for _ in range(ms):
            self.now += 1
            self.motor.advance(1)
            self.accel.advance(1)

    def entropy(self, n):
        out = bytearray(n)
        for i in range(n):
            self._seed = (self._seed * 1103515245 + 12345) & TICKS
            out[i] = self._seed >> 12 & 0xFF
        return bytes(out)

    def temperature(self):
        return 315

    def heartbeat(self, on):
        self.beats += 1

    def reset(self, cause=codes.RESET_COMMANDED):
        raise Reset(cause)

    def bootloader(self):
        raise Reset(codes.RESET_UNKNOWN)
