"""The serial cable, played: it flips, drops, inserts, doubles, repeats, delays, stalls and is pulled out.

`ControllerEnd` is the board's port, `HostPort` stands where the daemon has its Port. Buffers are bounded as real ones are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tumbler.sim.clockwork import MS, Clockwork
from tumbler.sim.hostloop import VirtualLoop
from tumbler.table.find import PortNotFound

BUFFER = 4096
PATH = "/dev/sim"
SPOILS = ("flip", "drop", "insert", "double", "repeat", "garbage")


@dataclass
class Counts:
    bytes: int = 0
    spoilt: int = 0
    cuts: int = 0


class Way:
    """One direction: bytes go in, fewer, more or other bytes come out later, never reordered."""

    def __init__(self, clockwork: Clockwork, rng: Random, counts: Counts, out: Callable[[bytes], None]) -> None:
        self._clockwork, self._rng, self._counts, self._out = clockwork, rng, counts, out
        self.rate = 0.0  # of spoilt bytes
        self.delay_us, self.jitter_us = 300, 200
        self.stalled_until = 0
        self.flying = 0
        self._last_due = 0
        self._generation = 0
        self._old = b""

    def put(self, data: bytes) -> None:
        self._counts.bytes += len(data)
        if self.rate and self._rng.random() < self.rate * len(data):
            data = self._spoil(data)
        if not self._old or self._rng.random() < 0.05:
            self._old = data
        due = self._clockwork.now + self.delay_us + int(self._rng.random() * self.jitter_us)
        self._last_due = due = max(due, self._last_due, self.stalled_until)
        self.flying += len(data)
        generation = self._generation
        self._clockwork.at(due, lambda: self._arrive(data, generation))

    def _arrive(self, data: bytes, generation: int) -> None:
        if generation != self._generation:
            return  # it was on a cable that is out
        if self._clockwork.now < self.stalled_until:
            self._clockwork.at(self.stalled_until, lambda: self._arrive(data, generation))
            return
        self.flying -= len(data)
        self._out(data)

    def clear(self) -> None:
        self._generation += 1
        self.flying = 0
        self._last_due = 0

    def _spoil(self, data: bytes) -> bytes:
        rng, at = self._rng, self._rng.randrange(len(data))
        self._counts.spoilt += 1
        how = rng.choice(SPOILS)
        if how == "flip":
            return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        if how == "drop":
            return data[:at] + data[at + rng.randrange(1, 9) :]
        if how == "insert":
            return data[:at] + rng.randbytes(rng.randrange(1, 9)) + data[at:]
        if how == "double":
            return data[: at + 1] + data[at:]
        if how == "repeat":  # an old piece again: whole frames of an earlier moment come twice
            return data + self._old
        return rng.randbytes(len(data))


class Cable:
    def __init__(self, clockwork: Clockwork) -> None:
        self._clockwork = clockwork
        rng = clockwork.stream("cable")
        self.counts = Counts()
        self._pulled = 0  # hands that hold it out
        self.powered = False
        self.host: HostPort | None = None
        self.inbox = bytearray()  # at the controller
        self.to_host = Way(clockwork, rng, self.counts, self._host_gets)
        self.to_controller = Way(clockwork, rng, self.counts, self._controller_gets)

    @property
    def whole(self) -> bool:
        return self.plugged and self.powered

    def _host_gets(self, data: bytes) -> None:
        if self.host is not None:
            self.host.came(data)

    def _controller_gets(self, data: bytes) -> None:
        self.inbox += data

    @property
    def plugged(self) -> bool:
        return not self._pulled

    def pull(self) -> None:
        self._pulled += 1
        if self._pulled == 1:
            self.counts.cuts += 1
            self._gone()

    def push(self) -> None:
        self._pulled = max(0, self._pulled - 1)

    def mend(self) -> None:
        self._pulled = 0

    def power(self, on: bool) -> None:
        """A controller on USB comes and goes with its power."""
        self.powered = on
        self._gone()

    def _gone(self) -> None:
        self.inbox.clear()
        self.to_host.clear()
        self.to_controller.clear()
        if self.host is not None and not self.whole:
            self.host.lose("read failed: Input/output error")

    def set_noise(self, rate: float) -> None:
        self.to_host.rate = self.to_controller.rate = rate

    def set_delay(self, ms: int, jitter_ms: int) -> None:
        for way in (self.to_host, self.to_controller):
            way.delay_us, way.jitter_us = ms * MS + 300, jitter_ms * MS + 200

    def find(self, name: str) -> str:
        """In the place of the daemon's find_port."""
        if not self.whole:
            raise PortNotFound(f"{name} is not there")
        return name


class ControllerEnd:
    """The board's port."""

    def __init__(self, cable: Cable) -> None:
        self._cable = cable
        self.fuse: Callable[[], None] = lambda: None

    def read_into(self, view: memoryview) -> int:
        cable = self._cable
        if not cable.plugged:
            raise OSError(19)
        if not cable.inbox:
            return 0
        self.fuse()
        n = min(len(view), len(cable.inbox))
        view[:n] = cable.inbox[:n]
        del cable.inbox[:n]
        return n

    def write(self, view: memoryview) -> int:
        cable = self._cable
        if not cable.plugged:
            raise OSError(19)
        self.fuse()
        taken = bytes(view[: max(0, BUFFER - cable.to_host.flying)])
        if taken:
            cable.to_host.put(taken)
        return len(taken)


class HostPort:
    """In the place of tumbler.table.port.Port: same methods, same order of callbacks."""

    def __init__(
        self, cable: Cable, loop: VirtualLoop, on_bytes: Callable[[bytes], None], on_lost: Callable[[str], None]
    ) -> None:
        self.path = PATH
        self._cable, self._loop, self._on_bytes, self._on_lost = cable, loop, on_bytes, on_lost
        self._open = True
        if cable.host is not None:
            cable.host.close()
        cable.host = self

    @property
    def is_open(self) -> bool:
        return self._open

    def write(self, data: bytes | bytearray | memoryview) -> int:
        if not self._open or self._loop.dead:
            return 0
        way = self._cable.to_controller
        taken = bytes(data[: max(0, BUFFER - way.flying - len(self._cable.inbox))])
        if taken:
            way.put(taken)
        return len(taken)

    def when_room(self, callback: Callable[[], None]) -> None:
        """The session looks again by itself; a selector would be quicker and say the same."""

    def close(self) -> None:
        self._open = False
        if self._cable.host is self:
            self._cable.host = None

    def came(self, data: bytes) -> None:
        if self._open:
            self._loop.call_soon(self._take, data)

    def _take(self, data: bytes) -> None:
        if self._open:
            self._on_bytes(data)

    def lose(self, why: str) -> None:
        if self._open:
            self.close()
            self._loop.call_soon(self._on_lost, why)
