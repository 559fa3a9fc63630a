"""What a technician may teach a table with a camera: its calibration, and option B's faces with it. Half a set is not taken.

The requests of service.py that need the reader's files; a table without a camera does without them. A ValueError is the refusal.
"""

import hashlib
import struct

from dicewire import codes

from controller.target import const

EYE_FILE = "eye.bin"  # as in reader/calibration.py, which only a table with a camera loads
SYMBOLS_FILE = "symbols.bin"
_PART = const(180)  # bytes of a file in one answer
_LARGEST = const(2048)
_NAME = const(8)  # bytes of a SHA-256 that say which file is meant


class Teaching:
    def __init__(self, parts, service):
        self._parts = parts
        self._service = service
        self._faces = b""  # symbols.bin as far as it has come
        self.answers = {
            codes.SERVICE_CALIBRATION: self.calibration,
            codes.SERVICE_CALIBRATION_READ: self.calibration_read,
            codes.SERVICE_SYMBOLS: self.symbols,
            codes.SERVICE_SYMBOLS_READ: self.symbols_read,
            codes.SERVICE_ZONES: self.zones,
            codes.SERVICE_ZONES_READ: self.zones_read,
        }

    def calibration(self, data, now):
        """eye.bin; for option B with the first 8 bytes of the SHA-256 of the symbols.bin that was sent before. Checked before it
        replaces the old ones; in force at once."""
        reader = self._parts.camera_reader
        if reader is None:
            raise ValueError("this table does not read by camera")
        from controller.reader import camera

        files = self._parts.files
        if self._faces and len(data) > _NAME and hashlib.sha256(self._faces).digest()[:_NAME] == data[-_NAME:]:
            eye, faces = data[:-_NAME], self._faces
            if camera.kind(eye) != camera.SYMBOLS:
                raise ValueError("eye.bin is for dice with pips, and symbols were sent")
            from controller.reader import symbols, taught

            camera.check(eye)
            symbols.Taught(faces)
            taught.store(files, eye, faces)
            self._faces = b""
            text = camera.name(eye) + " " + camera.name(faces)
        else:
            eye = data
            if camera.kind(eye) == camera.SYMBOLS:
                raise ValueError("half a set: option B needs eye.bin and symbols.bin together")
            camera.check(eye)
            files.replace(camera.FILE, eye)
            text = camera.name(eye)
        if camera.kind(eye) == reader.kind:
            reader.load(files)
        else:
            # other dice are read by other files, and there is no room for both
            self._service.restart_by(self._parts.board.reset, now)
        self._parts.events.add(codes.EVENT_CALIBRATED, 0, 0, text)
        return b""

    def calibration_read(self, data, now):
        stored = self._parts.files.load(EYE_FILE)
        if stored is None:
            raise ValueError("the camera is not calibrated: `tumbler calibrate`")
        return stored

    def symbols(self, data, now):
        """A part of symbols.bin: offset u16, bytes; offset 0 begins anew. Answers how many bytes have come u16."""
        if len(data) < 3:
            raise ValueError("symbols: offset u16, bytes")
        offset = struct.unpack_from("<H", data, 0)[0]
        if offset == 0:
            self._faces = b""
        if offset != len(self._faces) or offset + len(data) > _LARGEST:
            raise ValueError("symbols: part at %d, %d bytes have come" % (offset, len(self._faces)))
        self._faces += data[2:]
        return struct.pack("<H", len(self._faces))

    def symbols_read(self, data, now):
        """Offset u16. Answers a part of what is stored, empty at its end."""
        stored = self._parts.files.load(SYMBOLS_FILE)
        if stored is None:
            raise ValueError("no symbols have been taught: `tumbler calibrate`")
        offset = struct.unpack("<H", data)[0] if len(data) == 2 else 0
        return stored[offset : offset + _PART]

    def zones(self, data, now):
        """zones.bin, checked before it replaces the old one. Nothing: no zones. The controller starts anew with them."""
        if self._parts.camera_reader is None:
            raise ValueError("this table does not read by camera")
        from controller.reader import zones

        if data:
            zones.unpack(bytes(data))
            self._parts.files.replace(zones.FILE, data)
        elif self._parts.files.load(zones.FILE) is not None:
            self._parts.files.remove(zones.FILE)
        self._service.restart_by(self._parts.board.reset, now)
        return b""

    def zones_read(self, data, now):
        return self._parts.files.load("zones.bin") or b""
