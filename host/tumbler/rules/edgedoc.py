"""docs/edges.md and its picture, made from the edges themselves: `tumbler edge --docs docs`. A test fails when they drift."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tumbler.rules.book import Book
from tumbler.rules.bookfile import book_ids, load_book
from tumbler.rules.edge import Edge, edge_of, edges, find_stake
from tumbler.rules.edgechain import NoSuchWager
from tumbler.rules.edgechart import chart
from tumbler.rules.edgepublished import published
from tumbler.rules.edgeview import pays, percent, saying

WITH_ODDS = (1, 2, 3, 5, 10)
OPTION_B = "crown-melbourne-sicbo-b"

HEAD = """\
<!-- Made by `tumbler edge --docs docs`; change the program, not this file. -->
# House edges

What the house keeps of one unit staked, exactly, for every wager and selection of every book. Worked out by enumeration of the
throws (Markov chains where a wager lives longer than one) from the same table that `tumbler settle` rolls by; a test holds
each value against the settlement of every throw from every position. Buy and lay: of stake and commission together. A push
counts as nothing won. Negative: **the player has the edge**.

    tumbler edge BOOK [--wager pass --odds 2] [--json]      these numbers, with chances, variance and sources
    tumbler simulate BOOK                                   the same by playing, with confidence bounds

![House edge of every wager, by book](images/edges.svg)

Published values are shown where a public source states one for the same rules and odds; "(differs)" marks those that the
exact value does not round to.
"""


def write(folder: Path) -> list[Path]:
    """Write both files below a folder that is there; gives their paths."""
    made = [folder / "edges.md", folder / "images" / "edges.svg"]
    made[1].parent.mkdir(exist_ok=True)
    made[0].write_text(document(), "utf-8")
    made[1].write_text(picture(), "utf-8")
    return made


def document() -> str:
    return "\n".join(_lines()) + "\n"


def picture() -> str:
    return chart([(load_book(book_id), edges(book_id)) for book_id in book_ids()])


def _lines() -> Iterator[str]:
    yield HEAD
    for book_id in book_ids():
        book = load_book(book_id)
        yield f"## {book.title}, {book.house}\n"
        yield f"`{book_id}`\n"
        yield from _table(book, list(edges(book_id)))
        if book_id == OPTION_B:
            yield "With `option_b_exact` (exactly one die, exactly two dice of the colour):\n"
            plain = {(row.stake.wager.id, row.stake.on): row.edge for row in edges(book_id)}
            other = edges(book_id, True)
            yield from _table(book, [row for row in other if plain[row.stake.wager.id, row.stake.on] != row.edge])
        if book.points:
            yield from _with_odds(book)


def _table(book: Book, rows: list[Edge]) -> Iterator[str]:
    yield "| wager | on | pays | edge | exactly | published |"
    yield "| --- | --- | --- | ---: | --- | --- |"
    for group in _alike(book, rows):
        first = group[0]
        where = ", ".join(str(row.stake.on) for row in group if row.stake.on is not None)
        if first.stake.list is not None:
            where = f"list {first.stake.list}"
        mark = "**" if first.player_has_it else ""
        flag = " (player)" if first.player_has_it else ""
        said = "; ".join(saying(each, first) for each in published(book.id, first.stake))
        yield (
            f"| {first.stake.wager.id} | {where} | {pays(first.stake)} "
            f"| {mark}{percent(first.edge)} %{mark}{flag} | {first.edge} | {said} |"
        )
    yield ""


def _alike(book: Book, rows: list[Edge]) -> list[list[Edge]]:
    """Selections of one wager with the same odds, edge and sources, as one line."""
    groups: dict[object, list[Edge]] = {}
    for row in rows:
        stake = row.stake
        sources = tuple(published(book.id, stake))
        groups.setdefault((stake.wager.id, stake.list, pays(stake), row.edge, sources), []).append(row)
    return list(groups.values())


def _with_odds(book: Book) -> Iterator[str]:
    flat = [wager.id for wager in book.wagers if any(row.behind == wager.id for row in book.wagers)]
    yield "With odds behind the wager, of all that is put up (where the document allows so many):\n"
    yield "| wager | " + " | ".join(f"{times} times" for times in WITH_ODDS) + " |"
    yield "| --- |" + " ---: |" * len(WITH_ODDS)
    for name in flat:
        yield f"| {name} | " + " | ".join(_with(book, name, times) for times in WITH_ODDS) + " |"
    yield ""


def _with(book: Book, name: str, times: int) -> str:
    try:
        return f"{percent(edge_of(book.id, find_stake(book, name, odds=times)).edge)} %"
    except NoSuchWager:  # more odds than the document allows
        return ""
