"""Every edge against settlement: each wager is placed on a real table and every throw is settled from every position it can reach.

The positions, chances and money here come from `Table` alone; the edge under test comes from the compiled book. They must be equal
as fractions, so a wager that settles otherwise than its edge says cannot pass.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from tumbler.rules.book import Kind, When
from tumbler.rules.bookfile import book_ids
from tumbler.rules.edge import edges
from tumbler.rules.edgechain import Stake
from tumbler.rules.edgesolve import Unending, solve
from tumbler.rules.engine import Table
from tumbler.rules.play import Outcome
from tumbler.rules.rolltable import RollTable, roll_table
from tumbler.rules.sign import Sign

Throw = tuple[int, ...]
Act = Callable[[Table], object]


def throws(dice: int) -> dict[Throw, Fraction]:
    counts = Counter(tuple(sorted(throw)) for throw in product(range(1, 7), repeat=dice))
    return {throw: Fraction(count, 6**dice) for throw, count in counts.items()}


def dice_of(total: int) -> Throw:
    return total // 2, total - total // 2


def put(wager: str, on: object = None, behind: str | None = None, id: str = "w", amount: str = "1") -> Act:
    return lambda table: table.place(id, "1", wager, table.units(amount), on, behind)  # type: ignore[arg-type]


def rolled(throw: Throw) -> Act:
    return lambda table: table.roll(*throw)


def opening(stake: Stake, rolls: RollTable) -> list[Act]:
    """How a table comes to have this wager on it."""
    wager, book = stake.wager, rolls.game.book
    if wager.behind is None:
        here = put(wager.id, stake.on)
        return [rolled(dice_of(6)), here] if wager.place.when is When.POINT else [here]
    assert isinstance(stake.on, int)
    flat = put(wager.behind, id="flat", amount="1000")
    odds = put(wager.id, behind="flat")
    if next(row for row in book.wagers if row.id == wager.behind).place.when is When.COME_OUT:
        return [flat, rolled(dice_of(stake.on)), odds]
    point = next(number for number in book.points if number != stake.on)
    return [rolled(dice_of(point)), flat, rolled(dice_of(stake.on)), odds]


class Settling:
    """One stake on real tables."""

    def __init__(self, rolls: RollTable, stake: Stake) -> None:
        self.rolls, self.stake = rolls, stake
        self.sign = Sign(bonus_list=stake.list or 1)
        self.opening = opening(stake, rolls)
        self.chances = throws(rolls.game.book.dice)

    def table(self, history: tuple[Throw, ...]) -> Table:
        table = Table(self.rolls, self.sign)
        for act in self.opening:
            act(table)
        for throw in history:
            table.roll(*throw)
        return table

    def position(self, table: Table, history: tuple[Throw, ...]) -> object:
        numbers = self.stake.wager.numbers if self.stake.wager.kind is Kind.BONUS else ()
        collected = frozenset(sum(throw) for throw in history if sum(throw) in numbers)
        # All Small shows in every state that a bonus bet does not look at the point; the other two would take a minute.
        state = table.state if len(numbers) == 0 or max(numbers) < 7 else None
        return state, table.standing["w"].number, collected

    def kept_by_the_house(self) -> Fraction:
        """Of one unit put up, from every throw in every position, settled one by one."""
        place: dict[object, int] = {self.position(self.table(()), ()): 0}
        histories: list[tuple[Throw, ...]] = [()]
        rows: dict[int, dict[int, Fraction]] = {}
        won: dict[int, list[Fraction]] = {}
        while len(rows) < len(histories):
            here = len(rows)
            rows[here], won[here] = {}, [Fraction(0)]
            for throw, chance in self.chances.items():
                table = self.table(histories[here])
                wager = table.standing["w"]
                put_up = wager.amount + wager.commission
                settled = next(row for row in table.roll_all(*throw).rows if row.wager is wager)
                if settled.outcome in (Outcome.WIN, Outcome.LOSE, Outcome.RETURNED, Outcome.PUSH):
                    back = wager.amount if settled.outcome is Outcome.PUSH else settled.back
                    net = settled.pays + back + settled.commission_back - put_up
                    won[here][0] += chance * Fraction(net, put_up)
                    continue
                history = (*histories[here], throw)
                there = place.setdefault(self.position(table, history), len(histories))
                if there == len(histories):
                    histories.append(history)
                rows[here][there] = rows[here].get(there, Fraction(0)) + chance
        return -solve(rows, won)[0][0]


@pytest.mark.parametrize("book", book_ids())
def test_the_sum_over_all_settlements_equals_the_exact_edge(book: str) -> None:
    rolls = roll_table(book)
    for edge in edges(book):
        if edge.stake.list in (None, 1) or (edge.stake.wager.id, edge.stake.list) == ("all_tall", 5):
            assert Settling(rolls, edge.stake).kept_by_the_house() == edge.edge, edge.stake


def test_the_other_reading_of_option_b_is_settled_by_its_own_edges() -> None:
    book = "crown-melbourne-sicbo-b"
    for edge in edges(book, True):
        assert Settling(roll_table(book, True), edge.stake).kept_by_the_house() == edge.edge, edge.stake


def test_the_solver_gives_the_gamblers_ruin_by_hand() -> None:
    # With 1, 2 or 3 units and a fair coin: 4 units are reached with a chance of 1/4, 2/4, 3/4, in 3, 4, 3 throws.
    half = Fraction(1, 2)
    rows = {1: {2: half}, 2: {1: half, 3: half}, 3: {2: half}}
    constants = {1: [Fraction(0), Fraction(1)], 2: [Fraction(0), Fraction(1)], 3: [half, Fraction(1)]}
    assert solve(rows, constants) == {1: [Fraction(1, 4), 3], 2: [half, 4], 3: [Fraction(3, 4), 3]}


def test_the_solver_refuses_a_position_that_is_never_left() -> None:
    with pytest.raises(Unending, match="position 7"):
        solve({7: {7: Fraction(1)}}, {7: [Fraction(1)]})
