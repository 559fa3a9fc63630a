"""The console as the daemon starts it: tables in, a page out, for as long as the daemon lives.

A page that cannot be served must never stop a game: a port that is taken is said once and tried again.
"""

from __future__ import annotations

import asyncio

from tumbler.config import ConsoleConfig
from tumbler.console.hub import Hub
from tumbler.console.poses import follow_poses
from tumbler.console.server import PageServer
from tumbler.console.view import TableView
from tumbler.journal import Journal
from tumbler.log import Log
from tumbler.mqtt import MqttLink
from tumbler.table.table import Table

RETRY_S = 2.0

log = Log("tumbler.console")


class Console:
    def __init__(self, config: ConsoleConfig, site: str, version: str) -> None:
        self.hub = Hub()
        self.url: str | None = None  # where the page is, once it is
        self._config = config
        self._server = PageServer(self.hub, site, version)
        self._bound = asyncio.Event()

    def add(self, table: Table, broker: MqttLink, journal: Journal) -> None:
        """Show this table. Only the first is drawn from a twin's poses: a twin is one table."""
        first = not self._server.views
        twin = first and self._config.poses is not None
        self._server.views.append(TableView(table, broker, journal, self.hub, twin=twin))

    async def run(self) -> None:
        try:
            await self._listen()
            if self._config.poses is not None and self._server.views:
                await follow_poses(self._config.poses, self._server.views[0].name, self.hub)
            await asyncio.Event().wait()
        finally:
            await self._server.stop()

    async def wait_url(self) -> str:
        await self._bound.wait()
        return str(self.url)

    async def _listen(self) -> None:
        said = ""
        while self.url is None:
            try:
                self.url = await self._server.start(self._config.listen)
            except OSError as error:
                why = error.strerror or str(error)
                if why != said:
                    log.error(
                        "no console: cannot listen; play goes on, trying again", listen=self._config.listen, error=why
                    )
                    said = why
                await asyncio.sleep(RETRY_S)
        log.info("console", url=self.url)
        self._bound.set()
