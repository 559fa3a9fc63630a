"""OV2640: the image sensor, at its two-wire SCCB. 320x240 as luma or YUV 4:2:2, with nothing automatic left on.

Two banks of registers, chosen by register 0xFF: the sensor's own, and those of its image processor. A read is two
transactions with a stop between them: SCCB has no repeated start. Set from the datasheet (version 1.6); its reserved
registers are left as they come out of reset. Not here: the FIFO that its bytes go into (arduchip.py).
"""

import time

from micropython import const

from drivers.camera import CameraError

_BANK = const(0xFF)
_DSP = const(0)
_SENSOR = const(1)

_COM7 = const(0x12)
_RESET = const(0x80)
_SVGA = const(0x40)
_BARS = const(0x02)
_PIDH = const(0x0A)
_PRODUCT = const(0x26)
_VERSIONS = (0x41, 0x42)
_GAIN = const(0x00)
_REG04 = const(0x04)
_AEC = const(0x10)
_REG45 = const(0x45)
_IMAGE_MODE = const(0xDA)
_LUMA_ONLY = const(0x40)
_YUV422 = const(0x00)

EXPOSURE_LINES = const(300)  # of 672: 20 ms, shorter than the lamp's drivers ripple and longer than the noise needs
_TRIES = const(3)
_RESET_MS = const(10)
_SETTLE_MS = const(150)  # two frames until a setting has gone through the pipe

# Pairs of register and value. 800x600 out of the array, every second pixel left out, scaled to 320x240.
_WINDOW = bytes(
    (
        _BANK, _SENSOR,
        0x11, 0x00,  # CLKRC: no divider, 15 frames a second
        _COM7, _SVGA,
        0x13, 0xC0,  # COM8: neither gain nor exposure by itself, no banding filter
        0x17, 0x11, 0x18, 0x43,  # HREFST, HREFEND
        0x19, 0x00, 0x1A, 0x4B,  # VSTRT, VEND
        0x32, 0x09,  # REG32: low bits of the window
        _BANK, _DSP,
        0xE0, 0x04,  # RESET: hold the output while it changes
        0xC0, 0x64, 0xC1, 0x4B,  # HSIZE8, VSIZE8: 800, 600
        0x86, 0x3D,  # CTRL2: down-sampling, colour matrix and UV averaging on
        0x50, 0x89,  # CTRLI: half, both ways
        0x51, 0xC8, 0x52, 0x96,  # HSIZE, VSIZE: 800, 600 by four
        0x53, 0x00, 0x54, 0x00, 0x55, 0x00, 0x57, 0x00,  # no offset
        0x5A, 0x50, 0x5B, 0x3C, 0x5C, 0x00,  # ZMOW, ZMOH: 320, 240 by four
        0xD3, 0x04,  # R_DVP_SP: pixel clock by four, which the FIFO takes
        0xC2, 0x0C,  # CTRL0: YUV 4:2:2, U before V
        0xC3, 0xF6,  # CTRL1: white balance does not adjust itself, its gains apply
        0xC7, 0x40, 0xCC, 0x40, 0xCD, 0x40, 0xCE, 0x40,  # gains of red, green and blue, fixed
        0x05, 0x00,  # R_BYPASS: use the image processor
    )
)  # fmt: skip


class Ov2640:
    def __init__(self, i2c, address: int):
        self._i2c = i2c
        self._address = address
        self._pair = bytearray(2)
        self._register = memoryview(self._pair)[:1]
        self._byte = bytearray(1)
        self.retries = 0

    def _write(self, register: int, value: int) -> None:
        self._pair[0] = register
        self._pair[1] = value
        for left in range(_TRIES - 1, -1, -1):
            try:
                self._i2c.writeto(self._address, self._pair)
                return
            except OSError:
                self.retries += 1
                if not left:
                    raise

    def _read(self, register: int) -> int:
        self._pair[0] = register
        for left in range(_TRIES - 1, -1, -1):
            try:
                self._i2c.writeto(self._address, self._register)
                self._i2c.readfrom_into(self._address, self._byte)
                break
            except OSError:
                self.retries += 1
                if not left:
                    raise
        return self._byte[0]

    def identify(self) -> None:
        self._write(_BANK, _SENSOR)
        product, version = self._read(_PIDH), self._read(_PIDH + 1)
        if product != _PRODUCT or version not in _VERSIONS:
            raise CameraError("camera: sensor is %02x%02x, an OV2640 is 2641 or 2642" % (product, version))

    def start(self, colour: bool) -> None:
        """From reset to frames of 320x240. Takes 0.2 s."""
        self.identify()
        self._write(_COM7, _RESET)
        time.sleep_ms(_RESET_MS)
        for at in range(0, len(_WINDOW), 2):
            self._write(_WINDOW[at], _WINDOW[at + 1])
        self._write(_IMAGE_MODE, _YUV422 if colour else _LUMA_ONLY)
        self._write(0xE0, 0x00)
        self.expose(EXPOSURE_LINES)
        time.sleep_ms(_SETTLE_MS)

    def expose(self, lines: int, gain: int = 0) -> None:
        """Lines of 33 us each, at most 672; `gain` as the sensor's GAIN register has it, 0 = once."""
        self._write(_BANK, _SENSOR)
        self._write(_REG45, lines >> 10 & 0x3F)
        self._write(_AEC, lines >> 2 & 0xFF)
        self._write(_REG04, lines & 0x03)
        self._write(_GAIN, gain)

    def bars(self, on: bool) -> None:
        """Eight bars of colour in place of the picture."""
        self._write(_BANK, _SENSOR)
        self._write(_COM7, _SVGA | (_BARS if on else 0))
        time.sleep_ms(_SETTLE_MS)
