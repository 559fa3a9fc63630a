"""The rule book that a person named: an unknown one is bad input, a damaged one a failure at work."""

from __future__ import annotations

from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.rules.book import Book, BookError
from tumbler.rules.bookfile import UnknownBook, load_book


def named_book(book_id: str) -> Book:
    try:
        return load_book(book_id)
    except UnknownBook as error:
        raise BadInput(str(error)) from None
    except BookError as error:
        raise WorkFailed(str(error)) from error
