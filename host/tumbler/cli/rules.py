"""`tumbler rules list|show|sign`: the rule books to read, and the sign of a table."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from typing import Any

from tumbler.cli.books import named_book
from tumbler.cli.exits import BadInput
from tumbler.rules.bookfile import book_ids
from tumbler.rules.script import ScriptError, read_sign


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("rules", help="the rule books", description="The rule books of the table.")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="the books there are")
    listing.set_defaults(func=_list)
    show = actions.add_parser(
        "show", help="a book: wagers, odds, causes of no roll, duties, notices, authority, rulings"
    )
    show.add_argument("book", metavar="BOOK")
    show.set_defaults(func=_show)
    sign = actions.add_parser("sign", help="the sign of a table: limits, odds multiple, bonus list")
    sign.add_argument("book", metavar="BOOK")
    for option in ("min", "max", "chip"):
        sign.add_argument(f"--{option}", metavar="AMOUNT")
    for option in ("odds-multiple", "bonus-list", "layout"):
        sign.add_argument(f"--{option}", metavar="N", type=int)
    sign.add_argument("--multiples-only", action="store_true", default=None)
    sign.set_defaults(func=_sign)
    for action in (listing, show, sign):
        action.add_argument("--json", action="store_true", help="print one JSON document")


def _print(options: argparse.Namespace, document: Any, lines: Iterable[str]) -> int:
    if options.json:
        print(json.dumps(document))
    else:
        for line in lines:
            print(line)
    return 0


def _list(options: argparse.Namespace) -> int:
    books = [named_book(book_id) for book_id in book_ids()]
    rows = [
        {
            "id": book.id,
            "title": book.title,
            "house": book.house,
            "document": book.document,
            "game": book.game.value,
            "dice": book.dice,
            "wagers": len(book.wagers),
        }
        for book in books
    ]
    lines = (f"{book.id:<28} {book.title}, {book.house} ({len(book.wagers)} wagers)" for book in books)
    return _print(options, {"books": rows}, lines)


def _show(options: argparse.Namespace) -> int:
    from tumbler.rules.bookview import as_json, as_lines

    book = named_book(options.book)
    return _print(options, as_json(book), as_lines(book))


def _sign(options: argparse.Namespace) -> int:
    from tumbler.rules.signboard import sign_as_json, sign_lines

    book = named_book(options.book)
    keys = ("min", "max", "chip", "odds_multiple", "bonus_list", "layout", "multiples_only")
    try:
        sign = read_sign({key: getattr(options, key) for key in keys if getattr(options, key) is not None})
    except ScriptError as error:
        raise BadInput(str(error)) from None
    return _print(options, sign_as_json(book, sign), sign_lines(book, sign))
