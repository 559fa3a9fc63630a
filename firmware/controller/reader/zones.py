"""Zones of the camera's picture where a die may not come to rest, each with its no-roll cause (craps: rail, bowl, float). Not
for reading: it stands between the camera's reader and the consensus, and looks where the dice lay that were read.

A die that the camera can't see, because it left the picture or the plate, is missing, wherever it lies: that is called by people.
"""

import binascii
import struct

from dicewire import codes

from controller.target import const

FILE = "zones.bin"
CIRCLE = const(0)  # x, y, radius, inner radius: a disc, or a ring
BOX = const(1)  # left, top, right, bottom
OUTSIDE = const(2)  # x, y, radius: everything beyond
MOST = const(16)
_ROW = "<BBhhhh"
_SIZE = const(10)
_MAGIC = b"TZN1"
_SEEN = const(256)  # as in stills.py
_CRAPS = const(2)  # dice: Sic Bo's documents know no zones


class BadZones(ValueError):
    """Not a file of zones; `tumbler calibrate --zones FILE` writes one."""


def unpack(data):
    """Rows of (cause, shape, four numbers)."""
    if len(data) < 9 or data[:4] != _MAGIC or data[4] > MOST or len(data) != 9 + data[4] * _SIZE:
        raise BadZones("zones.bin: not a file of zones: `tumbler calibrate --zones FILE`")
    if struct.unpack("<I", data[-4:])[0] != binascii.crc32(data[:-4]):
        raise BadZones("zones.bin is damaged: `tumbler calibrate --zones FILE`")
    rows = [struct.unpack_from(_ROW, data, 5 + k * _SIZE) for k in range(data[4])]
    for row in rows:
        if row[1] > OUTSIDE or not row[0]:
            raise BadZones("zones.bin: a zone of shape %d with cause %d" % (row[1], row[0]))
    return rows


def holds(row, x, y):
    _, shape, a, b, c, d = row
    if shape == BOX:
        return a <= x <= c and b <= y <= d
    away = (x - a) ** 2 + (y - b) ** 2
    if shape == OUTSIDE:
        return away > c * c
    return d * d <= away <= c * c


class Zoned:
    """A camera's reader whose dice must lie outside of all zones. As every reader: begin(), step() until `done`."""

    def __init__(self, reader, files):
        self._reader = reader
        self._files = files
        self._rows = []
        self._bad = False
        self._dice = 0
        self.done = True
        self.cause = self.detail = self.reads = self.opinions = 0
        self.faces = self.evidence = b""

    def begin(self, now, dice):
        self.done = False
        self._dice = dice
        self._rows = []
        self._bad = False
        data = self._files.load(FILE) if dice == _CRAPS else None
        if data is not None:
            try:
                self._rows = unpack(data)
            except BadZones:
                self._bad = True
        self._reader.begin(now, dice)
        self._take()

    def step(self, now):
        if not self.done:
            self._reader.step(now)
            self._take()

    def _take(self):
        reader = self._reader
        self.done = reader.done
        if not reader.done:
            return
        self.cause, self.detail, self.reads, self.opinions = reader.cause, reader.detail, reader.reads, reader.opinions
        self.faces, self.evidence = reader.faces, reader.evidence
        if self.cause:
            return
        if self._bad:
            self._refuse(codes.CAUSE_UNREADABLE, codes.SIGHT_NOT_CALIBRATED)
            return
        for at in range(0, len(self.evidence) - 2, 3):  # face, x / 2, y / 2 of each die
            for row in self._rows:
                if holds(row, self.evidence[at + 1] * 2 + 1, self.evidence[at + 2] * 2 + 1):
                    self._refuse(row[0], codes.SIGHT_IN_ZONE)
                    return

    def _refuse(self, cause, sight):
        self.cause = cause
        self.detail = _SEEN + sight
        self.faces = b""
        self.opinions = 0
