"""Play a settlement script on a table and answer each event: `tumbler settle` without the command line.

Every answer has `ok`; a refusal has the rule and why, and has changed nothing. Amounts are exact text (`money.written`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tumbler.rules.betting import Refused
from tumbler.rules.engine import Settled, Table
from tumbler.rules.money import written
from tumbler.rules.rolltable import roll_table
from tumbler.rules.script import Event, Script

Answer = dict[str, Any]


def settle(script: Script) -> dict[str, list[Answer]]:
    return {"events": Settlement(script).play()}


class Settlement:
    """One script on one table."""

    def __init__(self, script: Script) -> None:
        self.table = Table(roll_table(script.book.id, script.option_b_exact), script.sign)
        self._events = script.events
        self._do: dict[str, Callable[[Event], Answer]] = {
            "place": self._place,
            "change": self._change,
            "remove": self._remove,
            "call": self._call,
            "roll": self._roll,
            "no_roll": self._no_roll,
            "void": self._void,
            "cancel_point": self._cancel_point,
            "no_more_bets": self._no_more_bets,
        }

    def play(self) -> list[Answer]:
        return [self.answer(event) for event in self._events]

    def answer(self, event: Event) -> Answer:
        try:
            return {"ok": True, **self._do[event["do"]](event)}
        except Refused as refusal:
            return {"ok": False, "rule": refusal.rule, "why": refusal.why}

    def _money(self, units: int) -> str:
        return written(self.table.exact(units))

    def _place(self, event: Event) -> Answer:
        amount = self.table.units(event["amount"])
        wager, advice = self.table.place(
            event["id"], event["player"], event["wager"], amount, event.get("on"), event.get("behind")
        )
        return {"commission": self._money(wager.commission)} | ({"advice": advice} if advice else {})

    def _change(self, event: Event) -> Answer:
        back, commission_back, commission, advice = self.table.change(event["id"], self.table.units(event["amount"]))
        answer = {
            "back": self._money(back),
            "commission_back": self._money(commission_back),
            "commission": self._money(commission),
        }
        return answer | ({"advice": advice} if advice else {})

    def _remove(self, event: Event) -> Answer:
        back, commission_back, down = self.table.remove(event["id"])
        answer: Answer = {"back": self._money(back), "commission_back": self._money(commission_back)}
        return answer | ({"odds_down": [odds.id for odds in down[1:]]} if len(down) > 1 else {})

    def _call(self, event: Event) -> Answer:
        return {"covers": [wager.id for wager in self.table.call(event["id"], event["working"])]}

    def _roll(self, event: Event) -> Answer:
        before = self.table.state
        entry, rows = self.table.roll_all(*event["dice"])
        return {
            "total": entry.total,
            "point_before": before,
            "point_after": self.table.state,
            "winning_areas": self.table.rolls.areas(entry),
            "outcomes": [self._outcome(row) for row in rows],
        }

    def _no_roll(self, event: Event) -> Answer:
        cause = self.table.no_roll(event["cause"], event.get("by"))
        return {"rule": cause.rule, "mandatory": cause.mandatory}

    def _void(self, event: Event) -> Answer:
        cause, rows = self.table.void(event["cause"], event["by"])
        return {"rule": cause.rule, "outcomes": [self._outcome(row) for row in rows]}

    def _cancel_point(self, event: Event) -> Answer:
        before = self.table.state
        rule, rows = self.table.cancel_point()
        return {
            "rule": rule,
            "point_before": before,
            "point_after": self.table.state,
            "outcomes": [self._outcome(row) for row in rows],
        }

    def _no_more_bets(self, event: Event) -> Answer:
        self.table.no_more_bets()
        return {}

    def _outcome(self, row: Settled) -> Answer:
        answer = {
            "id": row.wager.id,
            "outcome": row.outcome.value,
            "pays": self._money(row.pays),
            "back": self._money(row.back),
            "rule": row.rule,
        }
        return answer | ({"commission_back": self._money(row.commission_back)} if row.commission_back else {})
