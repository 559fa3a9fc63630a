"""What a technician taught this table about its camera and its dice with pips, and how it is kept. Not for finding it: lesson.py
and the host. Symbols have their own: calibration.py.

A file with a CRC; the first 8 bytes of its SHA-256 are its name in reports, so that a result can be traced to the
calibration it was read by.
"""

import binascii
import struct

from controller.reader.view import EDGE, HEIGHT, View

FORM = "<4sBBH44fHHHH"
MAGIC = b"TEY4"
SIZE = struct.calcsize(FORM) + 4
WIDTH = 240  # of the square of the frame that is kept: dice at the rim reach farther out than the plate
KIND_PIPS = 0
_NUMBERS = (
    "x", "y", "focal", "bend", "tilt_x", "tilt_y",  # of the view
    "pitch", "size", "one_size",  # mm: between rows of pips, radius of a pip and of a single one
    "lamp0_x", "lamp0_y", "lamp1_x", "lamp1_y",  # mm from the middle of the plate, as if they hung LAMP_HEIGHT above it
    # where a flat die's outline is found against where it should be, in mm, of an upper edge and of a foot; what comes to that for
    # each mm that it is farther out than an upper edge, for the slopes of both lamps, the less and the more, and for what the more
    # lacks of DIM; and how far off it may be
    "edge0", "edge0_out", "edge0_less", "edge0_more", "edge0_dim",
    "edge1", "edge1_out", "edge1_less", "edge1_more", "edge1_dim", "slack0", "slack1",
    "plate_r",  # mm of the bare plate that is looked at
    # grey level of the bare plate by one lamp and by the other, by the share of plate_r
    "g0", "gx", "gy", "gxx", "gxy", "gyy", "h0", "hx", "hy", "hxx", "hxy", "hyy",
    "glare0_x", "glare0_y", "glare0_r", "glare1_x", "glare1_y", "glare1_r",  # mm on the plate: where the lamps are mirrored
)  # fmt: skip
LAMP_HEIGHT = 250.0
DIM = 0.15  # slope of a lamp to a side: below, the side is dim
FOOT = 0.3  # mm that a foot stands out to be in view


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
        self.lamps = (numbers[9:11], numbers[11:13])
        self._edges = (numbers[13:18], numbers[18:23])
        self._slacks = numbers[23:25]
        self._grounds = (numbers[26:32], numbers[32:38])
        self.glares = (numbers[38:41], numbers[41:44])
        self.ground = ground
        self.bright = bright
        self.sharp = sharp
        self.grain = 0
        self.view = View(*numbers[:6])
        self.left = max(0, min(320 - WIDTH, int(self.x) - WIDTH // 2))
        scale = self.focal / (HEIGHT - EDGE)
        self.middle = max(self.level(0, 0, 0), self.level(1, 0, 0))
        self.radius = self.size * scale  # pixels
        self.one = self.one_size * scale

    def like(self, mark):
        """A mark of a pip's size and shape."""
        return 0.75 < mark.r / self.radius < 1.3 and mark.long < 1.5

    def like_one(self, mark):
        return 0.78 < mark.r / self.one < 1.25 and mark.long < 1.4

    def side(self, at):
        """Which of both kinds a side is whose outline is `at` mm from the face's middle: with its foot in view, or not."""
        return 1 if at > EDGE / 2 + FOOT else 0

    def odd(self, edge, at, lit):
        """How unusual it is to find a flat die's outline there: 1 is the most that is allowed."""
        kind = self.side(at)
        flat, out, less, more, dim = self._edges[kind]
        best = max(lit)
        usual = flat + out * (at - EDGE / 2) + less * min(lit) + more * best + dim * max(0.0, DIM - best)
        return (edge - usual) / self._slacks[kind]

    def lit(self, pose, c, s, lamp):
        """How far this lamp stands to this side of a die, as a slope: below zero the side and the plate beyond lie in shadow."""
        x, y = pose.outward(c, s)
        at = self.lamps[lamp]
        return ((at[0] - pose.x) * (x - pose.x) + (at[1] - pose.y) * (y - pose.y)) / LAMP_HEIGHT

    def level(self, lamp, x, y):
        """Grey level of the bare plate at this place by this lamp."""
        g, gx, gy, gxx, gxy, gyy = self._grounds[lamp]
        x /= self.plate_r
        y /= self.plate_r
        return g + gx * x + gy * y + gxx * x * x + gxy * x * y + gyy * y * y

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
    return Taught(row[2], row[3], row[4:48], row[48], row[49], row[50])
