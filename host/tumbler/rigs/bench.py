"""A real table on a port (L3). Nothing moves by itself there: what no actuator does, a person at the bench is asked to do.

With `unattended` nobody is there, and a test that needs a hand is skipped. The truth of how the dice lay is nobody's but
the person's, so tests that need it are skipped on this rig too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tumbler.config import KeyFileError, read_key
from tumbler.rigs.capability import Capability
from tumbler.rigs.rig import Rig, RigFailed
from tumbler.table.find import PortNotFound, find_port

REST_S = 9.0  # the longest profile of the motor, and the dice after it
BY_HAND = frozenset({Capability.KEYS, Capability.DICE, Capability.CABLE, Capability.POWER})
WORDS = {
    "press": "press the key {key}",
    "cover": "set the cover to closed = {closed}",
    "door": "set the service door to closed = {closed}",
    "place": "lay the dice with the faces {faces}",
    "lay": "lay a die {how}",
    "look": "type the faces that the dice show, such as 2 4 6",
    "unplug": "pull the serial cable out",
    "plug": "push the serial cable in",
    "power_cut": "switch the controller off and on again",
}


class BenchRig(Rig):
    name = "bench"
    capabilities = frozenset()

    def __init__(self, port: str, key_file: Path | None, ask: Callable[[str], object] | None) -> None:
        """`ask` shows a person what to do and returns when it is done; None: nobody is there."""
        self._port, self._ask = port, ask
        if key_file is None:
            raise RigFailed(f"--rig {port}: --key FILE with the table's key is needed")
        try:
            self._key = read_key(key_file)
        except KeyFileError as error:
            raise RigFailed(str(error)) from error

    def missing(self, needed: set[Capability]) -> list[str]:
        able = BY_HAND if self._ask is not None else frozenset()
        return sorted(one.value for one in needed - able)

    @property
    def port(self) -> Path:
        try:
            return Path(find_port(self._port))
        except PortNotFound as error:
            raise RigFailed(str(error)) from error

    @property
    def key(self) -> bytes:
        return self._key

    def start(self) -> None:
        """It is there or it is not."""
        _ = self.port

    def stop(self) -> None:
        """Nothing was started."""

    def control(self, do: str, **fields: Any) -> dict[str, Any]:
        if self._ask is None or do not in WORDS:
            raise RigFailed(f"nobody at the bench can do {do}")
        said = self._ask(WORDS[do].format(**fields))
        if do == "look":
            return {"ok": True, "faces": sorted(int(face) for face in str(said) if face in "123456")}
        return {"ok": True}

    def wait_rest(self, rested: int) -> None:
        """Nothing at a bench tells it; the cover may be opened after this time in any case."""
        time.sleep(REST_S)
