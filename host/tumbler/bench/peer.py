"""The far end of a table's cable: dicewire's own controller session on a pty, with records that are kept until committed.

A protocol peer for measuring and testing the daemon, in a thread of its own. It has no dice, no motor and no round of
play: whoever holds it says what the dice show. The real thing is the firmware, on the twin or on a board.
"""

from __future__ import annotations

import os
import selectors
import threading
import time
import tty
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dicewire import messages as wire
from dicewire import session as dw
from dicewire.bulk import MemorySink
from dicewire.declared.codes import COMMAND_CODES, PHASES
from dicewire.declared.linkcodes import GAME_CODES

from tumbler.rules.gametable import GameImage
from tumbler.rules.tableplay import Play

# A layout as in dicewire.messages: a command of the controller, untagged, nothing but bytes.
LATER_MESSAGE = (dw.PRIORITY_COMMAND, 2, 0, "<", 0, (), (("data", 240, 2),))
SPIN_MS, NMB_MS, EXPOSED_MS, READ_MS = 3000, 2500, 5000, 5600


class Pty:
    """A serial cable: `link` is the daemon's end; unplugging takes it away."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self.fd, near = os.openpty()
        tty.setraw(near)
        os.set_blocking(self.fd, False)
        # Our own descriptor of the near end stays open: a pty whose last user leaves reads as EIO in a busy loop.
        self._near = near
        fresh = link.with_name(link.name + ".new")
        fresh.symlink_to(os.ttyname(near))
        fresh.replace(link)

    def unplug(self) -> None:
        self.link.unlink(missing_ok=True)
        os.close(self._near)
        os.close(self.fd)
        self.fd = -1


class ControllerPeer(threading.Thread):
    def __init__(self, link: Path, key: bytes, play: Play, image: GameImage, *, has_game: bool = False) -> None:
        super().__init__(name="controller peer", daemon=True)
        self.play, self.image = play, image
        self.heard: list[tuple[int, dict[str, Any]]] = []  # every message of the daemon
        self.answer = "done"  # to the next COMMANDs
        self.service: dict[int, tuple[int, bytes]] = {}  # op -> (ok, data); others get their own data back
        self.answers_games = True
        self.committed = 0
        self.epoch = os.urandom(4)
        self.changed = threading.Condition()
        self._link, self._key = link, key
        self._game = image.hash if has_game else bytes(32)
        self._sink: MemorySink | None = None
        self._records: dict[int, tuple[int, dict[str, Any]]] = {}
        self._orders: deque[Callable[[], object]] = deque()
        self._wake_in, self._wake_out = os.pipe()
        os.set_blocking(self._wake_in, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._wake_in, selectors.EVENT_READ)
        self._unacknowledged: tuple[int, float, Callable[[float], None]] | None = None
        self._running = True
        self._pty: Pty | None = None
        self._session = self._new_session()
        self._plug()
        self.start()

    # --- for whoever holds it -----------------------------------------------------------------------------------------

    def spin(self, *faces: int, **changes: Any) -> int:
        """A result: kept, and sent until it is committed. -> the number of the spin."""
        number = len(self._records) + 1
        shown = sorted(faces)
        after, puck, areas = self.play.roll(0, shown)
        values = {
            **{
                "spin": number,
                "faces": bytes(shown) + bytes(3 - len(shown)),
                "dice": len(shown),
                "opinions": 1,
                "reads": 3,
            },
            **{
                "state_before": 0,
                "state_after": after,
                "puck": puck,
                "areas": self.image.bitmap(areas),
                "collected": 0,
            },
            **{"spin_ms": SPIN_MS, "nmb_ms": NMB_MS, "exposed_ms": EXPOSED_MS, "read_ms": READ_MS, "flags": 0},
            **{"tumbles": 40, "peak_rpm": 600, "wall_ms": time.time_ns() // 1_000_000, "uptime_ms": number},
        }
        return self._keep(wire.RESULT, {**values, **changes})

    def no_spin(self, cause: int, **changes: Any) -> int:
        values = {"spin": len(self._records) + 1, "cause": cause, "detail": 0, "by": 0, "wall_ms": 0, "uptime_ms": 0}
        return self._keep(wire.NO_SPIN, {**values, "evidence": b"", **changes})

    def event(self, code: int, severity: int = 1, text: str = "") -> None:
        values = {"code": code, "severity": severity, "a": 1, "b": 2, "text": text, "uptime_ms": 5, "wall_ms": 0}
        self._order(lambda: self._send(wire.EVENT, values))

    def phase(self, name: str) -> None:
        self._order(lambda: self._send_state(PHASES.number(name)))

    def say(self, number: int, values: dict[str, Any]) -> None:
        self._order(lambda: self._send(number, values))

    def unknown(self, number: int, payload: bytes) -> None:
        """A message of a later version. Needs a daemon in another process: the declaration of this one grows by it."""
        wire.LAYOUTS[number] = LATER_MESSAGE
        self.say(number, {"data": payload})

    def alter(self, number: int, **changes: Any) -> None:
        """Change a record that is kept, as no controller ever should, and send it again."""

        def change() -> None:
            kind, values = self._records[number]
            self._records[number] = (kind, {**values, **changes})
            self._send(*self._records[number])

        self._order(change)

    def unplug(self) -> None:
        self._and_wait(self._unplug)

    def plug(self) -> None:
        self._and_wait(self._plug)

    def restart(self) -> None:
        """Power off and on: the ring stays, the session is gone, a commit that was not kept comes again."""

        def again() -> None:
            self._session = self._new_session()

        self._and_wait(again)

    def wait(self, ready: Callable[[ControllerPeer], bool], seconds: float = 20.0) -> None:
        with self.changed:
            if not self.changed.wait_for(lambda: ready(self), seconds):
                raise TimeoutError(f"the daemon did not do it in {seconds} s; heard {[n for n, _ in self.heard][-20:]}")

    def round_trip(self) -> float:
        """Seconds from a message that leads to nothing to its acknowledgement by the daemon."""
        done = threading.Event()
        took: list[float] = []

        def acknowledged(began: float) -> None:
            took.append(time.perf_counter() - began)
            done.set()

        def send() -> None:
            values = dict.fromkeys(wire.LAYOUTS[wire.HEALTH][5], 0)
            handle = self._session.send(wire.HEALTH, values, self._now())
            self._unacknowledged = (handle, time.perf_counter(), acknowledged)

        self._order(send)
        if not done.wait(10):
            raise TimeoutError("the daemon has not acknowledged a message for 10 s")
        return took[0]

    def last(self, number: int) -> dict[str, Any] | None:
        return next((values for heard, values in reversed(self.heard) if heard == number), None)

    def stop(self) -> None:
        if self._running:
            self._running = False
            self._order(lambda: None)
            self.join()
            self._unplug()
            self._selector.close()
            os.close(self._wake_in)
            os.close(self._wake_out)

    # --- its thread ---------------------------------------------------------------------------------------------------

    @property
    def _fd(self) -> int:
        return self._pty.fd if self._pty is not None else -1

    def run(self) -> None:
        while self._running:
            now = self._now()
            ready = self._selector.select(self._session.next_deadline(now) / 1000)
            now = self._now()
            for key, _ in ready:
                if key.fd == self._wake_in:
                    os.read(self._wake_in, 4096)
                else:
                    self._read(now)
            while self._orders:
                self._orders.popleft()()
            self._session.step(now)
            self._take_events()
            self._write(now)
            if self._unacknowledged is not None and not self._session.waits(self._unacknowledged[0]):
                _, began, tell = self._unacknowledged
                self._unacknowledged = None
                tell(began)

    def _read(self, now: int) -> None:
        try:
            data = os.read(self._fd, 8192)
        except (BlockingIOError, OSError):
            return
        self._session.receive(data, now)
        self._take_events()

    def _write(self, now: int) -> None:
        while self._fd >= 0 and len(view := self._session.to_send(now)):
            try:
                taken = os.write(self._fd, view)
            except BlockingIOError:
                return
            self._session.sent(taken)

    def _take_events(self) -> None:
        while (event := self._session.next_event()) is not None:
            kind, *rest = event
            if kind == dw.UP:
                self._send_state(PHASES.number("betting_open"))
                for number in sorted(self._records):
                    if number > self.committed:
                        self._send(*self._records[number])
            elif kind == dw.MESSAGE:
                self._message(*rest)
            elif kind == dw.BULK_OFFER:
                self._sink = MemorySink(rest[1])
                self._session.bulk_accept(self._sink, self._now())

    def _message(self, number: int, values: dict[str, Any]) -> None:
        if number == wire.COMMIT and values["spin"] == self.committed + 1:
            self.committed += 1
        elif number == wire.GAME_USE and self.answers_games:
            have = self._sink is not None or values["hash"] == self._game
            self._game = values["hash"] if have else self._game
            code = GAME_CODES.number("ok" if have else "absent")
            self._send(wire.GAME_ACTIVE, {"hash": values["hash"], "ok": int(have), "code": code})
        elif number == wire.COMMAND:
            self._send(wire.COMMAND_RSP, {"req": values["req"], "code": COMMAND_CODES.number(self.answer)})
        elif number == wire.SERVICE_REQ:
            ok, data = self.service.get(values["op"], (1, values["data"]))
            self._send(wire.SERVICE_RSP, {"req": values["req"], "ok": ok, "data": data})
        with self.changed:
            self.heard.append((number, values))
            self.changed.notify_all()

    def _send(self, number: int, values: dict[str, Any]) -> None:
        self._session.send(number, values, self._now())

    def _send_state(self, phase: int) -> None:
        zero = dict.fromkeys(("game_state", "puck", "lock", "faults", "inputs", "hold", "uptime_ms", "collected"), 0)
        pending = len(self._records) - self.committed
        self._send(wire.STATE, {**zero, "phase": phase, "spin": len(self._records), "pending": pending})

    def _keep(self, kind: int, values: dict[str, Any]) -> int:
        number = int(values["spin"])

        def keep() -> None:
            self._send(kind, values)

        self._records[number] = (kind, values)
        self._order(keep)
        return number

    def _new_session(self) -> dw.Session:
        hello = {
            **{
                "boot_id": os.urandom(8),
                "epoch": self.epoch,
                "reset_cause": 1,
                "game_hash": self._game,
                "dice": self.play.dice,
            },
            **{"firmware": "peer", "board": "pty", "uid": "00", "window": 8, "slots": 128},
        }
        return dw.Session(dw.CONTROLLER, self._key, hello, self._now(), os.urandom)

    def _plug(self) -> None:
        self._pty = Pty(self._link)
        self._selector.register(self._pty.fd, selectors.EVENT_READ)
        self._session.port_lost(self._now())

    def _unplug(self) -> None:
        if self._pty is not None:
            self._selector.unregister(self._pty.fd)
            self._pty.unplug()
            self._pty = None
            self._session.port_lost(self._now())

    def _order(self, order: Callable[[], object]) -> None:
        self._orders.append(order)
        os.write(self._wake_out, b"!")

    def _and_wait(self, order: Callable[[], object]) -> None:
        done = threading.Event()

        def carry_out() -> None:
            order()
            done.set()

        self._order(carry_out)
        done.wait(10)

    @staticmethod
    def _now() -> int:
        return int(time.monotonic() * 1000)
