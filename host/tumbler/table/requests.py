"""Questions to the controller that have an answer: joins COMMAND and SERVICE_REQ to their answers by number.

An answer that does not come in time, or a session that ends first, is an error of its own; a question is never asked
again by itself, because a motor that turned may not be turned again unasked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

Values = Mapping[str, Any]


class NoAnswer(Exception):
    """The controller did not answer; the message says why."""


class Requests:
    def __init__(self) -> None:
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Values]] = {}

    async def ask(self, send: Callable[[int], bool], timeout_s: float) -> Values:
        """`send` gets the number and says whether the session took the message."""
        self._number = self._number % 0xFFFF + 1
        number = self._number
        answer: asyncio.Future[Values] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            if not send(number):
                raise NoAnswer("the controller is not connected")
            async with asyncio.timeout(timeout_s):
                return await answer
        except TimeoutError as error:
            raise NoAnswer(f"the controller has not answered for {timeout_s:.0f} s") from error
        finally:
            self._waiting.pop(number, None)

    def answered(self, values: Values) -> bool:
        """An answer has come; False when nobody waits for it any more."""
        waiting = self._waiting.get(int(values["req"]))
        if waiting is None or waiting.done():
            return False
        waiting.set_result(values)
        return True

    def session_ended(self) -> None:
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(NoAnswer("the connection to the controller was lost"))
