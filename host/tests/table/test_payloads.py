"""What the floor reads of an event: numbers of the wire come with their names."""

from __future__ import annotations

from typing import Any

import pytest
from dicewire.declared.eventcodes import EVENTS
from tumbler.table.payloads import controller_event


def told(name: str, a: int, text: str = "") -> str:
    values: dict[str, Any] = {"code": EVENTS.number(name), "a": a, "b": 0, "text": text, "severity": 1}
    return str(controller_event({**values, "wall_ms": 0, "uptime_ms": 0})[1]["text"])


@pytest.mark.parametrize(
    ("name", "a", "words", "text"),
    [
        ("hold", 5, "", "no new spin, hold reason 5 (no_game_table)"),
        ("fault_set", 12, "send it", "fault bit 12 (game_table) has come: send it"),
        ("fault_cleared", 12, "", "fault bit 12 (game_table) has gone"),
        ("host_down", 7, "", "the daemon's session ended, reason 7 (port_lost)"),
        ("memory_low", 900, "", "heap down to 900 bytes"),
        ("hold", 250, "", "no new spin, hold reason 250 (hold reason_250)"),  # of a later version: never a failure
    ],
)
def test_an_events_number_is_told_with_its_name(name: str, a: int, words: str, text: str) -> None:
    assert told(name, a, words) == text
