"""A game worked out beforehand: for each state and each throw, what happens on every spot, as bit sets and whole numbers.

Settling a roll is then one look-up and one `and` with the spots that have money on them. A spot that can be called on and off
has three bits, one for each way a wager on it can stand. Compiling a book takes some tens of milliseconds, once a process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from itertools import combinations_with_replacement, permutations

from tumbler.rules.book import Kind, Selection, Wager
from tumbler.rules.money import divisor
from tumbler.rules.play import Game, Outcome, Spot, State, Verdict, winning_areas


class Mode(IntEnum):
    """How a wager stands with regard to calls."""

    DEFAULT = 0
    ON = 1
    OFF = 2


class Act(IntEnum):
    """What is done with all wagers of one bit."""

    WIN = 0
    LOSE = 1
    RETURN = 2
    MOVE = 3
    COLLECT = 4


class Action:
    __slots__ = ("act", "denominator", "moves", "numerator", "part", "rule", "whole")

    def __init__(self, act: Act, verdict: Verdict) -> None:
        win = verdict.share * verdict.to  # of the whole stake
        self.act = act
        self.rule = verdict.rule
        self.numerator, self.denominator = win.numerator, win.denominator
        self.part, self.whole = verdict.share.numerator, verdict.share.denominator
        self.moves = verdict.moves


class Entry:
    """One throw in one state."""

    __slots__ = ("actions", "after", "after_row", "areas", "dice", "ends", "quiet", "state", "total", "touched")

    def __init__(self, state: State, dice: tuple[int, ...], after: State, ends: bool) -> None:
        self.state = state
        self.dice = dice
        self.total = sum(dice)
        self.after = after
        self.ends = int(ends)
        self.touched = 0  # bits with an action
        self.actions: dict[int, Action] = {}
        self.quiet: dict[int, Verdict] = {}  # pushes and wagers that are off; every other untouched bit is undecided
        self.after_row: Row = {}
        self.areas: list[str] | None = None


Row = dict[tuple[int, ...], Entry]


@dataclass(frozen=True, slots=True)
class Slot:
    """One way to place a wager: id and selection."""

    spot: Spot
    wager: Wager
    bits: tuple[int, int, int]  # by Mode
    numbered: dict[int, Slot] = field(default_factory=dict)  # come wagers and their odds, by their own point


class RollTable:
    def __init__(self, game: Game) -> None:
        self.game = game
        self.scale = divisor(game.book)  # units of money a millionth
        self.slots: dict[tuple[str, Selection | None], Slot] = {}
        self._bits: list[tuple[Spot, Mode, int]] = []
        self._name_spots()
        self._slot_of_bit = {bit: slot for slot in self._all_slots() for bit in slot.bits}
        self.rows: dict[State, Row] = {state: {} for state in game.states}
        for state in game.states:
            for combo in combinations_with_replacement(range(1, 7), game.book.dice):
                entry = self._entry(state, combo)
                for dice in set(permutations(combo)):
                    self.rows[state][dice] = entry

    def slot_of(self, bit: int) -> Slot:
        return self._slot_of_bit[bit]

    def areas(self, entry: Entry) -> list[str]:
        """The areas that light; worked out when they are first asked for, because most rolls of a simulation never are."""
        if entry.areas is None:
            entry.areas = winning_areas(self.game, entry.state, entry.dice)
        return entry.areas.copy()

    def _name_spots(self) -> None:
        for spot in self.game.spots:
            modes = tuple(Mode) if spot.wager.callable else (Mode.DEFAULT,)
            bits = []
            for mode in modes:
                bits.append(1 << len(self._bits))
                self._bits.append((spot, mode, bits[-1]))
            slot = Slot(spot, spot.wager, (bits[0], bits[-2] if len(bits) == 3 else bits[0], bits[-1]))
            key = (spot.wager.id, spot.on)
            if spot.number is None:
                self.slots[key] = slot
            else:
                # Odds on a come wager stand on no spot of their own but a number's: a slot that only leads there.
                base = self.slots.setdefault(key, Slot(spot, spot.wager, (0, 0, 0)))
                base.numbered[spot.number] = slot

    def _all_slots(self) -> Iterator[Slot]:
        for slot in self.slots.values():
            if slot.bits[0]:
                yield slot
            yield from slot.numbered.values()

    def _entry(self, state: State, combo: tuple[int, ...]) -> Entry:
        game = self.game
        after = game.next_state(state, combo)
        entry = Entry(state, combo, after, game.ends_round(state, combo))
        entry.after_row = self.rows[after]
        for spot, mode, bit in self._bits:
            working = game.works(spot, state) if mode is Mode.DEFAULT else mode is Mode.ON
            verdict = game.verdict(spot, state, combo, working)
            act = _act(spot, verdict, entry.total)
            if act is not None:
                entry.touched |= bit
                entry.actions[bit] = Action(act, verdict)
            elif verdict.outcome is not Outcome.NONE:
                entry.quiet[bit] = verdict
        return entry


def _act(spot: Spot, verdict: Verdict, total: int) -> Act | None:
    if verdict.moves is not None:
        return Act.MOVE
    if spot.wager.kind is Kind.BONUS and total in spot.wager.numbers:
        return Act.COLLECT
    return {Outcome.WIN: Act.WIN, Outcome.LOSE: Act.LOSE, Outcome.RETURNED: Act.RETURN}.get(verdict.outcome)


@lru_cache(maxsize=16)
def roll_table(book_id: str, option_b_exact: bool = False) -> RollTable:
    """The compiled book, once a process."""
    from tumbler.rules.bookfile import load_book
    from tumbler.rules.play import game_for

    return RollTable(game_for(load_book(book_id), option_b_exact=option_b_exact))
