"""What a technician taught a table with symbols about its camera, and where it is kept. Dice with pips: pip_table.py.

A file with a CRC; the first 8 bytes of its SHA-256 are its name in reports, so that a result can be traced to the
calibration it was read by.
"""

import binascii
import hashlib
import struct
from math import sqrt

_FORM = "<4sBBHffffffHHHHf"
_MAGIC = b"TEY2"
FILE = "eye.bin"
PIPS = 0
SYMBOLS = 1
_WHITEST = 8  # grey steps from white: no ink is nearer, but the lamp's reflection
MIDDLE = 0.3  # of the plate's radius squared: where a die lies on average, and where `step` is as it says


class BadCalibration(ValueError):
    """The file is not a calibration, or not a whole one; calibrate the table again."""


class Plate:
    """The circle inside the gasket, in pixels of the frame."""

    def __init__(self, x, y, r):
        self.x = x
        self.y = y
        self.r = r

    def cuts(self, thing):
        """Does this thing reach the rim, so that what was found of it may not be all? By its middle and its half length."""
        half = max(thing.right - thing.left, thing.bottom - thing.top) / 2
        away = (thing.x - self.x) ** 2 + (thing.y - self.y) ** 2
        return away > max(0, self.r - 4 - half) ** 2


class Calibration:
    """step: between two rows of pips of a die lying flat; radius: of a pip; inv: 255 for light pips on dark dice."""

    def __init__(self, step, radius, inv, contrast, spread=0.03):
        self.step = step
        self.radius = radius
        self.inv = inv
        self.contrast = contrast
        self.spread = spread  # of the steps seen at calibration: how well this table's picture allows to measure
        self.kind = PIPS
        self.plate = Plate(160.0, 120.0, 104.0)
        self.bend = 0.0  # of the lens: a step at the plate's rim is 1 - bend of one in its middle
        self.ground = 0  # middle level of the bare plate; 0 in these four: not measured
        self.bright = 0  # level that one pixel in fifty of the plate exceeds
        self.sharp = 0  # steepest edges, in grey steps a pixel
        self.grain = 0  # share of the bare plate that isn't even, in thousandths

    def pack(self):
        body = struct.pack(
            _FORM, _MAGIC, self.kind, self.inv, int(self.contrast), self.step, self.radius, self.spread,
            self.plate.x, self.plate.y, self.plate.r,
            int(self.ground), int(self.bright), int(self.sharp), int(self.grain), self.bend,
        )  # fmt: skip
        return body + struct.pack("<I", binascii.crc32(body))

    def like_pip(self, pip):
        """By polarity and size: a glare may have taken its contrast."""
        return pip.inv == self.inv and 0.72 < pip.r / self.radius < 1.45

    def fits_pip(self, pip):
        return self.like_pip(pip) and pip.contrast() > 0.3 * self.contrast

    def ratio(self, face):
        """Size of a face against a flat one's at its place: a lens shows less of it toward the rim."""
        step = self._step_at(face)
        return face.size() / (step * step)

    def _step_at(self, face):
        away = (face.x - self.plate.x) ** 2 + (face.y - self.plate.y) ** 2
        return self.step * (1 - self.bend * (away / (self.plate.r * self.plate.r) - MIDDLE))

    def _diagonal(self, face):
        """Of a two or three against a flat one's: between the two pips that are farthest apart."""
        far = max([(p.x - q.x) ** 2 + (p.y - q.y) ** 2 for p in face.pips for q in face.pips])
        return sqrt(far / 8) / self._step_at(face)

    def seen_from(self, left, top):
        """The same in the measure of a window of the frame."""
        moved = Calibration(self.step, self.radius, self.inv, self.contrast, self.spread)
        moved.plate = Plate(self.plate.x - left, self.plate.y - top, self.plate.r)
        moved.bend = self.bend
        return moved

    def fits(self, face):
        return 0.9 < self.ratio(face) < 1.12

    def flat(self, face, shape):
        """Seen as a die that lies flat: neither nearer to the camera nor foreshortened. Small tilts are the tags' to see."""
        for pip in face.pips:
            if face.number > 1 and not 0.84 < pip.r / self.radius < 1.12:
                return False  # a reflection beside pips, or half over one
        if face.number == 1:
            return shape[2] > 0.87 and not (self.inv and face.pips[0].core < _WHITEST)
        if face.number < 4:
            return shape[2] > 0.915 and 0.972 < self._diagonal(face) < 1.028
        limit = max(0.015, 1.5 * self.spread)
        ratio = self.ratio(face)
        if face.number == 6:
            limit = max(0.025, 3 * self.spread)
            return 1 - 2 * limit < ratio < 1 + 2 * limit and shape[2] > 0.955
        return 1 - 2 * limit < ratio < 1 + 2 * limit and shape[2] > 1 - max(0.03, 3 * self.spread)


def unpack(data):
    if data is None or len(data) != struct.calcsize(_FORM) + 4 or data[:4] != _MAGIC:
        raise BadCalibration("eye.bin: no calibration of the camera: `tumbler calibrate`")
    if struct.unpack("<I", data[-4:])[0] != binascii.crc32(data[:-4]):
        raise BadCalibration("eye.bin: the calibration of the camera is damaged: `tumbler calibrate`")
    row = struct.unpack(_FORM, data[:-4])
    known = Calibration(row[4], row[5], row[2], row[3], row[6])
    known.kind = row[1]
    known.plate = Plate(row[7], row[8], row[9])
    known.ground, known.bright, known.sharp, known.grain, known.bend = row[10:]
    return known


def name(data):
    """Of a stored calibration, for reports: 16 hex digits."""
    return "".join(["%02x" % b for b in hashlib.sha256(data).digest()[:8]])
