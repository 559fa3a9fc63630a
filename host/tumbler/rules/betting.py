"""What players and dealers may ask of a table: place, change, remove and call wagers, by the rules of its book.

A refusal names the rule and leaves everything as it was: every check stands before the first change. `Table` in `engine`
inherits this and adds the roll.
"""

from __future__ import annotations

from tumbler.rules.bonus import BonusBet
from tumbler.rules.book import CallScope, Kind, Of, Removal, Rounding, Selection, UnderMinimum, Wager, When
from tumbler.rules.money import MILLION, millionths
from tumbler.rules.play import State
from tumbler.rules.rolltable import Mode, RollTable, Row, Slot
from tumbler.rules.sign import Sign, effective_multiple
from tumbler.rules.standing import Standing

LINE = (Kind.PASS, Kind.DONT_PASS)
FLAT = (Kind.PASS, Kind.DONT_PASS, Kind.COME, Kind.DONT_COME)


class Refused(Exception):
    """The rules refuse it, and nothing has changed."""

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(f"{why} ({rule})")
        self.rule = rule
        self.why = why


class Betting:
    def __init__(self, rolls: RollTable, sign: Sign | None = None) -> None:
        sign = sign or Sign()
        self.rolls = rolls
        self.book = rolls.game.book
        self.sign = sign
        self.scale = rolls.scale  # units a millionth
        self.unit = self.scale * MILLION  # units a dollar
        self.standing: dict[str, Standing] = {}  # by id, in order of placement
        self.state: State = None
        self.round = 0  # of play
        self.closed = False  # no more bets, where that binds
        self.released = False  # the point was cancelled: contract wagers may come down until the next roll
        policy = self.book.rounding
        self._rounding = policy.multiples_only if sign.multiples_only else policy.plain
        self._chip = 1 if sign.chip is None or self._rounding is Rounding.REFUSE else sign.chip * self.scale
        self._exact_chip = None if sign.chip is None else sign.chip * self.scale
        self._min = None if sign.min is None else sign.min * self.scale
        self._max = None if sign.max is None else sign.max * self.scale
        self._row: Row = rolls.rows[None]
        self._occupied = 0  # bits with wagers
        self._on: dict[int, list[Standing]] = {}  # wagers by bit
        self._modes: dict[tuple[str, str], Mode] = {}  # calls by player and wager, where a call covers all similar ones
        self._bans: dict[str, set[int]] = {}  # numbers of don't come wagers taken back, by player
        self._advised: set[str] = set()  # players told of a wager under the minimum
        self._short: dict[str, Standing] = {}  # wagers to be returned at the roll
        self._caps = {wager.id: effective_multiple(wager, sign) for wager in self.book.wagers if wager.cap}
        self._bonus: dict[int, BonusBet] = {}
        for slot in rolls.slots.values():
            if slot.wager.kind is Kind.BONUS:
                self._bonus[slot.bits[0]] = BonusBet(slot.wager, sign.bonus_list)
        self._bonus_bits = sum(self._bonus)
        self._bonus_closed = False  # one is established and not all are settled
        self._bonus_together = self.book.bonus is not None and sign.layout in self.book.bonus.together

    def units(self, amount: str) -> int:
        """A positive decimal in the table's units. Raises AmountError."""
        return millionths(amount) * self.scale

    def place(
        self, id: str, player: str, wager: str, amount: int, on: Selection | None = None, behind: str | None = None
    ) -> tuple[Standing, str | None]:
        """Put a wager on the layout. Gives it, and advice for its owner if there is any. `amount` is in units."""
        slot = self.rolls.slots.get((wager, on))
        if slot is None:
            raise self._unknown(wager, on)
        if self.closed:
            raise self._after_close()
        kind = slot.wager
        flat = None
        if kind.behind is not None:
            flat, slot = self._support(kind, player, slot, behind)
            self._check_cap(kind, slot, flat, amount + sum(odds.amount for odds in flat.odds))
        elif behind is not None:
            raise Refused(kind.rule, f"{kind.name} stands behind no other wager")
        else:
            when = kind.place.when
            if when is not When.ANY:
                self._check_time(kind, player, slot, when)
        if self._exact_chip is not None:
            self._check_chips(slot, amount)
        mode = self._modes.get((player, wager), Mode.DEFAULT) if kind.callable and self._modes else Mode.DEFAULT
        commission = self._commission(slot, amount) if kind.commission is not None else 0
        most = self._max
        played = amount if most is None or amount <= most else most
        standing = Standing(id, player, slot, mode, amount, played, commission, self.round)
        if flat is not None:
            standing.flat = flat
            flat.odds += (standing,)
        self.standing[id] = standing
        self._stand(standing)
        advice = self._advise(standing) if self._min is not None and amount < self._min else None
        return standing, advice

    def change(self, id: str, amount: int) -> tuple[int, int, int, str | None]:
        """Make a wager this amount. Gives stake back, commission back, commission taken, and advice."""
        wager = self._find(id)
        grows = amount - wager.amount
        if grows > 0:
            self._check_increase(wager, amount)
        elif grows < 0:
            self._check_taking(wager)
        if grows and self._exact_chip is not None:
            self._check_chips(wager.slot, amount)
        taken = returned = 0
        if wager.wager.commission is not None:
            due = self._commission(wager.slot, amount) - self._commission(wager.slot, wager.amount)
            if grows > 0:
                taken = due
            elif wager.wager.commission.returned:
                returned = -due
        wager.commission += taken - returned
        if grows < 0:
            self._ban(wager)
        wager.amount = amount
        wager.played = amount if self._max is None else min(amount, self._max)
        self._short.pop(id, None)
        advice = self._advise(wager) if self._min is not None and amount < self._min else None
        return max(-grows, 0), returned, taken, advice

    def remove(self, id: str) -> tuple[int, int, list[Standing]]:
        """Take a wager off. Gives stake back, commission back, and what came down: the wager and the odds behind it."""
        wager = self._find(id)
        self._check_taking(wager)
        self._ban(wager)
        down = [wager, *wager.odds]
        for each in down:
            self._take_down(each)
        back = sum(each.amount for each in down)
        return back, wager.commission if wager.returns_commission else 0, down

    def call(self, id: str, working: bool) -> list[Standing]:
        """Call a wager on or off; gives all wagers that this covers."""
        wager = self._find(id)
        calls = self.book.calls
        if calls is None or not wager.wager.callable:
            rule = calls.rule if calls else self.book.rules.wagers
            raise Refused(rule, f"{wager.wager.name} is not called on or off")
        mode = Mode.ON if working else Mode.OFF
        covered = [wager]
        if calls.scope is CallScope.PLAYER:
            self._modes[wager.player, wager.wager.id] = mode
            covered = [
                each
                for each in self.standing.values()
                if each.player == wager.player and each.wager.id == wager.wager.id
            ]
        for each in covered:
            self._lift(each)
            each.mode = mode
            each.bit = each.slot.bits[mode]
            self._stand(each)
        return covered

    # ---- where wagers stand

    def _stand(self, wager: Standing) -> None:
        bit = wager.bit
        if self._occupied & bit:
            self._on[bit].append(wager)
        else:
            self._on[bit] = [wager]
            self._occupied |= bit

    def _lift(self, wager: Standing) -> None:
        group = self._on[wager.bit]
        group.remove(wager)
        if not group:
            del self._on[wager.bit]
            self._occupied ^= wager.bit

    def _take_down(self, wager: Standing) -> None:
        self._lift(wager)
        del self.standing[wager.id]
        self._short.pop(wager.id, None)
        if wager.flat is not None:
            wager.flat.odds = tuple(odds for odds in wager.flat.odds if odds is not wager)

    def _move(self, wager: Standing, number: int) -> None:
        """A come or don't come wager goes to its number."""
        wager.slot = wager.slot.numbered[number]
        wager.number = number
        wager.bit = wager.slot.bits[wager.mode]
        self._stand(wager)

    def _has_point(self, wager: Standing) -> bool:
        if wager.wager.kind in LINE:
            return self.state is not None  # a line wager is placed on the come-out only, so any point is its own
        return wager.number is not None

    # ---- what the rules refuse

    def _find(self, id: str) -> Standing:
        wager = self.standing.get(id)
        if wager is None:
            raise Refused(self.book.rules.removal, f"there is no wager {id!r} on the layout")
        if self.closed:
            raise self._after_close()
        return wager

    def _after_close(self) -> Refused:
        return Refused(self.book.betting_close.rule, "no more bets has been announced")

    def _unknown(self, wager: str, on: Selection | None) -> Refused:
        rows = [row for row in self.book.wagers if row.id == wager]
        if not rows:
            return Refused(self.book.rules.wagers, f"{wager!r} is no wager of this book")
        places = [place for row in rows for place in row.selections]
        where = f"on one of {', '.join(map(str, places))}" if places else "on no selection"
        return Refused(rows[0].rule, f"{rows[0].name} is placed {where}, not on {on!r}")

    def _check_time(self, kind: Wager, player: str, slot: Slot, when: When) -> None:
        if when is When.UNESTABLISHED:
            self._check_unestablished(kind, slot.bits[0])
        elif (self.state is None) != (when is When.COME_OUT):
            raise Refused(kind.place.rule, f"{kind.name} is placed {when.value}")
        elif self._bans and kind.kind is Kind.DONT_COME and self._bans.get(player):
            raise self._banned(kind, player)

    def _banned(self, kind: Wager, player: str) -> Refused:
        numbers = ", ".join(map(str, sorted(self._bans[player])))
        return Refused(kind.remove.rule, f"{kind.name} was taken back; not replaced or increased until {numbers} or 7")

    def _check_unestablished(self, kind: Wager, bit: int) -> None:
        if self._bonus_closed and (self._bonus_together or self._bonus[bit].collected):
            which = "a Bonus Bets Wager" if self._bonus_together else kind.name
            raise Refused(kind.place.rule, f"{which} has been established and is not settled")

    def _support(self, kind: Wager, player: str, slot: Slot, behind: str | None) -> tuple[Standing, Slot]:
        """The flat wager that odds are placed behind, and the slot they take there."""
        flat = self.standing.get(behind) if behind is not None else None
        if flat is None or flat.wager.id != kind.behind or flat.player != player:
            raise Refused(kind.place.rule, f"{kind.name} needs a {kind.behind} wager of that player to stand behind")
        if flat.number is not None:
            return flat, slot.numbered[flat.number]
        if flat.wager.kind not in LINE or self.state is None:
            raise Refused(kind.place.rule, f"{kind.name} is placed {kind.place.when.value}")
        return flat, slot

    def _check_cap(self, kind: Wager, slot: Slot, flat: Standing, odds: int) -> None:
        multiple = self._caps[kind.id]
        if multiple is None or kind.cap is None:
            return
        if kind.cap.of is Of.STAKE:
            over = odds > multiple * flat.amount
        else:
            to = kind.odds_on(self._point_of(slot))
            over = odds * to.numerator > multiple * flat.amount * to.denominator
        if over:
            raise Refused(kind.cap.rule, f"odds behind one wager: {kind.cap.of.value} at most {multiple} times it")

    def _point_of(self, slot: Slot) -> Selection | None:
        if slot.spot.number is not None:
            return slot.spot.number
        return self.state if slot.wager.behind is not None else slot.spot.on

    def _check_chips(self, slot: Slot, amount: int) -> None:
        """Split wagers split into chips; D4 8.5: nothing is accepted that cannot be paid exactly."""
        chip, kind = self._exact_chip, slot.wager
        assert chip is not None
        if kind.kind is Kind.SPLIT and amount % (chip * kind.units):
            raise Refused(kind.rule, f"the stake does not split into {kind.units} equal parts of the smallest chip")
        if self._rounding is not Rounding.REFUSE:
            return
        played = amount if self._max is None else min(amount, self._max)
        for win in kind.wins(self._point_of(slot), self.sign.bonus_list):
            if played * win.numerator % (win.denominator * chip):
                raise Refused(self.book.rounding.rule, f"at odds of {win} to 1 it cannot be paid exactly in chips")

    def _check_increase(self, wager: Standing, amount: int) -> None:
        kind = wager.wager
        if kind.kind in FLAT and self._has_point(wager):
            raise Refused(kind.remove.rule, f"{kind.name} is not increased once its point is established")
        if kind.kind is Kind.DONT_COME and self._bans.get(wager.player):
            raise self._banned(kind, wager.player)
        if kind.kind is Kind.BONUS:
            self._check_unestablished(kind, wager.bit)
        if wager.flat is not None:
            together = amount + sum(odds.amount for odds in wager.flat.odds if odds is not wager)
            self._check_cap(kind, wager.slot, wager.flat, together)

    def _check_taking(self, wager: Standing) -> None:
        taking, name = wager.wager.remove, wager.wager.name
        if taking.until is Removal.NEVER:
            raise Refused(taking.rule, f"{name} is neither removed nor reduced")
        if self.released:
            return
        if taking.until is Removal.POINT and self._has_point(wager):
            raise Refused(taking.rule, f"{name} is a contract wager once its point is established")
        if taking.until is Removal.ROUND and self._has_point(wager) and wager.round == self.round:
            raise Refused(taking.rule, f"{name} is a contract wager until the end of its round of play")

    # ---- what follows from it

    def _commission(self, slot: Slot, amount: int) -> int:
        terms = slot.wager.commission
        assert terms is not None
        rate = terms.percent if terms.of is Of.STAKE else terms.percent * slot.wager.odds_on(slot.spot.on)
        return amount * rate.numerator // rate.denominator  # whole by the choice of unit

    def _ban(self, wager: Standing) -> None:
        """A don't wager taken back once its point stands. On the line nothing is placed or raised before the next come-out."""
        if wager.wager.kind is Kind.DONT_COME and wager.number is not None:
            self._bans.setdefault(wager.player, set()).add(wager.number)

    def _lift_bans(self, total: int) -> None:
        for player, numbers in list(self._bans.items()):
            numbers.discard(total)
            if total == 7 or not numbers:
                del self._bans[player]

    def _advise(self, wager: Standing) -> str:
        limits = self.book.limits
        if limits.under is UnderMinimum.VALID:
            return f"under the minimum; it is valid ({limits.under_rule})"
        if not wager.excused and wager.player in self._advised:
            self._short[wager.id] = wager
            return f"under the minimum after advice; it will be returned at the roll ({limits.under_rule})"
        self._advised.add(wager.player)
        wager.excused = True
        return f"under the minimum; further ones will be returned regardless of the result ({limits.under_rule})"

    def _bonus_settled(self, bit: int) -> None:
        self._bonus[bit].collected.clear()
        if not self._occupied & self._bonus_bits:
            self._bonus_closed = False
