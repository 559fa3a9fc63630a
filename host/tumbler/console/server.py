"""HTTP for the page: static files, one WebSocket that tells everything, one JSON document for scripts. Commands nothing.

A browser lets any site open a WebSocket to 127.0.0.1: only a page that came from here is told anything, and only under an
address or name of this machine, so that a stranger's domain which points here sees nothing either.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import WSCloseCode, WSMsgType, web

from tumbler.console.hub import FellBehind, Hub, Viewer, encode
from tumbler.console.layout import words
from tumbler.console.view import TableView

STATIC = Path(__file__).parent / "static"
HEARTBEAT_S = 15.0
SHUTDOWN_S = 1.0
MOST_VIEWERS = 64
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # a daemon that was updated must not be looked at with yesterday's page
}


class PageServer:
    def __init__(self, hub: Hub, site: str, version: str) -> None:
        self.views: list[TableView] = []
        self._hub, self._site, self._version = hub, site, version
        self._sockets: set[web.WebSocketResponse] = set()
        self._runner: web.AppRunner | None = None

    async def start(self, listen: str) -> str:
        """Serve at ADDRESS:PORT; the page's URL. OSError when the port cannot be had."""
        host, _, port = listen.rpartition(":")
        app = web.Application(middlewares=[_only_our_names])
        app.router.add_get("/", self._index)
        app.router.add_get("/ws", self._websocket)
        app.router.add_get("/api/state", self._state)
        app.router.add_static("/static", STATIC)
        app.on_response_prepare.append(_add_headers)
        app.on_shutdown.append(self._close_sockets)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_S)
        await runner.setup()
        try:
            site = web.TCPSite(runner, host.strip("[]") or "127.0.0.1", int(port))
            await site.start()
        except BaseException:
            await runner.cleanup()
            raise
        self._runner = runner
        address = runner.addresses[0]
        name = f"[{address[0]}]" if ":" in address[0] else address[0]
        return f"http://{name}:{address[1]}/"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def picture(self) -> dict[str, object]:
        tables = [view.snapshot() for view in self.views]
        return {"kind": "hello", "site": self._site, "version": self._version, "words": words(), "tables": tables}

    async def _index(self, _request: web.Request) -> web.StreamResponse:
        return web.FileResponse(STATIC / "index.html")

    async def _state(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response(self.picture())

    async def _websocket(self, request: web.Request) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text="only the console's own page may listen\n")
        if len(self._hub) >= MOST_VIEWERS:
            raise web.HTTPServiceUnavailable(text=f"{MOST_VIEWERS} pages are open already\n")
        ws = web.WebSocketResponse(heartbeat=HEARTBEAT_S, max_msg_size=1024)
        await ws.prepare(request)
        viewer = self._hub.join()
        viewer.put(encode(self.picture()))
        self._sockets.add(ws)
        writer = asyncio.create_task(_write(ws, viewer))
        try:
            async for message in ws:  # the page has nothing to say; this is how its leaving is noticed
                if message.type is WSMsgType.ERROR:
                    break
        finally:
            writer.cancel()
            self._hub.leave(viewer)
            self._sockets.discard(ws)
        return ws

    async def _close_sockets(self, _app: web.Application) -> None:
        for ws in list(self._sockets):
            await ws.close(code=WSCloseCode.GOING_AWAY, message=b"the daemon stops")


async def _write(ws: web.WebSocketResponse, viewer: Viewer) -> None:
    try:
        while True:
            for line in await viewer.next_lines():
                await ws.send_str(line)
    except FellBehind:
        await ws.close(code=WSCloseCode.TRY_AGAIN_LATER, message=b"fell behind")
    except ConnectionError:
        return  # the page has gone; its reader ends too


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)


@web.middleware
async def _only_our_names(request: web.Request, handler: web.Handler) -> web.StreamResponse:  # type: ignore[name-defined]
    name = urlsplit(f"//{request.host}").hostname or ""
    if not _is_ours(name):
        raise web.HTTPMisdirectedRequest(text=f"this console is not {name}\n")
    return await handler(request)  # type: ignore[no-any-return]


def _is_ours(name: str) -> bool:
    if name in ("localhost", socket.gethostname().lower()) or name.split(".")[0] == socket.gethostname().lower():
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
