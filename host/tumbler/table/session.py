"""Keeps one table's controller connected: finds and opens the port, runs the dicewire session on it, begins again for ever.

Bytes, timers and back-off live here; a change of the link is told once, with its reason. Nothing polls: an idle table
costs one ping a second. Not for what messages mean: table.py.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol

from dicewire import session as wire
from dicewire.bulk import MemorySink, MemorySource
from dicewire.declared.linkcodes import BULK_CODES, DOWNS, REFUSALS

from tumbler.log import Log
from tumbler.table.find import PortNotFound, find_port
from tumbler.table.port import Port, PortError

REOPEN_FIRST_S, REOPEN_LONGEST_S = 0.1, 2.0
FOREIGN_LOOK_S = 4.0
FOREIGN_FIRST_S, FOREIGN_LONGEST_S = 1.0, 10.0
FULL_PORT_S = 0.1  # a port that takes nothing is looked at this often; room is told by the selector
MAX_INCOMING = 4 * 1024 * 1024  # a log or a camera frame


class LinkState(StrEnum):
    """The payload of the topic `link`."""

    ABSENT = "absent"  # no such port
    CLOSED = "closed"  # the port cannot be opened
    OPENING = "opening"  # open, no session yet
    UP = "up"
    DOWN = "down"  # there was a session
    SILENT = "silent"  # nothing answers
    FOREIGN = "foreign"  # something answers that is no controller
    REFUSED = "refused"  # another key, another version


OF_REFUSAL = {"silent": LinkState.SILENT, "foreign": LinkState.FOREIGN}
IN_SESSION = ("unknown_message", "bad_message")  # refused and told to the peer; the session stays up


class Listener(Protocol):
    def link_changed(self, state: LinkState, code: str, text: str) -> None: ...

    def link_up(self, hello: Mapping[str, Any]) -> None: ...

    def link_down(self) -> None: ...

    def link_message(self, number: int, values: Mapping[str, Any]) -> None: ...

    def message_refused(self, code: str, text: str) -> None: ...

    def bulk_sent(self, kind: int, code: int) -> None: ...

    def bulk_received(self, kind: int, data: bytes) -> None: ...


class Connection:
    def __init__(self, table: str, port: str, key: bytes, listener: Listener) -> None:
        self.port_name = port
        self.state = LinkState.ABSENT
        self.reason = "not tried yet"
        self.connects = 0
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._session = wire.Session(wire.HOST, key, {}, self._now(), os.urandom)
        self._port: Port | None = None
        self._ended: asyncio.Future[str] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._posts: deque[tuple[int, dict[str, Any]]] = deque()
        self._sink: MemorySink | None = None
        self._log = Log("tumbler.link", table=table)

    # --- for the table ------------------------------------------------------------------------------------------------

    @property
    def up(self) -> bool:
        return self._session.up

    @property
    def path(self) -> str:
        return self._port.path if self._port is not None else ""

    @property
    def counters(self) -> dict[str, int]:
        return dict(self._session.counters)

    def post(self, number: int, values: dict[str, Any]) -> bool:
        """Send a message; False when no session is up. Waits here while the window is full."""
        if not self._session.up:
            return False
        self._posts.append((number, values))
        self._loop.call_soon(self._pump)
        return True

    def send_bulk(self, kind: int, data: bytes) -> bool:
        """Offer a transfer; False while another one is under way."""
        taken = self._session.bulk_send(kind, MemorySource(data), self._now())
        self._loop.call_soon(self._pump)
        return taken

    @property
    def bulk_progress(self) -> int:
        """Bytes of the outgoing transfer that the session has taken."""
        return self._session.bulk_progress

    def cancel_bulk(self) -> None:
        self._session.bulk_cancel(self._now())
        self._loop.call_soon(self._pump)

    async def run(self) -> None:
        """Until cancelled; says good-bye to the controller then."""
        wait = REOPEN_FIRST_S
        while True:
            before = self.connects
            foreign = await self._one_opening()
            if self.connects > before:
                wait = REOPEN_FIRST_S
            first, longest = (FOREIGN_FIRST_S, FOREIGN_LONGEST_S) if foreign else (REOPEN_FIRST_S, REOPEN_LONGEST_S)
            wait = max(wait, first)
            await asyncio.sleep(wait)
            wait = min(2 * wait, longest)

    # --- the port -----------------------------------------------------------------------------------------------------

    async def _one_opening(self) -> bool:
        """From opening the port to losing it. True when what is there is not ours."""
        try:
            path = find_port(self.port_name)
            self._port = Port(path, self._bytes_came, self._port_lost)
        except PortNotFound as error:
            self._tell(LinkState.ABSENT, "absent", str(error))
            return False
        except PortError as error:
            self._tell(LinkState.CLOSED, error.code, str(error))
            return False
        self._ended = self._loop.create_future()
        self._session.port_lost(self._now())
        if self.state in (LinkState.ABSENT, LinkState.CLOSED, LinkState.DOWN):
            self._tell(LinkState.OPENING, "opening", f"{path} is open")
        self._pump()
        # The session tells a refusal once; a port known to be foreign is only looked at for a while, then let go again.
        look_s = FOREIGN_LOOK_S if self.state is LinkState.FOREIGN else None
        try:
            done, _ = await asyncio.wait([self._ended], timeout=look_s)
            if not done and not self._session.up:
                return True
            return await self._ended == LinkState.FOREIGN
        finally:
            self._close_port()

    def _port_lost(self, why: str) -> None:
        path = self.path
        was_up = self._session.up
        self._session.port_lost(self._now())
        self._take_events()
        if not was_up:
            self._tell(LinkState.DOWN, "port_lost", f"{path}: {why}")
        self._end("lost")

    def _end(self, why: str) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(why)

    def _close_port(self) -> None:
        port, self._port = self._port, None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if port is not None:
            if port.is_open and self._session.up:  # the daemon ends: the controller need not find out by silence
                self._session.close(self._now())
                port.write(self._session.to_send(self._now()))
            port.close()

    # --- the session --------------------------------------------------------------------------------------------------

    def _now(self) -> int:
        return int(self._loop.time() * 1000)

    def _bytes_came(self, data: bytes) -> None:
        self._session.receive(data, self._now())
        self._pump()

    def _pump(self) -> None:
        """Everything that is due: events, messages, timers, bytes. Then the next alarm is set."""
        port, session = self._port, self._session
        if port is None or not port.is_open:
            return
        now = self._now()
        self._take_events()
        session.step(now)
        self._take_events()
        while self._posts and session.room(self._posts[0][0]):
            number, values = self._posts.popleft()
            session.send(number, values, now)
        full = False
        while len(view := session.to_send(now)):
            taken = port.write(view)
            all_taken = taken == len(view)
            session.sent(taken)
            if not all_taken:
                full = True
                port.when_room(self._pump)
                break
        self._take_events()
        if self._timer is not None:
            self._timer.cancel()
        delay = session.next_deadline(now) / 1000
        self._timer = self._loop.call_later(max(delay, FULL_PORT_S) if full else delay, self._pump)

    def _take_events(self) -> None:
        while (event := self._session.next_event()) is not None:
            kind, *rest = event
            if kind == wire.MESSAGE:
                self._listener.link_message(*rest)
            elif kind == wire.UP:
                self._came_up(rest[0])
            elif kind == wire.DOWN:
                self._went_down(rest[0])
            elif kind == wire.REFUSED:
                self._refused(*rest)
            elif kind == wire.BULK_OFFER:
                self._offered(rest[1])
            else:
                self._bulk_over(kind == wire.BULK_DONE, *rest)

    def _came_up(self, hello: Mapping[str, Any]) -> None:
        self.connects += 1
        who = f"{hello['board']} {hello['uid']}, firmware {hello['firmware']}"
        self._tell(LinkState.UP, "up", f"{who} on {self.path}")
        self._listener.link_up(hello)

    def _went_down(self, reason: int) -> None:
        row = DOWNS.get(reason)
        self._posts.clear()  # a COMMIT that is lost is asked for again by its record; a command is answered as lost
        self._listener.link_down()
        self._tell(LinkState.DOWN, row.name, row.text)

    def _refused(self, code: int, text: str) -> None:
        row = REFUSALS.get(code)
        if row.name in IN_SESSION:
            self._log.error("message refused", code=row.name, text=text)
            self._listener.message_refused(row.name, text)
            return
        state = OF_REFUSAL.get(row.name, LinkState.REFUSED)
        self._tell(state, row.name, f"{self.path}: {text}")
        if state is LinkState.FOREIGN:
            self._end(LinkState.FOREIGN)

    def _offered(self, size: int) -> None:
        if size > MAX_INCOMING:
            self._session.bulk_refuse(BULK_CODES.number("too_large"), self._now())
            return
        self._sink = MemorySink(size)
        self._session.bulk_accept(self._sink, self._now())

    def _bulk_over(self, done: bool, kind: int, detail: Any, outgoing: bool) -> None:
        code = BULK_CODES.number("ok") if done else int(detail)
        if outgoing:
            self._listener.bulk_sent(kind, code)
        elif done and self._sink is not None:
            self._listener.bulk_received(kind, bytes(self._sink.data))
        if not outgoing:
            self._sink = None

    def _tell(self, state: LinkState, code: str, text: str) -> None:
        """Once for the same state and reason, however often it is tried."""
        if (state, text) == (self.state, self.reason):
            return
        self.state, self.reason = state, text
        say = self._log.info if state in (LinkState.UP, LinkState.OPENING) else self._log.warning
        say(f"link {state}", reason=text)
        self._listener.link_changed(state, code, text)
