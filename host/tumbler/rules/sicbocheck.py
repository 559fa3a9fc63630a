"""What the selections and odds of a Sic Bo book must be, by the kind of wager. Part of the check of a book at loading."""

from __future__ import annotations

from collections.abc import Callable

from tumbler.rules.book import Book, BookError, Kind, Selection, Wager
from tumbler.rules.sicbo import FACES

MIXES = frozenset({Kind.COLOUR_TRIPLE, Kind.ANY_COLOUR_TRIPLE, Kind.COLOUR_DOUBLE, Kind.SINGLE_COLOUR})
WITHOUT_SELECTION = frozenset({Kind.TOTALS, Kind.ANY_TRIPLE, Kind.ANY_COLOUR_TRIPLE})


def check(file: str, book: Book) -> None:
    """Raise BookError for the first wager that no dice could decide or no odds row could pay."""
    if book.face_values and len(book.face_values) != len(FACES):
        raise BookError(f"{file}: face: a die has six faces, not {len(book.face_values)}")
    for place, wager in enumerate(book.wagers):
        where = f"{file}: wager[{place}] ({wager.id})"
        if wager.kind in MIXES and not book.face_values:
            raise BookError(f"{where}.kind: {wager.kind} needs the colours of the faces")
        if bool(wager.selections) == (wager.kind in WITHOUT_SELECTION):
            raise BookError(f"{where}.selections: {list(wager.selections)} cannot be those of {wager.kind}")
        if wager.kind is Kind.TOTALS and not wager.win:
            raise BookError(f"{where}.win: {wager.kind} needs the totals that win")
        for on in wager.selections:
            if not _FITS[wager.kind](book, on):
                raise BookError(f"{where}.selections: {on!r} cannot be selected for {wager.kind}")
        _check_odds(where, wager)


def _check_odds(where: str, wager: Wager) -> None:
    counts = (1, 2, 3) if wager.kind is Kind.SINGLE else (None,)
    for on in wager.selections or (None,):
        for count in counts:
            rows = [row for row in wager.odds if (not row.on or on in row.on) and row.count == count]
            if len(rows) != 1:
                raise BookError(f"{where}.odds: {on!r} with count {count} has {len(rows)} rows, needs one")


def _is_face(book: Book, on: Selection) -> bool:
    return on in [symbol for symbol, _ in book.face_values] if book.face_values else on in FACES


def _is_colour(book: Book, on: Selection) -> bool:
    return on in [colour for _, colour in book.face_values]


def _is_total(book: Book, on: Selection) -> bool:
    return on in range(3, 19)


def _is_pair(book: Book, on: Selection) -> bool:
    return on in {f"{low}&{high}" for low in FACES for high in FACES if low < high}


def _is_four(book: Book, on: Selection) -> bool:
    numbers = [str(face) for face in FACES]
    return isinstance(on, str) and len(on) == len(set(on)) == 4 and all(number in numbers for number in on)


_FITS: dict[Kind, Callable[[Book, Selection], bool]] = {
    Kind.TOTAL: _is_total,
    Kind.TRIPLE: _is_face,
    Kind.DOUBLE: _is_face,
    Kind.SINGLE: _is_face,
    Kind.PAIR: _is_pair,
    Kind.THREE_OF_FOUR: _is_four,
    Kind.COLOUR_TRIPLE: _is_colour,
    Kind.COLOUR_DOUBLE: _is_colour,
    Kind.SINGLE_COLOUR: _is_colour,
}
