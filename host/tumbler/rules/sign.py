"""The table's sign: limits, chip, odds multiple, bonus list and layout. What is not on it is not limited.

Amounts are in millionths; `engine` turns them into its own unit.
"""

from __future__ import annotations

from dataclasses import dataclass

from tumbler.rules.book import SignSays, Wager


@dataclass(frozen=True, slots=True)
class Sign:
    min: int | None = None
    max: int | None = None
    chip: int | None = None  # smallest chip; without it nothing is rounded
    odds_multiple: int | None = None  # None: the document's own cap
    multiples_only: bool = False
    bonus_list: int = 1
    layout: int = 1


def effective_multiple(wager: Wager, sign: Sign) -> int | None:
    """The cap in force on odds: the document's own, as the sign moves it. None is no cap."""
    cap, shown = wager.cap, sign.odds_multiple
    if cap is None or shown is None:
        return cap.multiple if cap else None
    if cap.sign is SignSays.SETS or cap.multiple is None:
        return shown
    return min(shown, cap.multiple) if cap.sign is SignSays.LOWERS else max(shown, cap.multiple)
