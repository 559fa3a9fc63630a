"""The table's sign: limits, chip, odds multiple, bonus list and layout. What is not on it is not limited.

Amounts are in millionths; `engine` turns them into its own unit.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sign:
    min: int | None = None
    max: int | None = None
    chip: int | None = None  # smallest chip; without it nothing is rounded
    odds_multiple: int | None = None  # None: the document's own cap
    multiples_only: bool = False
    bonus_list: int = 1
    layout: int = 1
