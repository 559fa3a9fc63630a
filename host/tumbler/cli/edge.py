"""`tumbler edge [BOOK...]`: exact house edges of every wager, beside published ones; the wagers where the player has it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tumbler.cli.books import named_book
from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.rules.book import Book
from tumbler.rules.bookfile import book_ids
from tumbler.rules.edge import Edge, edge_of, edges, find_stake
from tumbler.rules.edgechain import NoSuchWager
from tumbler.rules.edgeview import as_json, as_lines

MOST_ODDS = 1000


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "edge",
        help="exact house edges of a rule book",
        description="Exact house edge of every wager and selection, by enumeration, beside published values.",
    )
    parser.add_argument("books", nargs="*", metavar="BOOK", help="rule books; all of them when none is named")
    parser.add_argument("--wager", action="append", metavar="WAGER[:ON]", help="only this wager (may be repeated)")
    parser.add_argument("--odds", type=int, default=0, metavar="N", help="with --wager: N times odds behind it")
    parser.add_argument("--list", type=int, metavar="N", help="only this payout list of the bonus bets")
    parser.add_argument("--option-b-exact", action="store_true", help="the other reading of option B's colours")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--docs", type=Path, metavar="DIR", help="write edges.md and images/edges.svg into this folder instead"
    )
    parser.set_defaults(func=run)


def run(options: argparse.Namespace) -> int:
    if options.docs is not None:
        return _docs(options.docs)
    if not 0 <= options.odds <= MOST_ODDS:
        raise BadInput(f"--odds must be a number from 0 to {MOST_ODDS}, not {options.odds}")
    if options.odds and not options.wager:
        raise BadInput("--odds needs --wager, the flat wager that they stand behind")
    books = [(book, _edges(book, options)) for book in map(named_book, options.books or book_ids())]
    if options.json:
        documents = [as_json(book, rows) for book, rows in books]
        print(json.dumps(documents[0] if len(documents) == 1 else {"books": documents}))
        return 0
    for number, (book, rows) in enumerate(books):
        if number:
            print()
        for line in as_lines(book, rows):
            print(line)
    return 0


def _edges(book: Book, options: argparse.Namespace) -> list[Edge]:
    if options.list is not None and (book.bonus is None or options.list not in book.bonus.lists):
        lists = ", ".join(map(str, book.bonus.lists)) if book.bonus else "none"
        raise BadInput(f"--list: {book.id} has payout lists {lists}, not {options.list}")
    if not options.wager:
        rows = edges(book.id, options.option_b_exact)
        return [row for row in rows if options.list is None or row.stake.list in (None, options.list)]
    try:
        stakes = [find_stake(book, text, payout_list=options.list or 1, odds=options.odds) for text in options.wager]
        return [edge_of(book.id, stake, options.option_b_exact) for stake in stakes]
    except NoSuchWager as error:
        raise BadInput(f"--wager: {error}") from None


def _docs(folder: Path) -> int:
    from tumbler.rules.edgedoc import write

    if not folder.is_dir():
        raise BadInput(f"--docs: {folder} is not a folder that is there; make it first")
    try:
        for file in write(folder):
            print(file)
    except OSError as error:
        raise WorkFailed(f"{error.filename or folder}: cannot be written: {error.strerror or error}") from None
    return 0
