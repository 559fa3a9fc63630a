"""Sic Bo: which wagers win, clause by clause. The counts are of the 216 throws, worked out by hand, not by the code."""

from collections import Counter
from itertools import product

import pytest
from tumbler.rules.bookfile import load_book
from tumbler.rules.play import Outcome, Spot, winning_areas
from tumbler.rules.sicbo import SicBo

THROWS = list(product(range(1, 7), repeat=3))


class Layout:
    """A game with its areas by name."""

    def __init__(self, book: str, option_b_exact: bool = False) -> None:
        self.game = SicBo(load_book(book), option_b_exact=option_b_exact)
        self.areas: dict[str, Spot] = {spot.name: spot for spot in self.game.spots}


A = Layout("crown-melbourne-sicbo-a")
B = Layout("crown-melbourne-sicbo-b")
EXACT = Layout("crown-melbourne-sicbo-b", option_b_exact=True)
SYMBOLS = ("Fish", "Prawn", "Gourd", "Coin", "Crab", "Chicken")


def wins(layout: Layout, name: str, *dice: int) -> bool:
    return layout.game.verdict(layout.areas[name], None, dice).outcome is Outcome.WIN


def ways(layout: Layout, name: str) -> dict[str, int]:
    """How many of the 216 throws are paid at which odds."""
    spot = layout.areas[name]
    verdicts = [layout.game.verdict(spot, None, dice) for dice in THROWS]
    assert {verdict.outcome for verdict in verdicts} <= {Outcome.WIN, Outcome.LOSE}
    return Counter(f"{verdict.to} to 1" for verdict in verdicts if verdict.outcome is Outcome.WIN)


def test_rule_3_6_option_a_has_eleven_wagers_and_fifty_six_areas() -> None:
    assert len(A.game.book.wagers) == 11
    assert len(A.areas) == 2 + 6 + 6 + 1 + 14 + 15 + 6 + 2 + 4


def test_rule_3_6_option_b_has_ten_wagers() -> None:
    assert len(B.game.book.wagers) == 10
    assert len(B.areas) == 2 + 6 + 3 + 1 + 1 + 14 + 3 + 3 + 6


@pytest.mark.parametrize("layout", [A, B])
def test_rule_3_7_small_wins_4_to_10_and_loses_on_a_triple(layout: Layout) -> None:
    for dice in THROWS:
        assert wins(layout, "small", *dice) == (4 <= sum(dice) <= 10 and len(set(dice)) > 1)
    assert not wins(layout, "small", 2, 2, 2)
    assert not wins(layout, "small", 1, 1, 1)
    assert ways(layout, "small") == {"1 to 1": 105}


@pytest.mark.parametrize("layout", [A, B])
def test_rule_3_8_big_wins_11_to_17_and_loses_on_a_triple(layout: Layout) -> None:
    assert not wins(layout, "big", 5, 5, 5)
    assert not wins(layout, "big", 6, 6, 6)
    assert wins(layout, "big", 6, 6, 5)
    assert wins(layout, "big", 4, 4, 3)
    assert ways(layout, "big") == {"1 to 1": 105}


def test_rule_3_9_1_specific_triple_wins_on_its_triple_alone() -> None:
    for face in range(1, 7):
        assert ways(A, f"specific_triple:{face}") == {"180 to 1": 1}
        assert wins(A, f"specific_triple:{face}", face, face, face)


def test_rule_3_10_1_specific_double_wins_with_two_or_all_three_dice_and_is_one_result() -> None:
    for face in range(1, 7):
        assert ways(A, f"specific_double:{face}") == {"11 to 1": 16}
    assert wins(A, "specific_double:4", 4, 1, 4)
    assert wins(A, "specific_double:4", 4, 4, 4)
    assert not wins(A, "specific_double:4", 4, 1, 2)


def test_rule_3_11_1_any_triple() -> None:
    assert ways(A, "any_triple") == {"31 to 1": 6}
    assert ways(B, "any_symbol_triple") == {"31 to 1": 6}


def test_rule_3_12_a_total_wins_in_any_combination_triples_too() -> None:
    by_hand = {
        "62 to 1": {4: 3, 17: 3},
        "31 to 1": {5: 6, 16: 6},
        "18 to 1": {6: 10, 15: 10},
        "12 to 1": {7: 15, 14: 15},
        "8 to 1": {8: 21, 13: 21},
        "7 to 1": {9: 25, 12: 25},
        "6 to 1": {10: 27, 11: 27},
    }
    for odds, totals in by_hand.items():
        for total, count in totals.items():
            assert ways(A, f"total:{total}") == ways(B, f"total:{total}") == {odds: count}
    assert wins(A, "total:6", 2, 2, 2)
    assert "total:3" not in A.areas
    assert "total:18" not in A.areas


def test_rule_3_13_a_pair_wins_when_two_of_the_dice_show_it() -> None:
    pairs = [name for name in A.areas if name.startswith("pair:")]
    assert len(pairs) == 15
    assert all(ways(A, name) == {"6 to 1": 30} for name in pairs)
    assert wins(A, "pair:1&2", 2, 2, 1)
    assert not wins(A, "pair:1&2", 2, 2, 3)


def test_rule_3_14_single_die_is_paid_by_the_number_of_dice() -> None:
    for face in range(1, 7):
        assert ways(A, f"single:{face}") == {"1 to 1": 75, "2 to 1": 15, "12 to 1": 1}
    for symbol in SYMBOLS:
        assert ways(B, f"single_symbol:{symbol}") == {"1 to 1": 75, "2 to 1": 15, "12 to 1": 1}


def test_rule_3_16_odd_and_rule_3_17_even_lose_on_a_triple() -> None:
    assert ways(A, "odd") == ways(A, "even") == {"1 to 1": 105}
    assert not wins(A, "odd", 3, 3, 3)
    assert not wins(A, "even", 4, 4, 4)
    assert wins(A, "odd", 6, 6, 5)
    assert wins(A, "even", 1, 1, 2)


def test_rule_3_18_three_of_four_needs_three_different_numbers_of_the_printed_four() -> None:
    assert [name for name in A.areas if name.startswith("three_of_four")] == [
        "three_of_four:6543",
        "three_of_four:6532",
        "three_of_four:5432",
        "three_of_four:4321",
    ]
    for four in ("6543", "6532", "5432", "4321"):
        assert ways(A, f"three_of_four:{four}") == {"7 to 1": 24}
    assert wins(A, "three_of_four:6532", 2, 6, 3)
    assert not wins(A, "three_of_four:6532", 2, 6, 4)
    assert not wins(A, "three_of_four:6532", 6, 6, 3)


def test_rule_2_2_5_every_symbol_has_its_value_and_colour() -> None:
    assert B.game.book.face_values == (
        ("Fish", "red"),
        ("Prawn", "green"),
        ("Gourd", "blue"),
        ("Coin", "blue"),
        ("Crab", "green"),
        ("Chicken", "red"),
    )
    assert not A.game.book.face_values
    assert wins(B, "specific_symbol_triple:Coin", 4, 4, 4)
    assert wins(B, "single_symbol:Chicken", 6, 1, 1)


def test_rule_3_9_2_and_3_11_3_colour_triples() -> None:
    for colour in ("red", "green", "blue"):
        assert ways(B, f"specific_colour_triple:{colour}") == {"23 to 1": 8}
    assert ways(B, "any_colour_triple") == {"7 to 1": 24}
    assert wins(B, "specific_colour_triple:red", 1, 6, 1)
    assert not wins(B, "specific_colour_triple:red", 1, 6, 2)


def test_rule_3_10_2_colour_double_by_the_words_is_two_or_all_three() -> None:
    for colour in ("red", "green", "blue"):
        assert ways(B, f"specific_colour_double:{colour}") == {"3 to 1": 56}
        assert ways(EXACT, f"specific_colour_double:{colour}") == {"3 to 1": 48}
    assert wins(B, "specific_colour_double:green", 2, 5, 2)
    assert not wins(EXACT, "specific_colour_double:green", 2, 5, 2)


def test_rule_3_15_single_colour_by_the_words_is_one_or_more_and_one_result() -> None:
    for colour in ("red", "green", "blue"):
        assert ways(B, f"single_colour:{colour}") == {"1 to 1": 152}
        assert ways(EXACT, f"single_colour:{colour}") == {"1 to 1": 96}
    assert wins(B, "single_colour:blue", 3, 4, 1)
    assert not wins(EXACT, "single_colour:blue", 3, 4, 1)


def test_rule_5_1_5_the_areas_lit_are_sorted_as_strings() -> None:
    assert winning_areas(A.game, None, (1, 2, 3)) == [
        "even",
        "pair:1&2",
        "pair:1&3",
        "pair:2&3",
        "single:1",
        "single:2",
        "single:3",
        "small",
        "three_of_four:4321",
        "total:6",
    ]
    assert winning_areas(B.game, None, (1, 1, 1)) == [
        "any_colour_triple",
        "any_symbol_triple",
        "single_colour:red",
        "single_symbol:Fish",
        "specific_colour_double:red",
        "specific_colour_triple:red",
        "specific_symbol_triple:Fish",
    ]
