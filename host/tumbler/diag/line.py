"""A technician's session with a controller: `Line` is what the tools need of it, `Cable` is one over the serial port.

Not a daemon: it commits nothing, so every result stays with the controller for the daemon to fetch; and it keeps what the
controller tells meanwhile only long enough to show it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from dicewire import messages as wire
from dicewire.declared.linkcodes import BULK_CODES, BULK_KINDS

from tumbler.table import payloads
from tumbler.table.requests import NoAnswer, Requests
from tumbler.table.session import Connection, LinkState
from tumbler.update.image import signed
from tumbler.update.sending import LOOK_S, Plan, Sending, Show, Standing

UP_S = 12.0  # a controller that restarts is silent for 2 s, a hung one until its watchdog (8 s) has bitten
ANSWER_S = 30.0
TRANSFER_S = 60.0
WRONG = (LinkState.ABSENT, LinkState.CLOSED, LinkState.FOREIGN, LinkState.REFUSED)


class LineDown(Exception):
    """There is no session with the controller; the message says why and what to do."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class RequestRefused(Exception):
    """The controller (or the daemon before it) does not do it; the message is its own."""


class Line(Protocol):
    """A way to ask a controller."""

    def identity(self) -> dict[str, Any]: ...

    async def counters(self) -> dict[str, Any]: ...

    async def ask(self, op: str, number: int, data: bytes) -> bytes:
        """The answer; RequestRefused or LineDown."""

    async def transfer(self, kind: str) -> bytes:
        """What the controller sends after it was asked for it."""

    async def update(self, image: bytes, plan: Plan, show: Show) -> Standing:
        """Bring this program to the controller and wait for what becomes of it; `show` hears how far it is."""

    async def close(self) -> None: ...


class Transfers:
    """What came by bulk transfer, until somebody takes it."""

    def __init__(self) -> None:
        self._came: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()

    def put(self, kind: str, data: bytes) -> None:
        self._came.put_nowait((kind, data))

    async def take(self, kind: str) -> bytes:
        """The next one of this kind; others are dropped."""
        try:
            async with asyncio.timeout(TRANSFER_S):
                while True:
                    came, data = await self._came.get()
                    if came == kind:
                        return data
        except TimeoutError as error:
            raise LineDown("no_transfer", f"the {kind} did not arrive in {TRANSFER_S:.0f} s") from error


class Cable:
    """The port itself. The daemon must not hold it."""

    def __init__(self, port: str, key: bytes, on_event: Callable[[Mapping[str, Any]], None]) -> None:
        self._on_event = on_event
        self._key = key
        self._sending: Sending | None = None
        self._requests = Requests()
        self._up: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transfers = Transfers()
        self._hello: Mapping[str, Any] = {}
        self._connection = Connection("diag", port, key, self)
        self._work = asyncio.create_task(self._connection.run())

    async def open(self) -> None:
        try:
            async with asyncio.timeout(UP_S):
                await asyncio.shield(self._up)
        except TimeoutError as error:
            raise LineDown("silent", f"{self._connection.port_name}: no controller answered in {UP_S:.0f} s") from error

    def identity(self) -> dict[str, Any]:
        return payloads.controller_identity(self._hello)

    async def counters(self) -> dict[str, Any]:
        return dict(self._connection.counters)

    async def ask(self, op: str, number: int, data: bytes) -> bytes:
        try:
            done, answer = await self._service(number, data, ANSWER_S)
        except NoAnswer as error:
            raise LineDown("no_answer", str(error)) from error
        if not done:
            raise RequestRefused(f"{op}: {answer.decode('utf-8', 'replace')}")
        return answer

    async def _service(self, number: int, data: bytes, timeout_s: float) -> tuple[bool, bytes]:
        values = {"op": number, "data": data}
        answer = await self._requests.ask(
            lambda req: self._connection.post(wire.SERVICE_REQ, {"req": req, **values}), timeout_s
        )
        return bool(answer["ok"]), bytes(answer["data"])

    async def update(self, image: bytes, plan: Plan, show: Show) -> Standing:
        sending = Sending(self._connection, self._service, signed(image, self._key), plan, str(self._hello["board"]))
        self._sending = sending
        work = asyncio.create_task(sending.run())
        try:
            while not work.done():
                await asyncio.wait({work}, timeout=LOOK_S)
                show(sending.standing())
        finally:
            work.cancel()
        return sending.standing()

    async def transfer(self, kind: str) -> bytes:
        return await self._transfers.take(kind)

    async def close(self) -> None:
        self._work.cancel()
        await asyncio.gather(self._work, return_exceptions=True)
        if self._up.done():
            self._up.exception()  # seen, or of no interest any more
        else:
            self._up.cancel()

    # --- what the connection tells ------------------------------------------------------------------------------------

    def link_changed(self, state: LinkState, code: str, text: str) -> None:
        if state in WRONG and not self._up.done():
            self._up.set_exception(LineDown(code, text))

    def link_up(self, hello: Mapping[str, Any]) -> None:
        self._hello = dict(hello)
        if self._sending is not None:
            self._sending.link_up()
        if not self._up.done():
            self._up.set_result(None)

    def link_down(self) -> None:
        self._requests.session_ended()

    def link_message(self, number: int, values: Mapping[str, Any]) -> None:
        if number == wire.SERVICE_RSP:
            self._requests.answered(values)
        elif number == wire.EVENT:
            if self._sending is not None:
                self._sending.event(values)
            _, body = payloads.controller_event(values)
            self._on_event(body)

    def message_refused(self, code: str, text: str) -> None:
        self._on_event({"code": code, "severity": "warning", "text": text})

    def bulk_sent(self, kind: int, code: int) -> None:
        if self._sending is not None:
            self._sending.bulk_sent(kind, code)
            return
        self._on_event({"code": BULK_CODES.name(code), "severity": "info", "text": BULK_CODES.get(code).text})

    def bulk_received(self, kind: int, data: bytes) -> None:
        self._transfers.put(BULK_KINDS.name(kind), data)
