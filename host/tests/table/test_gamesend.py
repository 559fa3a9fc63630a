"""The game table reaches the controller and is confirmed by hash before anyone spins."""

from __future__ import annotations

from typing import Any

import pytest
from dicewire.declared.codes import PHASES
from dicewire.declared.linkcodes import BULK_CODES, GAME_CODES
from tumbler.rules.gametable import GameImage
from tumbler.table.gamesend import GameSend, Stage


class Wire:
    def __init__(self) -> None:
        self.done: list[str] = []
        self.stages: list[Stage] = []

    def use_game(self, digest: bytes) -> None:
        self.done.append("use")

    def send_game(self, data: bytes) -> None:
        self.done.append("send")

    def game_stage(self, stage: Stage, why: str) -> None:
        self.stages.append(stage)


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def game(image: GameImage, wire: Wire) -> GameSend:
    return GameSend(image, wire)


def answer(image: GameImage, code: str) -> dict[str, Any]:
    return {"hash": image.hash, "ok": int(code == "ok"), "code": GAME_CODES.number(code)}


def test_a_controller_that_has_it_is_left_alone(game: GameSend, wire: Wire, image: GameImage) -> None:
    game.up({"game_hash": image.hash})
    assert (wire.done, game.stage) == ([], Stage.ACTIVE)


def test_sent_when_absent_and_asked_again(game: GameSend, wire: Wire, image: GameImage) -> None:
    game.up({"game_hash": bytes(32)})
    game.answered(answer(image, "absent"))
    game.sent(BULK_CODES.number("ok"))
    game.answered(answer(image, "ok"))
    assert wire.done == ["use", "send", "use"]
    assert game.stage is Stage.ACTIVE


def test_during_a_spin_it_waits_for_quiet(game: GameSend, wire: Wire, image: GameImage) -> None:
    game.up({"game_hash": bytes(32)})
    game.answered(answer(image, "busy"))
    game.phase(PHASES.number("spinning"))
    assert game.stage is Stage.WAITING
    game.phase(PHASES.number("betting_open"))
    game.answered(answer(image, "ok"))
    assert (wire.done, game.stage) == (["use", "use"], Stage.ACTIVE)


@pytest.mark.parametrize("code", ["unsound", "too_large"])
def test_a_refused_table_stays_refused(code: str, game: GameSend, image: GameImage) -> None:
    game.up({"game_hash": bytes(32)})
    game.answered(answer(image, code))
    game.phase(PHASES.number("betting_open"))
    assert game.stage is Stage.REFUSED


def test_a_failed_transfer_is_no_success(game: GameSend, image: GameImage) -> None:
    game.up({"game_hash": bytes(32)})
    game.answered(answer(image, "absent"))
    game.sent(BULK_CODES.number("wrong_hash"))
    assert game.stage is Stage.REFUSED


def test_an_answer_about_another_table_is_ignored(game: GameSend) -> None:
    game.up({"game_hash": bytes(32)})
    game.answered({"hash": bytes(32), "ok": 1, "code": 0})
    assert game.stage is Stage.ASKED
