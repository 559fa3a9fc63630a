"""What others say the edge of a wager is, and whether the exact value rounds to it. The values are in `edgepublished.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from importlib import resources
from math import floor
from typing import Any

from tumbler.rules.edgechain import Stake


@dataclass(frozen=True, slots=True)
class Published:
    percent: str  # as printed
    source: str
    page: str

    def agrees(self, edge: Fraction) -> bool:
        """Whether the exact edge is the printed one, rounded or cut to as many places as are printed."""
        places = max(0, -int(Decimal(self.percent).as_tuple().exponent))
        scaled = edge * 100 * 10**places
        printed = Fraction(self.percent) * 10**places
        return printed in (floor(scaled + Fraction(1, 2)), floor(scaled))


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    text = resources.files("tumbler.rules").joinpath("edgepublished.toml").read_text("utf-8")
    return tomllib.loads(text)


def published(book_id: str, stake: Stake) -> list[Published]:
    """What has been published about this stake by the rules of this book."""
    table = _table()
    found = []
    for block in table["edge"]:
        if book_id not in table["books"][block["in"]]:
            continue
        source = table["source"][block["source"]]
        for row in block["rows"]:
            if (
                stake.wager.id in row["wagers"]
                and ("on" not in row or stake.on in row["on"])
                and row.get("list") == stake.list
                and row.get("odds", 0) == stake.odds
            ):
                found.append(Published(row["percent"], source["name"], source["page"]))
    return found
