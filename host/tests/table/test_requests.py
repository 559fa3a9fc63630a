"""A question is joined to its answer; what becomes of it when the controller restarts."""

from __future__ import annotations

import asyncio

import pytest
from tumbler.table import requests
from tumbler.table.requests import NoAnswer, Requests


class Wire:
    """Takes questions while `up`; each is told by an event."""

    def __init__(self) -> None:
        self.up = True
        self.asked: asyncio.Queue[int] = asyncio.Queue()

    def send(self, number: int) -> bool:
        if self.up:
            self.asked.put_nowait(number)
        return self.up


@pytest.fixture
def wire() -> Wire:
    return Wire()


def asked(questions: Requests, wire: Wire, again: bool, seconds: float = 5) -> asyncio.Task[object]:
    return asyncio.create_task(questions.ask(wire.send, seconds, again=again))  # type: ignore[arg-type]


async def test_an_answer_reaches_the_one_who_asked(wire: Wire) -> None:
    questions = Requests()
    one, other = asked(questions, wire, False), asked(questions, wire, False)
    first, second = await wire.asked.get(), await wire.asked.get()
    assert questions.answered({"req": second, "code": 2})
    assert questions.answered({"req": first, "code": 1})
    assert (await one, await other) == ({"req": first, "code": 1}, {"req": second, "code": 2})
    assert not questions.answered({"req": first, "code": 1})


async def test_what_may_not_happen_twice_is_not_asked_again(wire: Wire) -> None:
    questions = Requests()
    question = asked(questions, wire, False)
    await wire.asked.get()
    questions.session_ended()
    with pytest.raises(NoAnswer, match="was lost"):
        await question
    wire.up = False
    with pytest.raises(NoAnswer, match="not connected"):
        await questions.ask(wire.send, 5)


async def test_what_may_be_asked_twice_is_asked_again_of_a_controller_that_restarts(wire: Wire) -> None:
    questions = Requests()
    questions.session_began()
    question = asked(questions, wire, True)
    lost = await wire.asked.get()
    questions.session_ended()
    questions.session_began()  # before the asker has heard that the old one ended
    number = await wire.asked.get()
    assert number != lost
    assert not questions.answered({"req": lost, "code": 0})
    assert questions.answered({"req": number, "code": 5})
    assert await question == {"req": number, "code": 5}


async def test_a_controller_that_is_just_starting_is_waited_for(wire: Wire) -> None:
    questions = Requests()
    questions.session_began()
    wire.up = False  # it is gone, and nobody has told yet
    question = asked(questions, wire, True)
    await asyncio.sleep(0)
    questions.session_ended()
    wire.up = True
    questions.session_began()
    questions.answered({"req": await wire.asked.get(), "code": 0})
    await question


async def test_a_controller_that_does_not_come_back_is_not_waited_for_for_ever(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "RESTART_S", 0.01)
    wire.up = False
    with pytest.raises(NoAnswer, match="has not been connected for"):
        await Requests().ask(wire.send, 60, again=True)


async def test_no_answer_in_time_is_said_with_the_time(wire: Wire) -> None:
    with pytest.raises(NoAnswer, match="has not answered for 0 s"):
        await Requests().ask(wire.send, 0.01, again=True)
