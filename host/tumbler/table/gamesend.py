"""Brings the daemon's game table onto the controller and has it confirmed by hash; no spin before it is in use.

A small machine: asked on every connection, sent by bulk only when the controller hasn't it, asked again when a spin was
under way. Not for compiling it: tumbler.rules.gametable.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol

from dicewire.declared.codes import PHASES
from dicewire.declared.linkcodes import BULK_CODES, GAME_CODES

from tumbler.rules.gametable import GameImage

QUIET = frozenset(PHASES.number(name) for name in ("betting_open", "paid", "locked", "closing", "service"))


class Stage(StrEnum):
    DOWN = "down"
    ASKED = "asked"
    SENDING = "sending"
    WAITING = "waiting"  # a spin is under way; asked again when the table is quiet
    ACTIVE = "active"
    REFUSED = "refused"


class Wire(Protocol):
    def use_game(self, digest: bytes) -> None: ...

    def send_game(self, data: bytes) -> None: ...

    def game_stage(self, stage: Stage, why: str) -> None:
        """Told at every change."""


class GameSend:
    def __init__(self, image: GameImage, wire: Wire) -> None:
        self.image = image
        self.stage = Stage.DOWN
        self._wire = wire

    def up(self, hello: Mapping[str, Any]) -> None:
        if bytes(hello["game_hash"]) == self.image.hash:
            self._go(Stage.ACTIVE, "the controller has it in use")
        else:
            self._ask("the controller uses another game table")

    def down(self) -> None:
        self.stage = Stage.DOWN

    def answered(self, values: Mapping[str, Any]) -> None:
        """GAME_ACTIVE."""
        if bytes(values["hash"]) != self.image.hash:
            return  # the answer to an older question
        code = GAME_CODES.get(int(values["code"]))
        if values["ok"]:
            self._go(Stage.ACTIVE, "confirmed by the controller")
        elif code.name == "absent":
            self._go(Stage.SENDING, code.text)
            self._wire.send_game(self.image.data)
        elif code.name == "busy":
            self._go(Stage.WAITING, code.text)
        else:
            self._go(Stage.REFUSED, code.text)

    def sent(self, code: int) -> None:
        """The bulk transfer has ended."""
        if self.stage is not Stage.SENDING:
            return
        row = BULK_CODES.get(code)
        if row.name == "ok":
            self._ask("sent")
        else:
            self._go(Stage.REFUSED, f"not received: {row.text}")

    def phase(self, phase: int) -> None:
        if self.stage is Stage.WAITING and phase in QUIET:
            self._ask("the table is quiet")

    def _ask(self, why: str) -> None:
        self._go(Stage.ASKED, why)
        self._wire.use_game(self.image.hash)

    def _go(self, stage: Stage, why: str) -> None:
        self.stage = stage
        self._wire.game_stage(stage, why)
