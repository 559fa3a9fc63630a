"""One wager on the layout."""

from __future__ import annotations

from tumbler.rules.book import Wager
from tumbler.rules.rolltable import Mode, Slot


class Standing:
    """Who has how much where. `played` is what is at risk: at most the maximum; the rest of `amount` only comes back."""

    __slots__ = (
        "amount",
        "bit",
        "commission",
        "excused",
        "flat",
        "id",
        "mode",
        "number",
        "odds",
        "played",
        "player",
        "round",
        "slot",
        "wager",
    )

    def __init__(
        self, id: str, player: str, slot: Slot, mode: Mode, amount: int, played: int, commission: int, round: int
    ) -> None:
        self.id = id
        self.player = player
        self.slot = slot
        self.wager: Wager = slot.wager
        self.mode = mode
        self.bit = slot.bits[mode]
        self.amount = amount
        self.played = played
        self.commission = commission  # paid and not given back
        self.round = round  # of play, in which it was placed
        self.number: int | None = slot.spot.number  # own point of a come wager, and of the odds on it
        self.flat: Standing | None = None  # the wager that odds stand behind
        self.odds: tuple[Standing, ...] = ()
        self.excused = False  # the one under the minimum that its player is allowed

    @property
    def returns_commission(self) -> bool:
        return self.wager.commission is not None and self.wager.commission.returned
