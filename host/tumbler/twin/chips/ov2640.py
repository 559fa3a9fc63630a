"""OV2640, image sensor, as its datasheet (version 1.6) has it: two banks of registers at SCCB, and the bytes of a frame.

What it looks at is asked for frame by frame; size, format, mirror, test bars and exposure are what its registers say, so a
driver that sets it wrong gets a wrong picture. Its shutter rolls: rows whose exposure began before the lamps changed show the
other lamp's light too. Not here: the FIFO that takes its frames (arduchip.py), rendering (camera/).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .camera_lamp import CameraLamp
from .wrong_use import WrongUse

Picture = npt.NDArray[np.uint8]
# Called with True for RGB (rows x columns x 3), False for luma (rows x columns), both 320x240; and the lamp, 0 or 1.
Scene = Callable[[bool, int], Picture]

BANK = 0xFF
DSP, SENSOR = 0, 1
# sensor bank
GAIN, REG04, PIDH, PIDL, AEC, COM7, COM8, MIDH, MIDL, REG45 = 0x00, 0x04, 0x0A, 0x0B, 0x10, 0x12, 0x13, 0x1C, 0x1D, 0x45
# bank of the image processor
R_BYPASS, CTRLI, HSIZE, VSIZE, ZMOW, ZMOH, ZMHH, CTRL0, IMAGE_MODE, RESET = (
    0x05,
    0x50,
    0x51,
    0x52,
    0x5A,
    0x5B,
    0x5C,
    0xC2,
    0xDA,
    0xE0,
)
READ_ONLY = frozenset((PIDH, PIDL, MIDH, MIDL))
SOFT_RESET, COLOUR_BARS, RESOLUTION = 0x80, 0x02, 0x70
AUTO_EXPOSURE, AUTO_GAIN = 0x01, 0x04
MIRROR, FLIP = 0x80, 0x40
Y8, JPEG, FORMAT_BITS, SWAP = 0x40, 0x10, 0x0C, 0x01
DVP_RESET = 0x04
AFTER_RESET: dict[int, dict[int, int]] = {
    DSP: {R_BYPASS: 0x01, CTRL0: 0x0C, HSIZE: 0x40, VSIZE: 0xF0, ZMOW: 0x90, ZMOH: 0x2C, RESET: 0x00},
    SENSOR: {PIDH: 0x26, PIDL: 0x42, MIDH: 0x7F, MIDL: 0xA2, COM8: 0xC7, AEC: 0x33},
}
ARRAY_OF_MODE = {0x00: (1600, 1200), 0x10: (400, 296), 0x40: (800, 600)}
FRAME_US = 66_667  # 15 frames a second
LINES = 672  # of a frame, with those that nobody sees
ROWS = 240
NOMINAL_LINES = 300  # at which the scene is as bright as it was rendered
GAMMA = 0.55
DARK = 0.004
_BARS = ((255, 255, 255), (255, 255, 0), (0, 255, 255), (0, 255, 0), (255, 0, 255), (255, 0, 0), (0, 0, 255), (0, 0, 0))


class Ov2640:
    """On I2C at 0x30. `frame` gives one frame's bytes as they leave the sensor's port."""

    def __init__(self, address: int, scene: Scene, lamp: CameraLamp | None = None) -> None:
        self.address = address
        self.lamp = lamp or CameraLamp()
        self.wrong_use = WrongUse("OV2640")
        self._scene = scene
        self.no_ack = False  # faults
        self.frozen = False
        self.dark = False
        self.hung = False
        self.stuck_bits = 0
        self._last = b""
        self.power_cycle()

    def power_cycle(self) -> None:
        self._banks = {bank: dict(registers) for bank, registers in AFTER_RESET.items()}
        self._bank = DSP
        self._pointer = 0

    # --- SCCB -------------------------------------------------------------------------------------------------------

    def write(self, data: bytes) -> bool:
        """Register, or register and value: SCCB knows nothing longer."""
        if self.no_ack:
            return False
        if not data:
            return True
        self._pointer = data[0]
        if len(data) > 2:
            self.wrong_use.note(f"a write of {len(data)} bytes; SCCB writes one register at a time")
        elif len(data) == 2:
            self._store(data[0], data[1])
        return True

    def read(self, n: int) -> bytes:
        if self.no_ack:
            return b""
        if n != 1:
            self.wrong_use.note(f"a read of {n} bytes; SCCB reads one register at a time")
        value = self._bank if self._pointer == BANK else self._banks[self._bank].get(self._pointer, 0)
        return bytes([value] * n)

    def _store(self, register: int, value: int) -> None:
        if register == BANK:
            if value > 1:
                self.wrong_use.note(f"bank {value}")
            self._bank = value & 1
        elif self._bank == SENSOR and register in READ_ONLY:
            self.wrong_use.note(f"write to read-only register 0x{register:02x}")
        elif self._bank == SENSOR and register == COM7 and value & SOFT_RESET:
            bank = self._bank
            self.power_cycle()
            self._bank = bank
        else:
            self._banks[self._bank][register] = value

    # --- what its registers say -------------------------------------------------------------------------------------

    def _dsp(self, register: int) -> int:
        return self._banks[DSP].get(register, 0)

    def _sensor(self, register: int) -> int:
        return self._banks[SENSOR].get(register, 0)

    @property
    def size(self) -> tuple[int, int]:
        high = self._dsp(ZMHH)
        return ((high & 3) << 8 | self._dsp(ZMOW)) * 4, ((high >> 2 & 1) << 8 | self._dsp(ZMOH)) * 4

    @property
    def exposure(self) -> float:
        """Against what the scene was rendered for."""
        if self._sensor(COM8) & (AUTO_EXPOSURE | AUTO_GAIN):
            return 1.0
        bits = self._sensor(GAIN)
        gain = 1.0 + (bits & 15) / 16
        for bit in range(4, 8):
            gain *= 1 + (bits >> bit & 1)
        return self._lines / NOMINAL_LINES * gain

    @property
    def _lines(self) -> int:
        return (self._sensor(REG45) & 0x3F) << 10 | self._sensor(AEC) << 2 | self._sensor(REG04) & 3

    @property
    def exposure_us(self) -> float:
        """For how long each row is exposed."""
        automatic = self._sensor(COM8) & AUTO_EXPOSURE
        return FRAME_US * (1.0 if automatic else min(self._lines, LINES) / LINES)

    def check_settings(self) -> None:
        """What the datasheet does not allow to be asked for, noted when a frame is taken with it."""
        mode = self._sensor(COM7) & RESOLUTION
        array = ARRAY_OF_MODE.get(mode)
        width, height = self.size
        if array is None:
            self.wrong_use.note(f"COM7 resolution 0x{mode:02x} is reserved")
        elif width > array[0] or height > array[1]:
            self.wrong_use.note(f"{width}x{height} out of an array of {array[0]}x{array[1]}")
        if self._dsp(HSIZE) * 4 < width or self._dsp(VSIZE) * 4 < height:
            self.wrong_use.note("the window is smaller than what is made of it: it scales down only")
        if self._dsp(IMAGE_MODE) & (JPEG | FORMAT_BITS):
            self.wrong_use.note(f"IMAGE_MODE 0x{self._dsp(IMAGE_MODE):02x}: only Y8 and YUV422 are modelled")

    # --- frames -----------------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return not self.hung and not self._dsp(RESET) & DVP_RESET and not self._dsp(R_BYPASS) & 1

    def frame(self, begins_us: int) -> bytes:
        """The one whose first row left the sensor at this time."""
        if self.frozen and self._last:
            return self._last
        self.check_settings()
        luma_only = bool(self._dsp(IMAGE_MODE) & Y8)
        picture = self._fitted(self._lit(self._seen(not luma_only, begins_us)))
        data = picture.tobytes() if luma_only else self._yuv422(picture)
        if self.stuck_bits:
            data = (np.frombuffer(data, dtype=np.uint8) | np.uint8(self.stuck_bits)).tobytes()
        self._last = data
        return data

    def _seen(self, colour: bool, begins_us: int) -> Picture:
        if not self._sensor(COM7) & COLOUR_BARS:
            return self._by_lamps(colour, begins_us)
        row = np.repeat(np.array(_BARS, dtype=np.uint8), 40, axis=0)
        bars = np.broadcast_to(row, (240, 320, 3))
        return bars if colour else _luma(bars)

    def _by_lamps(self, colour: bool, begins_us: int) -> Picture:
        """A row is exposed until it leaves the sensor. What both lamps gave adds up as light, not as grey steps."""
        picture = self._by(self.lamp.lit, colour)
        leaves = [begins_us + row * FRAME_US / ROWS for row in range(ROWS)]
        share = np.array([self.lamp.share_of_before(end - self.exposure_us, end) for end in leaves])
        if not share.any():
            return picture
        share = share.reshape(-1, *(1,) * (picture.ndim - 1))
        before = _light(self._by(self.lamp.before, colour))
        return _steps(_light(picture) * (1.0 - share) + before * share)

    def _by(self, lamp: int, colour: bool) -> Picture:
        picture = self._scene(colour, lamp)
        return _dimmed(picture, DARK) if lamp in self.lamp.dead else picture

    def _lit(self, picture: Picture) -> Picture:
        if self._sensor(COM7) & COLOUR_BARS:
            return picture
        return _dimmed(picture, self.exposure * (DARK if self.dark else 1.0))

    def _fitted(self, picture: Picture) -> Picture:
        width, height = self.size
        rows = np.arange(height) * picture.shape[0] // max(1, height)
        columns = np.arange(width) * picture.shape[1] // max(1, width)
        flags = self._sensor(REG04)
        rows = rows[::-1] if flags & FLIP else rows
        columns = columns[::-1] if flags & MIRROR else columns
        return np.ascontiguousarray(picture[rows][:, columns])

    def _yuv422(self, picture: Picture) -> bytes:
        """Y U Y V; U and V of two pixels' mean. The swap bit of IMAGE_MODE puts chroma first."""
        rgb = picture.astype(np.float32)
        y = rgb @ np.array((0.299, 0.587, 0.114), dtype=np.float32)
        pairs = (rgb[:, 0::2] + rgb[:, 1::2]) / 2
        mean = (y[:, 0::2] + y[:, 1::2]) / 2
        out = np.empty((picture.shape[0], picture.shape[1] // 2, 4), dtype=np.uint8)
        order = (1, 0, 3, 2) if self._dsp(IMAGE_MODE) & SWAP else (0, 1, 2, 3)
        planes: tuple[npt.NDArray[np.floating], ...] = (
            y[:, 0::2],
            (pairs[..., 2] - mean) * np.float32(0.564) + 128,
            y[:, 1::2],
            (pairs[..., 0] - mean) * np.float32(0.713) + 128,
        )
        for place, plane in zip(order, planes, strict=True):
            out[..., place] = np.clip(plane + 0.5, 0, 255)
        return out.tobytes()


def _luma(rgb: Picture) -> Picture:
    grey: Picture = (rgb.astype(np.float32) @ np.array((0.299, 0.587, 0.114), dtype=np.float32) + 0.5).astype(np.uint8)
    return grey


def _light(picture: Picture) -> npt.NDArray[np.float64]:
    linear: npt.NDArray[np.float64] = (picture / 255.0) ** (1.0 / GAMMA)
    return linear


def _steps(light: npt.NDArray[np.float64]) -> Picture:
    grey: Picture = (np.minimum(light, 1.0) ** GAMMA * 255.0 + 0.5).astype(np.uint8)
    return grey


def _dimmed(picture: Picture, level: float) -> Picture:
    if level == 1.0:
        return picture
    curve = _steps(_light(np.arange(256, dtype=np.uint8)) * level)
    return curve[picture]
