"""The processes of a soak, and what is done to each: the table's twin, the daemon, the broker, a subscriber that keeps score."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tumbler.bench.processes import SITE, Daemon, Mosquitto, Subscriber
from tumbler.rigs.rig import RigFailed
from tumbler.rigs.twin import Lines, TwinPlan, TwinRig
from tumbler.soak.plan import ROWS, Fault, Part

TABLE = "t1"
KEEPALIVE_S = 5
OUTAGE_S = 9.0  # longer than one and a half keep-alives: the daemon has given the broker up
STALL_S = 20.0
NOISE_S = 6.0
FLASH_BYTES = 6000  # a record costs littlefs about a block; so the cut falls into one of the next few
NOISES = {Fault.NOISE_4: {"flip": 1e-4}, Fault.NOISE_3: {"flip": 1e-3}, Fault.BURSTS: {"burst": 2e-3}}


class SoakFailed(Exception):
    """A part of the soak ended by itself or did not come to rest; the message says which and where its log is."""


class SpinTimes:
    """Listens to the twin's events: when each physical spin began, by the controller's own uptime."""

    def __init__(self, socket: Path) -> None:
        self.started: dict[int, tuple[str, int]] = {}  # number of the physical spin -> boot, ms
        self._lines = Lines(socket)
        self._lines.ask({"do": "watch"})
        self._thread = threading.Thread(target=self._listen, name="spins", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        try:
            while True:
                event = self._lines.next(3600.0)
                if event.get("event") == "spin":
                    self.started[int(event["spin"])] = (str(event["boot"]), int(event["at_ms"]))
        except (RigFailed, OSError, ValueError):
            return  # the twin has ended

    def stop(self) -> None:
        self._thread.join(5.0)


class SoakTable:
    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self._rng = Random(seed)
        self.broker = Mosquitto(folder)
        self.floor = Subscriber(self.broker.port)
        self.state = folder / "flash"
        plan = TwinPlan(folder, seed=seed, more=("--state", str(self.state)))
        self.rig = TwinRig(plan)
        self.rig.start()
        self.spins = SpinTimes(folder / "control")
        self.config = self._write_config()
        self.lives = 0
        self.daemon = self._start_daemon()
        self.done = dict.fromkeys(Fault, 0)
        self._ends: dict[Part, tuple[float, Callable[[], object]]] = {}
        self._acts: dict[Fault, Callable[[], None]] = {
            Fault.KILL: self._kill,
            Fault.STALL: self._stall,
            Fault.POWER_CUT: lambda: self._control("power_cut", off_ms=self._rng.randrange(20, 600)),
            Fault.FLASH_CUT: self._flash_cut,
            Fault.BROKER_RESTART: self.broker.restart,
            Fault.BROKER_OUTAGE: self._outage,
            Fault.BROKER_FROZEN: self._freeze,
            Fault.UNPLUG: lambda: self._control("unplug", seconds=round(self._rng.uniform(0.02, 0.6), 3)),
        }

    @property
    def journal(self) -> Path:
        return self.folder / "journal.db"

    def _write_config(self) -> Path:
        key_file = self.folder / "t1.key"
        key_file.touch(0o600)
        key_file.write_text(self.rig.key.hex())
        file = self.folder / "tumbler.toml"
        file.write_text(
            f'site = "{SITE}"\nhealth_s = 2\n[journal]\npath = "journal.db"\n[mqtt]\nport = {self.broker.port}\n'
            f'keepalive = {KEEPALIVE_S}\n[commands]\ntrust = "broker"\n[[table]]\nid = "{TABLE}"\n'
            f'book = "{self.rig.plan.book}"\nport = "{self.rig.port}"\nkey_file = "{key_file.name}"\n'
        )
        return file

    def _start_daemon(self) -> Daemon:
        self.lives += 1
        return Daemon(self.config)

    def _control(self, do: str, **fields: Any) -> None:
        self.rig.control(do, **fields)

    # --- faults -----------------------------------------------------------------------------------------------------------

    def busy(self, part: Part) -> bool:
        return part in self._ends

    def strike(self, fault: Fault) -> None:
        self.done[fault] += 1
        if fault in NOISES:
            self._control("noise", **NOISES[fault])
            self._until(Part.LINE, NOISE_S, lambda: self._control("noise"))
        else:
            self._acts[fault]()

    def _until(self, part: Part, seconds: float, end: Callable[[], object]) -> None:
        self._ends[part] = (time.monotonic() + seconds, end)

    def mend_due(self) -> None:
        """What lasts is ended at its time; a process that ended by itself is a failure of the soak."""
        now = time.monotonic()
        for part, (at, end) in list(self._ends.items()):
            if now >= at:
                del self._ends[part]
                end()
        if not self.daemon.alive:
            raise SoakFailed(f"the daemon ended by itself, see {self.daemon.log}: {self.daemon.said()[-300:]}")

    @property
    def mended(self) -> bool:
        return not self._ends

    def _kill(self) -> None:
        self.daemon.kill()
        self.daemon = self._start_daemon()

    def _stall(self) -> None:
        os.kill(self.daemon.pid, signal.SIGSTOP)
        self._until(Part.DAEMON, STALL_S, lambda: os.kill(self.daemon.pid, signal.SIGCONT))

    def _flash_cut(self) -> None:
        after, seed = self._rng.randrange(FLASH_BYTES), self._rng.getrandbits(32)
        self._control("flash_cut", after=after, seed=seed)

    def _outage(self) -> None:
        self.broker.stop()
        self._until(Part.BROKER, OUTAGE_S, self.broker.start)

    def _freeze(self) -> None:
        self.broker.freeze()
        self._until(Part.BROKER, OUTAGE_S, self.broker.thaw)

    # --- what it says -------------------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        return self.rig.control("status")

    def stop(self) -> None:
        """The twin first, the broker last; what was frozen must run to end."""
        for _, end in self._ends.values():
            end()
        self._ends.clear()
        self.rig.stop()
        self.spins.stop()
        if self.daemon.alive:
            self.daemon.stop()
        self.floor.stop()
        self.broker.stop()


def part_of(fault: Fault) -> Part:
    return ROWS[fault].part
