"""Two sessions joined by a bad line in virtual time. Seeded; what it does to the bytes is counted."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from dicewire import codes
from dicewire.session import CONTROLLER, HOST, MESSAGE, UP, Session

KEY = bytes(range(32))
IDENTITY: dict[str, Any] = {
    "boot_id": b"bootboot",
    "epoch": b"epoc",
    "reset_cause": codes.RESET_POWER_ON,
    "game_hash": bytes(32),
    "dice": 3,
    "firmware": "1.0",
    "board": "trial",
    "uid": "0011",
}


class Line:
    """One direction. Bytes arrive `delay` ms later, fewer, more or other than were sent."""

    def __init__(self, rng: random.Random, delay: int) -> None:
        self._rng = rng
        self._delay = delay
        self._under_way: list[tuple[int, bytes]] = []
        self.flip = self.drop = self.double = 0.0
        self.cut = False
        self.hurt = 0

    def put(self, data: bytes, now: int) -> None:
        rng, out = self._rng, bytearray()
        for byte in data:
            if rng.random() < self.flip:
                byte ^= 1 << rng.randrange(8)
                self.hurt += 1
            if rng.random() < self.drop:
                self.hurt += 1
                continue
            out.append(byte)
            if rng.random() < self.double:
                out.append(byte)
                self.hurt += 1
        if not self.cut:
            self._under_way.append((now + self._delay, bytes(out)))

    def due(self, now: int) -> bytes:
        ready = [data for at, data in self._under_way if at <= now]
        self._under_way = [item for item in self._under_way if item[0] > now]
        return b"".join(ready)


class Wire:
    """Both sides, with every event that each has told: `told[HOST]`, `told[CONTROLLER]`."""

    def __init__(
        self,
        seed: int = 1,
        *,
        delay: int = 2,
        host: dict[str, Any] | None = None,
        controller: dict[str, Any] | None = None,
        keys: tuple[bytes, bytes] = (KEY, KEY),
    ) -> None:
        self.rng = random.Random(seed)
        self.now = 0
        hellos = (dict(host or {}), IDENTITY | (controller or {}))
        self.sides = [Session(role, keys[role], hellos[role], 0, self.rng.randbytes) for role in (HOST, CONTROLLER)]
        self.lines = [Line(self.rng, delay), Line(self.rng, delay)]  # [HOST] carries what the host sends
        self.told: list[list[tuple[Any, ...]]] = [[], []]
        self.on_event: Callable[[int, tuple[Any, ...]], None] = lambda role, event: None

    @property
    def host(self) -> Session:
        return self.sides[HOST]

    @property
    def controller(self) -> Session:
        return self.sides[CONTROLLER]

    def restart(self, role: int, **hello: Any) -> None:
        """That side loses power and starts anew."""
        self.sides[role] = Session(role, KEY, (IDENTITY | hello) if role else hello, self.now, self.rng.randbytes)

    def turn(self) -> None:
        """One millisecond."""
        self.now += 1
        for role, session in enumerate(self.sides):
            data = self.lines[1 - role].due(self.now)
            if data:
                session.receive(data, self.now)
            event = session.next_event()
            while event is not None:
                self.told[role].append(event)
                self.on_event(role, event)
                event = session.next_event()
            session.step(self.now)
            out = bytes(session.to_send(self.now)[:64])  # a port that takes little at a time
            session.sent(len(out))
            if out:
                self.lines[role].put(out, self.now)

    def run(self, until: Callable[[], bool], limit_ms: int = 60_000) -> None:
        """Runs until the condition holds; AssertionError after limit_ms of virtual time."""
        end = self.now + limit_ms
        while not until():
            assert self.now < end, f"not reached in {limit_ms} ms; told: {[t[-3:] for t in self.told]}"
            self.turn()

    def join(self) -> Wire:
        self.run(lambda: self.host.up and self.controller.up)
        return self

    def messages(self, role: int, number: int) -> list[dict[str, Any]]:
        return [event[2] for event in self.told[role] if event[0] == MESSAGE and event[1] == number]

    def kinds(self, role: int) -> list[int]:
        return [event[0] for event in self.told[role] if event[0] <= UP + 1]
