"""Every clause of the documents that obliges, permits or announces something is in its book, under its number.

The tables follow the numbering of the documents, clause by clause. A wager's own clauses are in `clauses/`.
"""

from __future__ import annotations

import pytest
from tumbler.rules.bookfile import load_book

TOURNAMENT = "8.1 8.2.1 8.2.2(a) 8.2.2(b) 8.2.3 8.2.3(a) 8.2.4 8.2.5 8.3.1 8.3.2"

DUTIES = {
    "crown-melbourne-craps": f"""
        2.1 2.2 2.2.1 2.2.2 2.3 2.4 2.5 3.1 3.2 3.3 3.3.1 3.3.2 3.5.1(a) 3.5.1(b) 3.5.2(a) 3.5.2(b)
        4.1 4.2.1 4.2.2 4.2.3 4.3 5.1.1 5.1.1(a) 5.1.1(b) 5.1.1(c) 5.1.1(c)(i) 5.1.2 5.1.2(a)
        5.2.1 5.2.1(a)(i) 5.2.1(b) 5.2.2 5.2.2(a) 5.2.2(b) 5.3.1(a) 5.3.1(b) 5.3.1(b)(i) 5.3.1(c) 5.3.1(d) 5.3.1(e)
        {TOURNAMENT} 9.1 9.2.1 9.2.2 9.2.3 9.2.4 9.2.5 9.3 9.4 9.5 9.6 9.7 9.8 9.9 9.10 9.11""",
    "crown-melbourne-mini-craps": "7.2.1 7.2.2 7.3.1(a) 7.3.1(b) 7.3.1(c) 7.3.2 7.3.3 7.4.1 7.4.2",
    "skycity-adelaide-craps": """
        2 3 4(g) 4(y) 5(a) 5(b) 5(e) 5(f) 5(g) 6(a) 6(b) 6(d) 7(a) 7(c) 8 9(a) 9(b) 9(c) 9(d)(i) 9(d)(ii) 9(d)(iii)
        9(d)(iv) 10 11(b) 11(c) 11(d) 12(a) 12(b) 13(a) 13(a)(i) 13(a)(ii) 13(b) 13(c)
        14(a) 14(b) 14(c) 14(d) 14(e) 14(f) 14(g) 14(h) 14(i) 14(j) 14(k) 14(l) 14(m) 14(n)""",
    "nsw-craps": """
        1.1 2.1 2.2 2.3 2.4 2.5 3.1 3.2 3.3 3.4.1 3.4.2 3.5 3.6 3.7 3.7.2 3.8.1 3.8.2 3.9 4.1 4.2 4.3 4.4.1 4.4.2 4.4.3 4.5
        5.1 6.2 6.3 6.6.1 6.6.2 6.7 6.8 7.1 7.2 7.3 7.4 7.5 7.6 9.1 9.2 9.3.1 9.3.2 9.3.3 9.3.4 9.4 9.5 9.6 9.7 9.8 9.9 9.10
        9.11 9.12 9.13 9.14 10.1 10.2 10.3 10.4 10.5 10.6 10.8 10.9 10.9.1 10.10 10.10.1 10.11 10.12""",
    "crown-perth-crapless": """
        2.2(a) 2.2(b) 2.3 3.1 3.2 3.3 4.1 4.2 4.3 4.4 4.6 4.7 4.11 5.1 5.2(a) 5.2(b) 5.2(c) 5.3 5.4(a) 5.4(b) 5.4(c) 5.4(d)
        5.5 5.6 5.7 6.1 6.2 6.3 6.5 6.6 6.7 6.8 6.9 6.10 6.10(a) 6.10(b) 6.11 6.12 6.13 6.13(a) 6.14 6.15 6.16 7.1(a) 7.1(b)
        7.1(c) 7.1(d) 7.1(e) 7.1(f) 7.2(a) 7.2(b) 7.2(c) 8.2 8.3 8.4 8.5 8.6 9.1 9.2 9.3 9.4(a) 9.4(b) 9.4(c) 9.4(d)
        9.5 9.6(a) 9.6(b) 9.7""",
    "crown-melbourne-sicbo-a": f"""
        2.1 2.2.1 2.2.2 2.2.4(a) 2.2.4(b) 2.2.4(c)(i) 2.2.5(a) 3.1 3.1.2(a) 3.1.2(b) 3.1.2(c)(i) 3.1.2(c)(ii) 3.1.2(d)
        3.1.2(e) 3.1.2(f) 3.1.2(f)(i) 3.2 3.3 3.4 3.5 3.10.1(b) 3.19.1 3.19.2 4.1 4.2.1 4.2.2 4.2.3 4.3 5.1.1 5.1.2 5.1.3
        5.1.4 5.1.5 5.1.5(a) 5.1.6 5.1.7 5.1.7(a) 5.1.7(b) 5.1.7(c) 5.2 7.1 7.2 7.3 7.4 7.5 {TOURNAMENT}
        9.1 9.2.1 9.2.2 9.2.3 9.2.4 9.3 9.4 9.5 9.6 9.7 9.8 9.9 9.10 9.11 9.12 9.13 9.14""",
    "crown-melbourne-sicbo-b": "2.2.4(c)(ii) 2.2.5(b) 3.10.2(b) 3.15.1",
}

NOTICES = {
    "crown-melbourne-craps": "4.2.1 4.3 4.4 8.2.2 8.4.1(b) 8.4.1(c) 9.7 9.8 9.11",
    "skycity-adelaide-craps": "5(f) 6(a) 14(g) 14(h) 14(i) 14(l) 14(n)",
    "nsw-craps": "7.1 7.5 7.6 9.8 9.13 9.14 10.6 10.8 10.9 10.10 10.12",
    "crown-perth-crapless": "5.1 5.2(c) 5.6 5.7 7.1(b) 8.6 9.4(b)",
    "crown-melbourne-sicbo-a": "3.1.2(e) 4.2.1 4.3 7.4 8.2.2 8.4.1(b) 8.4.1(c) 9.8 9.11 9.12 9.14",
}

# Who holds what, where the documents differ: (book, rule) -> role.
HOLDERS = {
    ("crown-melbourne-craps", "9.7"): "tg_higher_duties_dealer",
    ("crown-melbourne-craps", "9.2.1"): "tg_assistant_casino_manager",
    ("crown-melbourne-mini-craps", "7.3.3"): "tg_area_manager",
    ("skycity-adelaide-craps", "13(a)(ii)"): "boxman",
    ("skycity-adelaide-craps", "14(h)"): "dealer",
    ("nsw-craps", "3.9"): "stickperson",
    ("nsw-craps", "9.3.3"): "casino_supervisor",
    ("nsw-craps", "10.2"): "scrutineer",
    ("crown-perth-crapless", "9.4(c)"): "table_games_management",
    ("crown-perth-crapless", "5.4(b)"): "casino_operator",
    ("crown-melbourne-sicbo-a", "5.1.7(c)"): "tg_area_manager",
    ("crown-melbourne-sicbo-b", "8.2.3(a)"): "tournament_director",
}


@pytest.mark.parametrize("book", DUTIES)
def test_every_clause_that_someone_must_or_may_do_is_a_duty(book: str) -> None:
    rules = {row.rule for row in load_book(book).duties}
    assert set(DUTIES[book].split()) - rules == set()


@pytest.mark.parametrize("book", NOTICES)
def test_every_clause_that_something_is_shown_or_said_is_a_notice(book: str) -> None:
    rules = {row.rule for row in load_book(book).notices}
    assert set(NOTICES[book].split()) - rules == set()


@pytest.mark.parametrize(("book", "rule"), HOLDERS)
def test_a_duty_is_held_by_the_role_that_its_document_names(book: str, rule: str) -> None:
    assert HOLDERS[book, rule] in {row.role for row in load_book(book).duties if row.rule == rule}


def test_rule_8_4_of_both_melbourne_documents_asks_for_the_same_tournament_terms() -> None:
    craps, sicbo = (load_book(book).terms for book in ("crown-melbourne-craps", "crown-melbourne-sicbo-a"))
    assert [row.rule for row in craps] == [row.rule for row in sicbo]


@pytest.mark.parametrize(
    "book", ["crown-melbourne-craps", "skycity-adelaide-craps", "nsw-craps", "crown-perth-crapless"]
)
def test_the_ruling_that_limits_are_per_wager_is_in_every_book(book: str) -> None:
    assert any(row.text.startswith("Limits are per wager") for row in load_book(book).rulings)
