"""Sic Bo through `tumbler settle`, clause by clause. Every expected value is written from the document, none from the code."""

import json
from typing import Any

import pytest
from tumbler.rules.script import ScriptError, read_script
from tumbler.rules.settle import settle

A = "crown-melbourne-sicbo-a"
B = "crown-melbourne-sicbo-b"
both = pytest.mark.parametrize("book", [A, B])


def play(book: str, *events: dict[str, Any], sign: dict[str, Any] | None = None, exact: bool = False) -> list[Any]:
    script = {"book": book, "sign": sign or {}, "option_b_exact": exact, "events": list(events)}
    return settle(read_script(json.dumps(script).encode()))["events"]


def place(wager: str, on: Any = None, amount: str = "10", id: str = "w", player: str = "1") -> dict[str, Any]:
    return {"do": "place", "id": id, "player": player, "wager": wager, "on": on, "amount": amount}


def roll(*dice: int) -> dict[str, Any]:
    return {"do": "roll", "dice": list(dice)}


NO_MORE_BETS = {"do": "no_more_bets"}


def outcome(book: str, wager: str, on: Any, dice: tuple[int, ...], exact: bool = False) -> tuple[str, str, str, str]:
    answers = play(book, place(wager, on), roll(*dice), exact=exact)
    (row,) = answers[1]["outcomes"]
    return row["outcome"], row["pays"], row["back"], row["rule"]


# Ten dollars on a wager, the dice, and what the clause and the table of rule 6 say of it.
CLAUSES_A = [
    ("3.7.1", "small", None, (1, 1, 2), "win", "10"),
    ("3.7.1", "small", None, (6, 3, 1), "win", "10"),
    ("3.7.2", "small", None, (3, 3, 3), "lose", "0"),
    ("3.7.2", "small", None, (4, 4, 3), "lose", "0"),
    ("3.8.1", "big", None, (5, 5, 1), "win", "10"),
    ("3.8.1", "big", None, (6, 6, 5), "win", "10"),
    ("3.8.2", "big", None, (4, 4, 4), "lose", "0"),
    ("3.8.2", "big", None, (6, 6, 6), "lose", "0"),
    ("3.8.2", "big", None, (1, 1, 2), "lose", "0"),
    ("3.9.1", "specific_triple", 6, (6, 6, 6), "win", "1800"),
    ("3.9.1", "specific_triple", 1, (1, 1, 1), "win", "1800"),
    ("3.9.3", "specific_triple", 6, (5, 5, 5), "lose", "0"),
    ("3.9.3", "specific_triple", 6, (6, 6, 5), "lose", "0"),
    ("3.10.1", "specific_double", 4, (4, 1, 4), "win", "110"),
    ("3.10.1", "specific_double", 4, (4, 4, 4), "win", "110"),  # (b): paid once only
    ("3.10.3", "specific_double", 4, (4, 1, 2), "lose", "0"),
    ("3.11.1", "any_triple", None, (2, 2, 2), "win", "310"),
    ("3.11.4", "any_triple", None, (2, 2, 3), "lose", "0"),
    ("3.12.1", "total", 4, (1, 1, 2), "win", "620"),
    ("3.12.1", "total", 17, (6, 5, 6), "win", "620"),
    ("3.12.1", "total", 5, (2, 2, 1), "win", "310"),
    ("3.12.1", "total", 16, (6, 6, 4), "win", "310"),
    ("3.12.1", "total", 6, (2, 2, 2), "win", "180"),
    ("3.12.1", "total", 15, (5, 5, 5), "win", "180"),
    ("3.12.1", "total", 7, (1, 2, 4), "win", "120"),
    ("3.12.1", "total", 14, (6, 6, 2), "win", "120"),
    ("3.12.1", "total", 8, (2, 3, 3), "win", "80"),
    ("3.12.1", "total", 13, (6, 6, 1), "win", "80"),
    ("3.12.1", "total", 9, (3, 3, 3), "win", "70"),
    ("3.12.1", "total", 12, (4, 4, 4), "win", "70"),
    ("3.12.1", "total", 10, (6, 2, 2), "win", "60"),
    ("3.12.1", "total", 11, (4, 4, 3), "win", "60"),
    ("3.12.2", "total", 11, (4, 4, 4), "lose", "0"),
    ("3.13.1", "pair", "1&2", (2, 5, 1), "win", "60"),
    ("3.13.1", "pair", "1&2", (2, 2, 1), "win", "60"),
    ("3.13.1", "pair", "5&6", (6, 5, 5), "win", "60"),
    ("3.13.2", "pair", "1&2", (2, 2, 2), "lose", "0"),
    ("3.14", "single", 5, (5, 1, 2), "win", "10"),
    ("3.14", "single", 5, (5, 5, 2), "win", "20"),
    ("3.14", "single", 5, (5, 5, 5), "win", "120"),
    ("3.14", "single", 5, (1, 2, 3), "lose", "0"),
    ("3.16.1", "odd", None, (1, 2, 2), "win", "10"),
    ("3.16.1", "odd", None, (6, 6, 5), "win", "10"),
    ("3.16.2", "odd", None, (5, 5, 5), "lose", "0"),
    ("3.16.2", "odd", None, (1, 1, 2), "lose", "0"),
    ("3.17.1", "even", None, (1, 1, 2), "win", "10"),
    ("3.17.1", "even", None, (6, 6, 4), "win", "10"),
    ("3.17.2", "even", None, (4, 4, 4), "lose", "0"),
    ("3.17.2", "even", None, (6, 6, 5), "lose", "0"),
    ("3.18.1", "three_of_four", "6543", (3, 6, 4), "win", "70"),
    ("3.18.1", "three_of_four", "6532", (2, 3, 6), "win", "70"),
    ("3.18.1", "three_of_four", "5432", (5, 4, 2), "win", "70"),
    ("3.18.1", "three_of_four", "4321", (1, 2, 3), "win", "70"),
    ("3.18.2", "three_of_four", "4321", (1, 2, 2), "lose", "0"),
    ("3.18.2", "three_of_four", "6532", (6, 5, 4), "lose", "0"),
]
# Fish 1 red, Prawn 2 green, Gourd 3 blue, Coin 4 blue, Crab 5 green, Chicken 6 red (2.2.5(b)).
CLAUSES_B = [
    ("3.7.1", "small", None, (6, 3, 1), "win", "10"),
    ("3.7.2", "small", None, (2, 2, 2), "lose", "0"),
    ("3.8.1", "big", None, (6, 6, 5), "win", "10"),
    ("3.8.2", "big", None, (5, 5, 5), "lose", "0"),
    ("3.9.2(a)", "specific_symbol_triple", "Fish", (1, 1, 1), "win", "1800"),
    ("3.9.2(a)", "specific_symbol_triple", "Prawn", (2, 2, 2), "win", "1800"),
    ("3.9.2(a)", "specific_symbol_triple", "Gourd", (3, 3, 3), "win", "1800"),
    ("3.9.2(a)", "specific_symbol_triple", "Coin", (4, 4, 4), "win", "1800"),
    ("3.9.2(a)", "specific_symbol_triple", "Crab", (5, 5, 5), "win", "1800"),
    ("3.9.2(a)", "specific_symbol_triple", "Chicken", (6, 6, 6), "win", "1800"),
    ("3.9.3", "specific_symbol_triple", "Fish", (6, 6, 6), "lose", "0"),
    ("3.9.2(b)", "specific_colour_triple", "red", (1, 6, 6), "win", "230"),
    ("3.9.2(b)", "specific_colour_triple", "green", (2, 5, 2), "win", "230"),
    ("3.9.2(b)", "specific_colour_triple", "blue", (3, 4, 3), "win", "230"),
    ("3.9.3", "specific_colour_triple", "blue", (3, 4, 5), "lose", "0"),
    ("3.10.2", "specific_colour_double", "red", (1, 6, 2), "win", "30"),
    ("3.10.2", "specific_colour_double", "red", (1, 6, 1), "win", "30"),  # (a) and (b): all three dice, paid once
    ("3.10.3", "specific_colour_double", "red", (1, 2, 3), "lose", "0"),
    ("3.11.2", "any_symbol_triple", None, (3, 3, 3), "win", "310"),
    ("3.11.4", "any_symbol_triple", None, (3, 3, 4), "lose", "0"),
    ("3.11.3", "any_colour_triple", None, (3, 3, 4), "win", "70"),
    ("3.11.4", "any_colour_triple", None, (3, 3, 5), "lose", "0"),
    ("3.12.1", "total", 4, (1, 1, 2), "win", "620"),
    ("3.12.1", "total", 16, (6, 6, 4), "win", "310"),
    ("3.12.1", "total", 6, (2, 2, 2), "win", "180"),
    ("3.12.1", "total", 14, (6, 6, 2), "win", "120"),
    ("3.12.1", "total", 8, (2, 3, 3), "win", "80"),
    ("3.12.1", "total", 12, (4, 4, 4), "win", "70"),
    ("3.12.1", "total", 10, (6, 2, 2), "win", "60"),
    ("3.12.2", "total", 10, (6, 2, 1), "lose", "0"),
    ("3.14", "single_symbol", "Crab", (5, 1, 2), "win", "10"),
    ("3.14", "single_symbol", "Crab", (5, 5, 2), "win", "20"),
    ("3.14", "single_symbol", "Crab", (5, 5, 5), "win", "120"),
    ("3.14", "single_symbol", "Crab", (1, 2, 3), "lose", "0"),
    ("3.15", "single_colour", "green", (5, 1, 1), "win", "10"),
    ("3.15", "single_colour", "green", (5, 2, 1), "win", "10"),  # 3.15.1: one result, paid once
    ("3.15", "single_colour", "green", (5, 2, 2), "win", "10"),
    ("3.15", "single_colour", "green", (1, 3, 4), "lose", "0"),
]


@pytest.mark.parametrize(("rule", "wager", "on", "dice", "what", "pays"), CLAUSES_A)
def test_option_a_settles_as_its_clause_and_table_1_say(
    rule: str, wager: str, on: Any, dice: tuple[int, ...], what: str, pays: str
) -> None:
    assert outcome(A, wager, on, dice) == (what, pays, "10" if what == "win" else "0", rule)


@pytest.mark.parametrize(("rule", "wager", "on", "dice", "what", "pays"), CLAUSES_B)
def test_option_b_settles_as_its_clause_and_table_2_say(
    rule: str, wager: str, on: Any, dice: tuple[int, ...], what: str, pays: str
) -> None:
    assert outcome(B, wager, on, dice) == (what, pays, "10" if what == "win" else "0", rule)


def test_the_clauses_above_cover_every_wager_of_rule_3_6() -> None:
    assert {row[1] for row in CLAUSES_A} == {
        *("big", "small", "odd", "even", "specific_triple", "specific_double", "any_triple", "total", "pair", "single"),
        "three_of_four",
    }
    assert {row[1] for row in CLAUSES_B} == {
        *("big", "small", "total", "specific_symbol_triple", "specific_colour_triple", "any_symbol_triple"),
        *("any_colour_triple", "specific_colour_double", "single_colour", "single_symbol"),
    }


def test_option_b_exact_reads_3_10_2_as_exactly_two_and_3_15_as_exactly_one() -> None:
    assert outcome(B, "specific_colour_double", "red", (1, 6, 2), exact=True)[:2] == ("win", "30")
    assert outcome(B, "specific_colour_double", "red", (1, 6, 1), exact=True)[:2] == ("lose", "0")
    assert outcome(B, "single_colour", "green", (5, 1, 1), exact=True)[:2] == ("win", "10")
    assert outcome(B, "single_colour", "green", (5, 2, 1), exact=True)[:2] == ("lose", "0")


@both
def test_a_spin_has_a_total_and_never_a_point(book: str) -> None:
    (answer,) = play(book, roll(6, 6, 1))
    assert (answer["total"], answer["point_before"], answer["point_after"], answer["outcomes"]) == (13, None, None, [])


@both
def test_rule_3_19_every_wager_is_decided_by_one_spin_and_leaves_the_layout(book: str) -> None:
    answers = play(
        book, place("big"), place("small", id="x"), roll(6, 6, 1), roll(6, 6, 1), {"do": "remove", "id": "w"}
    )
    assert [row["outcome"] for row in answers[2]["outcomes"]] == ["win", "lose"]
    assert answers[3]["outcomes"] == []
    assert answers[4]["ok"] is False


@both
def test_rule_3_2_after_no_more_bets_nothing_is_placed_changed_or_withdrawn(book: str) -> None:
    answers = play(
        book,
        place("big"),
        NO_MORE_BETS,
        place("small", id="late"),
        {"do": "change", "id": "w", "amount": "20"},
        {"do": "change", "id": "w", "amount": "5"},
        {"do": "remove", "id": "w"},
        {"do": "call", "id": "w", "working": False},
        roll(6, 6, 1),
        place("small", id="next"),
    )
    assert [(answer["ok"], answer.get("rule")) for answer in answers[2:7]] == [(False, "3.2")] * 5
    assert [(row["id"], row["pays"]) for row in answers[7]["outcomes"]] == [("w", "10")]
    assert answers[8]["ok"]  # decision and settlement have been made: betting is open again


@both
def test_before_no_more_bets_a_wager_is_raised_reduced_and_withdrawn(book: str) -> None:
    answers = play(
        book,
        place("big"),
        {"do": "change", "id": "w", "amount": "25"},
        {"do": "change", "id": "w", "amount": "15"},
        {"do": "remove", "id": "w"},
        roll(6, 6, 1),
    )
    assert [answer.get("back") for answer in answers[1:4]] == ["0", "10", "15"]
    assert answers[4]["outcomes"] == []


@both
@pytest.mark.parametrize(
    ("cause", "rule"), [("not_flat", "7.1.1"), ("malfunction", "7.1.2"), ("exposed_early", "7.1.3")]
)
def test_rule_7_1_a_no_spin_leaves_wagers_and_the_close_of_betting_as_they_are(
    book: str, cause: str, rule: str
) -> None:
    answers = play(
        book,
        place("big"),
        NO_MORE_BETS,
        {"do": "no_roll", "cause": cause},
        place("small", id="late"),
        roll(6, 6, 1),  # 7.2: spun again, and the same wagers are settled
    )
    assert (answers[2]["ok"], answers[2]["rule"], answers[2]["mandatory"]) == (True, rule, True)
    assert (answers[3]["ok"], answers[3]["rule"]) == (False, "3.2")
    assert [(row["id"], row["outcome"], row["pays"]) for row in answers[4]["outcomes"]] == [("w", "win", "10")]


@both
def test_rule_7_1_a_cause_that_only_craps_knows_is_refused(book: str) -> None:
    answers = play(book, place("big"), {"do": "no_roll", "cause": "cocked"}, roll(6, 6, 1))
    assert (answers[1]["ok"], answers[1]["rule"]) == (False, "7.1")
    assert answers[2]["outcomes"][0]["outcome"] == "win"


@both
@pytest.mark.parametrize(
    ("cause", "by", "rule", "ok"),
    [
        ("disruption", "dealer", "9.4", False),
        ("disruption", "tg_higher_duties_dealer", "9.4", True),
        ("disruption", "tg_assistant_casino_manager", "9.4", True),
        ("fraud", "tg_area_manager", "9.3", False),
        ("fraud", "tg_assistant_casino_manager", "9.3", True),
        ("fraud", "inspector", "9.3", False),
        ("rain", "tg_assistant_casino_manager", "9.3", False),
    ],
)
def test_rules_9_3_to_9_5_a_void_returns_every_wager_when_someone_with_authority_declares_it(
    book: str, cause: str, by: str, rule: str, ok: bool
) -> None:
    answers = play(
        book,
        place("big", amount="12.50"),
        place("single" if book == A else "single_symbol", 5 if book == A else "Crab", "3", "x", "2"),
        NO_MORE_BETS,
        {"do": "void", "cause": cause, "by": by},
        roll(6, 6, 1),
    )
    assert answers[3]["ok"] is ok
    if not ok:
        assert answers[3]["rule"].startswith("9.")
        assert len(answers[4]["outcomes"]) == 2
        return
    assert answers[3]["rule"] == rule
    assert [(row["id"], row["outcome"], row["back"], row["rule"]) for row in answers[3]["outcomes"]] == [
        ("w", "returned", "12.5", "9.5"),
        ("x", "returned", "3", "9.5"),
    ]
    assert answers[4]["outcomes"] == []


@both
def test_rule_4_2_1_under_the_minimum_is_played_once_with_advice_and_then_returned_regardless_of_the_result(
    book: str,
) -> None:
    answers = play(
        book,
        place("big", amount="4", id="first"),
        place("small", amount="4", id="second"),
        place("big", amount="4", id="other", player="2"),
        roll(6, 6, 1),
        sign={"min": "5"},
    )
    assert "returned" in answers[0]["advice"]
    assert "advice" in answers[1]
    rows = {row["id"]: (row["outcome"], row["pays"], row["back"], row["rule"]) for row in answers[3]["outcomes"]}
    assert rows == {
        "first": ("win", "4", "4", "3.8.1"),
        "second": ("returned", "0", "4", "4.2.1"),
        "other": ("win", "4", "4", "3.8.1"),
    }


@both
def test_rule_4_2_2_over_the_maximum_is_paid_and_collected_to_the_maximum(book: str) -> None:
    answers = play(
        book, place("big", amount="150"), place("small", amount="150", id="x"), roll(6, 6, 1), sign={"max": "100"}
    )
    won, lost = answers[2]["outcomes"]
    assert (won["pays"], won["back"]) == ("100", "150")
    assert (lost["pays"], lost["back"]) == ("0", "50")


@both
def test_rule_4_2_3_what_cannot_be_paid_in_chips_is_paid_to_the_next_highest_amount(book: str) -> None:
    events = (place("big", amount="7.25"), roll(6, 6, 1))
    for sign, pays in (
        ({"chip": "0.50"}, "7.5"),
        ({"chip": "5"}, "10"),
        ({"chip": "5", "multiples_only": True}, "10"),
        ({}, "7.25"),
    ):
        assert play(book, *events, sign=sign)[1]["outcomes"][0]["pays"] == pays


@pytest.mark.parametrize(
    ("book", "wager", "on", "rule"),
    [
        (A, "total", 3, "3.12"),
        (A, "total", 18, "3.12"),
        (A, "total", "9", "3.12"),
        (A, "total", None, "3.12"),
        (A, "pair", "2&1", "3.13"),
        (A, "pair", "3&3", "3.13"),
        (A, "single", 7, "3.14.1"),
        (A, "big", 11, "3.8"),
        (A, "three_of_four", "6542", "3.18"),
        (A, "single_colour", "red", "3.6"),
        (A, "pass", None, "3.6"),
        (B, "odd", None, "3.6"),
        (B, "single", 5, "3.6"),
        (B, "single_colour", "pink", "3.15"),
        (B, "single_symbol", "fish", "3.14.2"),
        (B, "specific_colour_double", "Fish", "3.10"),
    ],
)
def test_a_wager_or_selection_that_the_option_has_not_is_refused_with_its_rule(
    book: str, wager: str, on: Any, rule: str
) -> None:
    answers = play(book, place(wager, on), roll(1, 2, 3))
    assert (answers[0]["ok"], answers[0]["rule"]) == (False, rule)
    assert answers[0]["why"]
    assert answers[1]["outcomes"] == []


def test_a_wager_stands_behind_no_other_and_is_never_called_off() -> None:
    answers = play(
        A, place("big"), place("small", id="x") | {"behind": "w"}, {"do": "call", "id": "w", "working": False}
    )
    assert [answer["ok"] for answer in answers] == [True, False, False]
    assert answers[1]["rule"] == "3.7"


@pytest.mark.parametrize("dice", [[1, 2], [1, 2, 3, 4], [0, 1, 2], [1, 2, 7], ["Fish", "Crab", "Coin"], [1, 2, True]])
def test_dice_that_three_dice_cannot_show_are_no_script(dice: list[Any]) -> None:
    with pytest.raises(ScriptError, match=r"events\[0\]\.dice"):
        read_script(json.dumps({"book": B, "events": [{"do": "roll", "dice": dice}]}).encode())
