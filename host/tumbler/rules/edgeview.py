"""Edges to read: as the rows of `tumbler edge --json`, and as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tumbler.rules.book import Book, Kind
from tumbler.rules.edge import Edge
from tumbler.rules.edgechain import Stake
from tumbler.rules.edgepublished import Published, published
from tumbler.rules.play import Outcome

PLAYER_MARK = "PLAYER"


def as_json(book: Book, edges: list[Edge]) -> dict[str, Any]:
    return {
        "book": book.id,
        "wagers": [row_as_json(book, edge) for edge in edges],
        "player_has_the_edge": [label(edge.stake) for edge in edges if edge.player_has_it],
    }


def row_as_json(book: Book, edge: Edge) -> dict[str, Any]:
    stake = edge.stake
    row: dict[str, Any] = {"wager": stake.wager.id, "on": stake.on, "edge": str(edge.edge)}
    if stake.list is not None:
        row["list"] = stake.list
    if stake.odds:
        row["odds"] = stake.odds
    return row | {
        "percent": percent(edge.edge),
        "player_edge": edge.player_has_it,
        "name": stake.wager.name,
        "rule": stake.wager.rule,
        "pays": pays(stake),
        "win": str(edge.chance(Outcome.WIN)),
        "push": str(edge.chance(Outcome.PUSH)),
        "rolls": str(edge.rolls),
        "variance": None if edge.variance is None else str(edge.variance),
        "published": [
            {"percent": said.percent, "source": said.source, "page": said.page, "agrees": said.agrees(edge.edge)}
            for said in published(book.id, stake)
        ],
    }


def as_lines(book: Book, edges: list[Edge]) -> Iterator[str]:
    yield f"{book.id}: {book.title}, {book.house}"
    yield f"  {'wager':<28} {'pays':<22} {'house edge':>10}  {'exactly':<20} published"
    for edge in edges:
        said = "; ".join(saying(each, edge) for each in published(book.id, edge.stake))
        mark = f" {PLAYER_MARK}" if edge.player_has_it else ""
        exactly = str(edge.edge) + mark
        yield (
            f"  {label(edge.stake):<28} {pays(edge.stake):<22} {percent(edge.edge):>8} %  {exactly:<20} {said}"
        ).rstrip()
    flagged = [edge for edge in edges if edge.player_has_it]
    if flagged:
        names = ", ".join(label(edge.stake) for edge in flagged)
        yield f"  WARNING: the player has the edge on {names}"
        rulings = {ruling.text for ruling in book.rulings for edge in flagged if edge.stake.wager.id in ruling.wagers}
        for text in sorted(rulings):
            yield f"  {text}"


def saying(said: Published, edge: Edge) -> str:
    return f"{said.percent} % {said.source}" + ("" if said.agrees(edge.edge) else " (differs)")


def label(stake: Stake) -> str:
    """The wager as an area is named, with its payout list and the odds behind it."""
    name = stake.wager.id if stake.on is None else f"{stake.wager.id}:{stake.on}"
    if stake.list is not None:
        name += f" list {stake.list}"
    return name + (f" with {stake.odds} times odds" if stake.odds else "")


def pays(stake: Stake) -> str:
    """The odds as printed, of this selection, point or list."""
    wager = stake.wager
    rows = [part.printed for part in wager.parts]
    if wager.kind is not Kind.SPLIT:
        rows = [
            row.printed for row in wager.odds if (not row.on or stake.on in row.on) and row.list in (None, stake.list)
        ]
    return ", ".join(dict.fromkeys(rows))


def percent(value: Fraction, places: int = 3) -> str:
    """A fraction in percent, rounded half up from the exact value."""
    scaled = abs(value) * 100 * 10**places
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    digits = str(whole).rjust(places + 1, "0")
    return f"{'-' if value < 0 and whole else ''}{digits[:-places]}.{digits[-places:]}"
