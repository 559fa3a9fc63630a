"""The life of a wager as a chain: from each position, what every throw does to it, read from the table that `settle` rolls by.

A position is the state of the game and where the wager stands: not up, on its spot, on a come number, or with the numbers
that a bonus bet has collected. `edge` solves the chain exactly, `simulate` walks it. Nothing here knows odds or rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from tumbler.rules.book import Kind, Of, Selection, SignSays, Wager, When
from tumbler.rules.play import Outcome, State
from tumbler.rules.rolltable import Act, Action, Entry, Mode, RollTable, Slot

FACES = range(1, 7)
ZERO, ONE = Fraction(0), Fraction(1)
FLAT_LINE = (Kind.PASS, Kind.DONT_PASS)


class NoSuchWager(ValueError):
    """The book has no such wager, selection, point or payout list."""


@dataclass(frozen=True, slots=True)
class Stake:
    """What is played: one unit on a wager, again as soon as it may be placed. `odds` units behind it once it has its point."""

    wager: Wager
    on: Selection | None = None
    list: int | None = None
    odds: int = 0


class Position(NamedTuple):
    state: State
    up: bool
    number: int | None = None  # the own point of a come wager
    collected: frozenset[int] = frozenset()


class Result(NamedTuple):
    """How a wager ended: what the player won or lost, and what had been put up for it, commission with it."""

    net: Fraction
    staked: Fraction
    outcome: Outcome


class Step(NamedTuple):
    to: int  # position after the throw; where the wager was decided, that of a new one
    result: Result | None


class Chain:
    """Positions reachable from an open table, and a step for each of them and each ordered throw."""

    def __init__(self, rolls: RollTable, stake: Stake) -> None:
        self.stake = stake
        self.rolls = rolls
        self.throws = list(product(FACES, repeat=rolls.game.book.dice))
        self._slot, self._odds_slot, self._payout = _slots(rolls, stake)
        self._commission = _commission(stake)
        self._states = (None,) if self._indifferent() else rolls.game.states
        self.positions: list[Position] = []
        self.steps: list[list[Step]] = []
        self._index: dict[Position, int] = {}
        self._grow()
        self.starts = [place for place, position in enumerate(self.positions) if self._is_start(position)]

    # ---- the walk

    def _grow(self) -> None:
        for state in self._states:
            self._at(self._fresh(state))
        done = 0
        while done < len(self.positions):
            position = self.positions[done]
            self.steps.append([self._step(position, dice) for dice in self.throws])
            done += 1

    def _at(self, position: Position) -> int:
        place = self._index.setdefault(position, len(self.positions))
        if place == len(self.positions):
            self.positions.append(position)
        return place

    def _fresh(self, state: State) -> Position:
        """The table as a new wager finds it: put up where the rules let it be placed now."""
        return Position(state, self._placeable(state))

    def _placeable(self, state: State) -> bool:
        when = self._slot.wager.place.when
        return when in (When.ANY, When.UNESTABLISHED) or (state is None) == (when is When.COME_OUT)

    def _is_start(self, position: Position) -> bool:
        """Where an odds wager begins its flat wager has the point; any other begins when it is placed."""
        if self.stake.wager.behind is not None:
            return position.up and self._point(position) == self.stake.on
        return position.up and position == self._fresh(position.state)

    def _point(self, position: Position) -> int | None:
        return position.state if self._slot.wager.kind in FLAT_LINE else position.number

    def _step(self, position: Position, dice: tuple[int, ...]) -> Step:
        entry = self.rolls.rows[position.state][dice]
        after = entry.after if len(self._states) > 1 else None
        if not position.up:
            return Step(self._at(self._fresh(after)), None)
        slot = self._slot if position.number is None else self._slot.numbered[position.number]
        bit = slot.bits[Mode.DEFAULT]
        action = entry.actions.get(bit)
        if action is None:
            if bit in entry.quiet and entry.quiet[bit].outcome is Outcome.PUSH:
                return self._ended(after, position, entry, ZERO, Outcome.PUSH)
            return Step(self._at(position._replace(state=after)), None)
        if action.act is Act.MOVE:
            return Step(self._at(Position(after, True, entry.total)), None)
        if action.act is Act.COLLECT:
            collected = position.collected | {entry.total}
            if len(collected) < len(self._slot.wager.numbers):
                return Step(self._at(Position(after, True, None, collected)), None)
            return self._ended(after, position, entry, self._payout, Outcome.WIN)
        return self._ended(after, position, entry, *_paid(action))

    def _ended(self, after: State, position: Position, entry: Entry, net: Fraction, outcome: Outcome) -> Step:
        to = self._at(self._fresh(after))
        if self.stake.wager.behind is None:
            net, staked = net - self._commission, ONE + self._commission
            if self.stake.odds and self._point(position) is not None:
                net += self.stake.odds * self._odds_paid(position, entry)[0]
                staked += self.stake.odds
            return Step(to, Result(net, staked, outcome))
        if self._point(position) != self.stake.on:
            return Step(to, None)  # the flat wager was decided without this point: no odds stood behind it
        net, outcome = self._odds_paid(position, entry)
        return Step(to, Result(net, ONE, outcome))

    def _odds_paid(self, position: Position, entry: Entry) -> tuple[Fraction, Outcome]:
        assert self._odds_slot is not None
        number = position.number
        slot = self._odds_slot if number is None else self._odds_slot.numbered[number]
        return _paid(entry.actions[slot.bits[Mode.DEFAULT]])

    def _indifferent(self) -> bool:
        """Whether the state of the game never matters to this wager: one state then stands for all, and the chain is small."""
        if self._odds_slot is not None or self._slot.numbered or not self._placeable(None) or not self._placeable(1):
            return False
        bit = self._slot.bits[Mode.DEFAULT]
        rows = self.rolls.rows
        return all(
            _told(rows[state][dice], bit) == _told(rows[None][dice], bit) for state in rows for dice in self.throws
        )


def _told(entry: Entry, bit: int) -> tuple[Act, Fraction, Outcome] | Outcome | None:
    action = entry.actions.get(bit)
    if action is not None:
        return (action.act, *_paid(action))
    return entry.quiet[bit].outcome if bit in entry.quiet else None


def _paid(action: Action) -> tuple[Fraction, Outcome]:
    """What a decided unit brings its player, and how it ended."""
    if action.act is Act.WIN:
        return Fraction(action.numerator, action.denominator) + Fraction(action.part, action.whole) - 1, Outcome.WIN
    return (-ONE, Outcome.LOSE) if action.act is Act.LOSE else (ZERO, Outcome.RETURNED)


def _commission(stake: Stake) -> Fraction:
    terms = stake.wager.commission
    if terms is None:
        return ZERO
    return terms.percent if terms.of is Of.STAKE else terms.percent * stake.wager.odds_on(stake.on)


def _slots(rolls: RollTable, stake: Stake) -> tuple[Slot, Slot | None, Fraction]:
    """Where the (flat) wager stands, where the odds behind it stand, and what a completed bonus bet pays."""
    wager, book = stake.wager, rolls.game.book
    if wager.behind is not None:
        if stake.on not in book.points:
            raise NoSuchWager(f"{wager.id} stands behind a point of {_listed(book.points)}, not {stake.on!r}")
        return rolls.slots[wager.behind, None], rolls.slots[wager.id, None], ZERO
    slot = rolls.slots.get((wager.id, stake.on))
    if slot is None:
        raise NoSuchWager(f"{wager.id} is placed on {_listed(wager.selections) or 'no selection'}, not {stake.on!r}")
    payout = ZERO
    if wager.kind is Kind.BONUS:
        rows = [row for row in wager.odds if row.list == stake.list]
        if not rows:
            raise NoSuchWager(f"{wager.id} has the payout lists {_listed([row.list for row in wager.odds])}")
        payout = rows[0].to
    if not stake.odds:
        return slot, None, payout
    behind = next((row for row in book.wagers if row.behind == wager.id), None)
    if behind is None:
        raise NoSuchWager(f"{wager.id} takes no odds behind it")
    _check_cap(behind, stake.odds)
    return slot, rolls.slots[behind.id, None], payout


def _check_cap(behind: Wager, odds: int) -> None:
    """No more odds than the document allows, where the sign cannot lift that."""
    cap = behind.cap
    if cap is None or cap.multiple is None or cap.sign is not SignSays.LOWERS:
        return
    measured = max(row.to for row in behind.odds) if cap.of is Of.WINNINGS else ONE
    if odds * measured > cap.multiple:
        raise NoSuchWager(f"{behind.id}: {cap.of.value} at most {cap.multiple} times the wager (rule {cap.rule})")


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))
