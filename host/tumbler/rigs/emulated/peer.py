"""A host at the other end of the emulated table's pty that lives in emulated time, so that none of its time-outs is too short.

Speaks dicewire as the daemon does and commits what it hears. The daemon itself, in wall-clock time, is for rig.py.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import Any

from dicewire import messages as wire
from dicewire import session as dw
from dicewire.bulk import MemorySink, MemorySource

from tumbler.rigs.emulated.table import EmulatedTable
from tumbler.rigs.rig import RigFailed

READ_BYTES = 4096
GAME_TABLE = 1
SECOND = 1_000_000

Values = dict[str, Any]


class Peer:
    """Turns the table's loop. `heard` is every message in order; `until` runs until something is seen."""

    def __init__(self, table: EmulatedTable, key: bytes) -> None:
        self.table = table
        self.session = dw.Session(dw.HOST, key, {}, self.now, os.urandom)
        self.heard: list[tuple[int, Values]] = []
        self.ups: list[Values] = []  # the HELLO of every session
        self.refused: list[tuple[int, str]] = []
        self.bulk_ends: list[tuple[int, bool]] = []
        self.commits = True
        self.line_errors: Counter[str] = Counter()
        self._sink: Any = None
        self._port = -1
        self._slave = ""
        self._request = 0

    @property
    def now(self) -> int:
        return self.table.chip.now_us // 1000

    # --- the loop -------------------------------------------------------------------------------------------------------

    def turn(self) -> None:
        self.table.turn()
        self._open_port()
        now = self.now
        if data := self._read():
            self.session.receive(data, now)
        self.session.step(now)
        while (event := self.session.next_event()) is not None:
            self._event(event, now)
        while len(view := self.session.to_send(now)):
            sent = self._write(bytes(view))
            self.session.sent(sent)
            if not sent:
                break

    def until(self, seen: Callable[[], Any], seconds: float, what: str) -> None:
        """`seconds` of emulated time. RigFailed names what did not happen."""
        end = self.table.chip.now_us + round(seconds * SECOND)
        while not seen():
            if self.table.chip.now_us > end:
                state = self.state
                raise RigFailed(f"not within {seconds:g} s of emulated time: {what}; last state {state}")
            self.turn()

    def spend(self, seconds: float) -> None:
        end = self.table.chip.now_us + round(seconds * SECOND)
        while self.table.chip.now_us < end:
            self.turn()

    def close(self) -> None:
        if self._port >= 0:
            os.close(self._port)
            self._port = -1

    # --- the port -------------------------------------------------------------------------------------------------------

    def _open_port(self) -> None:
        """The link may name another pty after a reset, as a port that was plugged in again."""
        link = self.table.line.link
        slave = os.readlink(link) if link.is_symlink() else ""
        if slave == self._slave and (self._port >= 0) == bool(slave):
            return
        self.close()
        self._slave = slave
        if slave:
            self._port = os.open(slave, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def _read(self) -> bytes:
        if self._port < 0:
            return b""
        try:
            return os.read(self._port, READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError:  # hung up: the next turn finds the port that follows
            self.close()
            return b""

    def _write(self, data: bytes) -> int:
        if self._port < 0:
            return len(data)  # nobody there: lost, as on a cable that is out
        try:
            return os.write(self._port, data)
        except BlockingIOError:
            return 0
        except OSError:
            self.close()
            return len(data)

    # --- the session ----------------------------------------------------------------------------------------------------

    def _event(self, event: tuple[Any, ...], now: int) -> None:
        kind = event[0]
        if kind == dw.UP:
            self.ups.append(dict(event[1]))
        elif kind == dw.MESSAGE:
            number, values = event[1], dict(event[2])
            self.heard.append((number, values))
            if number in (wire.RESULT, wire.NO_SPIN) and self.commits:
                self.session.send(wire.COMMIT, {"spin": values["spin"]}, now)
        elif kind == dw.REFUSED:
            self.refused.append((event[1], event[2]))
        elif kind == dw.BULK_OFFER:
            self._sink = MemorySink(event[2])
            self.session.bulk_accept(self._sink, now)
        elif kind in (dw.BULK_DONE, dw.BULK_FAILED):
            self.bulk_ends.append((event[1], kind == dw.BULK_DONE))

    def send(self, number: int, **values: Any) -> None:
        if not self.session.send(number, values, self.now):
            raise RigFailed("no session, or its queue is full")

    def send_game(self, data: bytes) -> None:
        if not self.session.bulk_send(GAME_TABLE, MemorySource(data), self.now):
            raise RigFailed("the game table was not taken for sending")

    def ask(self, op: int, data: bytes = b"", seconds: float = 10.0) -> Values:
        """A technician's request, and its answer."""
        self._request += 1
        request = self._request
        self.send(wire.SERVICE_REQ, req=request, op=op, data=data)

        def answers() -> list[Values]:
            return [values for values in self.all(wire.SERVICE_RSP) if values["req"] == request]

        self.until(answers, seconds, f"an answer to service request {op}")
        return answers()[0]

    # --- looking --------------------------------------------------------------------------------------------------------

    def all(self, *numbers: int) -> list[Values]:
        return [values for number, values in self.heard if number in numbers]

    @property
    def state(self) -> Values | None:
        states = self.all(wire.STATE)
        return states[-1] if states else None

    @property
    def phase(self) -> int:
        state = self.state
        return int(state["phase"]) if state is not None else -1
