"""What a technician taught a table with symbols about its camera, and where it is kept. Dice with pips: pip_table.py.

A file with a CRC; the first 8 bytes of its SHA-256 are its name in reports, so that a result can be traced to the
calibration it was read by.
"""

import binascii
import hashlib
import struct

from controller.reader.feet import Feet

_FORM = "<4sBBHffffffHHHHfff6fHH"
_MAGIC = b"TEY5"
FILE = "eye.bin"
PIPS = 0
SYMBOLS = 1


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
        self.lean_x = self.lean_y = 0.0  # of the camera: a step at the rim is so much larger, along x and along y
        self.ground = 0  # middle level of the bare plate; 0 in these four: not measured
        self.bright = 0  # level that one pixel in fifty of the plate exceeds
        self.sharp = 0  # steepest edges, in grey steps a pixel
        self.grain = 0  # share of the bare plate that isn't even, in thousandths
        self.feet = Feet()
        self.colour = (
            0  # beside the dice: samples of chroma that aren't the plate's, and bright pixels at half size (beside.py)
        )
        self.light = 0

    def pack(self):
        body = struct.pack(
            _FORM, _MAGIC, self.kind, self.inv, int(self.contrast), self.step, self.radius, self.spread,
            self.plate.x, self.plate.y, self.plate.r,
            int(self.ground), int(self.bright), int(self.sharp), int(self.grain), self.bend, self.lean_x, self.lean_y,
            *self.feet.values(), self.colour, self.light,
        )  # fmt: skip
        return body + struct.pack("<I", binascii.crc32(body))


def unpack(data):
    if data is None or len(data) != struct.calcsize(_FORM) + 4 or data[:4] != _MAGIC:
        raise BadCalibration("eye.bin: no calibration of the camera: `tumbler calibrate`")
    if struct.unpack("<I", data[-4:])[0] != binascii.crc32(data[:-4]):
        raise BadCalibration("eye.bin: the calibration of the camera is damaged: `tumbler calibrate`")
    row = struct.unpack(_FORM, data[:-4])
    known = Calibration(row[4], row[5], row[2], row[3], row[6])
    known.kind = row[1]
    known.plate = Plate(row[7], row[8], row[9])
    known.ground, known.bright, known.sharp, known.grain, known.bend = row[10:15]
    known.lean_x, known.lean_y = row[15:17]
    known.feet = Feet(*row[17:23])
    known.colour, known.light = row[23:]
    return known


def name(data):
    """Of a stored calibration, for reports: 16 hex digits."""
    return "".join(["%02x" % b for b in hashlib.sha256(data).digest()[:8]])
