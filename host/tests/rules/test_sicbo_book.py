"""The Sic Bo books as data: who may do what, what is shown and said, and that a wrong book is refused by file and field."""

from dataclasses import replace

import pytest
from tumbler.rules import sicbocheck
from tumbler.rules.book import Book, BookError, Kind, Refund, Rounding, TermKind, UnderMinimum
from tumbler.rules.bookfile import load_book

BOOKS = [load_book("crown-melbourne-sicbo-a"), load_book("crown-melbourne-sicbo-b")]
A, B = BOOKS
both = pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)


@both
def test_rule_1_authority_rises_from_dealer_to_assistant_casino_manager(book: Book) -> None:
    assert [level.role for level in book.authority] == [
        "dealer",
        "tg_higher_duties_dealer",
        "tg_area_manager",
        "tg_assistant_casino_manager",
    ]
    # 1.1: a TG Higher Duties Dealer (or above) may perform any function of the Dealer.
    assert book.may("tg_higher_duties_dealer", "dealer")
    assert not book.may("dealer", "tg_higher_duties_dealer")
    assert not book.may("inspector", "dealer")


@both
def test_rule_7_1_has_three_causes_of_no_spin_and_all_are_mandatory(book: Book) -> None:
    assert [(row.cause, row.rule) for row in book.no_rolls] == [
        ("not_flat", "7.1.1"),
        ("malfunction", "7.1.2"),
        ("exposed_early", "7.1.3"),
    ]
    assert all(row.mandatory and row.by == "dealer" for row in book.no_rolls)


@both
def test_rules_9_3_to_9_5_who_may_void_a_spin_and_that_all_wagers_are_refunded(book: Book) -> None:
    by_cause = {row.cause: row for row in book.voids}
    assert (by_cause["fraud"].rule, by_cause["fraud"].by) == ("9.3", "tg_assistant_casino_manager")
    assert (by_cause["disruption"].rule, by_cause["disruption"].by) == ("9.4", "tg_higher_duties_dealer")
    assert {(row.refund, row.refund_rule) for row in book.voids} == {(Refund.ALL, "9.5")}


@both
def test_rule_4_1_a_higher_minimum_needs_twenty_minutes_and_rule_9_8_closing_three_spins(book: Book) -> None:
    assert [(row.rule, row.minutes) for row in book.notices if row.minutes] == [("4.1, s 66(2)", 20)]
    assert [(row.rule, row.spins) for row in book.notices if row.spins] == [("9.8", 3)]


@both
def test_rule_4_2_limits_and_rounding(book: Book) -> None:
    assert (book.limits.under, book.limits.under_rule, book.limits.over_rule) == (
        UnderMinimum.RETURN_SECOND,
        "4.2.1",
        "4.2.2",
    )
    assert (book.rounding.plain, book.rounding.multiples_only, book.rounding.rule) == (
        Rounding.UP,
        Rounding.UP,
        "4.2.3",
    )


@both
def test_rule_3_2_no_more_bets_binds(book: Book) -> None:
    assert (book.betting_close.binds, book.betting_close.rule) == (True, "3.2")


@both
def test_rule_5_1_every_step_of_the_round_is_the_dealers_duty(book: Book) -> None:
    steps = [row.rule for row in book.duties if row.rule.startswith("5.1.") and row.role == "dealer"]
    assert steps == ["5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.1.5", "5.1.5(a)", "5.1.6"]
    assert ("5.1.7", "tg_area_manager") in [(row.rule, row.role) for row in book.duties]


@both
def test_rule_8_4_every_clause_of_the_tournament_terms_is_there(book: Book) -> None:
    assert {row.kind for row in book.terms} == {TermKind.TOURNAMENT}
    clauses = [row.rule.removeprefix("8.4.") for row in book.terms]
    assert len(clauses) == len(set(clauses)) == 49
    by_section = {section: sum(clause.startswith(f"{section}(") for clause in clauses) for section in range(1, 9)}
    assert by_section == {1: 6, 2: 10, 3: 7, 4: 3, 5: 1, 6: 1, 7: 2, 8: 19}


def test_rule_6_1_odds_of_option_a_are_shown_as_printed() -> None:
    printed = {wager.id: [row.printed for row in wager.odds] for wager in A.wagers}
    assert printed == {
        "big": ["1 to 1"],
        "small": ["1 to 1"],
        "specific_triple": ["180 to 1"],
        "specific_double": ["11 to 1"],
        "any_triple": ["31 to 1"],
        "total": ["62 to 1", "31 to 1", "18 to 1", "12 to 1", "8 to 1", "7 to 1", "6 to 1"],
        "pair": ["6 to 1"],
        "single": ["1 to 1", "2 to 1", "12 to 1"],
        "odd": ["1 to 1"],
        "even": ["1 to 1"],
        "three_of_four": ["7 to 1"],
    }


def test_rule_6_2_odds_of_option_b_are_shown_as_printed() -> None:
    printed = {wager.id: [row.printed for row in wager.odds] for wager in B.wagers}
    assert printed == {
        "big": ["1 to 1"],
        "small": ["1 to 1"],
        "specific_symbol_triple": ["180 to 1"],
        "specific_colour_triple": ["23 to 1"],
        "any_symbol_triple": ["31 to 1"],
        "any_colour_triple": ["7 to 1"],
        "total": ["62 to 1", "31 to 1", "18 to 1", "12 to 1", "8 to 1", "7 to 1", "6 to 1"],
        "specific_colour_double": ["3 to 1"],
        "single_colour": ["1 to 1"],
        "single_symbol": ["1 to 1", "2 to 1", "12 to 1"],
    }


def test_rule_3_6_1_odd_even_and_three_of_four_are_there_where_offered() -> None:
    assert [wager.id for wager in A.wagers if wager.where] == ["odd", "even", "three_of_four"]


def broken(book: Book, wager: str, **fields: object) -> Book:
    rows = tuple(replace(row, **fields) if row.id == wager else row for row in book.wagers)  # type: ignore[arg-type]
    return replace(book, wagers=rows)


@pytest.mark.parametrize(
    ("book", "says"),
    [
        (broken(A, "pair", selections=("2&1",)), r"\(pair\)\.selections: '2&1'"),
        (broken(A, "pair", selections=()), r"\(pair\)\.selections"),
        (broken(A, "single", selections=(7,)), r"\(single\)\.selections: 7"),
        (broken(A, "single", odds=A.find("single", 1).odds[:2]), r"\(single\)\.odds: 1 with count 3"),  # type: ignore[union-attr]
        (broken(A, "three_of_four", selections=("6654",)), r"\(three_of_four\)\.selections: '6654'"),
        (broken(A, "total", selections=(19,)), r"\(total\)\.selections: 19"),
        (broken(A, "big", win=()), r"\(big\)\.win"),
        (broken(A, "any_triple", selections=(1,)), r"\(any_triple\)\.selections"),
        (broken(A, "any_triple", kind=Kind.ANY_COLOUR_TRIPLE), r"\(any_triple\)\.kind"),
        (broken(B, "single_colour", selections=("pink",)), r"\(single_colour\)\.selections: 'pink'"),
        (broken(B, "single_symbol", selections=(1,)), r"\(single_symbol\)\.selections: 1"),
        (replace(B, face_values=B.face_values[:5]), "face: a die has six faces, not 5"),
    ],
)
def test_a_wrong_book_is_refused_with_file_and_field(book: Book, says: str) -> None:
    with pytest.raises(BookError, match=f"book.toml: .*{says}"):
        sicbocheck.check("book.toml", book)
