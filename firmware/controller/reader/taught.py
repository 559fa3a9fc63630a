"""Option B's calibration is two files, eye.bin and symbols.bin: both come into force, or the old ones stay. Not for their bytes.

They are written together as one file first; when that is whole, it is what counts, and the two are made from it, again after a
power cut until it is done. Before that moment the old set is untouched.
"""

import binascii
import struct

FILE = "taught.bin"
_EYE_FILE = (
    "eye.bin"  # as in calibration.py and symbols.py, which a self-test that finds nothing to finish does without
)
_SYMBOLS_FILE = "symbols.bin"
_HEAD = "<4sHH"
_MAGIC = b"TTS1"


def store(files, eye, faces):
    """Both, checked by whoever calls."""
    body = struct.pack(_HEAD, _MAGIC, len(eye), len(faces)) + eye + faces
    files.replace(FILE, body + struct.pack("<I", binascii.crc32(body)))
    finish(files)


def finish(files):
    """Ends what a power cut left undone."""
    data = files.load(FILE)
    if data is None:
        return
    head = struct.calcsize(_HEAD)
    if len(data) > head + 4 and struct.unpack("<I", data[-4:])[0] == binascii.crc32(data[:-4]):
        _, eye, faces = struct.unpack_from(_HEAD, data, 0)
        files.replace(_SYMBOLS_FILE, data[head + eye : head + eye + faces])
        files.replace(_EYE_FILE, data[head : head + eye])
    files.remove(FILE)
