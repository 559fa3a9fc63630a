"""What an operator is warned of: wagers on which the player has the edge at the odds that the document prints."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from tumbler.rules.book import Wager
from tumbler.rules.bookfile import load_book
from tumbler.rules.edge import edge_of, stakes


class PlayerEdge(NamedTuple):
    wager: Wager
    edge: Fraction  # of one unit staked, the player's

    @property
    def text(self) -> str:
        readings = "".join(f" {ruling}" for ruling in self.wager.rulings)
        return f"{self.wager.name} ({self.wager.id}), rule {self.wager.rule}: the player has the edge, {self.edge}.{readings}"


@lru_cache(maxsize=16)
def player_edges(book_id: str, option_b_exact: bool = False) -> tuple[PlayerEdge, ...]:
    """One for each wager, the largest of its selections. Of bonus bets only the list that pays most is looked at."""
    book = load_book(book_id)
    most = book.bonus.lists[-1] if book.bonus else None
    found: dict[str, PlayerEdge] = {}
    for stake in stakes(book, most):
        players = -edge_of(book.id, stake, option_b_exact).edge
        known = found.get(stake.wager.id)
        if players > 0 and (known is None or players > known.edge):
            found[stake.wager.id] = PlayerEdge(stake.wager, players)
    return tuple(found.values())
