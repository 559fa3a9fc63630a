"""What a technician taught this table about its camera and its dice with pips, and how it is kept. Not for finding it: lesson.py
and the host. Symbols have their own: calibration.py.

A file with a CRC; the first 8 bytes of its SHA-256 are its name in reports, so that a result can be traced to the
calibration it was read by.
"""

import binascii
import struct

from controller.reader.view import EDGE, HEIGHT, View

FORM = "<4sBBH29fHHHH"
MAGIC = b"TEY3"
SIZE = struct.calcsize(FORM) + 4
WIDTH = 240  # of the square of the frame that is kept: dice at the rim reach farther out than the plate
KIND_PIPS = 0
_NUMBERS = (
    "x", "y", "focal", "bend", "tilt_x", "tilt_y",  # of the view
    "pitch", "size", "one_size",  # mm: between rows of pips, radius of a pip and of a single one
    "lamp_x", "lamp_y",  # mm from the middle of the plate, as if it hung LAMP_HEIGHT above it
    # mm: where a flat die's outline is found against where it should be, and how far it may be off; of the upper edge where
    # the lamp shines and in the shade, of the foot where it shines and in the shade
    "edge0", "edge1", "edge2", "edge3", "slack0", "slack1", "slack2", "slack3",
    "plate_r",  # mm of the bare plate that is looked at
    "g0", "gx", "gy", "gxx", "gxy", "gyy",  # grey level of the bare plate, by the share of plate_r
    "glare_x", "glare_y", "glare_r",  # mm on the plate: where the lamp is mirrored
)  # fmt: skip
LAMP_HEIGHT = 250.0
FOOT = 0.3  # mm that a foot stands out to be in view
SHADE = 0.03  # slope of the lamp to a side: below, the side is in the shade


class BadCalibration(ValueError):
    """The file is not a calibration, or not a whole one; calibrate the table again."""


class Taught:
    """The numbers above, and inv (255 for light pips), contrast, ground, bright, sharp."""

    kind = KIND_PIPS

    def __init__(self, inv, contrast, numbers, ground=0, bright=0, sharp=0):
        self.inv = inv
        self.contrast = contrast
        self.numbers = numbers
        for k, name in enumerate(_NUMBERS):
            setattr(self, name, numbers[k])
        self.edges = numbers[11:15]
        self.slacks = numbers[15:19]
        self.ground = ground
        self.bright = bright
        self.sharp = sharp
        self.grain = 0
        self.view = View(*numbers[:6])
        self.left = max(0, min(320 - WIDTH, int(self.x) - WIDTH // 2))
        scale = self.focal / (HEIGHT - EDGE)
        self.radius = self.size * scale  # pixels
        self.one = self.one_size * scale

    def like(self, mark):
        """A mark of a pip's size and shape."""
        return 0.75 < mark.r / self.radius < 1.3 and mark.long < 1.5

    def like_one(self, mark):
        return 0.78 < mark.r / self.one < 1.25 and mark.long < 1.4

    def side(self, pose, c, s, at):
        """Which of the four kinds this side is: its foot in view or not, in the light or not."""
        return (2 if at > EDGE / 2 + FOOT else 0) + (1 if self.lit(pose, c, s) < SHADE else 0)

    def lit(self, pose, c, s):
        """How far the lamp stands to this side of a die, as a slope: what is well below zero lies in its own shadow."""
        x, y = pose.outward(c, s)
        return ((self.lamp_x - pose.x) * (x - pose.x) + (self.lamp_y - pose.y) * (y - pose.y)) / LAMP_HEIGHT

    def pack(self):
        body = struct.pack(
            FORM, MAGIC, KIND_PIPS, self.inv, int(self.contrast), *self.numbers,
            int(self.ground), int(self.bright), int(self.sharp), 0,
        )  # fmt: skip
        return body + struct.pack("<I", binascii.crc32(body))


def unpack(data):
    """Raises BadCalibration."""
    if data is None or len(data) != SIZE or data[:4] != MAGIC:
        raise BadCalibration("eye.bin: no calibration of the camera: `tumbler calibrate`")
    if struct.unpack("<I", data[-4:])[0] != binascii.crc32(data[:-4]):
        raise BadCalibration("eye.bin: the calibration of the camera is damaged: `tumbler calibrate`")
    row = struct.unpack(FORM, data[:-4])
    return Taught(row[2], row[3], row[4:33], row[33], row[34], row[35])
