"""A table with money on it: wagers stand on spots, a roll decides some of them, exactly and once.

What may be placed, changed, called and removed is in `betting`, which Table inherits; this file is the layout, the roll, the no
roll and the void. Money is in whole units (`money`). `roll` is the hot path: it touches only spots that have money on them and
that this throw decides, and makes a row only for a decided wager; `outcomes` tells the rest when it is asked.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from tumbler.rules.betting import Betting, Refused
from tumbler.rules.book import NoRollCause, Refund, Rounding, VoidCause
from tumbler.rules.play import Outcome
from tumbler.rules.rolltable import Act, Action, Entry
from tumbler.rules.standing import Standing

WIN, LOSE, RETURNED, NONE = Outcome.WIN, Outcome.LOSE, Outcome.RETURNED, Outcome.NONE


class Settled(NamedTuple):
    """What happened to one wager: winnings, stake given back, and by which rule."""

    wager: Standing
    outcome: Outcome
    pays: int
    back: int
    rule: str
    commission_back: int = 0


Row = tuple[Standing, Outcome, int, int, str]


class Rolled(NamedTuple):
    """A roll with a row for every wager that was on the layout, in the order of placement."""

    entry: Entry
    rows: list[Settled]


class Table(Betting):
    """One table playing one book under one sign."""

    def roll(self, *dice: int) -> list[Row]:
        """Settle a throw. Only wagers that leave the layout by it have a row; the others stand."""
        try:
            entry = self._row[dice]
        except KeyError:
            raise ValueError(f"dice must be {self.book.dice} numbers from 1 to 6, not {list(dice)}") from None
        rows: list[Row] = self._return_short() if self._short else []
        hit = self._occupied & entry.touched
        if hit:
            self._settle(entry, hit, rows)
        self.state = entry.after
        self._row = entry.after_row
        self.round += entry.ends
        if self._bans:
            self._lift_bans(entry.total)
        self.closed = self.released = False
        return rows

    def roll_all(self, *dice: int) -> Rolled:
        """Settle a throw and say of every wager that was on the layout what became of it."""
        before = [(wager, wager.bit) for wager in self.standing.values()]
        row = self._row
        decided = {settled[0].id: Settled(*settled) for settled in self.roll(*dice)}
        entry = row[dice]
        rows = []
        for wager, bit in before:
            settled = decided.get(wager.id)
            if settled is None:
                verdict = entry.quiet.get(bit)
                outcome, rule = (verdict.outcome, verdict.rule) if verdict else (NONE, wager.wager.clauses.none)
                settled = Settled(wager, outcome, 0, 0, rule)
            elif settled.outcome is RETURNED and wager.commission and wager.returns_commission:
                settled = settled._replace(commission_back=wager.commission)
            rows.append(settled)
        return Rolled(entry, rows)

    def no_roll(self, cause: str, by: str | None = None) -> NoRollCause:
        """A throw that does not count: wagers, point and the close of betting stand."""
        for row in self.book.no_rolls:
            if row.cause == cause:
                if by is not None and not self.book.may(by, row.by):
                    raise Refused(row.rule, f"{by!r} may not call it; {row.by} or above may")
                return row
        raise Refused(self.book.rules.no_roll, f"{cause!r} is no cause of a no roll in this book")

    def void(self, cause: str, by: str) -> tuple[VoidCause, list[Settled]]:
        """Make the outcome void: Sic Bo returns every wager, craps the one-roll wagers."""
        for row in self.book.voids:
            if row.cause == cause:
                break
        else:
            raise Refused(self.book.rules.void, f"{cause!r} is no cause to make an outcome void in this book")
        if not self.book.may(by, row.by):
            raise Refused(row.rule, f"{by!r} may not declare it; {row.by} or above may")
        returned = [wager for wager in self.standing.values() if row.refund is Refund.ALL or wager.wager.one_roll]
        for wager in returned:
            self._take_down(wager)
        self.closed = False
        return row, [Settled(wager, RETURNED, 0, wager.amount, row.refund_rule) for wager in returned]

    def cancel_point(self) -> tuple[str, list[Settled]]:
        """The shooter leaves mid-point and the document ends the round: no point, and even contract wagers may come down.

        Odds on the line stood on that point and come back. All other wagers stay until they are removed or decided.
        """
        policy = self.book.cancelled_point
        if policy is None:
            raise Refused(self.book.rules.void, "this game has no point")
        if not policy.allowed:
            raise Refused(policy.rule, "the point continues with the next shooter")
        if self.state is None:
            raise Refused(policy.rule, "no point stands")
        returned = [wager for wager in self.standing.values() if wager.flat is not None and wager.number is None]
        for wager in returned:
            self._take_down(wager)
        self.state = None
        self._row = self.rolls.rows[None]
        self.round += 1
        self.released, self.closed = True, False
        return policy.rule, [Settled(wager, RETURNED, 0, wager.amount, policy.rule) for wager in returned]

    def no_more_bets(self) -> None:
        self.closed = self.book.betting_close.binds

    def exact(self, units: int) -> Fraction:
        return Fraction(units, self.unit)

    def _settle(self, entry: Entry, hit: int, rows: list[Row]) -> None:
        actions, on, standing = entry.actions, self._on, self.standing
        chip, up = self._chip, self._rounding is not Rounding.DOWN
        moving: list[Standing] = []
        self._occupied ^= hit
        while hit:
            bit = hit & -hit
            hit ^= bit
            action = actions[bit]
            act = action.act
            if act == 0:  # Act.WIN, spelt out: an enum look-up costs more than the payment
                numerator, step, rule = action.numerator, action.denominator * chip, action.rule
                part, whole = action.part, action.whole
                for wager in on.pop(bit):
                    played = wager.played
                    pays = -(-played * numerator // step) * chip if up else played * numerator // step * chip
                    back = wager.amount if part == whole else wager.amount - played + played * part // whole
                    del standing[wager.id]
                    rows.append((wager, WIN, pays, back, rule))
            elif act == 1:  # Act.LOSE
                rule = action.rule
                for wager in on.pop(bit):
                    del standing[wager.id]
                    rows.append((wager, LOSE, 0, wager.amount - wager.played, rule))
                if bit & self._bonus_bits:
                    self._bonus_settled(bit)
            elif act == 3:  # Act.MOVE
                moving += on.pop(bit)
            else:
                self._settle_rarer(entry, bit, action, rows)
        # Last, because the wagers that stood on the number are decided by this roll and those that move there are not.
        for wager in moving:
            self._move(wager, entry.total)

    def _settle_rarer(self, entry: Entry, bit: int, action: Action, rows: list[Row]) -> None:
        group = self._on.pop(bit)
        if action.act is Act.RETURN:
            for wager in group:
                del self.standing[wager.id]
                rows.append((wager, RETURNED, 0, wager.amount, action.rule))
        else:
            self._collect(entry, bit, group, rows)

    def _collect(self, entry: Entry, bit: int, group: list[Standing], rows: list[Row]) -> None:
        """A number of a bonus bet has come (D4 4.27 to 4.29). All wagers of one name have the same numbers: see `betting`."""
        bonus = self._bonus[bit]
        bonus.collected.add(entry.total)
        if len(bonus.collected) < len(bonus.wager.numbers):
            self._on[bit] = group
            self._occupied |= bit
            self._bonus_closed = True
            return
        for wager in group:
            del self.standing[wager.id]
            pays = wager.played * bonus.to.numerator // bonus.to.denominator  # payable in chips: D4 8.5
            rows.append((wager, WIN, pays, wager.amount, wager.wager.clauses.win))
        self._bonus_settled(bit)

    def _return_short(self) -> list[Row]:
        """Wagers under the minimum after the first of their player come back unacted, with the odds behind them."""
        rows: list[Row] = []
        rule = self.book.limits.under_rule
        for wager in list(self._short.values()):
            for taken in (wager, *wager.odds):
                if taken.id in self.standing:
                    self._take_down(taken)
                    rows.append((taken, RETURNED, 0, taken.amount, rule))
        return rows
