"""Settlement beside crapssim: the same game is played, and fast enough."""

from fractions import Fraction

from tumbler.rules import bench
from tumbler.rules.engine import Table
from tumbler.rules.rolltable import roll_table

ROLLS = 100_000
LEAST_TIMES = 10


def test_the_measured_game_is_pass_line_with_double_odds() -> None:
    """What the players lose is near the exact edge of the line: 7/495 of its stake a line wager, and nothing on odds."""
    table = Table(roll_table(bench.BOOK))
    lost = -Fraction(bench.our_game(1, ROLLS, seed=1)(), table.unit) / int(bench.STAKE)
    # 165/557 of the rolls decide a line wager; the spread of one decision with double odds is under 5 stakes.
    decisions = Fraction(ROLLS * 165, 557)
    assert abs(lost - decisions * Fraction(7, 495)) < 5 * 5 * float(decisions) ** 0.5


def test_rolls_are_settled_at_least_ten_times_as_fast_as_by_crapssim() -> None:
    for row in bench.rows(share=10):
        assert row["ratio"] >= LEAST_TIMES, row
