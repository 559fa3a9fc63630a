"""Which way this table's camera reads: dice with pips or with symbols, by what it was taught. Not for reading.

The files of the other way are not loaded: an RP2040 has no room for both.
"""

from controller.target import const

FILE = "eye.bin"
PIPS = const(0)
SYMBOLS = const(1)


def kind(data):
    """Of an eye.bin; a table that was taught nothing yet has pips."""
    return SYMBOLS if data and data[:4] == b"TEY5" else PIPS


def buffers(files):
    """Memory for reading, to be taken before the heap is in pieces."""
    if kind(files.load(FILE)) == SYMBOLS:
        from controller.reader import symbol_reader

        return symbol_reader.Buffers()
    from controller.reader import pip_reader

    return pip_reader.Buffers()


def reader(files, camera, settings, cover, memory):
    if kind(files.load(FILE)) == SYMBOLS:
        from controller.reader import symbol_reader

        return symbol_reader.SymbolReader(camera, settings, cover, memory)
    from controller.reader import pip_reader

    return pip_reader.PipReader(camera, settings, cover, memory)


def check(data):
    """Raises BadCalibration where this is no sound eye.bin."""
    if kind(data) == SYMBOLS:
        from controller.reader import calibration

        calibration.unpack(data)
    else:
        from controller.reader import pip_table

        pip_table.unpack(data)


def name(data):
    """Of a stored calibration, for reports: 16 hex digits."""
    import hashlib

    return "".join(["%02x" % b for b in hashlib.sha256(data).digest()[:8]])
