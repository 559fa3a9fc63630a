"""Every situation in which a craps wager can meet a roll, as the events that lead there; and the throws that a total means.

For the tests that read the documents: their tables say in which situation which totals do what.
"""

import json
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

from craps_scripts import BEHIND, BOOKS, FLAT, SELECTIONS
from tumbler.rules.script import read_script
from tumbler.rules.settle import settle

Event = dict[str, Any]
SIX, TEN = (4, 5, 6, 8, 9, 10), (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
HARD = (4, 6, 8, 10)
THROWS = tuple(combinations_with_replacement(range(1, 7), 2))
CALLED = ("place_win", "buy", "come_odds", "hardway")  # may be called on and off; the hardways not in Perth
STAKE = "60"
PERTH = "crown-perth-crapless"


def points(book: str) -> tuple[int, ...]:
    return TEN if book == PERTH else SIX


def answers(book: str, *events: Event, **sign: Any) -> list[dict[str, Any]]:
    return settle(read_script(json.dumps({"book": book, "sign": sign, "events": list(events)}).encode()))["events"]


def roll(*dice: int) -> Event:
    return {"do": "roll", "dice": list(dice)}


def roll_total(total: int) -> Event:
    return roll(total // 2, total - total // 2)


def place(id: str, wager: str, amount: str = STAKE, **more: Any) -> Event:
    return {"do": "place", "id": id, "player": "1", "wager": wager, "amount": amount} | more


def call(working: bool) -> Event:
    return {"do": "call", "id": "x", "working": working}


def situations(book: str, wager: str, on: int | None, when: str) -> Iterator[tuple[list[Event], int | None]]:
    """Events up to the roll that is asked about, with the wager as `x`; and the number that is its own there."""
    here = points(book)
    if wager in ("come", "dont_come", "come_odds", "dont_come_odds"):
        yield from _come(wager, when, here)
    elif wager in FLAT or wager in BEHIND:
        flat = wager.removesuffix("_odds")
        line = [place("flat" if wager in BEHIND else "x", flat)]
        odds = [place("x", wager, behind="flat")] if wager in BEHIND else []
        for point in here if when == "point" else ():
            yield [*line, roll_total(point), *odds], point
        if when == "come-out":
            yield line, None
    else:
        wager_up = [place("x", wager, on=on) if on else place("x", wager)]
        called = [call(True)] if wager in CALLED and not (book == PERTH and wager == "hardway") else []
        if when == "off":
            yield wager_up, on
        elif when == "any":
            yield wager_up + called, on
        for point in here if when in ("any", "called") else ():
            yield [roll_total(point), *wager_up, *([call(False)] if when == "called" else [])], on


def _come(wager: str, when: str, here: tuple[int, ...]) -> Iterator[tuple[list[Event], int | None]]:
    flat = wager.removesuffix("_odds")
    id = "flat" if wager in BEHIND else "x"
    if when == "first":
        for point in here:
            yield [roll_total(point), place(id, flat)], None
        return
    for number in here:
        point = here[0] if number != here[0] else here[1]
        moved = [roll_total(point), place(id, flat), roll_total(number)]
        if wager in BEHIND:
            moved.append(place("x", wager, behind=id))
        if when == "moved":
            yield moved, number
            yield [*moved, *([call(True)] if wager == "come_odds" else []), roll_total(point)], number
        elif when == "off":
            yield [*moved, roll_total(point)], number
        elif when == "called":
            yield [*moved, call(False)], number


def selections(book: str, wager: str) -> tuple[int | None, ...]:
    """Where the documents let a wager be placed; `hardway:6` is the one on 6."""
    name, _, only = wager.partition(":")
    if only:
        return (int(only),)
    if name in ("place_win", "place_lose", "buy", "lay"):
        return points(book)
    return SELECTIONS.get(name, (None,))


def throws(token: str, own: int | None) -> set[tuple[int, int]]:
    """The throws that a word of a table means."""
    if token in ("hard", "easy"):
        totals = HARD if own is None else (own,)
        return {dice for dice in THROWS if sum(dice) in totals and (dice[0] == dice[1]) == (token == "hard")}
    total = own if token == "own" else int(token)
    return {dice for dice in THROWS if sum(dice) == total}


__all__ = [
    "BOOKS",
    "STAKE",
    "THROWS",
    "answers",
    "call",
    "place",
    "points",
    "roll",
    "roll_total",
    "situations",
    "throws",
]
