"""Why a table may not spin though its machine is sound: the daemon's reasons, and the one that the controller is told.

Several can stand at once (the disk is full while a refused result waits for a supervisor); the table is held until the
last is gone. Not the controller's own reasons (ring full): those come back in STATE.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from dicewire.declared.codes import HOLDS


class Hold(StrEnum):
    """Most pressing first; names as on the wire, but for those in ON_THE_WIRE."""

    JOURNAL_FAILED = "journal_failed"
    DISK_FULL = "disk_full"  # before the journal fails: what was begun can still be written
    OUTBOX_FULL = "outbox_full"
    RESULT_REFUSED = "result_refused"
    NO_GAME_TABLE = "no_game_table"
    COMMANDED = "commanded"


ON_THE_WIRE = {Hold.DISK_FULL: "journal_failed"}


class Holds:
    def __init__(self, on_change: Callable[[], None]) -> None:
        self._standing: set[Hold] = set()
        self._on_change = on_change

    def __contains__(self, hold: Hold) -> bool:
        return hold in self._standing

    def add(self, hold: Hold) -> bool:
        """True when it is new."""
        if hold in self._standing:
            return False
        self._standing.add(hold)
        self._on_change()
        return True

    def lift(self, hold: Hold) -> bool:
        """True when it stood."""
        if hold not in self._standing:
            return False
        self._standing.remove(hold)
        self._on_change()
        return True

    @property
    def names(self) -> list[str]:
        return [hold.value for hold in Hold if hold in self._standing]

    def message(self) -> dict[str, int]:
        """HOLD as it must stand at the controller now; sent at every change and after every connection."""
        leading = next((hold for hold in Hold if hold in self._standing), None)
        name = ON_THE_WIRE.get(leading, leading.value) if leading is not None else "none"
        return {"on": int(leading is not None), "reason": HOLDS.number(name)}
