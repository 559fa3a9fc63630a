"""Puts the controller's flash (firmware/) and the test bench on the import path, as they are on the device."""

import sys
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parents[1]
for folder in (FIRMWARE, FIRMWARE / "tests"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
