"""What a roll does to the table: next state, puck and winning areas, worked out from the rules each time.

The daemon holds every result of the controller against this, so nothing here may look into a compiled game table; the
compiler (gametable.py) asks this same object and packs the answers. Not here: wagers, money and players (settle).
"""

from collections.abc import Sequence
from typing import Protocol

from tumbler.rules import sicbo

PUCK_OFF = 0
START = 0  # the state in which every table opens: Sic Bo's only state, the come-out of craps

SICBO_OPTIONS = {"crown-melbourne-sicbo-a": "a", "crown-melbourne-sicbo-b": "b"}


class UnknownBook(ValueError):
    """No book has this id."""


class DiceError(ValueError):
    """Dice of the wrong number or range, or a state that this game hasn't."""


class Game(Protocol):
    """One book's way of play, as the table sees it."""

    dice: int
    symbols: bool
    pucks: tuple[int, ...]  # by state: where the puck lies, PUCK_OFF when it is off
    areas: tuple[str, ...]  # betting areas in bit order
    bonus_sets: tuple[tuple[int, ...], ...]  # the totals that each bonus bet collects
    bonus_together: bool  # all bonus bets are settled before a new one is placed

    def next_state(self, state: int, dice: Sequence[int]) -> int: ...

    def winning_areas(self, state: int, dice: Sequence[int]) -> list[str]: ...


class SicBoGame:
    """Three dice, one state, no puck."""

    dice = sicbo.DICE
    pucks: tuple[int, ...] = (PUCK_OFF,)
    bonus_sets: tuple[tuple[int, ...], ...] = ()
    bonus_together = False

    def __init__(self, option: str, *, option_b_exact: bool = False) -> None:
        self._wagers = sicbo.wagers_of(option, option_b_exact=option_b_exact)
        self.symbols = option == "b"
        self.areas: tuple[str, ...] = tuple(name for name, _, _ in sicbo.areas(self._wagers))

    def next_state(self, state: int, dice: Sequence[int]) -> int:
        return START

    def winning_areas(self, state: int, dice: Sequence[int]) -> list[str]:
        return sicbo.winning_areas(self._wagers, dice)


def game_of(book: str, *, layout: int = 1, option_b_exact: bool = False) -> Game:
    option = SICBO_OPTIONS.get(book)
    if option is None:
        raise UnknownBook(f"no game is known for book {book!r}: see `tumbler rules list`")
    return SicBoGame(option, option_b_exact=option_b_exact)


class Play:
    """A table that plays one book."""

    def __init__(self, book: str, *, layout: int = 1, option_b_exact: bool = False) -> None:
        self.book = book
        self.game = game_of(book, layout=layout, option_b_exact=option_b_exact)
        self.areas = self.game.areas
        self.states = len(self.game.pucks)

    def roll(self, state: int, faces: Sequence[int]) -> tuple[int, int, list[str]]:
        """The state after these dice, where the puck lies then, and the areas that win, sorted as strings."""
        if not 0 <= state < self.states:
            raise DiceError(f"state {state} is not one of the {self.states} states of {self.book}")
        if len(faces) != self.game.dice or not all(1 <= face <= 6 for face in faces):
            raise DiceError(f"{self.book} needs {self.game.dice} dice of 1 to 6, not {list(faces)}")
        after = self.game.next_state(state, faces)
        return after, self.game.pucks[after], self.game.winning_areas(state, faces)
