"""What every camera of the table offers, whatever chip it is: frames of luma, read by rows into the caller's buffer.

    camera.start(colour=False)          set it up: fixed exposure, gain and white balance. OSError where there is none
    camera.light(1)                     by which of its two lamps the next frame is taken, all of it; before begin()
    camera.capture()                    take a frame and wait for it; or begin(), then ready() until it is True
    camera.read_rows_into(luma, 0, 240) rows of the frame taken last, 320 bytes each, from the top of `luma` on; in order they
                                        cost no more than their bytes. u and v, where given, take the chroma of every fourth
                                        row and pixel, 80 bytes a row of theirs; only after start(colour=True)
    camera.rewind()                     the same frame again, from its first row, until begin()
    camera.torn, camera.frozen          after the last row: the frame is not whole; it is bit for bit the one before
    camera.selftest(), camera.fault     as every driver

Each frame costs one pass of crc32 (C code), because a sensor that hangs goes on delivering its last picture, and a real one
never gives the same noise twice.

The sensor's shutter rolls: its rows are exposed one after the other, into the frame time that follows. A frame that begins
within a frame time of the lamps' change may have seen both in its upper rows, so none is begun before that has passed. Say
light() as soon as ready() is True: then it passes while the frame is read. Not here: what the picture shows
(controller/reader).
"""

import binascii
import time

from micropython import const

WIDTH = const(320)
HEIGHT = const(240)
CHROMA_STEP = const(4)  # u and v are 80 x 60: a face has eleven of them across, and both take 9600 bytes
CHROMA_WIDTH = const(80)
CHROMA_HEIGHT = const(60)

_WAIT_MS = const(500)  # seven frames of the slowest setting
_POLL_MS = const(4)
_CHANGE_MS = const(70)  # a frame time, 67 ms, and the lamps' own rise: no row is exposed for longer


class CameraError(OSError):
    """The camera does not do what its datasheet says: gone, hung, or a wire is broken."""


def take(camera) -> int:
    """A frame of now; gives its number. Blocks for two frame times at most, 133 ms, and 70 more after a change of lamp."""
    camera.begin()
    start = time.ticks_ms()
    while not camera.ready():
        if time.ticks_diff(time.ticks_ms(), start) > _WAIT_MS:
            raise CameraError("camera: no frame in %d ms" % _WAIT_MS)
        time.sleep_ms(_POLL_MS)
    return camera.frames


class Camera:
    """What the drivers share: the number of the frame, and whether it is whole and new. The rest is each driver's own."""

    width = WIDTH
    height = HEIGHT

    def __init__(self, lamps=None):
        """`lamps` is the pin of the change-over: low lights lamp 0, high lamp 1. None: a lamp that is always lit."""
        self.lamp = 0
        self._lamps = lamps
        self._changed = False  # so lately that a frame begun now would have seen both
        self._changed_at = 0
        self.colour = False
        self.frames = 0  # taken since the start
        self.torn = False
        self.frozen = False
        self.fault = ""
        self.crc = 0  # of the luma of the last frame that was read whole, in order
        self._crc = 0
        self._last_crc = -1
        self._row = 0

    def light(self, lamp: int) -> None:
        if lamp == self.lamp:
            return
        self.lamp = lamp
        self._changed = True
        self._changed_at = time.ticks_ms()
        self._relight()

    def _relight(self) -> None:
        if self._lamps is not None:
            self._lamps.value(self.lamp)

    def _mixes(self) -> bool:
        """Would a frame that begins now have seen the other lamp too?"""
        if self._changed and time.ticks_diff(time.ticks_ms(), self._changed_at) >= _CHANGE_MS:
            self._changed = False
        return self._changed

    def _new_frame(self, torn: bool) -> None:
        self.frames += 1
        self.torn = torn
        self.frozen = False
        self._row = 0
        self._crc = 0

    def _took(self, luma, first: int, n: int) -> None:
        """Only frames that are read in order, whole, can be told from the one before."""
        if first != self._row:
            return
        self._row = first + n
        self._crc = binascii.crc32(luma, self._crc)
        if self._row == HEIGHT:
            self.frozen = self._crc == self._last_crc
            self.crc = self._last_crc = self._crc
