"""What a driver did that the datasheet forbids: remembered by the chip, so that a test or the twin can ask.

A real chip answers wrong use with silence or rubbish; the models do the same, and note it here, because rubbish is hard
to trace back. Not for faults that are injected on purpose: those are no fault of the driver.
"""

from __future__ import annotations

MOST_REMEMBERED = 100


class WrongUse:
    """The first hundred things done wrong to a chip, in order, and how many there were in all."""

    def __init__(self, chip: str) -> None:
        self._chip = chip
        self.notes: list[str] = []
        self.count = 0

    def note(self, text: str) -> None:
        self.count += 1
        if len(self.notes) < MOST_REMEMBERED:
            self.notes.append(f"{self._chip}: {text}")
