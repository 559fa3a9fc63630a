"""Craps: what two dice do to each wager, with the numbers, bars and odds of its book.

One function a kind of wager; the kinds are in `book.Kind`. Not here: money, and the memory of bonus bets (`engine`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from tumbler.rules.book import Book, ComeOut, Kind, OddsRow, Selection, Wager
from tumbler.rules.play import Outcome, Spot, State, Verdict, area_name

SEVEN = 7
HARD = (4, 6, 8, 10)
FLAT = (Kind.COME, Kind.DONT_COME)
FOLLOWS = (Kind.ODDS, Kind.LAY_ODDS)


class Craps:
    """The play of one craps book: pass, come and numbers in the come-out and on each point."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.states: tuple[State, ...] = (None, *book.points)
        self._kinds = {wager.id: wager.kind for wager in book.wagers}
        self.spots: tuple[Spot, ...] = tuple(self._spots())

    def _spots(self) -> Iterator[Spot]:
        for wager in self.book.wagers:
            if wager.kind in FLAT:
                yield Spot(wager.id, wager, None)
            if wager.kind in FLAT or self._follows_come(wager):
                for number in self.book.points:
                    yield Spot(area_name(wager.id, number), wager, None, number)
            else:
                for on in wager.selections or (None,):
                    yield Spot(area_name(wager.id, on), wager, on)

    def _follows_come(self, wager: Wager) -> bool:
        return wager.behind is not None and self._kinds[wager.behind] in FLAT

    def next_state(self, state: State, dice: Sequence[int]) -> State:
        total = sum(dice)
        if state is None:
            return total if total in self.book.points else None
        return None if total in (state, SEVEN) else state

    def ends_round(self, state: State, dice: Sequence[int]) -> bool:
        """A round of play ends with the come-out that makes no point, and with the point or 7."""
        return self.next_state(state, dice) is None

    def can_stand(self, spot: Spot, state: State) -> bool:
        """Odds on the line and come wagers without their point are never up on a come-out roll."""
        if state is not None or spot.number is not None:
            return True
        return spot.wager.kind not in FLAT and spot.wager.kind not in FOLLOWS

    def works(self, spot: Spot, state: State) -> bool:
        return state is not None or spot.wager.come_out is not ComeOut.OFF

    def verdict(self, spot: Spot, state: State, dice: Sequence[int], working: bool = True) -> Verdict:
        verdict = _DECIDE[spot.wager.kind](self, spot, state, dice)
        if working or verdict.outcome not in (Outcome.WIN, Outcome.LOSE):
            return verdict
        calls = self.book.calls
        rule = spot.wager.come_out_rule if state is None or calls is None else calls.off_rule
        # Odds that are off cannot stay without the come wager that this roll decides.
        return Verdict(Outcome.RETURNED if spot.wager.kind in FOLLOWS else Outcome.OFF, rule)


def _row(wager: Wager, on: Selection | None, total: int) -> OddsRow:
    for row in wager.odds:
        if (not row.on or on in row.on) and (not row.totals or total in row.totals):
            return row
    raise LookupError(
        f"{wager.id} has no odds on {on!r} for a total of {total}"
    )  # `bookcheck` keeps this from happening


def _win(spot: Spot, on: Selection | None, total: int, rule: str) -> Verdict:
    return Verdict(Outcome.WIN, rule, _row(spot.wager, on, total).to)


def _race(spot: Spot, on: int, total: int, for_number: bool) -> Verdict:
    """A number against 7: for it (place to win, buy, odds) or against it (place to lose, lay, lay odds, don't)."""
    clauses = spot.wager.clauses
    if total not in (on, SEVEN):
        return Verdict(Outcome.NONE, clauses.none)
    if (total == on) == for_number:
        return _win(spot, on, total, clauses.point_win)
    return Verdict(Outcome.LOSE, clauses.point_lose)


def _first_roll(game: Craps, spot: Spot, total: int, moves: bool) -> Verdict:
    """The come-out roll of a line wager, the roll after placement of a come wager."""
    wager = spot.wager
    if total in wager.win:
        return _win(spot, None, total, wager.clauses.win)
    if total in wager.lose:
        return Verdict(Outcome.LOSE, wager.clauses.lose)
    if total in wager.bar:
        return Verdict(Outcome.PUSH, wager.clauses.push)
    return Verdict(Outcome.NONE, wager.clauses.none, moves=total if moves and total in game.book.points else None)


def _line(game: Craps, spot: Spot, state: State, dice: Sequence[int]) -> Verdict:
    if state is None:
        return _first_roll(game, spot, sum(dice), moves=False)
    return _race(spot, state, sum(dice), spot.wager.kind is Kind.PASS)


def _come(game: Craps, spot: Spot, state: State, dice: Sequence[int]) -> Verdict:
    if spot.number is None:
        return _first_roll(game, spot, sum(dice), moves=True)
    return _race(spot, spot.number, sum(dice), spot.wager.kind is Kind.COME)


def _odds(game: Craps, spot: Spot, state: State, dice: Sequence[int]) -> Verdict:
    point = state if spot.number is None else spot.number
    if point is None:
        return Verdict(Outcome.NONE, spot.wager.clauses.none)
    return _race(spot, point, sum(dice), spot.wager.kind is Kind.ODDS)


def _number(game: Craps, spot: Spot, state: State, dice: Sequence[int]) -> Verdict:
    on = spot.on if isinstance(spot.on, int) else spot.wager.numbers[0]
    return _race(spot, on, sum(dice), spot.wager.kind is Kind.NUMBER)


def _hard(game: Craps, spot: Spot, state: State, dice: Sequence[int]) -> Verdict:
    wager, total = spot.wager, sum(dice)
    numbers = HARD if spot.on is None else (spot.on,)
    if total in numbers and dice[0] == dice[1]:
        return _win(spot, spot.on, total, wager.clauses.win)
    if total in numbers or total == SEVEN:
        return Verdict(Outcome.LOSE, wager.clauses.lose)
    return Verdict(Outcome.NONE, wager.clauses.none)


def _one_roll(game: Craps, spot: Spot, state: State, dice: Sequence[int]) -> Verdict:
    total = sum(dice)
    if total in spot.wager.win:
        return _win(spot, None, total, spot.wager.clauses.win)
    return Verdict(Outcome.LOSE, spot.wager.clauses.lose)


def _split(game: Craps, spot: Spot, state: State, dice: Sequence[int]) -> Verdict:
    wager, total = spot.wager, sum(dice)
    for part in wager.parts:
        if total in part.totals:
            units = part.units + (wager.nominated if total == spot.on else 0)
            return Verdict(Outcome.WIN, wager.clauses.win, part.to, Fraction(units, wager.units))
    return Verdict(Outcome.LOSE, wager.clauses.lose)


def _bonus(game: Craps, spot: Spot, state: State, dice: Sequence[int]) -> Verdict:
    """Which roll completes the numbers is known only to whoever remembers the others (`engine`)."""
    if sum(dice) == SEVEN:
        return Verdict(Outcome.LOSE, spot.wager.clauses.lose)
    return Verdict(Outcome.NONE, spot.wager.clauses.none)


_DECIDE: dict[Kind, Callable[[Craps, Spot, State, Sequence[int]], Verdict]] = {
    Kind.PASS: _line,
    Kind.DONT_PASS: _line,
    Kind.COME: _come,
    Kind.DONT_COME: _come,
    Kind.ODDS: _odds,
    Kind.LAY_ODDS: _odds,
    Kind.NUMBER: _number,
    Kind.AGAINST: _number,
    Kind.HARDWAY: _hard,
    Kind.ANY_HARD: _hard,
    Kind.ONE_ROLL: _one_roll,
    Kind.SPLIT: _split,
    Kind.BONUS: _bonus,
}
