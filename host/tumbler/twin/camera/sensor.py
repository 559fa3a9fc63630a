"""From light to numbers, as lens and sensor do it: defocus, shake, vignetting, exposure, gamma, noise, 8 bits.

The sensor runs with fixed exposure, gain and white balance, as the firmware sets it. Not here: registers and FIFO of the real
chips (chips/ov2640.py, chips/arduchip.py).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .difficulty import Conditions

Floats = npt.NDArray[np.float32]
GAMMA = 0.55
FULL = 255.0
_EXPOSED = 0.80  # radiance times this is full scale
_LEVELS = 4096


def blur(picture: Floats, sigma: float) -> Floats:
    """Defocus of the last two axes, as a Gaussian."""
    reach = math.ceil(2.5 * sigma)
    if sigma < 0.15 or not reach:
        return picture
    weights = [math.exp(-0.5 * (i / sigma) ** 2) for i in range(reach + 1)]
    total = weights[0] + 2.0 * sum(weights[1:])
    for axis in (-1, -2):
        pad = [(0, 0)] * picture.ndim
        pad[axis] = (reach, reach)
        wide = np.pad(picture, pad, mode="edge")
        n = picture.shape[axis]
        out = np.take(wide, range(reach, reach + n), axis=axis) * np.float32(weights[0] / total)
        for i in range(1, reach + 1):
            both = _part(wide, reach - i, n, axis) + _part(wide, reach + i, n, axis)
            out += both * np.float32(weights[i] / total)
        picture = out
    return picture


def _part(picture: Floats, start: int, n: int, axis: int) -> Floats:
    taken: Floats = picture[..., start : start + n] if axis == -1 else picture[..., start : start + n, :]
    return taken


def shaken(picture: Floats, pixels: float, angle: float) -> Floats:
    """The camera moved by so many pixels during the exposure."""
    if pixels < 0.25:
        return picture
    steps = max(3, min(17, math.ceil(pixels) + 1))
    reach = math.ceil(pixels / 2) + 1
    pad = [(0, 0)] * (picture.ndim - 2) + [(reach, reach), (reach, reach)]
    wide = np.pad(picture, pad, mode="edge")
    rows, columns = picture.shape[-2:]
    out = np.zeros_like(picture)
    for i in range(steps):
        part = pixels * (i / (steps - 1) - 0.5)
        x, y = reach + part * math.cos(angle), reach + part * math.sin(angle)
        left, top = math.floor(x), math.floor(y)
        fx, fy = x - left, y - top
        for dx, dy, share in (
            (0, 0, (1 - fx) * (1 - fy)),
            (1, 0, fx * (1 - fy)),
            (0, 1, (1 - fx) * fy),
            (1, 1, fx * fy),
        ):
            if share > 0.01:
                out += wide[..., top + dy : top + dy + rows, left + dx : left + dx + columns] * np.float32(
                    share / steps
                )
    return out


def expose(light: Floats, conditions: Conditions, rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Light (channels x rows x columns, linear) to what the sensor gives."""
    chance = np.random.default_rng((conditions.seed, 4))
    light = blur(light, conditions.fitting.focus)
    light = shaken(light, conditions.shake, float(chance.uniform(0.0, 2.0 * math.pi)))
    channels, rows, columns = light.shape
    y = (np.arange(rows, dtype=np.float32)[:, None] - rows / 2) / (columns / 2)
    x = (np.arange(columns, dtype=np.float32)[None, :] - columns / 2) / (columns / 2)
    gain = (1.0 - np.float32(conditions.fitting.vignette) * (x * x + y * y)) * np.float32(
        conditions.exposure * _EXPOSED
    )
    light = light * gain
    if channels == 3 and conditions.cast:
        light *= (1.0 + np.float32(conditions.cast) * chance.uniform(-1, 1, 3).astype(np.float32))[:, None, None]
    grey = np.clip(light, 0.0, 1.0) ** np.float32(GAMMA) * np.float32(FULL)
    noise = rng.standard_normal(grey.shape, dtype=np.float32)
    noise *= np.float32(conditions.noise) * (0.6 + grey * np.float32(0.8 / FULL))
    grey += noise
    if conditions.row_noise:
        grey += rng.standard_normal((rows, 1), dtype=np.float32) * np.float32(conditions.row_noise)
    taken: npt.NDArray[np.uint8] = np.clip(grey + 0.5, 0, FULL).astype(np.uint8)
    return taken
