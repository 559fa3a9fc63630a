"""What a roll does to the table: next state, puck and winning areas, worked out from the rules each time.

The daemon holds every result of the controller against this, so nothing here may look into a compiled game table; the
compiler (gametable.py) asks this same object and packs the answers. States are numbers here, as on the wire: 0 is the
come-out (Sic Bo's only state), then the points in ascending order. Not here: wagers, money and players (engine).
"""

from __future__ import annotations

from collections.abc import Sequence

from tumbler.rules.book import Kind
from tumbler.rules.bookfile import load_book
from tumbler.rules.play import game_for, winning_areas

PUCK_OFF = 0


class DiceError(ValueError):
    """Dice of the wrong number or range, or a state that this game hasn't."""


class LayoutError(ValueError):
    """The book has no layout of this number."""


class Play:
    """A table that plays one book."""

    def __init__(self, book: str, *, layout: int = 1, option_b_exact: bool = False) -> None:
        rules = load_book(book)
        layouts = rules.bonus.layouts if rules.bonus else (1,)
        if layout not in layouts:
            raise LayoutError(f"{book} has layout {', '.join(map(str, layouts))}, not {layout}")
        self.book = book
        self.dice = rules.dice
        self.symbols = bool(rules.face_values)
        self._game = game_for(rules, option_b_exact=option_b_exact)
        bonus_bets = [wager for wager in rules.wagers if wager.kind is Kind.BONUS]
        self.areas = tuple(spot.name for spot in self._game.spots if spot.wager.kind is not Kind.BONUS)
        self.pucks = tuple(PUCK_OFF if point is None else point for point in self._game.states)
        self.bonus_bets = tuple(wager.id for wager in bonus_bets)
        self.bonus_sets = tuple(tuple(sorted(wager.numbers)) for wager in bonus_bets)
        self.bonus_together = rules.bonus is not None and layout in rules.bonus.together

    @property
    def states(self) -> int:
        return len(self.pucks)

    def roll(self, state: int, faces: Sequence[int]) -> tuple[int, int, list[str]]:
        """The state after these dice, where the puck lies then, and the areas that win, sorted as strings."""
        if not 0 <= state < self.states:
            raise DiceError(f"state {state} is not one of the {self.states} states of {self.book}")
        if len(faces) != self.dice or not all(1 <= face <= 6 for face in faces):
            raise DiceError(f"{self.book} needs {self.dice} dice of 1 to 6, not {list(faces)}")
        point = self._game.states[state]
        after = self._game.states.index(self._game.next_state(point, faces))
        return after, self.pucks[after], winning_areas(self._game, point, faces)

    def collect(self, collected: int, faces: Sequence[int]) -> int:
        """The bonus bets' collected numbers after these dice: one bit a number, set after set, numbers ascending."""
        total = sum(faces)
        if total == 7 or not self.bonus_sets:
            return 0
        after, shift, all_full = 0, 0, True
        for numbers in self.bonus_sets:
            full = (1 << len(numbers)) - 1
            part = collected >> shift & full
            if total in numbers:
                part |= 1 << numbers.index(total)
            if part == full and not self.bonus_together:
                part = 0  # the bet is won and may be placed again
            all_full = all_full and part == full
            after |= part << shift
            shift += len(numbers)
        return 0 if all_full else after
