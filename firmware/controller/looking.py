"""The technician's requests that only look: what the controller is, what its chips say, what is in its flash.

Each method is one request, named in `answers`: bytes in, bytes out, Refused where it can't be. Loaded when the first one comes and
forgotten when none has come for a while. Who may ask when: service.py. What moves something: working.py.
"""

import struct

from dicewire import codes
from dicewire import messages as wire
from dicewire.bulk import MemorySource
from dicewire.codec import encode

from controller import fitted, records
from controller.dieset import FILE as DICE_FILE
from controller.dieset import DieSet
from controller.service import Refused
from controller.settings import FIELDS
from controller.target import const, heap_free
from controller.version import FIRMWARE

_UID = const(8)
_TAGS_MAX = const(22)  # 9 bytes each in one answer
_COLOUR = const(1)  # what a frame is to be
_LAMP_1 = const(2)


class Looking:
    def __init__(self, service, parts, standing):
        self._service = service
        self._parts = parts
        self._standing = standing
        self.answers = {
            codes.SERVICE_INFO: self._info,
            codes.SERVICE_TAGS: self._tags,
            codes.SERVICE_INPUTS: self._inputs,
            codes.SERVICE_ACCELEROMETER: self._accelerometer,
            codes.SERVICE_RECALL: self._recall,
            codes.SERVICE_LOG: self._log,
            codes.SERVICE_FRAME: self._frame,
            codes.SERVICE_DICE_MAP_READ: self._dice_map_read,
            codes.SERVICE_CURRENT: self._current,
            codes.SERVICE_SETTINGS: self._settings,
        }

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
        die_set = self._die_set()
        out = bytearray((min(count, 255),))
        for i in range(min(count, _TAGS_MAX)):
            uid = uids[i * _UID : (i + 1) * _UID]
            out.extend(uid)
            out.append(die_set.find(uid) & 0xFF if die_set else 0xFF)
        return bytes(out)

    def _die_set(self):
        reader = self._parts.tag_reader
        if reader is not None:
            return reader.die_set
        stored = self._parts.files.load(
            DICE_FILE
        )  # a table that reads by camera may have tags in its dice all the same
        return DieSet(stored) if stored else None

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
        if not self._service.session.bulk_send(codes.BULK_LOG, MemorySource(text), now):
            raise Refused("another transfer is under way")
        return struct.pack("<I", len(text))

    def _frame(self, data, now):
        """A picture of now; it follows as a bulk transfer, luma, row after row. Answers width and height u16. Flags: by lamp 1
        and not 0; in colour, U and V after luma; that only in service, which is left through the self-test: it sets the camera
        for play again."""
        from controller.colour_frame import ColourSource  # a table without a camera does without these
        from controller.evidence import FrameSource

        flags = data[0] if data else 0
        colour = bool(flags & _COLOUR)
        if colour and self._parts.round.phase != codes.PHASE_SERVICE:
            raise Refused("enter service first")
        camera = getattr(self._parts.board, "camera", None)
        if self._parts.evidence:
            self._parts.evidence.drop()
        try:
            camera.start(colour or camera.colour)
            camera.light(1 if flags & _LAMP_1 else 0)
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
        if not self._service.session.bulk_send(codes.BULK_FRAME, source, now):
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


def _hex(data):
    return "".join([f"{b:02x}" for b in data])
