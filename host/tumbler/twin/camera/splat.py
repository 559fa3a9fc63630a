"""Soft discs and lines on a picture: what dust, smudges and scratches are made of. Only the pixels near them are touched."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def disc(layer: Floats, x: float, y: float, radius: float, soft: float, amount: float) -> None:
    """Add `amount` inside the radius, falling off over `soft` pixels."""
    reach = radius + soft
    rows, columns = layer.shape
    top, bottom = max(0, math.floor(y - reach)), min(rows, math.ceil(y + reach) + 1)
    left, right = max(0, math.floor(x - reach)), min(columns, math.ceil(x + reach) + 1)
    if top >= bottom or left >= right:
        return
    dy = np.arange(top, bottom, dtype=np.float32)[:, None] - np.float32(y)
    dx = np.arange(left, right, dtype=np.float32)[None, :] - np.float32(x)
    away = np.sqrt(dx * dx + dy * dy)
    layer[top:bottom, left:right] += np.float32(amount) * np.clip((reach - away) / np.float32(max(soft, 1e-3)), 0, 1)


def line(layer: Floats, x0: float, y0: float, x1: float, y1: float, width: float, amount: float) -> None:
    """Add `amount` along a line, one pixel soft at its sides."""
    rows, columns = layer.shape
    top, bottom = max(0, math.floor(min(y0, y1) - width - 1)), min(rows, math.ceil(max(y0, y1) + width) + 2)
    left, right = max(0, math.floor(min(x0, x1) - width - 1)), min(columns, math.ceil(max(x0, x1) + width) + 2)
    if top >= bottom or left >= right:
        return
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    dy = np.arange(top, bottom, dtype=np.float32)[:, None] - np.float32(y0)
    dx = np.arange(left, right, dtype=np.float32)[None, :] - np.float32(x0)
    along = dx * np.float32(ux) + dy * np.float32(uy)
    aside = np.abs(dy * np.float32(ux) - dx * np.float32(uy))
    past = np.maximum(np.maximum(-along, along - np.float32(length)), 0.0)
    layer[top:bottom, left:right] += np.float32(amount) * np.clip(width / 2 + 0.5 - np.maximum(aside, past), 0, 1)
