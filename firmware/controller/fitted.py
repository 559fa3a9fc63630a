"""What reads the dice of this table: tags, camera or both. A fact of the machine, written by a technician into one byte.

Without the file a table has tags. With both, both must read and agree; there is no third way (consensus.py).
"""

from controller.target import const

FILE = "readers.bin"
TAGS = const(1)
CAMERA = const(2)
BOTH = const(3)
NAMES = {TAGS: "tags", CAMERA: "camera", BOTH: "both"}


def readers(files):
    """-> bits. A file that is no such byte counts as both: a table that reads too little by mistake is the worse one."""
    try:
        data = files.load(FILE)
    except OSError:  # a flash that can't be read: the table does not play, and starts anew when it can be
        data = None
    if data is None:
        return TAGS
    return data[0] if len(data) == 1 and TAGS <= data[0] <= BOTH else BOTH
