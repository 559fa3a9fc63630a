"""The controller's flash as a littlefs block device on a file.

Reads go to the file; programming and erasing go through the twin, which writes the file, counts the wear and can tear an
operation at any byte. As on NOR flash, programming only clears bits and erasing sets a whole block.
"""

import tablebus as bus
from micropython import const

BLOCK = const(4096)


class BlockFlash:
    def __init__(self, path, blocks):
        self._file = open(path, "rb")
        self._blocks = blocks

    def readblocks(self, n, buf, off=0):
        self._file.seek(n * BLOCK + off)
        self._file.readinto(buf)

    def writeblocks(self, n, buf, off=None):
        if off is None:
            bus.call(bus.OP_FLASH_ERASE, 0, n)
            off = 0
        bus.call(bus.OP_FLASH_PROGRAM, 0, n, off, buf)

    def ioctl(self, op, arg):
        if op == 4:
            return self._blocks
        if op == 5:
            return BLOCK
        if op == 6:
            bus.call(bus.OP_FLASH_ERASE, 0, arg)
        return 0
