"""Reading typed fields out of a parsed TOML document, with errors that name the file and the field.

Not for meaning: what a book's fields must say together is `bookfile`'s.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeVar

from tumbler.rules.book import BookError, Selection

E = TypeVar("E", bound=StrEnum)
_ABSENT: Any = object()


class Fields:
    """One TOML table. Every field is taken by name and type; `done` refuses what nobody asked for."""

    def __init__(self, file: str, path: str, table: dict[str, Any]) -> None:
        self.file = file
        self.path = path
        self._left = dict(table)

    def fail(self, field: str, why: str) -> BookError:
        where = f"{self.path}.{field}" if self.path and field else self.path or field
        return BookError(f"{self.file}: {where}: {why}")

    def has(self, field: str) -> bool:
        return field in self._left

    def take(self, field: str, kind: type, default: Any = _ABSENT) -> Any:
        value = self._left.pop(field, _ABSENT)
        if value is _ABSENT:
            if default is _ABSENT:
                raise self.fail(field, "is missing")
            return default
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.fail(field, f"must be {_KINDS[kind]}, not {value!r}")
        return value

    def text(self, field: str, default: Any = _ABSENT) -> str:
        value = self.take(field, str, default)
        if isinstance(value, str) and not value.strip():
            raise self.fail(field, "is empty")
        return value  # type: ignore[no-any-return]

    def optional_text(self, field: str) -> str | None:
        return self.text(field) if self.has(field) else None

    def number(self, field: str, default: Any = _ABSENT) -> int:
        return self.take(field, int, default)  # type: ignore[no-any-return]

    def flag(self, field: str, default: Any = _ABSENT) -> bool:
        return self.take(field, bool, default)  # type: ignore[no-any-return]

    def choice(self, kind: type[E], field: str, default: Any = _ABSENT) -> E:
        """An enum by the name of its member in small letters: a book says `up`, not the sentence it stands for."""
        name = self.take(field, str, default)
        if isinstance(name, kind):
            return name
        for member in kind:
            if member.name.lower() == name:
                return member
        known = ", ".join(member.name.lower() for member in kind)
        raise self.fail(field, f"{name!r} is none of: {known}")

    def numbers(self, field: str, low: int, high: int) -> tuple[int, ...]:
        values = self.take(field, list, [])
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise self.fail(field, f"{value!r} is not a number from {low} to {high}")
        self._distinct(field, values)
        return tuple(values)

    def selections(self, field: str) -> tuple[Selection, ...]:
        values = self.take(field, list, [])
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int | str):
                raise self.fail(field, f"{value!r} is neither a number nor a name")
        self._distinct(field, values)
        return tuple(values)

    def texts(self, field: str) -> tuple[str, ...]:
        values = self.take(field, list, [])
        for value in values:
            if not isinstance(value, str) or not value.strip():
                raise self.fail(field, f"{value!r} is not a name")
        self._distinct(field, values)
        return tuple(values)

    def odds(self, field: str) -> tuple[str, Fraction]:
        """Odds as printed, with the word "to", and their value."""
        printed = self.text(field)
        left, word, right = printed.partition(" to ")
        try:
            to = Fraction(left) / Fraction(right)
        except (ValueError, ZeroDivisionError):
            to = Fraction(0)
        if not word or to <= 0:
            raise self.fail(field, f'{printed!r} are not odds such as "9 to 5"')
        return printed, to

    def table(self, field: str) -> Fields:
        return Fields(self.file, f"{self.path}.{field}".lstrip("."), self.take(field, dict))

    def optional_table(self, field: str) -> Fields | None:
        return self.table(field) if self.has(field) else None

    def tables(self, field: str) -> Iterator[Fields]:
        for place, row in enumerate(self.take(field, list, [])):
            path = f"{self.path}.{field}[{place}]".lstrip(".")
            if not isinstance(row, dict):
                raise BookError(f"{self.file}: {path}: must be a table, not {row!r}")
            name = row.get("id") or row.get("cause") or row.get("rule")
            yield Fields(self.file, f"{path} ({name})" if name else path, row)

    def done(self) -> None:
        for field in self._left:
            raise self.fail(field, "is not a field of a book")

    def _distinct(self, field: str, values: list[Any]) -> None:
        for place, value in enumerate(values):
            if value in values[:place]:
                raise self.fail(field, f"{value!r} stands twice")


_KINDS = {str: "a text", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}
