"""Questions to the controller that have an answer: joins COMMAND and SERVICE_REQ to their answers by number.

An answer that does not come in time, or a session that ends first, is an error of its own. A question is asked again by
itself only where the asker says that twice does no more than once: a motor that turned may not be turned again unasked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

Values = Mapping[str, Any]

RESTART_S = 15.0  # a hung controller is back after its watchdog (8 s) and its start


class NoAnswer(Exception):
    """The controller did not answer; the message says why."""


class NoSession(NoAnswer):
    """There was no session with the controller, or it ended before the answer."""


class Requests:
    def __init__(self) -> None:
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Values]] = {}
        self._up = asyncio.Event()

    async def ask(self, send: Callable[[int], bool], timeout_s: float, *, again: bool = False) -> Values:
        """`send` gets the number and says whether the session took the message. `again`: a controller that is just
        starting is waited for, and one that starts anew before it has answered is asked once more."""
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    try:
                        return await self._once(send)
                    except NoSession:
                        if not again:
                            raise
                    await self._session()
        except TimeoutError as error:
            raise NoAnswer(f"the controller has not answered for {timeout_s:.0f} s") from error

    async def _once(self, send: Callable[[int], bool]) -> Values:
        self._number = self._number % 0xFFFF + 1
        number = self._number
        answer: asyncio.Future[Values] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            if not send(number):
                self._up.clear()
                raise NoSession("the controller is not connected")
            return await answer
        finally:
            self._waiting.pop(number, None)

    async def _session(self) -> None:
        try:
            async with asyncio.timeout(RESTART_S):
                await self._up.wait()
        except TimeoutError:
            raise NoSession(f"the controller has not been connected for {RESTART_S:.0f} s") from None

    def session_began(self) -> None:
        self._up.set()

    def answered(self, values: Values) -> bool:
        """An answer has come; False when nobody waits for it any more."""
        waiting = self._waiting.get(int(values["req"]))
        if waiting is None or waiting.done():
            return False
        waiting.set_result(values)
        return True

    def session_ended(self) -> None:
        self._up.clear()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(NoSession("the connection to the controller was lost"))
