"""The dealer's panel: keys, the supervisor's key switch, announce lamp and buzzer, wired to the MCP23017.

Keys close to ground against the chip's pull-ups. The wiring is the same table as in firmware/drivers/panel.py; GPA7 and
GPB7 stay free because the chip's datasheet allows them as outputs only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .contact import Contact
from .mcp23017 import Mcp23017

# name of the key -> bit of the expander, port A in the low byte
KEY_BITS = {
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "6": 5,
    "confirm": 6,
    "no_spin": 8,
    "no_more_bets": 9,
    "spin": 10,
    "supervisor": 11,
    "undo": 14,
}
ANNOUNCE_BIT = 12
BUZZER_BIT = 13


class Panel:
    """`hold_at` is the dealer's fingers; `announce` and `buzzer` what the dealer sees and hears."""

    def __init__(self, expander: Mcp23017, seed: int) -> None:
        self._expander = expander
        self._low = 0
        self.keys = {name: Contact(self._follow(bit), seed * 31 + bit) for name, bit in KEY_BITS.items()}

    @property
    def announce(self) -> bool:
        return bool(self._expander.driven_out >> ANNOUNCE_BIT & 1)

    @property
    def buzzer(self) -> bool:
        return bool(self._expander.driven_out >> BUZZER_BIT & 1)

    def hold_at(self, pressed: Iterable[str], now_us: int) -> None:
        """Exactly these keys are down at this time; a name that the panel has not is a KeyError."""
        down = set(pressed)
        unknown = down - self.keys.keys()
        if unknown:
            raise KeyError(f"no such key: {', '.join(sorted(unknown))}; the panel has {', '.join(self.keys)}")
        for name, contact in self.keys.items():
            contact.move(name in down, now_us)
            contact.advance(now_us)

    def _follow(self, bit: int) -> Callable[[bool], None]:
        def changed(closed: bool) -> None:
            self._low = self._low | 1 << bit if closed else self._low & ~(1 << bit)
            self._expander.set_inputs(low=self._low)

        return changed
