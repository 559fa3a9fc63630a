"""What stands on the table's sign: limits, odds multiple, bonus list and odds, in the words that the display shows.

The notices that a document requires are in its book; this puts the table's own figures to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tumbler.rules.book import Book, Kind, Wager
from tumbler.rules.bookview import odds_lines
from tumbler.rules.money import MILLION, written
from tumbler.rules.sign import Sign, effective_multiple


def sign_as_json(book: Book, sign: Sign) -> dict[str, Any]:
    return {
        "book": book.id,
        "title": book.title,
        "lines": list(sign_lines(book, sign)),
        "odds": list(_board(book, sign)),
    }


def sign_lines(book: Book, sign: Sign) -> Iterator[str]:
    """The sign itself, without the board of odds."""
    yield book.title
    if sign.min is not None:
        yield f"Minimum wager {_money(sign.min)}"
    if sign.max is not None:
        yield f"Maximum wager {_money(sign.max)}"
    if sign.multiples_only:
        yield "Wagers in multiples of the minimum only"
    odds = [wager for wager in book.wagers if wager.cap]
    if odds:
        multiple = effective_multiple(odds[0], sign)
        yield f"Odds: up to {multiple} times the wager" if multiple else "Odds: any multiple of the wager"
    if book.bonus is not None:
        yield f"Bonus Bets: payout list {sign.bonus_list}"
        for wager in book.wagers:
            if wager.kind is Kind.BONUS:
                yield f"{wager.name} {_bonus_odds(wager, sign)}"


def _board(book: Book, sign: Sign) -> Iterator[dict[str, Any]]:
    for wager in book.wagers:
        odds = [_bonus_odds(wager, sign)] if wager.kind is Kind.BONUS else list(odds_lines(wager))
        yield {"wager": wager.id, "name": wager.name, "odds": odds}


def _bonus_odds(wager: Wager, sign: Sign) -> str:
    return next(row.printed for row in wager.odds if row.list == sign.bonus_list)


def _money(millionths: int) -> str:
    return f"${written(Fraction(millionths, MILLION))}"
