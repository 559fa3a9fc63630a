"""The table's camera: an OV2640 behind an ArduChip FIFO. See camera.py for what it offers.

Luma comes as one byte a pixel straight into the caller's buffer (77 ms at 8 MHz). A sensor that gives YUV all the same is
known by the length of its frame, and its luma is taken out row by row: colour frames go that way too. A frame whose length is
neither is torn.

After a change of lamp the FIFO is told to take a frame only when none that is under way has seen both lamps: one taken and
thrown away would cost a frame time more, because the next has begun by the time that this one is known to be there.
"""

from micropython import const

from drivers import camera, yuv
from drivers.arduchip import ArduChip
from drivers.camera import CHROMA_STEP, CHROMA_WIDTH, HEIGHT, WIDTH, CameraError
from drivers.ov2640 import Ov2640

_PIXELS = const(76800)
_SPARE = const(16)  # bytes that the FIFO may have caught after the last row
_BARS = const(8)  # white, yellow, cyan, green, magenta, red, blue, black
_BAR_STEP = const(8)  # grey steps at least from one to the darker next


class ArduCam(camera.Camera):
    def __init__(self, spi, cs, i2c, address: int, lamps=None):
        super().__init__(lamps)
        self._fifo = ArduChip(spi, cs)
        self._sensor = Ov2640(i2c, address)
        self._line = bytearray(2 * WIDTH)
        self._half_line = memoryview(self._line)[:WIDTH]
        self._bytes = 0  # a pixel, in the frame that is in the FIFO; 0: there is none
        self._next = 0  # row that the FIFO gives next
        self._taking = False  # the FIFO was told to, and has not said that it is done
        self._spoilt = False  # the lamps changed meanwhile

    def start(self, colour: bool = False) -> None:
        self._bytes = 0
        self._taking = False
        self._relight()
        self._sensor.start(colour)
        self._fifo.start()
        self.colour = colour

    def expose(self, lines: int, gain: int = 0) -> None:
        """For calibration; see ov2640.py. Two frames pass until it shows."""
        self._sensor.expose(lines, gain)

    def light(self, lamp: int) -> None:
        if self._taking and lamp != self.lamp:
            self._spoilt = True
        super().light(lamp)

    def begin(self) -> None:
        self._bytes = 0
        self._taking = not self._mixes()
        self._spoilt = False
        if self._taking:
            self._fifo.begin()

    def ready(self) -> bool:
        if self._bytes:
            return True
        if not self._taking:
            self.begin()
            return False
        if not self._fifo.done():
            return False
        self._taking = False
        if self._spoilt:
            return False
        length = self._fifo.length()
        whole = 0
        for each in (1, 2):
            if 0 <= length - each * _PIXELS <= _SPARE:
                whole = each
        self._bytes = whole or (2 if self.colour else 1)
        self._next = 0
        self._new_frame(not whole or (self.colour and whole == 1))
        return True

    def capture(self) -> int:
        return camera.take(self)

    def rewind(self) -> None:
        if not self._bytes:
            raise CameraError("camera: no frame to read again")
        self._fifo.rewind()
        self._next = 0
        self._row = -1  # a second reading is not a second frame

    def read_rows_into(self, luma, first: int, n: int, u=None, v=None) -> None:
        if not self._bytes:
            raise CameraError("camera: no frame to read; capture() first")
        if first < self._next or first + n > HEIGHT:
            raise ValueError("rows %d to %d: the FIFO gives row %d next, of 240" % (first, first + n - 1, self._next))
        while self._next < first:
            self._fifo.read_into(self._half_line if self._bytes == 1 else self._line)
            self._next += 1
        if self._bytes == 1:
            view = memoryview(luma)[: n * WIDTH]
            self._fifo.read_into(view)
            self._took(view, first, n)
        else:
            self._rows_of_yuv(luma, first, n, u, v)
        self._next = first + n

    def _rows_of_yuv(self, luma, first: int, n: int, u, v) -> None:
        line = self._line
        for i in range(n):
            self._fifo.read_into(line)
            yuv.luma(line, luma, i * WIDTH, WIDTH)
            if u is not None and not (first + i) % CHROMA_STEP:
                yuv.chroma(line, u, v, (first + i) // CHROMA_STEP * CHROMA_WIDTH, CHROMA_WIDTH, CHROMA_STEP)
        self._took(memoryview(luma)[: n * WIDTH], first, n)

    def selftest(self) -> bool:
        """Starts it, then looks whether its test bars come through with every data wire moving. Takes 0.7 s."""
        self.fault = ""
        try:
            self.start(self.colour)
            self._sensor.bars(True)
            try:
                self.capture()
                if self.torn:
                    self.fault = "camera: frames are not whole"
                else:
                    self._test_row()
            finally:
                self._sensor.bars(False)
        except OSError as error:
            text = str(error)
            self.fault = text if text.startswith("camera") else "camera: no answer"
        return not self.fault

    def _test_row(self) -> None:
        """A stuck wire gives bits that never change; a hung sensor gives no bars."""
        row = bytearray(WIDTH)
        self.read_rows_into(row, HEIGHT // 2, 1)
        ones, zeros = 0, 0
        for x in range(WIDTH):
            ones |= row[x]
            zeros |= ~row[x]
        if ones & zeros & 0xFF != 0xFF:
            self.fault = "camera: data wires that never change: %02x" % (~(ones & zeros) & 0xFF)
            return
        bar = WIDTH // _BARS
        for x in range(bar // 2, WIDTH - bar, bar):
            if row[x] - row[x + bar] < _BAR_STEP:
                self.fault = "camera: its test bars do not come through"
