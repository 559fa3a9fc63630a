"""Listens in on what the controller says on the line, before any noise: its phase, and how many records wait for the host.

For `status` and to know when a run may end. Never for the truth and never for the dealer: those look at the table itself.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from dicewire.codec import decode
from dicewire.declared.codes import PHASES
from dicewire.frame import HEAD, FrameReader
from dicewire.messages import STATE

ROOM = 1024
FROM_CONTROLLER = 0x80


class Tap:
    def __init__(self) -> None:
        self.state: dict[str, Any] | None = None
        self._reader = FrameReader(defaultdict(int), ROOM, self._frame)

    def feed(self, data: bytes) -> None:
        self._reader.feed(data)

    def restart(self) -> None:
        self.state = None
        self._reader.reset()

    def _frame(self, buf: bytearray, start: int, end: int) -> None:
        if buf[start] == FROM_CONTROLLER | STATE:
            self.state = decode(STATE, bytes(buf[start + HEAD : end]))

    @property
    def pending(self) -> int | None:
        return int(self.state["pending"]) if self.state is not None else None

    @property
    def phase(self) -> str | None:
        return PHASES.name(self.state["phase"]) if self.state is not None else None

    @property
    def uptime_ms(self) -> int | None:
        """Of the controller when it told its state."""
        return int(self.state["uptime_ms"]) if self.state is not None else None
