"""Table: one enumeration that crosses the wire, as rows of (number, name, text). The rows are in `codes`."""

from collections.abc import Iterator
from typing import NamedTuple


class Code(NamedTuple):
    """One row: `rule` is its clause in the documents D1 to D5, `level` a rank or severity, `kind` a group."""

    number: int
    name: str
    text: str
    rule: str = ""
    level: int = 0
    kind: str = ""


class Table:
    """An enumeration: `prefix` starts its constants in `dicewire.codes`; `bits` says that numbers are bit positions."""

    def __init__(self, title: str, prefix: str, about: str, rows: tuple[Code, ...], *, bits: bool = False) -> None:
        self.title, self.prefix, self.about, self.rows, self.bits = title, prefix, about, rows, bits
        self._by_number = {row.number: row for row in rows}
        self._by_name = {row.name: row for row in rows}
        if len(self._by_number) != len(rows) or len(self._by_name) != len(rows):
            raise ValueError(f"{title}: a number or a name is used twice")

    def __iter__(self) -> Iterator[Code]:
        return iter(self.rows)

    def get(self, number: int) -> Code:
        """The row of a number; for a number of a later version a row that says so, so that a log line never fails."""
        return self._by_number.get(number) or Code(number, f"{self.title}_{number}", f"unknown {self.title} {number}")

    def name(self, number: int) -> str:
        return self.get(number).name

    def number(self, name: str) -> int:
        """The number of a name. KeyError names the table and what it has."""
        row = self._by_name.get(name)
        if row is None:
            raise KeyError(f"no {self.title} is called {name!r}; there are: {', '.join(self._by_name)}")
        return row.number

    def names_in(self, mask: int) -> list[str]:
        """The names of the bits set in `mask`, lowest first (bit tables only)."""
        return [self.name(bit) for bit in range(mask.bit_length()) if mask >> bit & 1]

    def constant(self, row: Code) -> str:
        return f"{self.prefix}_{row.name.upper()}"

    def value(self, row: Code) -> int:
        """What the constant holds: the mask for a bit table, else the number."""
        return 1 << row.number if self.bits else row.number
