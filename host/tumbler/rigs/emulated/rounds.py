"""Rounds at an emulated table: one by its dealer, what the physics knows of it, which areas the signed game table lights.

For tests that hold a record against the truth. Not for the host at the other end: peer.py.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from dicewire import messages as wire

from tumbler.rigs.emulated.peer import Peer
from tumbler.rules.gametable import GameImage
from tumbler.twin.process import firmware_tree

RECORDS = (wire.RESULT, wire.NO_SPIN)
AREA_BYTES = 32


def deal(peer: Peer, seconds: float) -> tuple[int, dict[str, Any]]:
    """One round by the dealer. -> the record's message number and values."""
    dealer = peer.table.dealer
    assert dealer is not None
    seen, rounds = len(peer.heard), dealer.rounds
    dealer.paused = False
    peer.until(lambda: peer.table.spins.current is not None, seconds, "a spin")
    dealer.paused = True
    peer.until(lambda: any(number in RECORDS for number, _ in peer.heard[seen:]), seconds, "a record of the spin")
    peer.until(lambda: dealer.rounds > rounds, seconds, "the end of the round")
    return next(row for row in peer.heard[seen:] if row[0] in RECORDS)


def truth(peer: Peer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in peer.table.plan.truth.read_text().splitlines()]


def game_table(game: GameImage) -> Any:
    """The table that an inspector signed, by the controller's interpreter on this machine."""
    controller = str(firmware_tree())
    if controller not in sys.path:
        sys.path.append(controller)
    from controller.game import GameTable  # type: ignore[import-not-found]

    return GameTable(game.data)


def lit_by(game: GameImage, values: dict[str, Any]) -> bytes:
    """The areas that win with the faces of this RESULT."""
    table = game_table(game)
    table.look_up(values["state_before"], bytes(values["faces"]))
    return bytes(table.lit).ljust(AREA_BYTES, b"\0")
