"""The usual way to count pips with OpenCV, as a yardstick: blob detector, then blobs near each other are one die.

Only for the bench; needs the extra `bench-reader`. Default settings, untuned: weaker than the published ones.
"""

from __future__ import annotations

import importlib
import time
from pathlib import Path
from typing import Any

SMALL = 400  # pixels across: a table's frame, whose pips are eight wide


def read(path: Path) -> tuple[list[int], float]:
    """(faces, milliseconds); ImportError where OpenCV is not installed."""
    cv2: Any = importlib.import_module("cv2")  # untyped, so that types are the same whether it is installed or not

    return count(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE))


def count(grey: Any) -> tuple[list[int], float]:
    """Of rows x columns of bytes."""
    cv2: Any = importlib.import_module("cv2")
    began = time.perf_counter()
    settings = cv2.SimpleBlobDetector_Params()
    settings.filterByInertia = True
    settings.minInertiaRatio = 0.6
    blobs = cv2.SimpleBlobDetector_create(settings).detect(cv2.medianBlur(grey, 7 if grey.shape[1] > SMALL else 3))
    spots = [(blob.pt[0], blob.pt[1], blob.size) for blob in blobs]
    faces: list[int] = []
    left = set(range(len(spots)))
    while left:
        group = [left.pop()]
        for k in group:
            x, y, size = spots[k]
            near = {
                j for j in left if (spots[j][0] - x) ** 2 + (spots[j][1] - y) ** 2 < (2.6 * max(size, spots[j][2])) ** 2
            }
            left -= near
            group.extend(near)
        faces.append(len(group))
    return sorted(faces), (time.perf_counter() - began) * 1000
