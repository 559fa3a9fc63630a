"""The bench on which drivers meet chips."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

HERE = str(Path(__file__).resolve().parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)

from chip_bench import Bench  # noqa: E402  (found by the path above)


def grey(colour: bool, _lamp: int) -> npt.NDArray[np.uint8]:
    """Something for the camera to see, where it does not matter what."""
    return np.full((240, 320, 3) if colour else (240, 320), 90, dtype=np.uint8)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path / "flash", scene=grey)
    yield bench
    bench.close()
