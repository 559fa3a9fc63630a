"""Sic Bo: what three dice do to each wager, with the selections, totals and odds of its book.

One function a kind of wager; the kinds are in `book.Kind`. Every wager is decided by every spin. Not here: money.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tumbler.rules.book import Book, BookError, Kind, OddsRow, Selection, Wager
from tumbler.rules.play import Outcome, Spot, State, Verdict, area_name

DICE = 3
FACES = range(1, 7)


class SicBo:
    """The play of one option. `option_b_exact` reads 3.10.2 and 3.15 as exactly two and exactly one die of the colour."""

    states: tuple[State, ...] = (None,)

    def __init__(self, book: Book, *, option_b_exact: bool = False) -> None:
        self.book = book
        self.exact = option_b_exact
        self.spots: tuple[Spot, ...] = tuple(
            Spot(area_name(wager.id, on), wager, on) for wager in book.wagers for on in wager.selections or (None,)
        )

    def next_state(self, state: State, dice: Sequence[int]) -> State:
        return None

    def ends_round(self, state: State, dice: Sequence[int]) -> bool:
        return True

    def can_stand(self, spot: Spot, state: State) -> bool:
        return True

    def works(self, spot: Spot, state: State) -> bool:
        return True

    def verdict(self, spot: Spot, state: State, dice: Sequence[int], working: bool = True) -> Verdict:
        wager = spot.wager
        count = _HITS[wager.kind](self, wager, spot.on, dice)
        if not count:
            return Verdict(Outcome.LOSE, wager.clauses.lose)
        return Verdict(Outcome.WIN, wager.clauses.win, odds_row(wager, spot.on, count).to)

    def shown(self, dice: Sequence[int]) -> list[Selection]:
        """What the dice show as players name it: numbers, or the symbols of option B (2.2.5)."""
        if not self.book.face_values:
            return list(dice)
        return [self.book.face_values[die - 1][0] for die in dice]

    def colours(self, dice: Sequence[int]) -> list[str]:
        return [self.book.face_values[die - 1][1] for die in dice]


def odds_row(wager: Wager, on: Selection | None, count: int) -> OddsRow:
    """The odds of a win: by selection where the table has them so, by the number of dice that show it for a single."""
    for row in wager.odds:
        if (not row.on or on in row.on) and row.count in (None, count):
            return row
    raise BookError(f"{wager.id} has no odds on {on!r} for {count} dice: `sicbocheck` lets no such book pass")


# Each of these answers how many dice earn the wager its win, and 0 when it loses.


def _totals(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    # 3.7.2, 3.8.2, 3.16.2, 3.17.2: a triple loses, whatever its total.
    return DICE if sum(dice) in wager.win and len(set(dice)) > 1 else 0


def _total(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    return DICE if sum(dice) == on else 0


def _triple(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    return DICE if game.shown(dice).count(on) == DICE else 0  # type: ignore[arg-type]


def _any_triple(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    return DICE if len(set(dice)) == 1 else 0


def _double(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    # 3.10.1(b): a triple is one double, paid once.
    return 2 if dice.count(on) >= 2 else 0


def _pair(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    return 2 if all(int(number) in dice for number in str(on).split("&")) else 0


def _single(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    return game.shown(dice).count(on)  # type: ignore[arg-type]


def _three_of_four(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    # 3.18.1, as ruled: three different numbers of the four.
    return DICE if len(set(dice)) == DICE and all(str(die) in str(on) for die in dice) else 0


def _colour_triple(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    return DICE if game.colours(dice).count(str(on)) == DICE else 0


def _any_colour_triple(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    return DICE if len(set(game.colours(dice))) == 1 else 0


def _colour_double(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    count = game.colours(dice).count(str(on))
    return 2 if count == 2 or (count == DICE and not game.exact) else 0


def _single_colour(game: SicBo, wager: Wager, on: Selection | None, dice: Sequence[int]) -> int:
    # 3.15.1: two or three dice of the colour are one result, paid once.
    count = game.colours(dice).count(str(on))
    return 1 if count == 1 or (count > 1 and not game.exact) else 0


_HITS: dict[Kind, Callable[[SicBo, Wager, Selection | None, Sequence[int]], int]] = {
    Kind.TOTALS: _totals,
    Kind.TOTAL: _total,
    Kind.TRIPLE: _triple,
    Kind.ANY_TRIPLE: _any_triple,
    Kind.DOUBLE: _double,
    Kind.PAIR: _pair,
    Kind.SINGLE: _single,
    Kind.THREE_OF_FOUR: _three_of_four,
    Kind.COLOUR_TRIPLE: _colour_triple,
    Kind.ANY_COLOUR_TRIPLE: _any_colour_triple,
    Kind.COLOUR_DOUBLE: _colour_double,
    Kind.SINGLE_COLOUR: _single_colour,
}
