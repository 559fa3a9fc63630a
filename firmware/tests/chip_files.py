"""The controller's files on a real littlefs, on a flash chip in memory that notes every operation: for wear and torn blocks.

Set up as MicroPython's VfsLfs2 sets it up for a Pico. Not for torn appends: cuts.py does those a thousand times faster.
"""

from littlefs import LittleFS, UserContext
from littlefs.errors import LittleFSError

BLOCK = 4096
BLOCKS = 352  # what MicroPython leaves to files on a Pico's 2 MB
_TORN = 0x5A  # which bits of the byte under way have changed already


class Chip(UserContext):
    """NOR flash: programming clears bits, erasing sets a block. `done` has each operation with its bytes."""

    def __init__(self, image=None, blocks=BLOCKS):
        super().__init__(buffer=bytearray(image) if image is not None else bytearray(b"\xff" * (blocks * BLOCK)))
        self.blocks = len(self.buffer) // BLOCK
        self.erases = [0] * self.blocks
        self.done = []  # (offset in the chip, bytes that lie there afterwards)

    def read(self, cfg, block, off, size):
        at = block * BLOCK + off
        return self.buffer[at : at + size]

    def prog(self, cfg, block, off, data):
        at, size = block * BLOCK + off, len(data)
        both = int.from_bytes(self.buffer[at : at + size], "big") & int.from_bytes(data, "big")
        self._write(at, both.to_bytes(size, "big"))
        return 0

    def erase(self, cfg, block):
        self.erases[block] += 1
        self._write(block * BLOCK, b"\xff" * BLOCK)
        return 0

    def _write(self, at, data):
        self.done.append((at, data))
        self.buffer[at : at + len(data)] = data


def torn(image, operations, last, byte):
    """What a chip holds when the power fails at this byte of the last of these operations."""
    left = bytearray(image)
    for at, data in operations[:last]:
        left[at : at + len(data)] = data
    at, data = operations[last]
    left[at : at + byte] = data[:byte]
    left[at + byte] = left[at + byte] & ~_TORN & 0xFF | data[byte] & _TORN
    return left


class ChipFiles:
    """As controller.files.Files."""

    def __init__(self, chip, format=False):
        self.chip = chip
        self._fs = LittleFS(
            context=chip, mount=not format, block_size=BLOCK, block_count=chip.blocks, read_size=32, prog_size=32,
            cache_size=128, lookahead_size=32, block_cycles=100,
        )  # fmt: skip
        if format:
            self._fs.format()
            self._fs.mount()

    def names(self, ending):
        return sorted(name for name in self._fs.listdir("/") if name.endswith(ending))

    def open(self, name):
        return self._fs.open(name, "rb")

    def load(self, name):
        return self.open(name).read() if name in self.names("") else None

    def append(self, name, data):
        try:
            with self._fs.open(name, "ab" if name in self.names("") else "wb") as f:  # its "ab" makes no file
                f.write(data)
        except LittleFSError as e:
            raise OSError(5, str(e)) from None

    def remove(self, name):
        self._fs.remove(name)

    def free_bytes(self):
        return (self.chip.blocks - self._fs.used_block_count) * BLOCK
