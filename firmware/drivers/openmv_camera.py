"""The camera of an OpenMV board, through its firmware's `sensor` module. See camera.py for what it offers.

The frame stays in that firmware's frame buffer and is copied from there; frames are whole by its word, so `torn` speaks of a
frame of a wrong size only. One frame buffer, so that a snapshot is a frame begun after it was asked for: with more, that
firmware gives one of before, by the other lamp. Not for boards without that module: arducam.py.
"""

import sensor
from micropython import const

from drivers import camera, yuv
from drivers.camera import CHROMA_STEP, CHROMA_WIDTH, HEIGHT, WIDTH, CameraError

_EXPOSURE_US = const(10000)
_SKIP_MS = const(200)
_LEAST_SPREAD = const(2)  # grey steps: any picture, even of a dark plate, has noise


class OpenMvCamera(camera.Camera):
    def __init__(self, lamps=None):
        super().__init__(lamps)
        self._frame = None
        self._taken = False

    def start(self, colour: bool = False) -> None:
        self._frame = None
        self._relight()
        try:
            sensor.reset()
            sensor.set_pixformat(sensor.YUV422 if colour else sensor.GRAYSCALE)
            sensor.set_framebuffers(sensor.SINGLE_BUFFER)
            sensor.set_framesize(sensor.QVGA)
            sensor.set_auto_gain(False, gain_db=0)
            sensor.set_auto_whitebal(False, rgb_gain_db=(0, 0, 0))
            sensor.set_auto_exposure(False, exposure_us=_EXPOSURE_US)
            sensor.skip_frames(time=_SKIP_MS)
        except RuntimeError as error:  # what that module raises where there is no sensor
            raise CameraError("camera: %s" % error) from error
        self.colour = colour

    def expose(self, us: int, gain_db: int = 0) -> None:
        sensor.set_auto_exposure(False, exposure_us=us)
        sensor.set_auto_gain(False, gain_db=gain_db)

    def begin(self) -> None:
        self._taken = False

    def ready(self) -> bool:
        """That module has no way to ask: this waits for the frame, 50 ms at most. After a change of lamp it says no first."""
        if not self._taken:
            if self._mixes():
                return False
            try:
                picture = sensor.snapshot()
            except RuntimeError as error:
                raise CameraError("camera: %s" % error) from error
            self._frame = memoryview(picture.bytearray())
            self._taken = True
            self._new_frame(len(self._frame) != WIDTH * HEIGHT * (2 if self.colour else 1))
        return True

    def capture(self) -> int:
        return camera.take(self)

    def rewind(self) -> None:
        """The frame is in memory until the next: nothing to do but to count no second frame."""
        if not self._taken:
            raise CameraError("camera: no frame to read again")
        self._row = -1

    def read_rows_into(self, luma, first: int, n: int, u=None, v=None) -> None:
        frame = self._frame
        if frame is None or not self._taken:
            raise CameraError("camera: no frame to read; capture() first")
        if self.torn:
            raise CameraError("camera: a frame of %d bytes" % len(frame))
        if first < 0 or first + n > HEIGHT:
            raise ValueError("rows %d to %d of 240" % (first, first + n - 1))
        if not self.colour:
            luma[: n * WIDTH] = frame[first * WIDTH : (first + n) * WIDTH]
        else:
            for i in range(n):
                line = frame[(first + i) * 2 * WIDTH : (first + i + 1) * 2 * WIDTH]
                yuv.luma(line, luma, i * WIDTH, WIDTH)
                if u is not None and not (first + i) % CHROMA_STEP:
                    yuv.chroma(line, u, v, (first + i) // CHROMA_STEP * CHROMA_WIDTH, CHROMA_WIDTH, CHROMA_STEP)
        self._took(memoryview(luma)[: n * WIDTH], first, n)

    def selftest(self) -> bool:
        """It gives frames of the right size in which something varies, and the second is not the first."""
        self.fault = ""
        try:
            self.capture()
            if self.torn:
                self.fault = "camera: frames are not whole"
                return False
            row = bytearray(WIDTH)
            self.read_rows_into(row, HEIGHT // 2, 1)
            if max(row) - min(row) < _LEAST_SPREAD:
                self.fault = "camera: the picture is one grey"
        except OSError as error:
            self.fault = str(error)
        return not self.fault
