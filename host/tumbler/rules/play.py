"""What a roll does: the spots of a layout, and the verdict on each in each state of the game.

The two games say it in `craps` and `sicbo`; this is the shape they share. Not here: money, players, limits (`engine`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple, Protocol

from tumbler.rules.book import Book, GameKind, Selection, Wager

State = int | None
"""The point of craps; None on the come-out roll, and always in Sic Bo."""


class Outcome(StrEnum):
    WIN = "win"
    LOSE = "lose"
    PUSH = "push"  # barred: no money moves, the wager stays
    NONE = "none"  # not decided
    OFF = "off"  # would have been decided, but is not working
    RETURNED = "returned"  # taken down unacted


class Spot(NamedTuple):
    """Where a wager stands. A come or don't come wager with its point, and its odds, stand on that number."""

    name: str  # the area: "pass", "place_win:6", "come:6"
    wager: Wager
    on: Selection | None
    number: int | None = None  # the own point of a come or don't come wager


class Verdict(NamedTuple):
    """What a roll decides about a wager on a spot."""

    outcome: Outcome
    rule: str
    to: Fraction = Fraction(0)  # odds of a win
    share: Fraction = Fraction(1)  # part of the stake that wins, for a split wager; the rest of it loses
    moves: int | None = None  # the number that a come or don't come wager moves onto


class Game(Protocol):
    """The play of one book. `working` is False where a wager that may be off is off."""

    book: Book
    states: tuple[State, ...]
    spots: tuple[Spot, ...]

    def next_state(self, state: State, dice: Sequence[int]) -> State: ...

    def ends_round(self, state: State, dice: Sequence[int]) -> bool: ...

    def can_stand(self, spot: Spot, state: State) -> bool: ...

    def works(self, spot: Spot, state: State) -> bool: ...

    def verdict(self, spot: Spot, state: State, dice: Sequence[int], working: bool = True) -> Verdict: ...


def area_name(wager: str, on: Selection | None) -> str:
    return wager if on is None else f"{wager}:{on}"


def winning_areas(game: Game, state: State, dice: Sequence[int]) -> list[str]:
    """Areas that light: a wager standing there before the roll, working by default, wins by it. Sorted as strings.

    Bonus bets light by the numbers they have collected, not here.
    """
    return sorted(
        spot.name
        for spot in game.spots
        if game.can_stand(spot, state)
        and game.works(spot, state)
        and game.verdict(spot, state, dice).outcome is Outcome.WIN
    )


def game_for(book: Book, *, option_b_exact: bool = False) -> Game:
    """The play of a book. Sic Bo's is imported only where it is wanted, to keep the start of a process short."""
    if book.game is GameKind.CRAPS:
        from tumbler.rules.craps import Craps

        return Craps(book)
    from tumbler.rules.sicbo import SicBo

    return SicBo(book, option_b_exact=option_b_exact)
