"""How fast rolls are simulated, beside crapssim on the same strategy: pass line with double odds.

Both run in turns in one process (see `bench`). crapssim plays one player at one table; ours is one player at each table.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from tumbler.rules.bench import crapssim_game
from tumbler.rules.bookfile import load_book
from tumbler.rules.edge import find_stake
from tumbler.rules.simulate import simulate

BOOK = "crown-melbourne-craps"
TURNS = 5
OURS_ROLLS, PEER_ROLLS = 10_000_000, 5_000


def rows() -> list[dict[str, Any]]:
    """Rows for `tumbler bench`. Raises ImportError where crapssim is not installed."""
    stake = find_stake(load_book(BOOK), "pass", odds=2)
    ours, peer = [], []
    for turn in range(TURNS):
        start = time.perf_counter()
        played = simulate(BOOK, [stake], OURS_ROLLS, seed=turn)
        ours.append(played.rolls / (time.perf_counter() - start))  # compiling the chain counts too
        game = crapssim_game(1, PEER_ROLLS, turn)
        start = time.perf_counter()
        game()
        peer.append(PEER_ROLLS / (time.perf_counter() - start))
    mine, theirs = statistics.median(ours), statistics.median(peer)
    return [
        {
            "what": "simulate rolls, pass line with double odds",
            "ours": round(mine),
            "peer": round(theirs),
            "peer_name": "crapssim",
            "ratio": round(mine / theirs, 1),
            "unit": "rolls/s",
        }
    ]
