"""What the page must know of a table's book: its areas with names, odds and rules, its faces, its roles. From the book only.

Where an area lies on the felt is the page's business (static/js/layouts.js).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dicewire.declared.codes import CAUSES, FAULTS, HOLDS, INPUTS, LOCKS, PHASES

from tumbler.rules.book import Book, Kind, Selection, Wager
from tumbler.table.authority import Duty, least_role

# what a person at the table may want to know: who can, and by which rule
SHOWN_DUTIES = (Duty.CALL_NO_SPIN, Duty.RELEASE, Duty.CLOSE_TABLE, Duty.VOID_DISRUPTION, Duty.VOID_FRAUD)
TABLES = {"phase": PHASES, "lock": LOCKS, "hold": HOLDS, "fault": FAULTS, "input": INPUTS, "cause": CAUSES}


def words() -> dict[str, dict[str, str]]:
    """Names of the wire in plain words: kind -> name -> text."""
    return {kind: {row.name: row.text for row in table} for kind, table in TABLES.items()}


def describe(book: Book, areas: Sequence[str]) -> dict[str, Any]:
    bonus = [wager for wager in book.wagers if wager.kind is Kind.BONUS]
    return {
        "book": book.id,
        "title": book.title,
        "house": book.house,
        "document": book.document,
        "game": book.game.value,
        "dice": book.dice,
        "points": list(book.points),
        "faces": [{"symbol": symbol, "colour": colour} for symbol, colour in book.face_values],
        "areas": [area(book, name) for name in areas],
        "bonus": [{"id": wager.id, "name": wager.name, "numbers": sorted(wager.numbers)} for wager in bonus],
        "duties": list(duties(book)),
    }


def area(book: Book, name: str) -> dict[str, Any]:
    wager_id, _, on = name.partition(":")
    wager = _wager(book, wager_id, on)
    return {
        "id": name,
        "wager": wager_id,
        "on": on or None,
        "name": wager.name,
        "odds": odds(wager, on),
        "rule": wager.rule,
    }


def _wager(book: Book, wager_id: str, on: str) -> Wager:
    rows = [wager for wager in book.wagers if wager.id == wager_id]
    return next((wager for wager in rows if _selects(wager.selections, on)), rows[0])


def _selects(selections: Sequence[Selection], on: str) -> bool:
    return any(str(selection) == on for selection in selections)


def odds(wager: Wager, on: str) -> str:
    """As printed in the document; several lines where the dice decide which."""
    rows = [row.printed for row in wager.odds if not row.on or _selects(row.on, on)]
    rows += [part.printed for part in wager.parts]
    if not rows and wager.odds:
        return "by point"  # odds behind a line wager: the lamp is one, the point decides
    return ", ".join(dict.fromkeys(rows))


def duties(book: Book) -> Iterator[dict[str, str]]:
    titles = {level.role: level.title for level in book.authority}
    voids = {void.cause for void in book.voids}
    for duty in SHOWN_DUTIES:
        if duty.value.startswith("void_") and duty.value.removeprefix("void_") not in voids:
            continue
        role, rule = least_role(book, duty)
        yield {"duty": duty.value.replace("_", " "), "role": titles.get(role, role), "rule": rule}
