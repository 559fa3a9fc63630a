"""What a rule book holds: wagers, odds, causes of no roll, duties, notices, authority, limits, terms and rulings.

Types only. `bookfile` reads a book from its file and refuses a wrong one; `play` says what a roll does by it. All
that comes from a document carries the number of its rule there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

Selection = int | str
"""What a wager is placed on: a number (6), a pair ("1&2"), four dice ("6543"), a symbol ("Fish"), a colour ("red")."""


class GameKind(StrEnum):
    CRAPS = "craps"
    SICBO = "sicbo"


class Kind(StrEnum):
    """How a wager is decided. One way of deciding a kind; the numbers and odds are the book's."""

    # craps
    PASS = "pass"
    DONT_PASS = "dont_pass"
    COME = "come"
    DONT_COME = "dont_come"
    ODDS = "odds"  # behind a pass or come wager
    LAY_ODDS = "lay_odds"  # behind a don't wager
    NUMBER = "number"  # its number before 7: place to win, buy, big 6, big 8
    AGAINST = "against"  # 7 before its number: place to lose, lay
    HARDWAY = "hardway"
    ANY_HARD = "any_hard"
    ONE_ROLL = "one_roll"
    SPLIT = "split"  # one-roll parts settled apart: horn, horn high, world, crap-eleven
    BONUS = "bonus"  # every one of its numbers before 7
    # Sic Bo
    TOTALS = "totals"  # any of its totals, and a triple loses: big, small, odd, even
    TOTAL = "total"
    TRIPLE = "triple"
    ANY_TRIPLE = "any_triple"
    DOUBLE = "double"
    PAIR = "pair"
    SINGLE = "single"
    THREE_OF_FOUR = "three_of_four"
    COLOUR_TRIPLE = "colour_triple"
    ANY_COLOUR_TRIPLE = "any_colour_triple"
    COLOUR_DOUBLE = "colour_double"
    SINGLE_COLOUR = "single_colour"


class When(StrEnum):
    """When a wager may be placed."""

    ANY = "any time"
    COME_OUT = "before the come-out roll"
    POINT = "after the come-out roll, while a point stands"
    FLAT_POINT = "when the wager it supports has its point"
    UNESTABLISHED = "before it is established"


class Removal(StrEnum):
    """Until when a wager may be removed or reduced."""

    DECISION = "any time before the roll that decides it"
    POINT = "until its point is established"
    ROUND = "until its point is established, and again when its round of play has ended"
    BAN = "any time; then not replaced or increased until its point is decided"
    NEVER = "never"


class ComeOut(StrEnum):
    """What a wager does on a come-out roll."""

    WORKS = "works"
    OFF = "off unless called on"
    ABSENT = "cannot stand on a come-out roll"


class Of(StrEnum):
    """What a commission or a cap is measured on."""

    STAKE = "stake"
    WINNINGS = "winnings"


class SignSays(StrEnum):
    """What the odds multiple on the table's sign does to the document's own cap."""

    SETS = "sets"
    LOWERS = "lowers"
    RAISES = "raises"


class Rounding(StrEnum):
    UP = "up to the next chip"
    DOWN = "down to the lower chip"
    REFUSE = "a wager that cannot be paid exactly in chips is refused"


class UnderMinimum(StrEnum):
    VALID = "valid"
    RETURN_SECOND = "played once with advice; a second one is returned at the roll"


class CallScope(StrEnum):
    """Which wagers a call of on or off covers."""

    PLAYER = "every wager of that player with the same name, later ones too"
    WAGER = "that wager alone"


class Refund(StrEnum):
    """What is returned when an outcome is made void."""

    ALL = "every wager"
    ONE_ROLL = "the one-roll wagers; the others and the point stand"


class TermKind(StrEnum):
    TOURNAMENT = "tournament"
    PROMOTION = "promotion"


@dataclass(frozen=True, slots=True)
class OddsRow:
    """One line of an odds table. `printed` is the document's own line ("9 to 5"); an empty condition is none."""

    printed: str
    to: Fraction
    rule: str
    on: tuple[Selection, ...] = ()  # selections, or the points of an odds wager
    totals: tuple[int, ...] = ()  # totals of the dice
    count: int | None = None  # dice that show it (Sic Bo single)
    list: int | None = None  # bonus payout list


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a split wager: so many units on these totals."""

    units: int
    totals: tuple[int, ...]
    to: Fraction
    printed: str
    rule: str


@dataclass(frozen=True, slots=True)
class Placement:
    when: When
    rule: str


@dataclass(frozen=True, slots=True)
class Taking:
    until: Removal
    rule: str


@dataclass(frozen=True, slots=True)
class Commission:
    percent: Fraction
    of: Of
    returned: bool  # on removal and, for the part taken back, on reduction
    rule: str


@dataclass(frozen=True, slots=True)
class Cap:
    """Odds behind one flat wager together: at most `multiple` times it, in stake or in winnings. None is no cap."""

    of: Of
    multiple: int | None
    sign: SignSays
    rule: str


@dataclass(frozen=True, slots=True)
class Clauses:
    """Which rule each outcome of a wager is read from. `point_*` once the wager has its point."""

    win: str
    lose: str
    point_win: str
    point_lose: str
    none: str
    push: str


@dataclass(frozen=True, slots=True)
class Wager:
    id: str
    name: str
    rule: str
    kind: Kind
    odds: tuple[OddsRow, ...]
    selections: tuple[Selection, ...]  # empty: placed on no number of its own
    place: Placement
    remove: Taking
    come_out: ComeOut
    come_out_rule: str
    callable: bool  # may be called on and off
    one_roll: bool
    behind: str | None  # id of the flat wager that an odds wager supports
    win: tuple[int, ...]  # totals that win at once (and on the come-out, for line and come wagers)
    lose: tuple[int, ...]
    bar: tuple[int, ...]  # totals on which no money moves
    numbers: tuple[int, ...]  # the number of big 6 and 8; the numbers a bonus bet collects
    parts: tuple[Part, ...]
    nominated: int  # horn high: units more on the nominated number, at the odds of its part
    commission: Commission | None
    cap: Cap | None
    clauses: Clauses
    where: str | None  # "where available", "where offered"
    rulings: tuple[str, ...]

    @property
    def units(self) -> int:
        """Equal parts that a split wager's stake is divided into; 1 for any other."""
        return sum(part.units for part in self.parts) + self.nominated or 1

    def odds_on(self, on: Selection | None) -> Fraction:
        """The odds of a wager that has one line for each selection or point."""
        for row in self.odds:
            if not row.on or on in row.on:
                return row.to
        raise LookupError(f"{self.id} has no odds on {on!r}")  # `bookcheck` keeps this from happening

    def wins(self, on: Selection | None, payout_list: int) -> list[Fraction]:
        """Everything that one unit staked on a selection or point may win."""
        if self.parts:
            return [part.to * (part.units + self.nominated * (on in part.totals)) / self.units for part in self.parts]
        return [row.to for row in self.odds if (not row.on or on in row.on) and row.list in (None, payout_list)]


@dataclass(frozen=True, slots=True)
class Authority:
    """One level of authority; a book lists them lowest first."""

    role: str
    title: str
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class NoRollCause:
    """A no roll (Sic Bo: a no spin). Mandatory: the roll is invalid. Otherwise the caller's discretion."""

    cause: str
    mandatory: bool
    by: str  # lowest role that may call it
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class VoidCause:
    cause: str
    by: str  # lowest role that may declare it
    rule: str
    refund: Refund
    refund_rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Duty:
    rule: str
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """What must be shown or said to players, and how long before."""

    rule: str
    about: str
    text: str
    minutes: int | None
    spins: int | None


@dataclass(frozen=True, slots=True)
class Term:
    """What the terms and conditions of a tournament or promotion must hold."""

    kind: TermKind
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """How the project reads a rule that is silent, garbled or contradicts itself."""

    rule: str
    text: str
    wagers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoundingPolicy:
    plain: Rounding
    rule: str
    multiples_only: Rounding
    multiples_only_rule: str


@dataclass(frozen=True, slots=True)
class LimitPolicy:
    under: UnderMinimum
    under_rule: str
    over_rule: str


@dataclass(frozen=True, slots=True)
class CallPolicy:
    scope: CallScope
    rule: str
    off_rule: str  # by which a wager is called off


@dataclass(frozen=True, slots=True)
class CancelledPoint:
    """Whether the point is cancelled when its shooter leaves and the round is not completed, and by which rule."""

    allowed: bool
    rule: str


@dataclass(frozen=True, slots=True)
class BettingClose:
    """Whether the announcement of no more bets binds, and by which rule."""

    binds: bool
    rule: str


@dataclass(frozen=True, slots=True)
class BonusPolicy:
    lists: tuple[int, ...]
    layouts: tuple[int, ...]
    together: tuple[int, ...]  # layouts where one established bonus bet closes all three
    rule: str


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """Where the document speaks of a matter as a whole; refusals that no single wager's rule answers name these."""

    wagers: str  # which wagers there are
    removal: str  # removing, reducing and the life of a wager
    no_roll: str
    void: str


@dataclass(frozen=True, slots=True)
class Book:
    id: str
    title: str
    house: str
    document: str
    source: str
    game: GameKind
    dice: int
    points: tuple[int, ...]
    point_rule: str
    rules: RuleIndex
    wagers: tuple[Wager, ...]
    authority: tuple[Authority, ...]
    no_rolls: tuple[NoRollCause, ...]
    voids: tuple[VoidCause, ...]
    duties: tuple[Duty, ...]
    notices: tuple[Notice, ...]
    terms: tuple[Term, ...]
    rulings: tuple[Ruling, ...]
    rounding: RoundingPolicy
    limits: LimitPolicy
    calls: CallPolicy | None
    cancelled_point: CancelledPoint | None
    betting_close: BettingClose
    bonus: BonusPolicy | None
    face_values: tuple[tuple[str, str], ...]  # option B: (symbol, colour) of the faces 1 to 6; empty for numbers

    def find(self, wager: str, on: Selection | None) -> Wager | None:
        """The wager with this id and selection. One id may have several rows (Four the Hardway, Six the Hardway)."""
        for row in self.wagers:
            if row.id == wager and (on in row.selections if row.selections else on is None):
                return row
        return None

    def rank(self, role: str) -> int | None:
        """Place of a role in the book's authority, 0 lowest; None for one that commands nothing here."""
        for place, level in enumerate(self.authority):
            if level.role == role:
                return place
        return None

    def may(self, role: str, lowest: str) -> bool:
        rank, least = self.rank(role), self.rank(lowest)
        return rank is not None and least is not None and rank >= least


class BookError(ValueError):
    """A rule book that is not sound. The message names the file, the field and what is wrong with it."""
