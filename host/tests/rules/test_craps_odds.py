"""Every line of the documents' odds tables, paid in a game; and no line in a book that its document has not.

The lines are in craps_odds.txt, read from the documents and not from the books.
"""

from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest
from craps_situations import BOOKS, HARD, STAKE, answers, place, roll, roll_total, selections, situations
from tumbler.rules.bookfile import load_book
from tumbler.rules.bookview import wager_as_json

DOCUMENTS = {
    "D1": ("crown-melbourne-craps", "crown-melbourne-mini-craps"),
    "D2": ("skycity-adelaide-craps",),
    "D3": ("nsw-craps",),
    "D4": ("crown-perth-crapless",),
}
# How a wager is brought to win: the situation, and the totals; "own" its number, "hard" that number with a pair.
WINS = {
    "pass": ("come-out", (7,)),
    "dont_pass": ("come-out", (3,)),  # the one total on which every document's don't wager wins at once
    "come": ("first", (7,)),
    "dont_come": ("first", (3,)),
    "pass_odds": ("point", ("own",)),
    "dont_pass_odds": ("point", (7,)),
    "come_odds": ("moved", ("own",)),
    "dont_come_odds": ("moved", (7,)),
    "place_win": ("any", ("own",)),
    "buy": ("any", ("own",)),
    "place_lose": ("any", (7,)),
    "lay": ("any", (7,)),
    "hardway": ("any", ("hard",)),
    "any_craps": ("any", (2, 3, 12)),
    "craps_two": ("any", (2,)),
    "craps_three": ("any", (3,)),
    "craps_twelve": ("any", (12,)),
    "eleven": ("any", (11,)),
    "any_seven": ("any", (7,)),
    "big6": ("any", (6,)),
    "big8": ("any", (8,)),
}
PARTS = {"horn": 4, "horn_high": 5, "world": 5, "c_and_e": 2}
COLLECTS = {
    "all_small": (2, 3, 4, 5, 6),
    "all_tall": (8, 9, 10, 11, 12),
    "make_em_all": (2, 3, 4, 5, 6, 8, 9, 10, 11, 12),
}


class Line(NamedTuple):
    book: str
    rule: str
    text: str
    wager: str
    of: str  # "number", "total" or "list"
    cases: tuple[int, ...]
    printed: str

    @property
    def to(self) -> Fraction:
        left, right = self.printed.split(" to ")
        return Fraction(left) / Fraction(right)


def read_lines() -> list[Line]:
    lines = []
    for text in (Path(__file__).parent / "craps_odds.txt").read_text().splitlines():
        if not text.startswith("#"):
            rule, name, wager, numbers, printed = (cell.strip() for cell in text.split("|"))
            document, rule = rule.split(" ", 1)
            words = numbers.replace("-", "").split()
            of = words.pop(0) if words and not words[0].isdigit() else "number"
            for book in DOCUMENTS[document]:
                lines.append(Line(book, rule, name, wager, of, tuple(map(int, words)), printed))
    return lines


LINES = read_lines()


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.book} {line.rule} {line.text}: {line.printed}")
def test_line(line: Line) -> None:
    """Paid exactly, in every situation in which it can be won."""
    paid = list(payments(line))
    assert paid
    for pays, back, stake in paid:
        assert (Fraction(pays), Fraction(back)) == (stake * line.to, stake)


def payments(line: Line):
    """(winnings, stake given back, stake that won) for each way to win by a line."""
    stake = Fraction(STAKE)
    if line.of == "list":
        rolls = [roll_total(total) for total in COLLECTS[line.wager]]
        *_, last = answers(line.book, place("x", line.wager), *rolls, bonus_list=line.cases[0])
        yield last["outcomes"][0]["pays"], last["outcomes"][0]["back"], stake
        return
    if line.of == "total":
        for total in line.cases:
            for on in selections(line.book, line.wager):
                units = 2 if on == total else 1  # horn high: one more on the nominated number
                for row in outcomes(line.book, line.wager, on, "any", roll_total(total)):
                    yield row["pays"], row["back"], stake * units / PARTS.get(line.wager, 1)
        return
    if line.wager == "any_hard":
        for total in HARD:
            for row in outcomes(line.book, line.wager, None, "any", roll(total // 2, total // 2)):
                yield row["pays"], row["back"], stake
        return
    when, totals = WINS[line.wager]
    on_number = line.wager in ("place_win", "place_lose", "buy", "lay", "hardway")
    for number in line.cases or (None,):
        for total in totals:
            shown = number if isinstance(total, str) else total
            dice = roll(shown // 2, shown // 2) if total == "hard" else roll_total(shown)
            own = None if on_number else number
            for row in outcomes(line.book, line.wager, number if on_number else None, when, dice, own):
                yield row["pays"], row["back"], stake


def outcomes(book: str, wager: str, on: int | None, when: str, dice, own: int | None = None):
    for before, number in situations(book, wager, on, when):
        if own in (None, number):
            *_, last = answers(book, *before, dice)
            row = next(row for row in last["outcomes"] if row["id"] == "x")
            assert row["outcome"] == "win", (before, dice, row)
            yield row


@pytest.mark.parametrize("book", BOOKS)
def test_a_book_prints_the_lines_of_its_document_and_no_others(book: str) -> None:
    tabled = set()
    for line in LINES:
        if line.book == book:
            for case in line.cases or (None,):
                tabled.add((line.wager, line.of if line.cases else "number", case, line.printed, line.rule))
    shown = set()
    for wager in load_book(book).wagers:
        for row in wager_as_json(load_book(book), wager)["odds"]:
            of = "list" if row["list"] else "total" if row["totals"] else "number"
            cases = [row["list"]] if row["list"] else row["totals"] or row["on"] or list(wager.selections) or [None]
            shown |= {(wager.id, of, case, row["pays"], row["rule"]) for case in cases}
    assert shown == tabled
