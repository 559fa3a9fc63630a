"""Where the camera is and what its lens does: rays out of the pixels, and points into the picture.

The picture's x runs with the table's x, its y against the table's y; the axis meets the middle of the plate. The lens is
a barrel: a pixel at distance r from the centre looks along r (1 + k1 r2 + k2 r4), so making rays needs no iteration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Size = tuple[int, int]
STANDARD_WIDTH = 320


@dataclass(frozen=True)
class View:
    height: float = 0.150  # metres above the plate
    focal: float = 372.0  # pixels of a picture 320 wide; half the plate is then 104 pixels
    shift_x: float = 0.0  # pixels between the middle of the picture and the axis
    shift_y: float = 0.0
    tilt_x: float = 0.0  # radians off the vertical; the camera still aims at the middle of the plate
    tilt_y: float = 0.0
    turn: float = 0.0  # radians about the axis
    k1: float = 0.12
    k2: float = 0.05

    @property
    def rotation(self) -> npt.NDArray[np.float64]:
        """From the camera's axes (x right, y up, z backward) to the table's."""
        cx, sx, cy, sy = math.cos(self.tilt_x), math.sin(self.tilt_x), math.cos(self.tilt_y), math.sin(self.tilt_y)
        cz, sz = math.cos(self.turn), math.sin(self.turn)
        about_x = np.array(((1.0, 0.0, 0.0), (0.0, cx, -sx), (0.0, sx, cx)))
        about_y = np.array(((cy, 0.0, sy), (0.0, 1.0, 0.0), (-sy, 0.0, cy)))
        about_z = np.array(((cz, -sz, 0.0), (sz, cz, 0.0), (0.0, 0.0, 1.0)))
        turned: npt.NDArray[np.float64] = about_x @ about_y @ about_z
        return turned

    @property
    def eye(self) -> npt.NDArray[np.float64]:
        place: npt.NDArray[np.float64] = self.rotation @ np.array((0.0, 0.0, self.height))
        return place

    def project(self, points: npt.ArrayLike, size: Size = (320, 240)) -> npt.NDArray[np.float64]:
        """Table points (n x 3) to pixels (n x 2: x, y), through the lens."""
        width, height = size
        local = (np.asarray(points, dtype=np.float64) - self.eye) @ self.rotation
        straight = local[:, :2] / -local[:, 2:3]
        seen = straight.copy()
        for _ in range(8):  # the inverse of the lens, to a thousandth of a pixel
            r2 = (seen**2).sum(axis=1, keepdims=True)
            seen = straight / (1.0 + self.k1 * r2 + self.k2 * r2 * r2)
        scale = self.focal * width / STANDARD_WIDTH
        x = (width - 1) / 2 + self.shift_x * width / STANDARD_WIDTH + seen[:, 0] * scale
        y = (height - 1) / 2 + self.shift_y * width / STANDARD_WIDTH - seen[:, 1] * scale
        return np.stack((x, y), axis=1)

    def rays(self, size: Size, fine: int = 1) -> Floats:
        """Unit directions, 3 x rows x columns, with `fine` x `fine` rays in each pixel."""
        return _rays(self, size, fine)


@lru_cache(maxsize=4)
def _rays(view: View, size: Size, fine: int) -> Floats:
    width, height = size
    scale = 1.0 / (view.focal * width / STANDARD_WIDTH)
    sub = ((np.arange(fine) + 0.5) / fine - 0.5)[None, :]
    across = (np.arange(width)[:, None] + sub).ravel() - (width - 1) / 2 - view.shift_x * width / STANDARD_WIDTH
    down = (np.arange(height)[:, None] + sub).ravel() - (height - 1) / 2 - view.shift_y * width / STANDARD_WIDTH
    x: Floats = (across * scale).astype(np.float32)[None, :]
    y: Floats = (-down * scale).astype(np.float32)[:, None]
    r2 = x * x + y * y
    bend: Floats = np.float32(1.0) + r2 * (np.float32(view.k1) + np.float32(view.k2) * r2)
    x, y = x * bend, y * bend
    length = np.float32(1.0) / np.sqrt(x * x + y * y + 1.0)
    turn = view.rotation.astype(np.float32)
    out = np.empty((3, height * fine, width * fine), dtype=np.float32)
    for axis in range(3):
        out[axis] = (float(turn[axis, 0]) * x + float(turn[axis, 1]) * y - float(turn[axis, 2])) * length
    out.setflags(write=False)
    return out
