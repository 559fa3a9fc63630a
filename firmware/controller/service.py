"""The technician's requests (SERVICE_REQ): which are allowed when, and what each answers. docs/firmware.md has the bytes.

Works on the machine and never on a result: what moves or lights anything needs the phase `service`, which can only be
entered between rounds and is left through the self-test. One request at a time.
"""

import struct

from dicewire import codes
from dicewire import messages as wire
from dicewire.bulk import MemorySource
from dicewire.codec import encode

from controller import clock, fitted, records
from controller.dieset import FILE as DICE_FILE
from controller.dieset import DieSet
from controller.settings import FIELDS
from controller.target import const, heap_free
from controller.teaching import Teaching
from controller.version import FIRMWARE

_ANYTIME = const(0)
_BETWEEN = const(1)  # not while the dice tumble or are read
_SERVICE = const(2)

_DATA_MAX = const(200)
_UID = const(8)
_TAGS_MAX = const(22)  # 9 bytes each in one answer
_MOTOR_MAX_MS = const(5000)
_MOTOR_MAX_MA = const(4000)
_RESTART_MS = const(1000)  # so that the answer is on its way
_LIGHT = "<HBBB"
_ALL_LAMPS = const(0xFFFF)


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
        self._work = None  # continues a request that takes time; -> its answer, or None
        self._restart = None
        self._restart_at = 0
        self._motor_until = self._motor_pulses = self._motor_began = self._motor_ma = 0
        self._buzz_until = 0
        self._buzzing = False
        self._update = None  # made when the first one is offered
        teaching = Teaching(parts)
        self.table = {
            codes.SERVICE_INFO: (_ANYTIME, self._info),
            codes.SERVICE_SELF_TEST: (_SERVICE, self._self_test),
            codes.SERVICE_MOTOR: (_SERVICE, self._motor),
            codes.SERVICE_TAGS: (_BETWEEN, self._tags),
            codes.SERVICE_LAMPS: (_SERVICE, self._lamps),
            codes.SERVICE_INPUTS: (_ANYTIME, self._inputs),
            codes.SERVICE_ACCELEROMETER: (_BETWEEN, self._accelerometer),
            codes.SERVICE_RECALL: (_BETWEEN, self._recall),
            codes.SERVICE_LOG: (_ANYTIME, self._log),
            codes.SERVICE_FRAME: (_BETWEEN, self._frame),
            codes.SERVICE_DICE_MAP: (_SERVICE, self._dice_map),
            codes.SERVICE_DICE_MAP_READ: (_ANYTIME, self._dice_map_read),
            codes.SERVICE_RESET: (_BETWEEN, self._reset),
            codes.SERVICE_BOOTLOADER: (_SERVICE, self._bootloader),
            codes.SERVICE_ENTER: (_BETWEEN, self._enter),
            codes.SERVICE_LEAVE: (_SERVICE, self._leave),
            codes.SERVICE_BUZZER: (_SERVICE, self._buzzer),
            codes.SERVICE_UPDATE_APPLY: (_SERVICE, self._update_apply),
            codes.SERVICE_FORMAT: (_SERVICE, self._format),
            codes.SERVICE_CURRENT: (_BETWEEN, self._current),
            codes.SERVICE_SETTINGS: (_ANYTIME, self._settings),
            codes.SERVICE_CALIBRATION: (_SERVICE, teaching.calibration),
            codes.SERVICE_CALIBRATION_READ: (_ANYTIME, teaching.calibration_read),
            codes.SERVICE_SYMBOLS: (_SERVICE, teaching.symbols),
            codes.SERVICE_SYMBOLS_READ: (_ANYTIME, teaching.symbols_read),
            codes.SERVICE_READERS: (_ANYTIME, self._readers),
        }

    # ---- asking and answering ----

    def ask(self, req, op, data, now):
        if self._req:
            self._say(req, 0, b"another request is under way")
            return
        self._req = req
        row = self.table.get(op)
        if row and row[0] == _BETWEEN and self._testing():
            self._later = (op, bytes(data))
        else:
            self._begin(op, data, now)

    def _begin(self, op, data, now):
        try:
            self._allow(op)
            answer = self.table[op][1](data, now)
        except (Refused, OSError, ValueError) as e:
            self._end(0, str(e).encode())
            return
        if answer is not None:
            self._end(1, answer)

    def poll(self, now):
        """-> SERVICE_RSP that is ready, or None."""
        answer, self._answer = self._answer, None
        return answer

    def session_ended(self):
        """Nobody is there to stop the motor: it stops."""
        if self._work is not None:
            self._parts.board.motor.stop()
        self._work = self._answer = self._later = None
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
        if self._work is None:
            return
        try:
            answer = self._work(now)
        except (Refused, OSError, ValueError) as e:
            self._parts.board.motor.stop()
            self._end(0, str(e).encode())
            return
        if answer is not None:
            self._end(1, answer)

    def _allow(self, op):
        row = self.table.get(op)
        if row is None:
            raise Refused("no such service operation")
        table = self._parts.round
        if row[0] == _SERVICE and table.phase != codes.PHASE_SERVICE:
            raise Refused("enter service first")
        if row[0] == _BETWEEN and table.in_spin:
            raise Refused("not now: ask again between two rounds")

    def _testing(self):
        return self._parts.round.phase == codes.PHASE_SELF_TEST and not self._parts.selftest.done

    def _end(self, ok, data):
        self._work = None
        req, self._req = self._req, 0
        self._say(req, ok, data)

    def _say(self, req, ok, data):
        self._answer = {"req": req, "ok": ok, "data": data[:_DATA_MAX]}

    # ---- looking ----

    def _info(self, data, now):
        store, game = self._parts.store, self._parts.round.game
        lines = (
            f"firmware={FIRMWARE}",
            f"board={self._parts.board.name}",
            f"slot={self._slot()}",
            f"epoch={_hex(store.state.epoch)}",
            f"spins={store.state.last_spin}",
            f"oldest={store.oldest_spin()}",
            f"committed={store.committed}",
            f"book={game.book if game else ''}",
            f"readers={fitted.NAMES[self._parts.readers]}",
            f"heap_free={heap_free()}",
            f"events_lost={self._parts.events.lost}",
            f"flash_free={self._parts.files.free_bytes()}",
        )
        return "\n".join(lines).encode()

    def _slot(self):
        """Where this program was started from; with a question mark while it is on trial."""
        slots = getattr(self._parts.board, "slots", None)
        return f"{slots.NAMES[slots.running]}{'?' if slots.on_trial else ''}" if slots else "none"

    def _inputs(self, data, now):
        parts = self._parts
        return struct.pack("<HHB", self._standing.inputs(), parts.board.panel.held(), parts.round.phase)

    def _current(self, data, now):
        board = self._parts.board
        values = (board.motor.current_ma(), max(0, board.lamp_current.ma()), board.supply.mv(), board.temperature())
        return struct.pack("<HHHh", *values)

    def _accelerometer(self, data, now):
        x, y, z = self._parts.board.accel.read()
        return struct.pack("<hhh", x, y, z)

    def _tags(self, data, now):
        """Answers count, then of each tag: uid 8, die << 4 | face (255 where it is not of the set)."""
        uids = bytearray(_TAGS_MAX * _UID)
        count = self._parts.board.tags.inventory(data[0] if data else 0, uids)
        die_set = self._parts.tag_reader.die_set
        out = bytearray((min(count, 255),))
        for i in range(min(count, _TAGS_MAX)):
            uid = uids[i * _UID : (i + 1) * _UID]
            out.extend(uid)
            out.append(die_set.find(uid) & 0xFF if die_set else 0xFF)
        return bytes(out)

    def _recall(self, data, now):
        """Spin u32, 0 for the newest. Answers the number of the message (RESULT, NO_SPIN) and its payload."""
        store = self._parts.store
        spin = struct.unpack("<I", data)[0] if len(data) == 4 else 0
        if not store.spins_kept():
            raise Refused("no spin has been played since the ring was formatted")
        found = store.fetch(spin or store.state.last_spin)
        if found is None:
            raise Refused(f"spin {spin} is not in the ring: it has {store.oldest_spin()} to {store.state.last_spin}")
        number = wire.RESULT if found[0] == records.RESULT else wire.NO_SPIN
        names = wire.LAYOUTS[number][5] + tuple([row[0] for row in wire.LAYOUTS[number][6]])
        return bytes((number,)) + encode(number, {name: found[1][name] for name in names})

    def _log(self, data, now):
        text = self._parts.log.dump()
        if not self.session.bulk_send(codes.BULK_LOG, MemorySource(text), now):
            raise Refused("another transfer is under way")
        return struct.pack("<I", len(text))

    def _frame(self, data, now):
        """A picture of now; it follows as a bulk transfer, luma, row after row. Answers width and height u16. Data 1: in colour,
        U and V after luma; only in service, which is left through the self-test: that sets the camera for play again."""
        from controller.colour_frame import ColourSource  # a table without a camera does without these
        from controller.evidence import FrameSource

        colour = bytes(data) == b"\x01"
        if colour and self._parts.round.phase != codes.PHASE_SERVICE:
            raise Refused("enter service first")
        camera = getattr(self._parts.board, "camera", None)
        if self._parts.evidence:
            self._parts.evidence.drop()
        try:
            camera.start(colour or camera.colour)
        except (AttributeError, OSError):
            raise Refused("no camera is fitted, or it does not answer") from None
        camera.capture()
        reader = self._parts.camera_reader
        strip = reader.strip if reader else bytearray(8 * camera.width)
        for row in range(0, camera.height, 8):  # once through, so that the camera knows whether the picture is whole
            camera.read_rows_into(strip, row, 8)
        if camera.torn:
            raise Refused("the picture is torn: look at the camera's wires")
        source = ColourSource(camera, strip) if colour else FrameSource(camera, strip)
        if not self.session.bulk_send(codes.BULK_FRAME, source, now):
            raise Refused("another transfer is under way")
        return struct.pack("<HH", camera.width, camera.height)

    def _settings(self, data, now):
        values = self._parts.settings.values()
        return "\n".join([f"{row[0]}={values[row[0]]}" for row in FIELDS]).encode()

    def _dice_map_read(self, data, now):
        stored = self._parts.files.load(DICE_FILE)
        if stored is None:
            raise Refused(f"{DICE_FILE} is missing: provision the die set")
        return stored

    # ---- working on the machine ----

    def _enter(self, data, now):
        if not self._parts.round.enter_service(now):
            raise Refused("not now: end the round first")
        return b""

    def _leave(self, data, now):
        self._parts.round.leave_service(now)
        return b""

    def _self_test(self, data, now):
        self._parts.selftest.start(now, self._parts.round.game)
        self._work = self._go_on_testing
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
        self._work = self._go_on_turning
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
            self._work = self._go_on_lighting
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
        return self._restart_by(self._parts.board.reset, now)

    def _buzzer(self, data, now):
        ms = struct.unpack("<H", data)[0] if len(data) == 2 else 0
        if not 0 < ms <= 5000:
            raise Refused("buzzer: 1 to 5000 ms")
        self._parts.board.panel.buzz(True)
        self._buzzing = True
        self._buzz_until = clock.add(now, ms)
        return b""

    # ---- an update of this program ----

    @property
    def update(self):
        if self._update is None:
            from controller.update import Update

            self._update = Update(self._parts, self.session)
        return self._update

    def _update_apply(self, data, now):
        """Seconds in which a host must join u16, the schema it will speak 8. Answers the version that starts now."""
        self.update.apply(data)
        self._work = self._go_on_applying
        return None

    def _go_on_applying(self, now):
        version = self.update.go_on()
        if version is None:
            return None
        self._restart_by(self._reset_for_update, now)
        return version.encode()

    def _reset_for_update(self):
        self._parts.board.reset(codes.RESET_UPDATE)

    # ---- starting anew ----

    def _reset(self, data, now):
        return self._restart_by(self._parts.board.reset, now)

    def _bootloader(self, data, now):
        return self._restart_by(self._parts.board.bootloader, now)

    def _restart_by(self, restart, now):
        self._restart = restart
        self._restart_at = clock.add(now, _RESTART_MS)
        return b""

    def _format(self, data, now):
        """A new ring with a new epoch. Refused while the host lacks a record: it would be lost."""
        store = self._parts.store
        if store.pending:
            raise Refused(f"{store.pending} records are not committed yet")
        store.erase()
        return self._restart_by(self._parts.board.reset, now)


def _hex(data):
    return "".join([f"{b:02x}" for b in data])
