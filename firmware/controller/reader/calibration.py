"""What a technician taught this table about its camera and dice, and where it is kept. Not for finding it: calibrate.py.

A file of 32 bytes with a CRC: magic, step and pip radius in pixels, polarity, contrast. Its CRC is its name in reports: a
result can be traced to the calibration it was read by.
"""

import binascii
import struct

_FORM = "<4sffHHff"
_MAGIC = b"TEY1"
FILE = "eye.bin"


class BadCalibration(Exception):
    """The file is not a calibration, or not a whole one; calibrate the table again."""


class Calibration:
    """step: between two rows of pips of a die lying flat; radius: of a pip; inv: 255 for light pips on dark dice."""

    def __init__(self, step, radius, inv, contrast, spread=0.03):
        self.step = step
        self.radius = radius
        self.inv = inv
        self.contrast = contrast
        self.spread = spread  # of the steps seen at calibration: how well this table's picture allows to measure

    def pack(self):
        body = struct.pack(_FORM, _MAGIC, self.step, self.radius, self.inv, int(self.contrast), self.spread, 0.0)
        return body + struct.pack("<I", binascii.crc32(body))

    def like_pip(self, pip):
        """By polarity and size: a glare may have taken its contrast."""
        return pip.inv == self.inv and 0.72 < pip.r / self.radius < 1.45

    def fits_pip(self, pip):
        return self.like_pip(pip) and pip.contrast() > 0.3 * self.contrast

    def fits(self, face):
        return 0.9 < face.size() / (self.step * self.step) < 1.12

    def flat(self, face, shape):
        """Seen as a die that lies flat: neither nearer to the camera nor foreshortened. Small tilts are the tags' to see."""
        if face.number < 4:
            return True
        limit = max(0.025, 3 * self.spread)
        ratio = face.size() / (self.step * self.step)
        return 1 - 2 * limit < ratio < 1 + 2 * limit and shape[2] > 0.955


def unpack(data):
    if len(data) != struct.calcsize(_FORM) + 4 or data[:4] != _MAGIC:
        raise BadCalibration("not a calibration of the camera")
    if struct.unpack("<I", data[-4:])[0] != binascii.crc32(data[:-4]):
        raise BadCalibration("the calibration of the camera is damaged")
    _, step, radius, inv, contrast, spread, _ = struct.unpack(_FORM, data[:-4])
    return Calibration(step, radius, inv, contrast, spread)
