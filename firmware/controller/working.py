"""The technician's requests that work on the machine: motor, lamps, buzzer, what is provisioned, starting anew.

Each method is one request, named in `answers`: bytes in, bytes out; None where it goes on (`service.go_on`), Refused where it can't
be. Loaded when the first one comes and forgotten when none has come for a while. Who may ask when: service.py.
"""

import struct

from dicewire import codes

from controller import clock, fitted
from controller.dieset import FILE as DICE_FILE
from controller.dieset import DieSet
from controller.service import Refused
from controller.target import const

_MOTOR_MAX_MS = const(5000)
_MOTOR_MAX_MA = const(4000)
_LIGHT = "<HBBB"
_ALL_LAMPS = const(0xFFFF)


class Working:
    def __init__(self, service, parts, standing):
        self._service = service
        self._parts = parts
        self._motor_until = self._motor_pulses = self._motor_began = self._motor_ma = 0
        self.answers = {
            codes.SERVICE_SELF_TEST: self._self_test,
            codes.SERVICE_MOTOR: self._motor,
            codes.SERVICE_LAMPS: self._lamps,
            codes.SERVICE_DICE_MAP: self._dice_map,
            codes.SERVICE_RESET: self._reset,
            codes.SERVICE_BOOTLOADER: self._bootloader,
            codes.SERVICE_ENTER: self._enter,
            codes.SERVICE_LEAVE: self._leave,
            codes.SERVICE_BUZZER: self._buzzer,
            codes.SERVICE_UPDATE_APPLY: self._update_apply,
            codes.SERVICE_FORMAT: self._format,
            codes.SERVICE_READERS: self._readers,
        }

    def _enter(self, data, now):
        if not self._parts.round.enter_service(now):
            raise Refused("not now: end the round first")
        return b""

    def _leave(self, data, now):
        self._parts.round.leave_service(now)
        return b""

    def _self_test(self, data, now):
        self._parts.selftest.start(now, self._parts.round.game)
        self._service.go_on = self._go_on_testing
        return None

    def _go_on_testing(self, now):
        """Answers the faults found u32, ms u16, and the first in words."""
        test = self._parts.selftest
        test.step(now)
        if not test.done:
            return None
        return struct.pack("<IH", test.failed, min(test.took_ms, 0xFFFF)) + test.text.encode()

    def _motor(self, data, now):
        permille, ms = struct.unpack("<hH", data) if len(data) == 4 else (0, 0)
        if not 0 < abs(permille) <= 1000 or not 0 < ms <= _MOTOR_MAX_MS:
            raise Refused(f"motor: -1000 to 1000 permille, 1 to {_MOTOR_MAX_MS} ms")
        if not self._parts.round.cover.closed:
            raise Refused("close the cover: the dice would fly")
        motor = self._parts.board.motor
        self._motor_pulses = motor.pulses()
        self._motor_began = now
        self._motor_until = clock.add(now, ms)
        self._motor_ma = 0
        motor.drive(abs(permille), permille > 0)
        self._service.go_on = self._go_on_turning
        return None

    def _go_on_turning(self, now):
        """Answers pulses u32, highest current u16, ms u16."""
        motor = self._parts.board.motor
        if not self._parts.round.cover.closed:
            raise Refused("the cover was opened: the motor is off")
        ma = motor.current_ma()
        self._motor_ma = max(self._motor_ma, ma)
        ms = clock.diff(now, self._motor_began)
        if ma > _MOTOR_MAX_MA and ms > 250:
            raise Refused(f"the motor draws {ma} mA: it is off")
        if clock.diff(now, self._motor_until) < 0:
            return None
        motor.stop()
        return struct.pack("<IHH", (motor.pulses() - self._motor_pulses) & clock.MASK, self._motor_ma, ms)

    def _lamps(self, data, now):
        """Index u16 (65535 all), r g b: lights. No data: tests every lamp, one at a time."""
        lamps = self._parts.lamps
        if not lamps.count:
            raise Refused("no game table: the number of lamps is not known")
        if not data:
            lamps.start_test(now)
            self._service.go_on = self._go_on_lighting
            return None
        if len(data) != struct.calcsize(_LIGHT):
            raise Refused("lamps: index u16, r, g, b")
        index, r, g, b = struct.unpack(_LIGHT, data)
        if index != _ALL_LAMPS and index >= lamps.count:
            raise Refused(f"lamp {index} of {lamps.count}")
        lamps.paint(-1 if index == _ALL_LAMPS else index, r, g, b)
        return b""

    def _go_on_lighting(self, now):
        """Answers how many lamps u8, how many are dead u8, and the dead ones."""
        lamps = self._parts.lamps
        if lamps.testing:  # the loop steps it
            return None
        dead = [i for i in range(lamps.count) if lamps.is_dead(i)]
        return bytes((lamps.count, len(dead))) + bytes(dead)

    def _dice_map(self, data, now):
        """The file itself, checked before it replaces the old one."""
        die_set = DieSet(data)
        game = self._parts.round.game
        if game and die_set.dice != game.dice:
            raise Refused(f"{die_set.dice} dice, the game has {game.dice}")
        self._parts.files.replace(DICE_FILE, data)
        if self._parts.tag_reader is not None:
            self._parts.tag_reader.die_set = die_set
        return b""

    def _readers(self, data, now):
        """One byte: what reads the dice from the next start on (in service only), which follows. Nothing: asks."""
        if not data:
            return bytes((self._parts.readers,))
        if len(data) != 1 or data[0] not in fitted.NAMES:
            raise Refused("readers: 1 tags, 2 camera, 3 both")
        if self._parts.round.phase != codes.PHASE_SERVICE:
            raise Refused("enter service first")
        self._parts.files.replace(fitted.FILE, data)
        return self._service.restart_by(self._parts.board.reset, now)

    def _buzzer(self, data, now):
        ms = struct.unpack("<H", data)[0] if len(data) == 2 else 0
        if not 0 < ms <= 5000:
            raise Refused("buzzer: 1 to 5000 ms")
        self._parts.board.panel.buzz(True)
        self._service.buzz_until(clock.add(now, ms))
        return b""

    def _update_apply(self, data, now):
        """Seconds in which a host must join u16, the schema it will speak 8. Answers the version that starts now."""
        self._service.update.apply(data)
        self._service.go_on = self._go_on_applying
        return None

    def _go_on_applying(self, now):
        version = self._service.update.go_on()
        if version is None:
            return None
        self._service.restart_by(self._reset_for_update, now)
        return version.encode()

    def _reset_for_update(self):
        self._parts.board.reset(codes.RESET_UPDATE)

    def _reset(self, data, now):
        return self._service.restart_by(self._parts.board.reset, now)

    def _bootloader(self, data, now):
        return self._service.restart_by(self._parts.board.bootloader, now)

    def _format(self, data, now):
        """A new ring with a new epoch. Refused while the host lacks a record: it would be lost."""
        store = self._parts.store
        if store.pending:
            raise Refused(f"{store.pending} records are not committed yet")
        store.erase()
        return self._service.restart_by(self._parts.board.reset, now)
