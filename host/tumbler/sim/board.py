"""The table's board, played: every part that the controller's files ask for, in virtual time, as its drivers answer.

Drivers and chips are tested elsewhere (the twin). Here a motor takes time, a table shakes while it turns, dice lie as chance
has it, and the power can fail at any use of a part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from dicewire import codes

from tumbler.sim.cable import ControllerEnd
from tumbler.sim.clockwork import Clockwork
from tumbler.sim.flash import PowerCut

TICKS = 0x3FFFFFFF
FULL_RPM, LAG_MS, PULSES_A_TURN = 900.0, 160.0, 12
SHAKES_RPM = 20.0
LAMP_MA, DARK_MA = 36, 4
TagRow = tuple[bytes, int, int]  # uid, die, face that the tag sits behind


class Reset(BaseException):
    def __init__(self, cause: int) -> None:
        super().__init__(cause)
        self.cause = cause


def tag_rows(dice: int) -> list[TagRow]:
    return [(bytes((0xE0, 4, 1, 0, 0, 0, die, face)), die, face) for die in range(dice) for face in range(1, 7)]


class Plate:
    """The dice, which outlive every power cut. `down`: face that lies down, 0 on an edge, None gone."""

    def __init__(self, rng: Random, dice: int) -> None:
        self._rng, self.dice = rng, dice
        self.bad = 0.06  # chance that they do not lie as they should
        self.down: list[int | None] = [1] * dice
        self.strange = self.flicker = False
        self.throws = 0

    def throw(self) -> None:
        rng = self._rng
        self.throws += 1
        self.down = [rng.randrange(1, 7) for _ in range(self.dice)]
        self.strange = self.flicker = False
        if rng.random() >= self.bad:
            return
        how = rng.randrange(4)
        if how == 0:
            self.down[rng.randrange(self.dice)] = 0
        elif how == 1:
            self.down[rng.randrange(self.dice)] = None
        elif how == 2:
            self.flicker = True
        else:
            self.strange = True

    @property
    def shown(self) -> list[int] | None:
        """The faces, sorted, when all lie flat and nothing else does; None otherwise. The truth."""
        if self.strange or any(not face for face in self.down):
            return None
        return sorted(7 - face for face in self.down if face)


class Clock:
    """The controller's own: it drifts, and its count began anywhere."""

    def __init__(self, clockwork: Clockwork, rate: float, start: int) -> None:
        self._clockwork, self._rate, self._start, self._began = clockwork, rate, start, clockwork.now

    def ms(self) -> int:
        return (self._start + int((self._clockwork.now - self._began) * self._rate / 1000)) & TICKS

    def us_of(self, ms: int) -> int:
        return math.ceil(ms * 1000 / self._rate)


class Motor:
    def __init__(self, clockwork: Clockwork, plate: Plate, fuse: Callable[[], None]) -> None:
        self._clockwork, self._plate, self._fuse = clockwork, plate, fuse
        self._at = clockwork.now
        self._permille = 0
        self._turns = self._rpm = self._shaken_ms = 0.0
        self._tumbled = False
        self.stalled = False

    def drive(self, permille: int, forward: bool = True) -> None:
        self._fuse()
        self.follow()
        self._permille = permille

    def stop(self) -> None:
        self.follow()
        self._permille = 0

    def follow(self) -> None:
        """What happened since the last look; dice that were tumbled lie anew when the motor has stood still."""
        ms = (self._clockwork.now - self._at) / 1000
        if ms <= 0:
            return
        self._at = self._clockwork.now
        aim = 0.0 if self.stalled else self._permille * FULL_RPM / 1000
        before = self._rpm
        self._rpm = aim + (before - aim) * math.exp(-ms / LAG_MS)
        if not aim and self._rpm < 3:
            self._rpm = 0.0
        self._turns += (before + self._rpm) / 2 * ms / 60000
        if before > SHAKES_RPM or self._rpm > SHAKES_RPM:
            self._shaken_ms += ms
            self._tumbled = True
        elif self._tumbled:
            self._tumbled = False
            self._plate.throw()

    def pulses(self) -> int:
        self.follow()
        return int(self._turns * PULSES_A_TURN) & TICKS

    def current_ma(self) -> int:
        return 0 if not self._permille else 3500 if self.stalled else 800

    def shaken(self) -> int:
        self.follow()
        felt, self._shaken_ms = self._shaken_ms, 0.0
        return int(felt)


class Chip:
    """What the self-test asks of every chip."""

    name = "chip"

    def __init__(self) -> None:
        self.gone = False
        self.fault = ""

    def selftest(self) -> bool:
        self.fault = f"{self.name}: no answer" if self.gone else ""
        return not self.gone

    def ask(self) -> None:
        if self.gone:
            raise OSError(5)


class Accelerometer(Chip):
    name = "accelerometer"

    def __init__(self, motor: Motor) -> None:
        super().__init__()
        self._motor = motor

    def read(self) -> tuple[int, int, int]:
        return 0, 0, 1000

    def take_peak(self) -> int:
        """The hardest knock since the last look, in mg: nobody hits this table."""
        self.ask()
        return 0

    def activity(self) -> int:
        self.ask()
        return self._motor.shaken()


class Tags(Chip):
    name = "tag reader"

    def __init__(self, plate: Plate, rows: Sequence[TagRow]) -> None:
        super().__init__()
        self._plate = plate
        self._uids = {(die, face): uid for uid, die, face in rows}
        self._reads = 0

    def inventory(self, power: int, out: bytearray) -> int:
        self.ask()
        self._reads += 1
        uids = [bytes(8)] if self._plate.strange else []
        for die, down in enumerate(self._plate.down):
            if down is None:
                continue
            if power:
                uids += [self._uids[die, face] for face in range(1, 7)]
            elif down:
                uids.append(self._uids[die, down])
        if self._plate.flicker and not power and self._reads % 2:
            uids = uids[1:]
        for i, uid in enumerate(uids):
            if (i + 1) * 8 <= len(out):
                out[i * 8 : i * 8 + 8] = uid
        return len(uids)


class Lamps:
    def __init__(self, fuse: Callable[[], None]) -> None:
        self._fuse = fuse
        self.fit(160)

    def fit(self, n: int) -> None:
        self.n = n
        self._set = [0] * n
        self._shown = 0

    def set(self, i: int, r: int, g: int, b: int) -> None:
        self._set[i] = r + g + b

    def clear(self) -> None:
        self._set = [0] * self.n

    def show(self) -> None:
        self._fuse()
        self._shown = sum(light * LAMP_MA // 765 for light in self._set if light)

    def drawn_ma(self) -> int:
        return self._shown


class LampCurrent(Chip):
    name = "lamp current"

    def __init__(self, lamps: Lamps) -> None:
        super().__init__()
        self._lamps = lamps

    def ma(self) -> int:
        return DARK_MA + self._lamps.drawn_ma()


class Panel(Chip):
    name = "panel"

    def __init__(self, fuse: Callable[[], None]) -> None:
        super().__init__()
        self._fuse = fuse
        self.pressed: list[int] = []
        self.key_switch = False

    def scan(self, now: int) -> None:
        self._fuse()
        self.ask()

    def next_key(self) -> int:
        return self.pressed.pop(0) if self.pressed else -1

    def held(self) -> int:
        return 0

    def supervisor(self) -> bool:
        return self.key_switch

    def announce(self, on: bool) -> None:
        self._fuse()

    def buzz(self, on: bool) -> None:
        self._fuse()


class Contact:
    def __init__(self) -> None:
        self.is_closed = True

    def closed(self) -> bool:
        return self.is_closed


class Supply(Chip):
    name = "supply"

    def mv(self) -> int:
        return 24000


class Watchdog:
    def __init__(self, clockwork: Clockwork) -> None:
        self._clockwork = clockwork
        self.fed_at = clockwork.now

    def feed(self) -> None:
        self.fed_at = self._clockwork.now


class Board:
    """One life of the controller: built at power-on, forgotten at the cut."""

    name = "sim"
    uid = bytes(range(8))
    state_dir = ""

    def __init__(
        self,
        clockwork: Clockwork,
        plate: Plate,
        cover: Contact,
        end: ControllerEnd,
        rng: Random,
        cause: int,
        rate: float,
    ) -> None:
        self.fuse_in: int | None = None  # uses of a part until the power fails
        self.reset_cause = cause
        self.port = end
        end.fuse = self.fuse
        self.clock = self.wire_clock = Clock(clockwork, rate, rng.choice((0, TICKS - 9000, rng.getrandbits(30))))
        self.motor = Motor(clockwork, plate, self.fuse)
        self.accel = Accelerometer(self.motor)
        self.tags = Tags(plate, tag_rows(plate.dice))
        self.lamps = Lamps(self.fuse)
        self.lamp_current = LampCurrent(self.lamps)
        self.panel = Panel(self.fuse)
        self.cover = cover
        self.door = Contact()
        self.supply = Supply()
        self.watchdog = Watchdog(clockwork)
        self._rng = rng

    def fuse(self) -> None:
        if self.fuse_in is not None:
            self.fuse_in -= 1
            if self.fuse_in <= 0:
                raise PowerCut

    def chips(self) -> dict[str, Chip]:
        return {"accelerometer": self.accel, "tags": self.tags, "panel": self.panel}

    def entropy(self, n: int) -> bytes:
        return self._rng.randbytes(n)

    def temperature(self) -> int:
        return 315

    def heartbeat(self, on: bool) -> None:
        self.fuse()

    def reset(self, cause: int = codes.RESET_COMMANDED) -> Any:
        raise Reset(cause)

    def bootloader(self) -> Any:
        raise Reset(codes.RESET_UNKNOWN)
