"""Sic Bo: which wagers win on which three dice (Crown Melbourne Sic Bo, rules 2.2.5 and 3.6 to 3.18).

Not here: the odds, limits and duties (the books crown-melbourne-sicbo-a and -b have them) and the money (settle).
Every wager is one row of OPTION_A or OPTION_B; its `hit` names the odds row that the dice earn, or is None for a loss.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

# 2.2.5(b): the face of an option B die by its value, and the colour of each face.
SYMBOLS = ("Fish", "Prawn", "Gourd", "Coin", "Crab", "Chicken")
COLOURS = ("red", "green", "blue", "blue", "green", "red")

DICE = 3
FACES = ("1", "2", "3", "4", "5", "6")
TOTALS = tuple(str(total) for total in range(4, 18))
PAIRS = tuple(f"{low}&{high}" for low, high in combinations(FACES, 2))
FOURS = ("6543", "6532", "5432", "4321")  # 3.18.1: these four and no others
COLOUR_NAMES = ("red", "green", "blue")

# What a wager earns: the name of an odds row ("" where the wager has one row only), or None when it loses.
Hit = Callable[[Sequence[int], str], str | None]


def is_triple(dice: Sequence[int]) -> bool:
    return dice[0] == dice[1] == dice[2]


def _even_money(totals: frozenset[int]) -> Hit:
    # 3.7.2, 3.8.2, 3.16.2, 3.17.2: a triple loses, whatever its total.
    return lambda dice, _: "" if sum(dice) in totals and not is_triple(dice) else None


def _count(shown: Sequence[str], wanted: str) -> int:
    return sum(face == wanted for face in shown)


def _numbers(dice: Sequence[int]) -> list[str]:
    return [str(die) for die in dice]


def _symbols(dice: Sequence[int]) -> list[str]:
    return [SYMBOLS[die - 1] for die in dice]


def _colours(dice: Sequence[int]) -> list[str]:
    return [COLOURS[die - 1] for die in dice]


Faces = Callable[[Sequence[int]], list[str]]


def _at_least(faces: Faces, count: int) -> Hit:
    return lambda dice, on: "" if _count(faces(dice), on) >= count else None


def _exactly(faces: Faces, count: int) -> Hit:
    return lambda dice, on: "" if _count(faces(dice), on) == count else None


def _any_triple(faces: Faces) -> Hit:
    return lambda dice, _: "" if len(set(faces(dice))) == 1 else None


def _by_count(faces: Faces) -> Hit:
    # 6.1, 6.2: a single die or symbol is paid by the number of dice that show it: rows "1", "2" and "3".
    return lambda dice, on: str(_count(faces(dice), on)) if _count(faces(dice), on) else None


def _total(dice: Sequence[int], on: str) -> str | None:
    return on if str(sum(dice)) == on else None


def _pair(dice: Sequence[int], on: str) -> str | None:
    return "" if set(on.split("&")) <= set(_numbers(dice)) else None  # 3.13.1


def _three_of_four(dice: Sequence[int], on: str) -> str | None:
    shown = set(_numbers(dice))
    return "" if len(shown) == DICE and shown <= set(on) else None  # 3.18.1: three different numbers of the four


@dataclass(frozen=True)
class SicBoWager:
    """One kind of wager: the selections it is offered on (one empty selection: it has none) and when it wins."""

    id: str
    rule: str
    selections: tuple[str, ...]
    hit: Hit


_NONE = ("",)
_SMALL = SicBoWager("small", "3.7", _NONE, _even_money(frozenset(range(4, 11))))
_BIG = SicBoWager("big", "3.8", _NONE, _even_money(frozenset(range(11, 18))))
_TOTAL = SicBoWager("total", "3.12", TOTALS, _total)

OPTION_A: tuple[SicBoWager, ...] = (
    _BIG,
    _SMALL,
    SicBoWager("specific_triple", "3.9.1", FACES, _at_least(_numbers, 3)),
    SicBoWager("specific_double", "3.10.1", FACES, _at_least(_numbers, 2)),  # a triple is one double, paid once
    SicBoWager("any_triple", "3.11.1", _NONE, _any_triple(_numbers)),
    _TOTAL,
    SicBoWager("pair", "3.13", PAIRS, _pair),
    SicBoWager("single", "3.14.1", FACES, _by_count(_numbers)),
    SicBoWager("odd", "3.16", _NONE, _even_money(frozenset(range(5, 18, 2)))),
    SicBoWager("even", "3.17", _NONE, _even_money(frozenset(range(4, 17, 2)))),
    SicBoWager("three_of_four", "3.18", FOURS, _three_of_four),
)

_COLOUR_DOUBLE = SicBoWager("specific_colour_double", "3.10.2", COLOUR_NAMES, _at_least(_colours, 2))
_SINGLE_COLOUR = SicBoWager("single_colour", "3.15", COLOUR_NAMES, _at_least(_colours, 1))

OPTION_B: tuple[SicBoWager, ...] = (
    _BIG,
    _SMALL,
    SicBoWager("specific_symbol_triple", "3.9.2(a)", SYMBOLS, _at_least(_symbols, 3)),
    SicBoWager("specific_colour_triple", "3.9.2(b)", COLOUR_NAMES, _at_least(_colours, 3)),
    SicBoWager("any_symbol_triple", "3.11.2", _NONE, _any_triple(_symbols)),
    SicBoWager("any_colour_triple", "3.11.3", _NONE, _any_triple(_colours)),
    _TOTAL,
    _COLOUR_DOUBLE,
    _SINGLE_COLOUR,
    SicBoWager("single_symbol", "3.14.2", SYMBOLS, _by_count(_symbols)),
)

# option_b_exact: the other reading of 3.10.2 and 3.15, exactly two and exactly one die of the colour.
_EXACT = {
    "specific_colour_double": SicBoWager("specific_colour_double", "3.10.2", COLOUR_NAMES, _exactly(_colours, 2)),
    "single_colour": SicBoWager("single_colour", "3.15", COLOUR_NAMES, _exactly(_colours, 1)),
}
OPTION_B_EXACT: tuple[SicBoWager, ...] = tuple(_EXACT.get(wager.id, wager) for wager in OPTION_B)


def wagers_of(option: str, *, option_b_exact: bool = False) -> tuple[SicBoWager, ...]:
    """The wagers of option "a" or "b"."""
    if option == "a":
        return OPTION_A
    return OPTION_B_EXACT if option_b_exact else OPTION_B


def area_name(wager: str, selection: str) -> str:
    """A betting area of the layout: `big`, `total:9`, `pair:1&2`."""
    return f"{wager}:{selection}" if selection else wager


def areas(wagers: Sequence[SicBoWager]) -> Iterator[tuple[str, SicBoWager, str]]:
    """Every betting area in layout order: its name, its wager and its selection."""
    for wager in wagers:
        for selection in wager.selections:
            yield area_name(wager.id, selection), wager, selection


def winning_areas(wagers: Sequence[SicBoWager], dice: Sequence[int]) -> list[str]:
    """The areas that light for these dice (5.1.5(a)), sorted as strings."""
    return sorted(name for name, wager, on in areas(wagers) if wager.hit(dice, on) is not None)
