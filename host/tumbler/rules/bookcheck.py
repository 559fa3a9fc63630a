"""What the fields of a book must say together: every selection has odds, every role is known, every cap has its wager.

The form of single fields is `fields`' business.
"""

from __future__ import annotations

from collections.abc import Iterable

from tumbler.rules import sicbocheck
from tumbler.rules.book import Book, BookError, GameKind, Kind, Refund, Selection, Wager, When

SICBO_KINDS = frozenset(
    (
        Kind.TOTALS,
        Kind.TOTAL,
        Kind.TRIPLE,
        Kind.ANY_TRIPLE,
        Kind.DOUBLE,
        Kind.PAIR,
        Kind.SINGLE,
        Kind.THREE_OF_FOUR,
        Kind.COLOUR_TRIPLE,
        Kind.ANY_COLOUR_TRIPLE,
        Kind.COLOUR_DOUBLE,
        Kind.SINGLE_COLOUR,
    )
)
DICE = {GameKind.CRAPS: 2, GameKind.SICBO: 3}
SUPPORTED_BY = {Kind.ODDS: (Kind.PASS, Kind.COME), Kind.LAY_ODDS: (Kind.DONT_PASS, Kind.DONT_COME)}
SELECTS = (Kind.AGAINST, Kind.HARDWAY)
WINS_AT_ONCE = (Kind.PASS, Kind.DONT_PASS, Kind.COME, Kind.DONT_COME, Kind.ONE_ROLL)


def check(file: str, book: Book) -> None:
    """Raise BookError for the first thing that is wrong."""
    if book.dice != DICE[book.game]:
        raise BookError(f"{file}: dice: {book.game} has {DICE[book.game]} dice, not {book.dice}")
    if (book.game is GameKind.CRAPS) != bool(book.points) or 7 in book.points:
        raise BookError(f"{file}: points: {list(book.points)} cannot be the points of {book.game}")
    if (book.game is GameKind.CRAPS) != (book.cancelled_point is not None):
        raise BookError(f"{file}: cancelled_point: craps says what becomes of a point, and no other game")
    if not book.wagers:
        raise BookError(f"{file}: wager: the book has none")
    _check_roles(file, book)
    taken: set[tuple[str, Selection | None]] = set()
    for place, wager in enumerate(book.wagers):
        where = f"{file}: wager[{place}] ({wager.id})"
        for on in wager.selections or (None,):
            if (wager.id, on) in taken:
                raise BookError(f"{where}.selections: {on!r} of {wager.id} stands twice")
            taken.add((wager.id, on))
        _check_wager(where, book, wager)
    if book.game is GameKind.SICBO:
        sicbocheck.check(file, book)
    ids = {wager.id for wager in book.wagers}
    for place, ruling in enumerate(book.rulings):
        for name in ruling.wagers:
            if name not in ids:
                raise BookError(f"{file}: ruling[{place}] ({ruling.rule}).wagers: the book has no wager {name!r}")


def _check_roles(file: str, book: Book) -> None:
    roles = [level.role for level in book.authority]
    if not roles or len(set(roles)) != len(roles):
        raise BookError(f"{file}: authority: needs roles, each once, lowest first, not {roles}")
    named = [(f"no_roll ({row.cause})", row.by) for row in book.no_rolls]
    named += [(f"void ({row.cause})", row.by) for row in book.voids]
    for where, role in named:
        if role not in roles:
            raise BookError(f"{file}: {where}.by: {role!r} is no role of the book ({', '.join(roles)})")
    for field, causes in (
        ("no_roll", [row.cause for row in book.no_rolls]),
        ("void", [row.cause for row in book.voids]),
    ):
        if not causes or len(set(causes)) != len(causes):
            raise BookError(f"{file}: {field}: needs causes, each once, not {causes}")
    for void in book.voids:
        if (void.refund is Refund.ALL) != (book.game is GameKind.SICBO):
            raise BookError(f"{file}: void ({void.cause}).refund: {void.refund.name.lower()} is not for {book.game}")


def _check_wager(where: str, book: Book, wager: Wager) -> None:
    if (wager.kind in SICBO_KINDS) != (book.game is GameKind.SICBO):
        raise BookError(f"{where}.kind: {wager.kind} is not decided by {book.game}")
    if wager.kind in SELECTS and not wager.selections:
        raise BookError(f"{where}.selections: {wager.kind} needs the numbers it may be placed on")
    if wager.kind in WINS_AT_ONCE and not wager.win:
        raise BookError(f"{where}.win: {wager.kind} needs the totals that win")
    if (
        overlap := (set(wager.win) & set(wager.lose))
        | (set(wager.win) & set(wager.bar))
        | (set(wager.lose) & set(wager.bar))
    ):
        raise BookError(f"{where}.win: {sorted(overlap)} both win and do not")
    if wager.kind in SUPPORTED_BY:
        _check_odds_wager(where, book, wager)
    elif wager.behind or wager.cap or wager.place.when is When.FLAT_POINT:
        raise BookError(f"{where}.behind: only odds stand behind another wager")
    if wager.kind is Kind.SPLIT:
        if not wager.parts or wager.odds:
            raise BookError(f"{where}.parts: a split wager has parts with odds, and no odds of its own")
    elif not wager.odds:
        raise BookError(f"{where}.odds: the wager has none")
    if wager.kind is Kind.BONUS and book.bonus is None:
        raise BookError(f"{where}.kind: a bonus wager needs the book's [bonus]")
    if wager.callable and book.calls is None:
        raise BookError(f"{where}.callable: the book has no [calls]")
    _check_rows(where, book, wager)


def _check_odds_wager(where: str, book: Book, wager: Wager) -> None:
    flats = [row for row in book.wagers if row.id == wager.behind]
    if not flats or flats[0].kind not in SUPPORTED_BY[wager.kind]:
        raise BookError(f"{where}.behind: {wager.behind!r} is no wager that {wager.kind} supports")
    if wager.cap is None:
        raise BookError(f"{where}.cap: is missing; odds without a cap say so by leaving out its multiple")


def _check_rows(where: str, book: Book, wager: Wager) -> None:
    """Every case that can win has odds, and exactly one row of them."""
    if book.game is GameKind.SICBO:
        cases: Iterable[Selection] = wager.selections
    elif wager.kind in SUPPORTED_BY:
        cases = book.points
    elif wager.kind is Kind.BONUS:
        lists = [row.list for row in wager.odds]
        if book.bonus and sorted(number or 0 for number in lists) != sorted(book.bonus.lists):
            raise BookError(f"{where}.odds: one row a bonus list, not {lists}")
        return
    else:
        cases = wager.selections
    for case in cases:
        rows = [row for row in wager.odds if case in row.on or not row.on]
        if wager.kind is not Kind.SPLIT and not rows:
            raise BookError(f"{where}.odds: no odds for {case!r}")
    if wager.kind is Kind.ONE_ROLL:
        for total in wager.win:
            if len([row for row in wager.odds if total in row.totals or not row.totals]) != 1:
                raise BookError(f"{where}.odds: a total of {total} needs exactly one row")
