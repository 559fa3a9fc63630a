"""The real daemon in virtual time: started as by systemd, killed at any callback, on whatever its last life left on disk.

What it takes from the machine (clocks, entropy, port, connection to the broker, free space) is put in place for the length
of a simulation; everything between is the code that runs on a table.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tumbler.daemon as daemon_module
import tumbler.journal.chain as chain_module
import tumbler.journal.journal as journal_module
import tumbler.mqtt.link as link_module
import tumbler.mqtt.retained as retained_module
import tumbler.mqtt.sender as sender_module
import tumbler.table.health as health_module
import tumbler.table.ledger as ledger_module
import tumbler.table.session as session_module
import tumbler.table.table as table_module
from tumbler.config import CommandsConfig, Config, JournalConfig, SettingsConfig, TableConfig
from tumbler.journal import Journal, JournalError
from tumbler.rules.gametable import compile_book
from tumbler.sim import broker as played
from tumbler.sim.cable import PATH, Cable, HostPort
from tumbler.sim.clockwork import MS, SECOND, Clockwork
from tumbler.sim.disk import Disk, MachineDied
from tumbler.sim.hostloop import VirtualLoop
from tumbler.table.access import Access

EPOCH_MS = 1_790_000_000_000  # when a simulation begins, by the host's wall clock
SITE, TABLE = "sim", "t1"
RESTART_US = 300 * MS
BRISK = SettingsConfig(min_spin_ms=500, min_tumbles=4, spin_ms=1000)  # short spins: more of them in a run

compiled = functools.lru_cache(maxsize=16)(compile_book)  # the same books again and again


class Daemon:
    def __init__(
        self, clockwork: Clockwork, cable: Cable, broker: played.Broker, disk: Disk, book: str, key: Path
    ) -> None:
        self._clockwork, self._cable, self._broker, self._disk = clockwork, cable, broker, disk
        self._rng = clockwork.stream("daemon")
        self._config = Config(
            site=SITE,
            health_s=20,
            journal=JournalConfig(path=disk.path),
            commands=CommandsConfig(trust="broker"),
            table=(TableConfig(id=TABLE, book=book, port=PATH, key_file=key, settings=BRISK),),
        )
        self.loop = VirtualLoop(clockwork)
        self.loop.die()
        self.real: daemon_module.Daemon | None = None
        self.journal: Journal | None = None
        self.paused_until = 0
        self.wall_offset_ms = 0
        self.kills = self.lives = 0
        self.on_open: Callable[[Journal], None] = lambda journal: None
        self.defect: str = ""

    # --- its life -------------------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return not self.loop.dead

    @property
    def table(self) -> Any:
        return self.real.stations[0].table if self.real is not None else None

    def start(self) -> None:
        """As systemd does: again after a while when it cannot."""
        if self.running:
            return
        self.lives += 1
        self.loop = VirtualLoop(self._clockwork)
        try:
            self.journal = self._disk.open(self.loop, self.wall_ms)
        except JournalError:
            self.end()
            return
        except MachineDied:
            self.kill()
            return
        self.on_open(self.journal)
        self.loop.create_task(self._live(self.journal))

    async def _live(self, journal: Journal) -> None:
        loop = self.loop
        try:
            self.real = daemon_module.Daemon(self._config, "sim", journal, Access(None, self._wall_s))
            code = await self.real.run()
        except JournalError:  # it could not look back or journal its start, and says so
            code = 0  # systemd starts it anew
        if loop is self.loop:
            if code and self.real is not None:
                self.defect = repr(self.real._defect)
            self.end()

    def kill(self) -> None:
        """kill -9, or the power of its machine: nothing more of it runs."""
        self.kills += 1
        self.end()

    def end(self) -> None:
        self.loop.die()
        self.real = None
        if self._cable.host is not None:
            self._cable.host.close()
        self._broker.end_connection("the daemon is gone")
        journal, self.journal = self.journal, None
        self._disk.crash()
        if journal is not None:
            for part in (journal.reader.db, journal._chain.db):
                part.close()
            journal._head_file.close()
            journal._lock.release()
        self._clockwork.after(RESTART_US + int(self._rng.random() * SECOND), self.start)

    # --- what it takes from the machine ---------------------------------------------------------------------------------

    def wall_ms(self) -> int:
        return EPOCH_MS + self._clockwork.now // MS + self.wall_offset_ms

    def _wall_s(self) -> float:
        return self.wall_ms() / 1000

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The machine that the daemon's modules see, for the length of a simulation."""
        clock, rng = self._clockwork, self._rng
        time = types.SimpleNamespace(
            monotonic=lambda: clock.now / SECOND,
            monotonic_ns=lambda: clock.now * 1000,
            perf_counter_ns=lambda: clock.now * 1000,
            time_ns=lambda: self.wall_ms() * 1_000_000,
            time=self._wall_s,
        )

        class Connection(played.Connection):
            broker, clockwork = self._broker, clock

        def port(path: str, on_bytes: Callable[[bytes], None], on_lost: Callable[[str], None]) -> HostPort:
            return HostPort(self._cable, self.loop, on_bytes, on_lost)

        gauges = {"rss_mb": 0.0, "cpu_s": 0.0, "uptime_s": 0.0}
        places: tuple[tuple[Any, str, Any], ...] = (
            (session_module, "Port", port),
            (session_module, "find_port", self._cable.find),
            (session_module, "os", types.SimpleNamespace(urandom=rng.randbytes)),
            (link_module, "Connection", Connection),
            (link_module, "random", rng),
            (link_module, "time", time),
            (sender_module, "time", time),
            (retained_module, "time", time),
            (ledger_module, "wall_ms", self.wall_ms),
            (table_module, "wall_ms", self.wall_ms),
            (table_module, "time", time),
            (table_module, "compile_book", compiled),
            (daemon_module, "wall_ms", self.wall_ms),
            (health_module, "wall_ms", self.wall_ms),
            (health_module, "process_gauges", lambda: dict(gauges)),
            (health_module, "free_mb", lambda path: self._disk.free_mb),
            (journal_module, "time", time),
            (chain_module, "secrets", types.SimpleNamespace(token_hex=lambda n: rng.randbytes(n).hex())),
        )
        before = [(module, name, getattr(module, name)) for module, name, _ in places]
        level = logging.root.manager.disable
        for module, name, value in places:
            setattr(module, name, value)
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            for module, name, value in before:
                setattr(module, name, value)
            logging.disable(level)
            asyncio._set_running_loop(None)
