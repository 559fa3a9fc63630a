"""A second settlement of craps, written from the documents and rulings alone, to hold the engine against.

It shares no code and no data with tumbler.rules: one plain list of wagers, fractions, and the figures of `second_documents`.
Slow and simple on purpose. It answers a refusal without saying by which rule.
"""

from fractions import Fraction as F
from math import ceil, floor
from typing import Any

from second_documents import AGAINST, BONUS, DOCUMENTS, DONTS, FLAT_OF, FOUR_CORNERS, LISTS, ONE_ROLL, PLACE, TRUE


class No(Exception):
    pass


class SecondReading:
    def __init__(self, book: str, sign: dict[str, Any]) -> None:
        self.book, self.doc, self.sign = book, DOCUMENTS[book], sign
        self.perth = book == "crown-perth-crapless"
        self.chip = F(sign["chip"]) if "chip" in sign else None
        self.min = F(sign["min"]) if "min" in sign else None
        self.max = F(sign["max"]) if "max" in sign else None
        own, moved = self.doc["cap"]
        shown = sign.get("odds_multiple")
        self.cap = own
        if shown is not None:
            self.cap = {"sets": shown, "lowers": min(shown, own or 0), "raises": max(shown, own or 0)}[moved]
        self.up: list[dict[str, Any]] = []
        self.point: int | None = None
        self.closed = self.released = False
        self.calls: dict[tuple[str, str], bool] = {}
        self.bans: list[tuple[str, int]] = []
        self.advised: set[str] = set()
        self.bonus_closed = False

    def answer(self, event: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"ok": True, **getattr(self, "do_" + event["do"])(event)}
        except No:
            return {"ok": False}

    # ---- the wagers of a document

    def selections(self, wager: str) -> tuple[Any, ...]:
        if wager in ("place_win", "buy", "place_lose", "lay"):
            return tuple(self.doc["points"])
        return {"hardway": (4, 6, 8, 10), "horn_high": FOUR_CORNERS}.get(wager, (None,))

    def number_of(self, w: dict[str, Any]) -> int | None:
        """What an odds or come wager stands on; the table's point for odds on the line."""
        if w["wager"] in ("pass_odds", "dont_pass_odds"):
            return self.point
        return w["flat"]["number"] if w.get("flat") else w["number"]

    def parts(self, wager: str, on: Any) -> list[tuple[tuple[int, ...], F, int]]:
        """Totals, odds and units of a split wager."""
        two, three, craps = self.doc["two"], self.doc["three"], self.doc["craps"]
        corners = [((2,), two, 1), ((3,), three, 1), ((11,), three, 1), ((12,), two, 1)]
        if wager == "horn_high":
            return [(totals, odds, units + (on in totals)) for totals, odds, units in corners]
        if wager == "world":
            return [*corners, ((7,), F(4), 1)]
        return [((2, 3, 12), craps, 1), ((11,), three, 1)] if wager == "c_and_e" else corners

    def one_roll(self, wager: str, total: int) -> F | None:
        if wager == "field":
            return F(self.doc["field"].get(total, 1)) if total in (2, 3, 4, 9, 10, 11, 12) else None
        wins = {"any_craps": (2, 3, 12), "craps_two": (2,), "craps_three": (3,), "craps_twelve": (12,)}
        wins |= {"eleven": (11,), "any_seven": (7,)}
        odds = {"any_craps": self.doc["craps"], "craps_two": self.doc["two"], "craps_twelve": self.doc["two"]}
        odds |= {"craps_three": self.doc["three"], "eleven": self.doc["three"], "any_seven": F(4)}
        return odds[wager] if total in wins[wager] else None

    def possible_odds(self, wager: str, on: Any, number: int | None) -> list[F]:
        if wager in ("horn", "horn_high", "c_and_e", "world"):
            parts = self.parts(wager, on)
            whole = sum(units for _, _, units in parts)
            return [odds * units / whole for _, odds, units in parts]
        if wager in BONUS:
            return [F(LISTS[wager][self.sign.get("bonus_list", 1) - 1])]
        if wager in ONE_ROLL:
            return [odds for total in range(2, 13) if (odds := self.one_roll(wager, total)) is not None]
        if wager in FLAT_OF:
            assert number is not None
            return [TRUE[number] if wager in ("pass_odds", "come_odds") else 1 / TRUE[number]]
        tables = {"place_win": PLACE, "buy": TRUE, "place_lose": AGAINST, "hardway": self.doc["hard"]}
        if wager == "lay":
            return [1 / TRUE[on]]
        return [tables[wager][on]] if wager in tables else [F(4) if wager == "any_hard" else F(1)]

    # ---- what is asked

    def find(self, event: dict[str, Any]) -> dict[str, Any]:
        found = [w for w in self.up if w["id"] == event["id"]]
        if not found or self.closed:
            raise No
        return found[0]

    def check_chips(self, wager: str, on: Any, number: int | None, amount: F) -> None:
        if self.chip is None:
            return
        if wager in ("horn", "horn_high", "c_and_e", "world"):
            whole = sum(units for _, _, units in self.parts(wager, on))
            if (amount / whole) % self.chip:
                raise No
        if self.perth:
            played = amount if self.max is None else min(amount, self.max)
            if any(played * odds % self.chip for odds in self.possible_odds(wager, on, number)):
                raise No

    def check_cap(self, wager: str, flat: dict[str, Any], number: int, amount: F) -> None:
        if self.cap is not None:
            counted = amount if wager in ("pass_odds", "come_odds") else amount / TRUE[number]
            if counted > self.cap * flat["amount"]:
                raise No

    def check_bonus(self, wager: str) -> None:
        together = self.sign.get("layout", 1) in (2, 4)
        if together and self.bonus_closed:
            raise No
        if not together and any(w["wager"] == wager and w["seen"] for w in self.up):
            raise No

    def commission(self, wager: str, on: Any, amount: F) -> F:
        return {"buy": amount / 20, "lay": amount / TRUE[on] / 20 if wager == "lay" else F(0)}.get(wager, F(0))

    def advise(self, w: dict[str, Any]) -> None:
        w["short"] = False
        if self.min is not None and w["amount"] < self.min and self.doc["under"] == "second":
            if w["player"] in self.advised and not w["first"]:
                w["short"] = True
            else:
                self.advised.add(w["player"])
                w["first"] = True

    def do_place(self, event: dict[str, Any]) -> dict[str, Any]:
        wager, on, amount, player = event["wager"], event.get("on"), F(event["amount"]), event["player"]
        if wager not in self.doc["wagers"] or on not in self.selections(wager) or self.closed:
            raise No
        flat, number = None, None
        if wager in FLAT_OF:
            flats = [w for w in self.up if w["id"] == event.get("behind")]
            flat = flats[0] if flats else None
            if flat is None or flat["wager"] != FLAT_OF[wager] or flat["player"] != player:
                raise No
            number = self.point if wager in ("pass_odds", "dont_pass_odds") else flat["number"]
            if number is None:
                raise No
            others = sum((w["amount"] for w in self.up if w.get("flat") is flat), F(0))
            self.check_cap(wager, flat, number, others + amount)
        elif event.get("behind") is not None:
            raise No
        if wager in ("pass", "dont_pass") and self.point is not None:
            raise No
        if wager in ("come", "dont_come") and self.point is None:
            raise No
        if wager == "dont_come" and any(who == player for who, _ in self.bans):
            raise No
        if wager in BONUS:
            self.check_bonus(wager)
        self.check_chips(wager, on, number, amount)
        paid = self.commission(wager, on, amount)
        w = {"id": event["id"], "player": player, "wager": wager, "on": on, "amount": amount, "number": None}
        w |= {"flat": flat, "paid": paid, "called": None, "seen": set(), "first": False, "ended": False}
        if self.doc["call_covers"] == "player" and wager in self.doc["off"]:
            w["called"] = self.calls.get((player, wager))
        self.up.append(w)
        self.advise(w)
        return {"commission": paid}

    def has_point(self, w: dict[str, Any]) -> bool:
        return (w["wager"] in ("pass", "dont_pass") and self.point is not None) or w["number"] is not None

    def check_taking(self, w: dict[str, Any]) -> None:
        if w["wager"] in BONUS:
            raise No
        contract = w["wager"] in ("pass", "come") and self.has_point(w)
        if contract and not self.released and not (self.perth and w["ended"]):
            raise No

    def ban(self, w: dict[str, Any]) -> None:
        if w["wager"] == "dont_come" and w["number"] is not None:
            self.bans.append((w["player"], w["number"]))

    def do_change(self, event: dict[str, Any]) -> dict[str, Any]:
        w, amount = self.find(event), F(event["amount"])
        wager = w["wager"]
        if amount > w["amount"]:
            if wager in ("pass", "come", "dont_pass", "dont_come") and self.has_point(w):
                raise No
            if wager == "dont_come" and any(who == w["player"] for who, _ in self.bans):
                raise No
            if wager in BONUS:
                self.check_bonus(wager)
            if w["flat"]:
                number = self.number_of(w)
                assert number is not None
                others = sum((o["amount"] for o in self.up if o["flat"] is w["flat"] and o is not w), F(0))
                self.check_cap(wager, w["flat"], number, others + amount)
        elif amount < w["amount"]:
            self.check_taking(w)
        if amount != w["amount"]:
            self.check_chips(wager, w["on"], self.number_of(w) if w["flat"] else None, amount)
        due = self.commission(wager, w["on"], amount) - self.commission(wager, w["on"], w["amount"])
        back = max(w["amount"] - amount, F(0))
        returned = max(-due, F(0)) if self.doc["commission_back"] else F(0)
        w["paid"] += max(due, F(0)) - returned
        if back:
            self.ban(w)
        w["amount"] = amount
        self.advise(w)
        return {"back": back, "commission_back": returned}

    def do_remove(self, event: dict[str, Any]) -> dict[str, Any]:
        w = self.find(event)
        self.check_taking(w)
        self.ban(w)
        down = [w, *(odds for odds in self.up if odds["flat"] is w)]
        self.up = [other for other in self.up if not any(other is one for one in down)]
        back = sum((one["amount"] for one in down), F(0))
        return {"back": back, "commission_back": w["paid"] if self.doc["commission_back"] else F(0)}

    def do_call(self, event: dict[str, Any]) -> dict[str, Any]:
        w = self.find(event)
        if w["wager"] not in self.doc["off"]:
            raise No
        w["called"] = event["working"]
        if self.doc["call_covers"] == "player":
            self.calls[w["player"], w["wager"]] = event["working"]
            for other in self.up:
                if (other["player"], other["wager"]) == (w["player"], w["wager"]):
                    other["called"] = event["working"]
        return {}

    def do_no_roll(self, event: dict[str, Any]) -> dict[str, Any]:
        if event["cause"] == "cocked" and self.book in ("skycity-adelaide-craps", "crown-perth-crapless"):
            raise No
        return {}

    def do_void(self, event: dict[str, Any]) -> dict[str, Any]:
        if event["by"] not in self.doc["void_by"]:
            raise No
        rows = [(w["id"], "returned", F(0), w["amount"]) for w in self.up if w["wager"] in ONE_ROLL]
        self.up = [w for w in self.up if w["wager"] not in ONE_ROLL]
        self.closed = False
        return {"outcomes": rows}

    def do_cancel_point(self, event: dict[str, Any]) -> dict[str, Any]:
        if not self.doc["cancels"] or self.point is None:
            raise No
        rows = [
            (w["id"], "returned", F(0), w["amount"]) for w in self.up if w["wager"] in ("pass_odds", "dont_pass_odds")
        ]
        self.up = [w for w in self.up if w["wager"] not in ("pass_odds", "dont_pass_odds")]
        before, self.point, self.released, self.closed = self.point, None, True, False
        for w in self.up:
            w["ended"] = w["wager"] == "come"
        return {"outcomes": rows, "point_before": before, "point_after": None}

    def do_no_more_bets(self, event: dict[str, Any]) -> dict[str, Any]:
        self.closed = self.doc["close"]
        return {}

    # ---- the roll

    def decide(self, w: dict[str, Any], dice: list[int]) -> tuple[str, F, F]:
        """Outcome, odds, and the part of the stake that wins."""
        wager, total, on = w["wager"], sum(dice), w["on"]
        if wager in BONUS:
            seen = w["seen"] | {total} & set(BONUS[wager])
            if total == 7:
                return "lose", F(0), F(1)
            return ("win" if len(seen) == len(BONUS[wager]) else "none"), self.possible_odds(wager, on, None)[0], F(1)
        if wager in ("horn", "horn_high", "c_and_e", "world"):
            parts = self.parts(wager, on)
            whole = sum(units for _, _, units in parts)
            for totals, odds, units in parts:
                if total in totals:
                    return "win", odds, F(units, whole)
            return "lose", F(0), F(1)
        if wager in ONE_ROLL:
            paid = self.one_roll(wager, total)
            return ("lose", F(0), F(1)) if paid is None else ("win", paid, F(1))
        if wager in ("hardway", "any_hard"):
            mine = (4, 6, 8, 10) if wager == "any_hard" else (on,)
            if total in mine and dice[0] == dice[1]:
                return "win", self.possible_odds(wager, on, None)[0], F(1)
            return ("lose" if total in mine or total == 7 else "none"), F(0), F(1)
        number = {"big6": 6, "big8": 8}.get(wager, on)
        if wager in ("pass", "dont_pass"):
            number = self.point
        elif wager in ("come", "dont_come", *FLAT_OF):
            number = self.number_of(w)
        if number is None:  # a line wager on the come-out, a come wager on its first roll
            win, lose, bar = self.doc["dont"] if wager.startswith("dont") else (*self.doc["line"], ())
            return (
                ("win" if total in win else "lose" if total in lose else "push" if total in bar else "none"),
                F(1),
                F(1),
            )
        against = wager in DONTS
        if total not in (number, 7):
            return "none", F(0), F(1)
        if (total == 7) != against:
            return "lose", F(0), F(1)
        return "win", self.possible_odds(wager, on, number if wager in FLAT_OF else None)[0], F(1)

    def pay(self, amount: F) -> F:
        if self.chip is None or self.perth:
            return amount
        down = self.book == "skycity-adelaide-craps" and self.sign.get("multiples_only", False)
        return (floor if down else ceil)(amount / self.chip) * self.chip

    def settle_one(self, w: dict[str, Any], dice: list[int]) -> tuple[str, F, F]:
        if w["short"] or (w["flat"] and w["flat"]["short"]):
            return "returned", F(0), w["amount"]
        outcome, odds, share = self.decide(w, dice)
        off = w["wager"] in self.doc["off"] and (self.point is None if w["called"] is None else not w["called"])
        if off and outcome in ("win", "lose"):
            return ("returned", F(0), w["amount"]) if w["flat"] else ("off", F(0), F(0))
        played = w["amount"] if self.max is None else min(w["amount"], self.max)
        excess = w["amount"] - played
        if outcome == "win":
            return outcome, self.pay(played * share * odds), excess + played * share
        return outcome, F(0), excess if outcome == "lose" else F(0)

    def do_roll(self, event: dict[str, Any]) -> dict[str, Any]:
        dice, total = event["dice"], sum(event["dice"])
        rows = [(w["id"], *self.settle_one(w, dice)) for w in self.up]
        gone = {id for id, outcome, _, _ in rows if outcome in ("win", "lose", "returned")}
        self.up = [w for w in self.up if w["id"] not in gone]
        before = self.point
        if before is None:
            self.point = total if total in self.doc["points"] else None
        elif total in (before, 7):
            self.point = None
        for w in self.up:
            if w["wager"] in ("come", "dont_come") and w["number"] is None and total in self.doc["points"]:
                w["number"] = total
            if w["wager"] in BONUS:
                w["seen"] |= {total} & set(BONUS[w["wager"]])
                self.bonus_closed |= bool(w["seen"])
            w["ended"] |= self.point is None and w["wager"] == "come"
        if not any(w["wager"] in BONUS for w in self.up):
            self.bonus_closed = False
        self.bans = [] if total == 7 else [(who, number) for who, number in self.bans if number != total]
        self.closed = self.released = False
        return {"total": total, "point_before": before, "point_after": self.point, "outcomes": rows}
