"""How fast rolls are settled, beside crapssim on the same strategy: pass line with double odds, one player and eight.

Both run in turns in one process, so that whatever else the machine does falls on both. crapssim is not needed to use the
engine; without it there is no peer to measure.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from tumbler.rules.engine import Table
from tumbler.rules.rolltable import roll_table

BOOK = "crown-melbourne-craps"
STAKE, ODDS = "10", "20"
TURNS = 5
PLAYERS = (1, 8)
THROWS = tuple((first, second) for first in range(1, 7) for second in range(1, 7))
OURS_ROLLS = {1: 100_000, 8: 30_000}
PEER_ROLLS = {1: 10_000, 8: 2_500}


def rows(share: int = 1) -> list[dict[str, Any]]:
    """Rows for `tumbler bench`; with a share, of so many times fewer rolls. Raises ImportError where crapssim is missing."""
    return [_row(players, OURS_ROLLS[players] // share, PEER_ROLLS[players] // share) for players in PLAYERS]


def _row(players: int, our_rolls: int, peer_rolls: int) -> dict[str, Any]:
    ours, peer = [], []
    for turn in range(TURNS):
        ours.append(_rate(our_game(players, our_rolls, turn), our_rolls))
        peer.append(_rate(crapssim_game(players, peer_rolls, turn), peer_rolls))
    mine, theirs = statistics.median(ours), statistics.median(peer)
    return {
        "what": f"settle rolls, pass line with double odds, {players} player{'s' * (players > 1)}",
        "ours": round(mine),
        "peer": round(theirs),
        "peer_name": "crapssim",
        "ratio": round(mine / theirs, 2),
        "unit": "rolls/s",
    }


def _rate(game: Callable[[], object], rolls: int) -> float:
    start = time.perf_counter()
    game()
    return rolls / (time.perf_counter() - start)


def our_game(players: int, rolls: int, seed: int) -> Callable[[], int]:
    """A game that gives what the players have won, in units. Each puts up the line on the come-out and odds on the point."""
    table = Table(roll_table(BOOK))
    stake, odds = table.units(STAKE), table.units(ODDS)
    dice = random.Random(seed)
    seats = [(f"player {seat}", f"line {seat}", f"odds {seat}") for seat in range(players)]

    def play() -> int:
        won = 0
        standing, place, roll = table.standing, table.place, table.roll
        for throw in dice.choices(THROWS, k=rolls):
            for player, line, behind in seats:
                if table.state is None:
                    if line not in standing:
                        place(line, player, "pass", stake)
                        won -= stake
                elif behind not in standing:
                    place(behind, player, "pass_odds", odds, behind=line)
                    won -= odds
            for _, _, pays, back, _ in roll(*throw):
                won += pays + back
        return won

    return play


def crapssim_game(players: int, rolls: int, seed: int) -> Callable[[], object]:
    from crapssim.strategy.odds import PassLineOddsMultiplier
    from crapssim.strategy.single_bet import BetPassLine
    from crapssim.table import Table as PeerTable

    table = PeerTable(seed=seed)
    for _ in range(players):
        table.add_player(bankroll=1e9, strategy=BetPassLine(int(STAKE)) + PassLineOddsMultiplier(2))
    return lambda: table.run(max_rolls=rolls, verbose=False)
