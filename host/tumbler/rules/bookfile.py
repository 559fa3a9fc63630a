"""Reading rule books from their files, books/*.toml, and refusing a wrong one with its file and field.

A book may say `extends = "other"`: it is then that file with its own single fields and tables in place of the other's,
and its own lists of tables ([[wager]], [[duty]], ...) after the other's. Files in books/parts are only to be extended.
"""

from __future__ import annotations

import tomllib
from fractions import Fraction
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from tumbler.rules import bookcheck
from tumbler.rules.book import (
    Authority,
    BettingClose,
    BonusPolicy,
    Book,
    BookError,
    CallPolicy,
    CallScope,
    CancelledPoint,
    Cap,
    Clauses,
    ComeOut,
    Commission,
    Duty,
    GameKind,
    Kind,
    LimitPolicy,
    NoRollCause,
    Notice,
    OddsRow,
    Of,
    Part,
    Placement,
    Refund,
    Removal,
    Rounding,
    RoundingPolicy,
    RuleIndex,
    Ruling,
    SignSays,
    Taking,
    Term,
    TermKind,
    UnderMinimum,
    VoidCause,
    Wager,
    When,
)
from tumbler.rules.fields import Fields

BOOKS = (
    "crown-melbourne-sicbo-a",
    "crown-melbourne-sicbo-b",
    "crown-melbourne-craps",
    "crown-melbourne-mini-craps",
    "skycity-adelaide-craps",
    "nsw-craps",
    "crown-perth-crapless",
)
MOST_EXTENSIONS = 4


class UnknownBook(BookError):
    """No book of that name. The message lists those there are."""


def book_ids() -> tuple[str, ...]:
    return BOOKS


@cache
def load_book(book_id: str) -> Book:
    """The book of that id, read and checked once a process."""
    if book_id not in BOOKS:
        raise UnknownBook(f"there is no book {book_id!r}; there are: {', '.join(BOOKS)}")
    book = read_book(files("tumbler.rules") / "books" / f"{book_id}.toml")
    if book.id != book_id:
        raise BookError(f"{book_id}.toml: id: must be {book_id!r} like the file, not {book.id!r}")
    return book


def read_book(file: Traversable) -> Book:
    """Any book file, with what it extends. Raises BookError."""
    book = _book(Fields(file.name, "", _merged(file, MOST_EXTENSIONS)))
    bookcheck.check(file.name, book)
    return book


def _merged(file: Traversable, depth: int) -> dict[str, Any]:
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BookError(f"{file.name}: cannot be read: {error}") from error
    base_name = table.pop("extends", None)
    if base_name is None:
        return table
    if not isinstance(base_name, str) or depth == 0:
        raise BookError(f"{file.name}: extends: {base_name!r} is not a file to extend")
    base = _merged(_sibling(file, base_name), depth - 1)
    for field, value in table.items():
        old = base.get(field)
        if isinstance(old, list) and isinstance(value, list) and any(isinstance(row, dict) for row in value):
            base[field] = old + value
        else:
            base[field] = value
    return base


def _sibling(file: Traversable, name: str) -> Traversable:
    if file.name != f"{name}.toml":
        for folder in (files("tumbler.rules") / "books", files("tumbler.rules") / "books" / "parts"):
            candidate = folder / f"{name}.toml"
            if candidate.is_file():
                return candidate
    raise BookError(f"{file.name}: extends: there is no {name!r} to extend")


def _book(top: Fields) -> Book:
    authority = tuple(_authority(row) for row in top.tables("authority"))
    rulings = tuple(_ruling(row) for row in top.tables("ruling"))
    book = Book(
        id=top.text("id"),
        title=top.text("title"),
        house=top.text("house"),
        document=top.text("document"),
        source=top.text("source"),
        game=top.choice(GameKind, "game"),
        dice=top.number("dice"),
        points=top.numbers("points", 2, 12),
        point_rule=top.text("point_rule") if top.has("point_rule") else "",
        rules=_rules(top.table("rules")),
        wagers=tuple(_wager(row, rulings) for row in top.tables("wager")),
        authority=authority,
        no_rolls=tuple(_no_roll(row) for row in top.tables("no_roll")),
        voids=tuple(_void(row) for row in top.tables("void")),
        duties=tuple(_duty(row) for row in top.tables("duty")),
        notices=tuple(_notice(row) for row in top.tables("notice")),
        terms=tuple(_term(row) for row in top.tables("term")),
        rulings=rulings,
        rounding=_rounding(top.table("rounding")),
        limits=_limits(top.table("limits")),
        calls=_calls(top.optional_table("calls")),
        cancelled_point=_cancelled_point(top.optional_table("cancelled_point")),
        betting_close=_betting_close(top.table("betting_close")),
        bonus=_bonus(top.optional_table("bonus")),
        face_values=_faces(top),
    )
    top.done()
    return book


def _wager(row: Fields, rulings: tuple[Ruling, ...]) -> Wager:
    wager_id, rule = row.text("id"), row.text("rule")
    place, remove = row.table("place"), row.table("remove")
    come_out = row.optional_table("come_out")
    wager = Wager(
        id=wager_id,
        name=row.text("name"),
        rule=rule,
        kind=row.choice(Kind, "kind"),
        odds=tuple(_odds(line) for line in row.tables("odds")),
        selections=row.selections("selections"),
        place=Placement(place.choice(When, "when"), place.text("rule", rule)),
        remove=Taking(remove.choice(Removal, "until"), remove.text("rule")),
        come_out=come_out.choice(ComeOut, "does") if come_out else ComeOut.WORKS,
        come_out_rule=come_out.text("rule", rule) if come_out else rule,
        callable=row.flag("callable", False),
        one_roll=row.flag("one_roll", False),
        behind=row.optional_text("behind"),
        win=row.numbers("win", 2, 18),
        lose=row.numbers("lose", 2, 18),
        bar=row.numbers("bar", 2, 12),
        numbers=row.numbers("numbers", 2, 12),
        parts=tuple(_part(part) for part in row.tables("parts")),
        nominated=row.number("nominated", 0),
        commission=_commission(row.optional_table("commission")),
        cap=_cap(row.optional_table("cap")),
        clauses=_clauses(row.optional_table("clauses"), rule),
        where=row.optional_text("where"),
        rulings=tuple(f"{ruling.rule}: {ruling.text}" for ruling in rulings if wager_id in ruling.wagers),
    )
    for table in (place, remove, come_out):
        if table is not None:
            table.done()
    row.done()
    return wager


def _odds(row: Fields) -> OddsRow:
    printed, to = row.odds("pays")
    line = OddsRow(
        printed=printed,
        to=to,
        rule=row.text("rule"),
        on=row.selections("on"),
        totals=row.numbers("totals", 2, 18),
        count=row.number("count", None),
        list=row.number("list", None),
    )
    row.done()
    return line


def _part(row: Fields) -> Part:
    printed, to = row.odds("pays")
    part = Part(row.number("units", 1), row.numbers("totals", 2, 12), to, printed, row.text("rule"))
    row.done()
    return part


def _commission(row: Fields | None) -> Commission | None:
    if row is None:
        return None
    percent = row.number("percent")
    if not 0 < percent < 100:
        raise row.fail("percent", f"{percent} is not a percentage")
    commission = Commission(Fraction(percent, 100), row.choice(Of, "of"), row.flag("returned"), row.text("rule"))
    row.done()
    return commission


def _cap(row: Fields | None) -> Cap | None:
    if row is None:
        return None
    multiple = row.number("multiple", None)
    if multiple is not None and multiple < 1:
        raise row.fail("multiple", f"{multiple} is not a multiple")
    cap = Cap(row.choice(Of, "of"), multiple, row.choice(SignSays, "sign"), row.text("rule"))
    row.done()
    return cap


def _clauses(row: Fields | None, rule: str) -> Clauses:
    if row is None:
        return Clauses(rule, rule, rule, rule, rule, rule)
    win, lose = row.text("win", rule), row.text("lose", rule)
    clauses = Clauses(
        win=win,
        lose=lose,
        point_win=row.text("point_win", win),
        point_lose=row.text("point_lose", lose),
        none=row.text("none", rule),
        push=row.text("push", rule),
    )
    row.done()
    return clauses


def _authority(row: Fields) -> Authority:
    level = Authority(row.text("role"), row.text("title"), row.text("rule"), row.text("text"))
    row.done()
    return level


def _no_roll(row: Fields) -> NoRollCause:
    cause = NoRollCause(row.text("cause"), row.flag("mandatory"), row.text("by"), row.text("rule"), row.text("text"))
    row.done()
    return cause


def _void(row: Fields) -> VoidCause:
    cause = VoidCause(
        row.text("cause"),
        row.text("by"),
        row.text("rule"),
        row.choice(Refund, "refund"),
        row.text("refund_rule"),
        row.text("text"),
    )
    row.done()
    return cause


def _duty(row: Fields) -> Duty:
    duty = Duty(row.text("rule"), row.text("role"), row.text("text"))
    row.done()
    return duty


def _notice(row: Fields) -> Notice:
    notice = Notice(
        row.text("rule"), row.text("about"), row.text("text"), row.number("minutes", None), row.number("spins", None)
    )
    row.done()
    return notice


def _term(row: Fields) -> Term:
    term = Term(row.choice(TermKind, "kind"), row.text("rule"), row.text("text"))
    row.done()
    return term


def _ruling(row: Fields) -> Ruling:
    ruling = Ruling(row.text("rule"), row.text("text"), row.texts("wagers"))
    row.done()
    return ruling


def _rules(row: Fields) -> RuleIndex:
    index = RuleIndex(row.text("wagers"), row.text("removal"), row.text("no_roll"), row.text("void"))
    row.done()
    return index


def _rounding(row: Fields) -> RoundingPolicy:
    plain, rule = row.choice(Rounding, "plain"), row.text("rule")
    policy = RoundingPolicy(
        plain, rule, row.choice(Rounding, "multiples_only", plain), row.text("multiples_only_rule", rule)
    )
    row.done()
    return policy


def _limits(row: Fields) -> LimitPolicy:
    policy = LimitPolicy(row.choice(UnderMinimum, "under"), row.text("under_rule"), row.text("over_rule"))
    row.done()
    return policy


def _calls(row: Fields | None) -> CallPolicy | None:
    if row is None:
        return None
    rule = row.text("rule")
    policy = CallPolicy(row.choice(CallScope, "scope"), rule, row.text("off_rule", rule))
    row.done()
    return policy


def _cancelled_point(row: Fields | None) -> CancelledPoint | None:
    if row is None:
        return None
    policy = CancelledPoint(row.flag("allowed"), row.text("rule"))
    row.done()
    return policy


def _betting_close(row: Fields) -> BettingClose:
    close = BettingClose(row.flag("binds"), row.text("rule"))
    row.done()
    return close


def _bonus(row: Fields | None) -> BonusPolicy | None:
    if row is None:
        return None
    policy = BonusPolicy(
        row.numbers("lists", 1, 9), row.numbers("layouts", 1, 9), row.numbers("together", 1, 9), row.text("rule")
    )
    row.done()
    return policy


def _faces(top: Fields) -> tuple[tuple[str, str], ...]:
    faces = []
    for row in top.tables("face"):
        faces.append((row.text("symbol"), row.text("colour")))
        row.done()
    return tuple(faces)
