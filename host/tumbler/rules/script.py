"""A settlement script, as text: is it well formed? What is wrong is named by field and value, and nothing is settled.

The form is in docs/rules.md. What the rules refuse of a well-formed script is `settle`'s; this file knows no rule.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tumbler.rules.book import Book, BookError
from tumbler.rules.bookfile import book_ids, load_book
from tumbler.rules.money import AmountError, millionths
from tumbler.rules.sign import Sign

MOST_EVENTS = 1_000_000
LONGEST_NAME = 200
BONUS_LISTS = LAYOUTS = (1, 2, 3, 4, 5)
LARGEST_MULTIPLE = 1_000_000
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character: JSON can write it, nothing can print it


class ScriptError(ValueError):
    """A script that is not well formed. The message names the field and its value."""


Event = dict[str, Any]
Check = Callable[[Any, Book], str | None]


@dataclass(frozen=True, slots=True)
class Script:
    book: Book
    sign: Sign
    option_b_exact: bool
    events: list[Event]


def _name(value: Any, book: Book) -> str | None:
    if isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and not _SURROGATE.search(value):
        return None
    return f"must be a text of 1 to {LONGEST_NAME} characters"


def _amount(value: Any, book: Book) -> str | None:
    try:
        millionths(value)
    except AmountError as error:
        return str(error)
    return None


def _selection(value: Any, book: Book) -> str | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return None
    return _name(value, book) and "must be a number or a text"


def _behind(value: Any, book: Book) -> str | None:
    return None if value is None else _name(value, book)


def _flag(value: Any, book: Book) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _dice(value: Any, book: Book) -> str | None:
    if isinstance(value, list) and len(value) == book.dice and all(_whole(die) and 1 <= die <= 6 for die in value):
        return None
    return f"must be {book.dice} numbers from 1 to 6"


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# What each event has besides `do`: field -> (must be there, check).
FIELDS: dict[str, dict[str, tuple[bool, Check]]] = {
    "place": {
        "id": (True, _name),
        "player": (True, _name),
        "wager": (True, _name),
        "amount": (True, _amount),
        "on": (False, _selection),
        "behind": (False, _behind),
    },
    "change": {"id": (True, _name), "amount": (True, _amount)},
    "remove": {"id": (True, _name)},
    "call": {"id": (True, _name), "working": (True, _flag)},
    "roll": {"dice": (True, _dice)},
    "no_roll": {"cause": (True, _name), "by": (False, _name)},
    "void": {"cause": (True, _name), "by": (True, _name)},
    "cancel_point": {},
    "no_more_bets": {},
}


def read_script(data: bytes) -> Script:
    """A script from the bytes of its JSON. Raises ScriptError."""
    top = _parse(data)
    if not isinstance(top, dict):
        raise ScriptError(f"the script must be an object with book and events, not {_shown(top)}")
    _known(top, ("book", "sign", "events", "option_b_exact"), "")
    for field in ("book", "events"):
        if field not in top:
            raise ScriptError(f"{field}: is missing")
    book = _book(top["book"])
    exact = top.get("option_b_exact", False)
    if not isinstance(exact, bool):
        raise ScriptError(f"option_b_exact: must be true or false, not {_shown(exact)}")
    return Script(book, read_sign(top.get("sign", {})), exact, _events(top["events"], book))


def read_sign(sign: Any) -> Sign:
    """The table's sign as a script has it."""
    if not isinstance(sign, dict):
        raise ScriptError(f"sign: must be an object, not {_shown(sign)}")
    _known(sign, ("min", "max", "chip", "odds_multiple", "multiples_only", "bonus_list", "layout"), "sign.")
    money: dict[str, int | None] = {}
    for field in ("min", "max", "chip"):
        value = sign.get(field)
        try:
            money[field] = None if value is None else millionths(value)
        except AmountError as error:
            raise ScriptError(f"sign.{field}: {error}, not {_shown(value)}") from None
    least, most = money["min"], money["max"]
    if least is not None and most is not None and least > most:
        raise ScriptError(f"sign.min: {_shown(sign['min'])} is more than sign.max {_shown(sign['max'])}")
    multiples_only = sign.get("multiples_only", False)
    if not isinstance(multiples_only, bool):
        raise ScriptError(f"sign.multiples_only: must be true or false, not {_shown(multiples_only)}")
    multiple = sign.get("odds_multiple")
    if multiple is not None and not (_whole(multiple) and 1 <= multiple <= LARGEST_MULTIPLE):
        raise ScriptError(f"sign.odds_multiple: must be a number from 1 to {LARGEST_MULTIPLE}, not {_shown(multiple)}")
    for field, known in (("bonus_list", BONUS_LISTS), ("layout", LAYOUTS)):
        value = sign.get(field, 1)
        if not _whole(value) or value not in known:
            raise ScriptError(f"sign.{field}: must be a number from {known[0]} to {known[-1]}, not {_shown(value)}")
    return Sign(least, most, money["chip"], multiple, multiples_only, sign.get("bonus_list", 1), sign.get("layout", 1))


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise ScriptError(f"the script is not UTF-8: byte {error.start} is {data[error.start]:#04x}") from None
    except RecursionError:
        raise ScriptError("the script is nested too deeply") from None
    except ScriptError:
        raise
    except json.JSONDecodeError as error:
        raise ScriptError(f"the script is not JSON: {error}") from None
    except ValueError:  # the only other one that the parser knows
        raise ScriptError("the script has a number of thousands of digits") from None


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ScriptError(f"{_shown(twice)}: stands twice in one object")
    return table


def _no_constant(word: str) -> Any:
    raise ScriptError(f"{word} is no number of a script")


def _book(book_id: Any) -> Book:
    if not isinstance(book_id, str) or book_id not in book_ids():
        raise ScriptError(f"book: {_shown(book_id)} is none of {', '.join(book_ids())}")
    try:
        return load_book(book_id)
    except BookError as error:
        raise ScriptError(f"book: {error}") from error


def _events(events: Any, book: Book) -> list[Event]:
    if not isinstance(events, list):
        raise ScriptError(f"events: must be a list, not {_shown(events)}")
    if len(events) > MOST_EVENTS:
        raise ScriptError(f"events: {len(events)} are more than {MOST_EVENTS}")
    placed: set[str] = set()
    for number, event in enumerate(events):
        where = f"events[{number}]"
        if not isinstance(event, dict):
            raise ScriptError(f"{where}: must be an object, not {_shown(event)}")
        _check_event(where, event, book)
        if event["do"] == "place":
            if event["id"] in placed:
                raise ScriptError(f"{where}.id: {_shown(event['id'])} is used twice")
            placed.add(event["id"])
    return events


def _check_event(where: str, event: Event, book: Book) -> None:
    if "do" not in event:
        raise ScriptError(f"{where}.do: is missing")
    do = event["do"]
    fields = FIELDS.get(do) if isinstance(do, str) else None
    if fields is None:
        raise ScriptError(f"{where}.do: {_shown(do)} is none of {', '.join(FIELDS)}")
    _known(event, ("do", *fields), f"{where}.")
    for field, (required, check) in fields.items():
        if field not in event:
            if required:
                raise ScriptError(f"{where}.{field}: is missing")
            continue
        wrong = check(event[field], book)
        if wrong is not None:
            raise ScriptError(f"{where}.{field}: {wrong}, not {_shown(event[field])}")


def _known(table: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise ScriptError(f"{where}{_bare(key)}: is no key here; there are {', '.join(known)}")


def _bare(key: str) -> str:
    return key if key.isidentifier() and len(key) <= LONGEST_NAME else _shown(key)


def _shown(value: Any) -> str:
    """A value in one short line, whatever it is."""
    try:
        text = json.dumps(value)
    except (RecursionError, ValueError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."
