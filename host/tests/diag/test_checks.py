"""What `diag test` makes of the line's counters: damage counts always, lateness only where it stays."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from dicewire.declared.codes import PHASES
from tumbler.diag.checks import PASSES, ROUND_TRIPS, ROWS, Measurement, line_quality

INPUTS = struct.pack("<HHB", 0, 0, PHASES.number("betting_open"))


class Line:
    """Answers at once. `again` and `crc` are what each pass adds to the counters."""

    def __init__(self, again: list[int], crc: list[int]) -> None:
        self._adds = list(zip(again, crc, strict=True))
        self._counters = {"retransmits": 5, "crc_errors": 7}
        self.asked = 0

    async def ask(self, op: str, number: int, data: bytes) -> bytes:
        self.asked += 1
        if self.asked % ROUND_TRIPS == 0:
            again, crc = self._adds.pop(0)
            self._counters["retransmits"] += again
            self._counters["crc_errors"] += crc
        return INPUTS

    async def counters(self) -> dict[str, Any]:
        return dict(self._counters)


@pytest.mark.parametrize(
    ("again", "crc", "damaged", "sent_again", "passes", "passed"),
    [
        ([0, 0, 0], [0, 0, 0], 0, 0, 1, True),
        ([2, 0, 0], [0, 0, 0], 0, 0, 2, True),  # a busy moment
        ([4, 3, 5], [0, 0, 0], 0, 3, PASSES, False),
        ([1, 0, 0], [1, 0, 0], 1, 0, 2, False),  # one damaged frame is one too many, whenever it came
    ],
)
async def test_the_line_is_judged_by_its_damage_and_by_its_best_pass(
    again: list[int], crc: list[int], damaged: int, sent_again: int, passes: int, passed: bool
) -> None:
    line: Any = Line(again, crc)
    _, found, late = await line_quality(line)
    assert (found, late, line.asked) == (damaged, sent_again, passes * ROUND_TRIPS)
    rows = (Measurement(ROWS["bad_frames"], found), Measurement(ROWS["sent_again"], late))
    assert all(row.passed for row in rows) is passed
