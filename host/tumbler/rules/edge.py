"""Exact house edges: every wager and selection of a book, by enumeration of the throws, as fractions.

The edge is what the house keeps of one unit staked (of stake and commission together, for buy and lay), negative where the
player has it. A push counts as nothing won. All of it follows from the table that `settle` rolls by (`edgechain`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from tumbler.rules.book import Book, Kind, Selection
from tumbler.rules.edgechain import Chain, NoSuchWager, Result, Stake
from tumbler.rules.edgesolve import solve
from tumbler.rules.play import Outcome
from tumbler.rules.rolltable import roll_table


class Ambiguous(ValueError):
    """The edge of a wager depends on when it is placed: no single number states it."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One wager, exactly: the chance of every way it can end."""

    stake: Stake
    chances: tuple[tuple[Result, Fraction], ...]
    rolls: Fraction  # expected until it is decided, placed as early in a round as it may be
    steady: bool  # the chances are the same whenever it is placed; come odds are returned more often when placed late

    @property
    def staked(self) -> Fraction:
        return sum((result.staked * chance for result, chance in self.chances), Fraction(0))

    @property
    def edge(self) -> Fraction:
        return -sum((result.net * chance for result, chance in self.chances), Fraction(0)) / self.staked

    @property
    def variance(self) -> Fraction | None:
        """Of what one wager brings, about what the edge takes of it, for one unit put up on average."""
        if not self.steady:
            return None
        edge, chances = self.edge, self.chances
        spread = sum(((result.net + edge * result.staked) ** 2 * chance for result, chance in chances), Fraction(0))
        return spread / self.staked**2

    def chance(self, outcome: Outcome) -> Fraction:
        return sum((chance for result, chance in self.chances if result.outcome is outcome), Fraction(0))

    @property
    def player_has_it(self) -> bool:
        return self.edge < 0


def exact(chain: Chain) -> Edge:
    """Solve a chain: the chance of every result, the same from wherever the wager may start."""
    throws = Fraction(1, len(chain.throws))
    results = list(dict.fromkeys(step.result for row in chain.steps for step in row if step.result is not None))
    column = {result: place for place, result in enumerate(results)}
    rows: dict[int, dict[int, Fraction]] = {}
    constants: dict[int, list[Fraction]] = {}
    waiting = list(chain.starts)
    while waiting:
        here = waiting.pop()
        if here in rows:
            continue
        leads: Counter[int] = Counter(step.to for step in chain.steps[here] if step.result is None)
        ends: Counter[Result] = Counter(step.result for step in chain.steps[here] if step.result is not None)
        rows[here] = {there: count * throws for there, count in leads.items()}
        vector = [Fraction(0)] * (len(results) + 1)
        for result, count in ends.items():
            vector[column[result]] = count * throws
        vector[-1] = Fraction(1)  # this throw
        constants[here] = vector
        waiting += leads
    solved = solve(rows, constants)
    chances = [tuple(zip(results, solved[start], strict=False)) for start in chain.starts]
    by_start = [Edge(chain.stake, each, solved[chain.starts[0]][-1], len(set(chances)) == 1) for each in chances]
    for other in by_start[1:]:
        if other.edge != by_start[0].edge:
            raise Ambiguous(f"{chain.stake.wager.id}: {by_start[0].edge} or {other.edge}, by when it is placed")
    return by_start[0]


def stakes(book: Book, payout_list: int | None = None) -> Iterator[Stake]:
    """Every wager and selection of a book; odds one a point, bonus bets one a list (or that of one list)."""
    for wager in book.wagers:
        places: tuple[Selection | None, ...] = wager.selections or (None,)
        if wager.behind is not None:
            places = book.points
        lists: list[int | None] = [None]
        if wager.kind is Kind.BONUS:
            lists = [row.list for row in wager.odds if payout_list in (None, row.list)]
        for on in places:
            for number in lists:
                yield Stake(wager, on, number)


@lru_cache(maxsize=16)
def edges(book_id: str, option_b_exact: bool = False) -> tuple[Edge, ...]:
    """All edges of a book, in the order of its wagers."""
    rolls = roll_table(book_id, option_b_exact)
    return tuple(exact(Chain(rolls, stake)) for stake in stakes(rolls.game.book))


def edge_of(book_id: str, stake: Stake, option_b_exact: bool = False) -> Edge:
    return exact(Chain(roll_table(book_id, option_b_exact), stake))


def find_stake(book: Book, text: str, *, payout_list: int = 1, odds: int = 0) -> Stake:
    """A wager as a person writes it: `pass`, `place_win:6`, `pair:1&2`. Raises NoSuchWager."""
    name, _, selection = text.partition(":")
    candidates = [stake for stake in stakes(book, payout_list) if stake.wager.id == name]
    if not candidates:
        raise NoSuchWager(f"{name!r} is no wager of {book.id}")
    for stake in candidates:
        if str(stake.on if stake.on is not None else "") == selection:
            return Stake(stake.wager, stake.on, stake.list, odds)
    places = ", ".join(str(stake.on) for stake in candidates if stake.on is not None)
    raise NoSuchWager(f"{name} is placed on {places or 'no selection'}, not on {selection!r}")
