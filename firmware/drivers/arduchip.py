"""ArduChip: the FIFO between image sensor and SPI (ArduCAM Mini 2MP Plus). Take one frame, say how long it is, give it out.

A command is a byte with the register's number, its top bit set to write, then a byte of data; CS stays low for both. A
burst read goes on from byte to byte as long as CS is low, and the next burst goes on where it ended. At most 8 MHz.
"""

from micropython import const

from drivers.camera import CameraError

_TEST = const(0x00)
_FRAMES = const(0x01)
_TIMING = const(0x03)
_VSYNC_LOW = const(0x02)
_FIFO = const(0x04)
_CLEAR_DONE = const(0x01)
_START = const(0x02)
_RESET_POINTERS = const(0x30)  # both: documents differ about which bit is which
_RESET_READ = const(0x20)  # by its register table; whoever reads a frame again holds it against the first time's CRC
_BURST = const(0x3C)
_STATUS = const(0x41)
_DONE = const(0x08)
_SIZE = const(0x42)
_WRITE = const(0x80)
_CHUNK = const(4096)  # so that a transfer leaves room for interrupts


class ArduChip:
    def __init__(self, spi, cs):
        self._spi = spi
        self._cs = cs
        self._two = bytearray(2)
        self._answer = bytearray(2)
        self._burst = bytes((_BURST,))

    def write(self, register: int, value: int) -> None:
        self._two[0] = register | _WRITE
        self._two[1] = value
        self._cs.value(0)
        self._spi.write(self._two)
        self._cs.value(1)

    def read(self, register: int) -> int:
        self._two[0] = register
        self._two[1] = 0
        self._cs.value(0)
        self._spi.write_readinto(self._two, self._answer)
        self._cs.value(1)
        return self._answer[1]

    def check(self) -> None:
        """Its test register keeps what is written: the SPI's wires are whole."""
        for pattern in (0x55, 0xAA):
            self.write(_TEST, pattern)
            kept = self.read(_TEST)
            if kept != pattern:
                raise CameraError("camera: test register keeps %02x as %02x; check SPI and CS" % (pattern, kept))

    def start(self) -> None:
        self.check()
        self.write(_TIMING, _VSYNC_LOW)
        self.write(_FRAMES, 0)  # one
        self.write(_FIFO, _CLEAR_DONE)

    def begin(self) -> None:
        """Take the next whole frame, from its first row."""
        self.write(_FIFO, _CLEAR_DONE)
        self.write(_FIFO, _RESET_POINTERS)
        if self.read(_STATUS) & _DONE:
            raise CameraError("camera: its FIFO says done before it began")
        self.write(_FIFO, _START)

    def rewind(self) -> None:
        """The next byte read is the frame's first again."""
        self.write(_FIFO, _RESET_READ)

    def done(self) -> bool:
        return bool(self.read(_STATUS) & _DONE)

    def length(self) -> int:
        return self.read(_SIZE) | self.read(_SIZE + 1) << 8 | (self.read(_SIZE + 2) & 0x7F) << 16

    def read_into(self, view) -> None:
        """The next bytes of the frame."""
        self._cs.value(0)
        self._spi.write(self._burst)
        n = len(view)
        if n <= _CHUNK:
            self._spi.readinto(view)
        else:
            whole = memoryview(view)
            for at in range(0, n, _CHUNK):
                self._spi.readinto(whole[at : at + _CHUNK])
        self._cs.value(1)
