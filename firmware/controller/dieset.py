"""The sealed set of dice: which tag is behind which face of which die.

Provisioned once a set, into dice.bin: "TDM1", count, count x (uid 8, die, face), CRC-32. A tag answers when its face lies
down on the plate, so the face shown is 7 less the tag's (Sic Bo 2.2.5: opposite sides make seven).
"""

import binascii
import struct

from controller.target import const

FILE = "dice.bin"
_MAGIC = b"TDM1"
_ROW = const(10)
_UID = const(8)


class DieSet:
    def __init__(self, data):
        if data is None:
            raise ValueError(f"{FILE} is missing: provision the die set")
        if len(data) < 9 or data[:4] != _MAGIC or len(data) != 9 + data[4] * _ROW:
            raise ValueError(f"{FILE}: {len(data)} bytes are not a die set: provision it again")
        if binascii.crc32(data[:-4]) != struct.unpack_from("<I", data, len(data) - 4)[0]:
            raise ValueError(f"{FILE}: CRC is wrong: provision it again")
        self._tags = {}
        for i in range(data[4]):
            at = 5 + i * _ROW
            die, face = data[at + _UID], data[at + _UID + 1]
            if not 1 <= face <= 6 or die > 7:
                raise ValueError(f"{FILE}: row {i}: die {die} face {face}")
            self._tags[data[at : at + _UID]] = die << 4 | face
        self.dice = 1 + max(code >> 4 for code in self._tags.values()) if self._tags else 0
        codes = sorted(self._tags.values())
        if codes != [die << 4 | face for die in range(self.dice) for face in range(1, 7)]:
            raise ValueError(f"{FILE}: not every die has its six faces once")

    def find(self, uid):
        """-> die << 4 | face behind which this tag sits, or -1 for a tag that is not of the set."""
        return self._tags.get(bytes(uid), -1)
