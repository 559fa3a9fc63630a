"""What the link has done and seen, for `health` and the console. Numbers that climb before something fails."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass
class Counters:
    connects: int = 0
    failed_connects: int = 0
    lost: int = 0  # connections that ended without our asking
    published: int = 0  # from the outbox; more than acknowledged means that some were sent again
    acknowledged: int = 0
    refused: int = 0  # by the broker, message by message
    retained: int = 0
    unassured: int = 0
    dropped: int = 0  # unassured messages while there was no broker
    commands: int = 0
    commands_refused: int = 0
    commands_repeated: int = 0
    ack_ms: float = 0.0  # round trip of the last assured message

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
