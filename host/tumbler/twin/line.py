"""The serial line to the host: a pty whose slave PATH links to, with seeded faults on the bytes that cross it.

The twin's loop pumps it; nothing here blocks. Buffers are bounded as on a real controller: a host that stops reading makes
`give` take less and in the end nothing. Not for frames: the line knows only bytes.
"""

from __future__ import annotations

import contextlib
import os
import pty
import random
import time
import tty
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

BUFFER_BYTES = 4096
BURST_BYTES = 24
RETRY_SECONDS = 0.005


@dataclass
class Noise:
    """Chances on one direction. `flip` is a bit error rate; the others are chances a byte; times in seconds."""

    flip: float = 0.0
    drop: float = 0.0
    insert: float = 0.0
    double: float = 0.0
    burst: float = 0.0
    delay: float = 0.0
    jitter: float = 0.0

    @property
    def spoils(self) -> bool:
        return bool(self.flip or self.drop or self.insert or self.double or self.burst)


@dataclass
class Counts:
    """What crossed in one direction, and what was done to it."""

    bytes: int = 0
    flips: int = 0
    drops: int = 0
    inserts: int = 0
    doubles: int = 0
    bursts: int = 0


@dataclass
class Way:
    """One direction of the line: its noise, its counts, and the bytes that are on their way."""

    rng: random.Random
    noise: Noise = field(default_factory=Noise)
    counts: Counts = field(default_factory=Counts)
    _flying: deque[tuple[float, bytes]] = field(default_factory=deque)
    flying: int = 0  # bytes on their way
    _last_due: float = 0.0
    _burst_left: int = 0

    def put(self, data: bytes, now: float) -> None:
        self.counts.bytes += len(data)
        if self.noise.spoils or self._burst_left:
            data = self._spoil(data)
        if not data:
            return
        late = self.noise.delay + (self.rng.random() * self.noise.jitter if self.noise.jitter else 0.0)
        self._last_due = max(self._last_due, now + late)  # a line never reorders
        self._flying.append((self._last_due, data))
        self.flying += len(data)

    def arrived(self, now: float) -> bytes:
        out = b""
        while self._flying and self._flying[0][0] <= now:
            out += self._flying.popleft()[1]
        self.flying -= len(out)
        return out

    @property
    def due(self) -> float | None:
        return self._flying[0][0] if self._flying else None

    def clear(self) -> None:
        self._flying.clear()
        self.flying = 0
        self._last_due = 0.0
        self._burst_left = 0

    def _spoil(self, data: bytes) -> bytes:
        noise, counts, chance = self.noise, self.counts, self.rng.random
        out = bytearray()
        for byte in data:
            if self._burst_left:
                self._burst_left -= 1
                out.append(self.rng.getrandbits(8))
                continue
            if chance() < noise.burst:
                counts.bursts += 1
                self._burst_left = self.rng.randrange(1, BURST_BYTES)
            if chance() < noise.drop:
                counts.drops += 1
                continue
            if chance() < noise.flip * 8:
                counts.flips += 1
                byte ^= 1 << self.rng.randrange(8)
            out.append(byte)
            if chance() < noise.double:
                counts.doubles += 1
                out.append(byte)
            if chance() < noise.insert:
                counts.inserts += 1
                out.append(self.rng.getrandbits(8))
        return bytes(out)


class Line:
    """`link` is a link to the slave while the cable is in, and gone while it is out. Times are wall-clock seconds."""

    def __init__(self, link: Path, seed: int) -> None:
        self.link = link
        self.to_host = Way(random.Random(seed))
        self.from_host = Way(random.Random(seed + 1))
        self.unplugs = 0
        self.on_give: Callable[[bytes], None] = lambda _: None  # what the controller sends, before any noise
        self._pulled_out = False
        self._master = -1
        self._slave = -1
        self._inbox = bytearray()
        self._outbox = bytearray()
        self._stalled_until = 0.0

    # --- the cable ----------------------------------------------------------------------------------------------

    @property
    def plugged(self) -> bool:
        return self._master >= 0

    def plug(self) -> None:
        """A new pty: as after a real re-plug, the old descriptor is dead and the path is the same."""
        if self.plugged or self._pulled_out:
            return
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)  # our slave stays open, so that a host that leaves doesn't hang the master up
        os.set_blocking(self._master, False)
        new = self.link.with_name(self.link.name + ".new")
        new.unlink(missing_ok=True)
        new.symlink_to(os.ttyname(self._slave))
        new.replace(self.link)

    def unplug(self) -> None:
        if not self.plugged:
            return
        self.unplugs += 1
        if self.link.is_symlink():
            self.link.unlink()
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1
        self.forget()

    def pull_out(self) -> None:
        """By hand: it stays out whatever the controller does, until push_in."""
        self._pulled_out = True
        self.unplug()

    def push_in(self, powered: bool) -> None:
        self._pulled_out = False
        if powered:
            self.plug()

    def forget(self) -> None:
        """The controller restarts, or the cable is out: what was buffered is lost."""
        self._inbox.clear()
        self._outbox.clear()
        self.to_host.clear()
        self.from_host.clear()

    def stall(self, until: float) -> None:
        """Nothing more goes to the host until then; the buffers fill as they do when a host stops reading."""
        self._stalled_until = until

    # --- the controller's end -----------------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        return len(self._inbox)

    def take(self, most: int) -> bytes:
        data = bytes(self._inbox[:most])
        del self._inbox[:most]
        return data

    def give(self, data: bytes) -> int:
        room = max(0, BUFFER_BYTES - self.unsent)
        took = data[:room]
        if took:
            self.on_give(took)
            self.to_host.put(took, time.monotonic())
        return len(took)

    @property
    def unsent(self) -> int:
        return len(self._outbox) + self.to_host.flying

    # --- the twin's loop ----------------------------------------------------------------------------------------

    def fileno(self) -> int:
        return self._master

    @property
    def wants_read(self) -> bool:
        return self.plugged and len(self._inbox) < BUFFER_BYTES

    def pump_in(self, now: float) -> None:
        """Take what the host wrote, as far as the controller's buffer has room."""
        if self.wants_read:
            with contextlib.suppress(BlockingIOError):  # nothing there
                self.from_host.put(os.read(self._master, BUFFER_BYTES - len(self._inbox)), now)
        self._inbox += self.from_host.arrived(now)

    def pump_out(self, now: float) -> None:
        """Write what is due; a pty takes a part and refuses the rest, which stays."""
        self._outbox += self.to_host.arrived(now)
        if not self.plugged or not self._outbox or now < self._stalled_until:
            return
        with contextlib.suppress(BlockingIOError):  # the host doesn't read; the rest stays until it does
            del self._outbox[: os.write(self._master, self._outbox)]

    def next_due(self) -> float | None:
        """When bytes on their way arrive at either end, or a refused write is worth another try."""
        times = [due for due in (self.to_host.due, self.from_host.due) if due is not None]
        if self._outbox:
            times.append(max(self._stalled_until, time.monotonic() + RETRY_SECONDS))
        return min(times, default=None)
