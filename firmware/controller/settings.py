"""How the table plays: the host's SETTINGS, checked, and kept over a power cut so that it plays on without the host."""

import binascii
import struct

FILE = "settings.bin"
_LAYOUT = "<IHBIIHBBB"
# name, default, least, most. A 0 from the host where the least is more than 0 means: the controller's default.
FIELDS = (
    ("min_spin_ms", 2000, 500, 60000),
    ("min_tumbles", 8, 0, 10000),
    ("entry", 0, 0, 1),
    ("auto_paid_ms", 0, 0, 3600000),
    ("spin_ms", 2500, 1000, 60000),
    ("spin_rpm", 700, 200, 850),
    ("still_reads", 3, 2, 10),
    ("lock_after", 3, 1, 20),
    ("brightness", 160, 16, 255),
)


class Settings:
    def __init__(self, files):
        self._files = files
        for name, default, _, _ in FIELDS:
            setattr(self, name, default)
        self.sound = True

    def load(self):
        data = self._files.load(FILE)
        self.sound = data is None or self._take(data)

    def _take(self, data):
        size = struct.calcsize(_LAYOUT)
        if len(data) != size + 4 or binascii.crc32(data[:size]) != struct.unpack_from("<I", data, size)[0]:
            return False
        for (name, _, _, _), value in zip(FIELDS, struct.unpack_from(_LAYOUT, data)):  # noqa: B905
            setattr(self, name, value)
        return True

    def values(self):
        return {name: getattr(self, name) for name, _, _, _ in FIELDS}

    def refusal(self, values):
        """What is wrong with values from the host, or an empty string."""
        for name, _, least, most in FIELDS:
            if not least <= values[name] <= most and not (values[name] == 0 and least > 0):
                return f"{name} {values[name]} is not {least} to {most}"
        return ""

    def apply(self, values):
        """Take checked values and keep them; True when something changed. Written only then: the host sends them often."""
        changed = False
        for name, default, least, _ in FIELDS:
            value = default if values[name] == 0 and least > 0 else values[name]
            changed = changed or value != getattr(self, name)
            setattr(self, name, value)
        if changed:
            data = struct.pack(_LAYOUT, *[getattr(self, name) for name, _, _, _ in FIELDS])
            self._files.replace(FILE, data + struct.pack("<I", binascii.crc32(data)))
        return changed
