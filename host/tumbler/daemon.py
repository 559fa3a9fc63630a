"""The daemon: opens the journal, starts every table with its way to the broker, looks after health, ends in order.

Crash-only: nothing here is needed for the next start to be right, so kill -9 is as good an end as any; SIGTERM is only
kinder to the others. A defect in any part ends the whole process, for systemd to start it anew.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tumbler import lastwords
from tumbler.config import Config, ConsoleConfig
from tumbler.journal import Journal, JournalError, Kind, Retention
from tumbler.log import Log
from tumbler.mqtt import MqttLink
from tumbler.systemd import Notifier
from tumbler.table import health
from tumbler.table.access import Access, PeopleFileError, load_people
from tumbler.table.ledger import wall_ms
from tumbler.table.spin import iso_time
from tumbler.table.table import Table

if TYPE_CHECKING:
    from tumbler.console import Console

STOP_S = 4.0  # of the five that an operator waits
DAY_S = 86_400.0
WATCHDOG_PART = 3  # alive is said this often in systemd's interval

log = Log("tumbler.daemon")


class CannotStart(Exception):
    """The daemon cannot begin; the message says what to repair."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass
class Station:
    """A table and its way to the broker."""

    table: Table
    mqtt: MqttLink


def make_access(config: Config) -> Access:
    commands = config.commands
    if commands.trust == "broker":
        return Access(None, time.time)
    try:
        return Access(load_people(commands.keys_file) if commands.keys_file else {}, time.time)
    except PeopleFileError as error:
        raise CannotStart("people_file", f"commands.keys_file: {error}") from error


class Daemon:
    def __init__(self, config: Config, version: str, journal: Journal, access: Access) -> None:
        self.config, self.journal = config, journal
        self._version = version
        self._notifier = Notifier()
        self._stop = asyncio.Event()
        self._defect: Exception | None = None
        since = iso_time(wall_ms())
        self.stations = [self._station(table.id, access, since) for table in config.tables]

    def _station(self, name: str, access: Access, since: str | None) -> Station:
        config = next(table for table in self.config.tables if table.id == name)
        about = {"version": self._version, "since": since}

        def on_command(command: str, topic: str, payload: bytes, retained: bool) -> Awaitable[Mapping[str, Any]]:
            return table.commands.receive(command, topic, payload, retained)

        mqtt = MqttLink(self.config.mqtt, self.config.site, name, self.journal.outbox, on_command, about=about)
        table = Table(config, self.config.site, self._version, self.journal, mqtt, access)
        return Station(table, mqtt)

    def stop(self) -> None:
        self._stop.set()

    async def run(self) -> int:
        """Until SIGTERM or SIGINT: 0. Until a part fails: 1."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._defect_found)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        tables = ", ".join(station.table.config.id for station in self.stations)
        self.journal.append(Kind.START, "", {"version": self._version, "tables": tables})
        if self.journal.recovery is not None:
            self._tell_recovery(str(self.journal.recovery))
        tasks = [asyncio.create_task(station.table.run()) for station in self.stations]
        tasks.append(asyncio.create_task(self._look_after_health()))
        tasks.append(asyncio.create_task(self._forget_old_records()))
        if self.config.console is not None:
            tasks.append(asyncio.create_task(self._console(self.config.console).run()))
        for task in tasks:
            task.add_done_callback(self._task_ended)
        for station in self.stations:
            station.mqtt.start()
        log.info("ready", tables=tables, journal=str(self.journal.path))
        self._notifier.ready(f"serving {tables}")
        watchdog = asyncio.create_task(self._feed_watchdog())
        await self._stop.wait()
        self._notifier.stopping()
        log.info("stopping")
        await self._end([*tasks, watchdog])
        log.info("stopped")
        return 1 if self._defect is not None else 0

    def _console(self, config: ConsoleConfig) -> Console:
        from tumbler.console import Console  # aiohttp costs memory that a daemon without a page need not pay

        console = Console(config, self.config.site, self._version)
        for station in self.stations:
            console.add(station.table, station.mqtt, self.journal)
        return console

    async def _end(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.remove_done_callback(self._task_ended)
            task.cancel()
        try:
            async with asyncio.timeout(STOP_S):
                await asyncio.gather(*tasks, return_exceptions=True)
                self.journal.append(Kind.STOP, "", {"why": str(self._defect or "asked")})
                await asyncio.gather(*(station.mqtt.stop() for station in self.stations))
        except TimeoutError:
            log.warning("not everything ended in time; nothing is lost, it will be found at the next start")
        except JournalError as error:
            log.warning("the end could not be journalled", error=str(error))

    def _tell_recovery(self, found: str) -> None:
        """The journal was not as it was left: the floor hears of it at every table that it keeps."""
        log.warning("the journal was not as it was left", found=found)
        body = {"source": "daemon", "code": "journal_recovered", "severity": "warning", "text": f"journal: {found}"}
        for station in self.stations:
            station.table.ledger.offer_event("fault", dict(body))

    # --- looking after ------------------------------------------------------------------------------------------------

    async def _look_after_health(self) -> None:
        every, journal, most = self.config.health_s, self.config.journal, self.config.mqtt.outbox_most
        while True:
            kept = health.journal_gauges(self.journal, journal.free_mb)
            shared = {"interval_s": every, "journal": kept, "daemon": health.process_gauges()}
            for station in self.stations:
                table = station.table
                outbox = health.outbox_gauges(self.journal, table.config.id, most)
                table.look_at_clock()
                table.look_at_tags()
                table.look_at_room(kept["free_mb"], journal.hold_mb, outbox["depth"], most)
                table.show_health(health.gauges(table, station.mqtt, outbox, shared), 2 * every)
            await asyncio.sleep(every)

    async def _forget_old_records(self) -> None:
        """Once a day, by the retention that the configuration asks for."""
        days = self.config.journal.keep_days
        while days is not None:
            try:
                gone = await asyncio.to_thread(self.journal.retain, Retention(days))
                log.info("old records removed", records=gone, keep_days=days)
            except JournalError as error:
                log.error("old records could not be removed", error=str(error))
            await asyncio.sleep(DAY_S)

    async def _feed_watchdog(self) -> None:
        """Only a loop that turns says that it is alive."""
        while self._notifier.watchdog_s > 0:
            self._notifier.alive()
            await asyncio.sleep(self._notifier.watchdog_s / WATCHDOG_PART)

    def _task_ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)

    def _defect_found(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception):
            self._fail(error)
        else:
            log.warning("asyncio", what=str(context.get("message")))

    def _fail(self, error: BaseException) -> None:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if self._defect is None:
            where = _last_line(error)
            log.error(
                "a defect of the program; the daemon ends and is to be started anew", error=repr(error), where=where
            )
            self._defect = error if isinstance(error, Exception) else RuntimeError(repr(error))
        self._stop.set()


def _last_line(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "?"


async def serve(config: Config, version: str, on_ready: Callable[[Daemon], None] | None = None) -> int:
    """Open the journal and run; CannotStart when there is nothing to run with."""
    access = make_access(config)
    try:
        journal = Journal.open(config.journal.path)
    except JournalError as error:
        await lastwords.say(config, error.code, str(error))
        raise CannotStart(error.code, str(error)) from error
    try:
        try:
            daemon = Daemon(config, version, journal, access)
        except JournalError as error:  # a game that the tables look back at is not as it was written
            await lastwords.say(config, error.code, str(error))
            raise CannotStart(error.code, str(error)) from error
        if on_ready is not None:
            on_ready(daemon)
        return await daemon.run()
    finally:
        journal.close()
