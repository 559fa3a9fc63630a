"""The memory of one bonus bet: which of its numbers have come (Crown Perth 4.27 to 4.29).

One memory serves every wager of that name, because none can be placed once one of them is established: whoever stands,
stands since before the first number.
"""

from __future__ import annotations

from tumbler.rules.book import Wager


class BonusBet:
    def __init__(self, wager: Wager, payout_list: int) -> None:
        self.wager = wager
        self.collected: set[int] = set()
        self.to = next(row.to for row in wager.odds if row.list == payout_list)
