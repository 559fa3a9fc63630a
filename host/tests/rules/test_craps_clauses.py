"""Every win, lose and void clause of the craps documents, in every situation, with every throw.

The clauses are in clauses/*.txt, read from the documents and not from the books. `own` is the wager's point or number, `other`
any throw that no other line of that wager and situation names; a dash is an outcome that the document does not number.
"""

from pathlib import Path
from typing import NamedTuple

import pytest
from craps_situations import BOOKS, THROWS, answers, roll, selections, situations, throws
from tumbler.rules.bookfile import load_book


class Clause(NamedTuple):
    book: str
    rule: str
    wager: str
    when: str
    totals: tuple[str, ...]
    outcome: str


def read_clauses(book: str) -> list[Clause]:
    name = "crown-melbourne-craps" if book == "crown-melbourne-mini-craps" else book
    lines = (Path(__file__).parent / "clauses" / f"{name}.txt").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if not line.startswith("#")]
    return [
        Clause(book, rule, wager, when, tuple(totals.split()), outcome) for rule, wager, when, totals, outcome in rows
    ]


CLAUSES = [clause for book in BOOKS for clause in read_clauses(book)]


def named(clause: Clause, own: int | None) -> set[tuple[int, int]]:
    """The throws of a clause; `other` is what its neighbours leave."""
    explicit = {dice for token in clause.totals if token != "other" for dice in throws(token, own)}
    if "other" not in clause.totals:
        return explicit
    neighbours = [
        other
        for other in CLAUSES
        if (other.book, other.wager, other.when) == (clause.book, clause.wager, clause.when) and other != clause
    ]
    return set(THROWS) - {dice for other in neighbours for dice in named(other, own)}


def sentence(clause: Clause) -> str:
    return f"{clause.book} {clause.rule}: {clause.wager} {clause.when} {' '.join(clause.totals)} {clause.outcome}"


@pytest.mark.parametrize("clause", CLAUSES, ids=sentence)
def test_clause(clause: Clause) -> None:
    name = clause.wager.partition(":")[0]
    met = 0
    for on in selections(clause.book, clause.wager):
        for before, own in situations(clause.book, name, on, clause.when):
            for dice in named(clause, own):
                *lead, rolled = answers(clause.book, *before, roll(*dice), odds_multiple=2)
                assert all(answer["ok"] for answer in lead), (before, lead)
                row = next(row for row in rolled["outcomes"] if row["id"] == "x")
                assert row["outcome"] == clause.outcome, (before, dice, row)
                assert clause.rule in ("-", row["rule"]), (before, dice, row)
                met += 1
    assert met, "no situation of this clause was met"


@pytest.mark.parametrize("book", BOOKS)
def test_every_combination_of_dice_gives_each_wager_exactly_one_outcome(book: str) -> None:
    clauses = read_clauses(book)
    for wager, when in {(clause.wager, clause.when) for clause in clauses}:
        for on in selections(book, wager):
            for _, own in situations(book, wager.partition(":")[0], on, when):
                mine = [named(clause, own) for clause in clauses if (clause.wager, clause.when) == (wager, when)]
                assert sum(map(len, mine)) == len(set().union(*mine)) == len(THROWS), (wager, when, own)


@pytest.mark.parametrize("book", BOOKS)
def test_the_tables_have_every_wager_of_the_book(book: str) -> None:
    tabled = {
        (wager.partition(":")[0], on)
        for wager in {clause.wager for clause in read_clauses(book) if clause.when != "off"}
        for on in selections(book, wager)
    }
    assert tabled == {(wager.id, on) for wager in load_book(book).wagers for on in wager.selections or (None,)}
