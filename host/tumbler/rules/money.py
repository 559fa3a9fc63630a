"""Money as whole numbers of a unit so small that every payment of a book is whole. Never a float.

The unit is a millionth, divided by whatever the book's odds, parts and commissions divide by; so 7 to 6 on the smallest
amount there is comes out whole. Text in and out: a decimal where it ends ("12.5"), a fraction where it doesn't ("35/3").
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import lcm

from tumbler.rules.book import Book, Of

DECIMALS = 6
MILLION = 1_000_000
WHOLE_DIGITS = 12
_AMOUNT = re.compile(rf"([0-9]{{1,{WHOLE_DIGITS}}})(?:\.([0-9]{{1,{DECIMALS}}}))?", re.ASCII)


class AmountError(ValueError):
    """Text that is no amount of money: the message says what is."""


def millionths(text: object) -> int:
    """A positive decimal as millionths. Raises AmountError."""
    match = _AMOUNT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise AmountError(
            f"must be a positive decimal in quotes, at most {WHOLE_DIGITS} digits and {DECIMALS} decimals"
        )
    amount = int(match[1]) * MILLION + int((match[2] or "").ljust(DECIMALS, "0"))
    if amount == 0:
        raise AmountError("must be more than nothing")
    return amount


def divisor(book: Book) -> int:
    """By what a millionth must be divided so that every win, part and commission of the book is whole."""
    parts: list[int] = [1]
    for wager in book.wagers:
        odds = [row.to for row in wager.odds] + [part.to for part in wager.parts]
        parts += [(to / wager.units).denominator for to in odds] + [wager.units]
        if wager.commission:
            bases = odds if wager.commission.of is Of.WINNINGS else [Fraction(1)]
            parts += [(base * wager.commission.percent).denominator for base in bases]
    return lcm(*parts)


def written(amount: Fraction) -> str:
    """An exact amount as text."""
    numerator, denominator = amount.numerator, amount.denominator
    rest, twos, fives = denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"{numerator}/{denominator}"
    places = max(twos, fives)
    if places == 0:
        return str(numerator)
    digits = str(abs(numerator) * 10**places // denominator).rjust(places + 1, "0")
    return f"{'-' if numerator < 0 else ''}{digits[:-places]}.{digits[-places:]}"
