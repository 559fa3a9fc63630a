"""The twin's control socket: lines of JSON in, lines of JSON out, for tests, for a soak, and for the page's live dice.

One command a line, one answer a command, in order; `poses` and `watch` turn the connection into a stream. Served in the
twin's loop, never blocking it: a client that does not read loses its connection. Not for what a command does: commands.py.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LONGEST_LINE = 65536
MOST_UNREAD = 1 << 18
MOST_HZ = 60.0


class ControlPathError(Exception):
    """The socket can't be made there; the message says why."""


@dataclass(eq=False)
class Client:
    socket: socket.socket
    inbox: bytearray = field(default_factory=bytearray)
    outbox: bytearray = field(default_factory=bytearray)
    poses_every: float = 0.0
    poses_due: float = 0.0
    watches: bool = False

    def fileno(self) -> int:
        return self.socket.fileno()

    def say(self, body: dict[str, Any]) -> None:
        self.outbox += json.dumps(body).encode() + b"\n"


class Control:
    """`obey(body)` answers a command; `poses()` gives one frame of the stream."""

    def __init__(
        self, path: Path, obey: Callable[[dict[str, Any]], dict[str, Any]], poses: Callable[[], dict[str, Any]]
    ) -> None:
        self._path = path
        self._obey = obey
        self._poses = poses
        self._clients: list[Client] = []
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            self._claim()
        except OSError as error:
            self._server.close()
            raise ControlPathError(f"{path}: {error.strerror or error}") from error

    def _claim(self) -> None:
        """A socket that nobody listens on was left by a twin that was killed."""
        if self._path.is_socket():
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(self._path)) == 0:
                    raise ControlPathError(f"{self._path}: another twin listens there")
            self._path.unlink()
        before = os.umask(0o177)
        try:
            self._server.bind(str(self._path))
        finally:
            os.umask(before)
        self._server.listen(8)

    # --- the twin's loop ----------------------------------------------------------------------------------------

    def readers(self) -> list[socket.socket | Client]:
        return [self._server, *self._clients]

    def next_due(self) -> float | None:
        times = [client.poses_due for client in self._clients if client.poses_every]
        return min(times, default=None)

    def handle(self, ready: socket.socket | Client) -> None:
        if isinstance(ready, Client):
            self._read(ready)
            return
        with contextlib.suppress(BlockingIOError):  # it left before it was let in
            connection, _ = self._server.accept()
            connection.setblocking(False)
            self._clients.append(Client(connection))

    def stream(self, now: float) -> None:
        """Send what is due to those who asked for poses, and what others have not read yet."""
        frame: dict[str, Any] | None = None
        for client in list(self._clients):
            if client.poses_every and now >= client.poses_due:
                client.poses_due = now + client.poses_every
                if not client.outbox:  # a slow reader gets fewer frames, not older ones
                    frame = frame or self._poses()
                    client.say(frame)
            if client.outbox:
                self._write(client)

    def tell(self, event: dict[str, Any]) -> None:
        for client in list(self._clients):
            if client.watches:
                client.say(event)
                self._write(client)

    @property
    def streams(self) -> bool:
        return any(client.poses_every or client.outbox for client in self._clients)

    def _read(self, client: Client) -> None:
        try:
            data = client.socket.recv(LONGEST_LINE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        client.inbox += data
        while (end := client.inbox.find(b"\n")) >= 0:
            line = bytes(client.inbox[:end])
            del client.inbox[: end + 1]
            if line.strip():
                client.say(self._answer(client, line))
        if not data or len(client.inbox) > LONGEST_LINE:
            self._drop(client)
        else:
            self._write(client)

    def _answer(self, client: Client, line: bytes) -> dict[str, Any]:
        try:
            body = json.loads(line)
        except ValueError as error:
            return {"ok": False, "why": f"not JSON: {error}"}
        if not isinstance(body, dict) or not isinstance(body.get("do"), str):
            return {"ok": False, "why": 'a command is an object with "do"'}
        if body["do"] == "poses":
            return self._start_poses(client, body)
        if body["do"] == "watch":
            client.watches = True
            return {"ok": True}
        return self._obey(body)

    def _start_poses(self, client: Client, body: dict[str, Any]) -> dict[str, Any]:
        hz = body.get("hz", 30)
        if not isinstance(hz, int | float) or not 0 < hz <= MOST_HZ:
            return {"ok": False, "why": f"hz {hz!r}: must be over 0 and at most {MOST_HZ:.0f}"}
        client.poses_every = 1.0 / hz
        client.poses_due = time.monotonic() + client.poses_every
        return self._poses()

    def _write(self, client: Client) -> None:
        try:
            del client.outbox[: client.socket.send(client.outbox)]
        except BlockingIOError:
            if len(client.outbox) > MOST_UNREAD:
                self._drop(client)
        except OSError:
            self._drop(client)

    def _drop(self, client: Client) -> None:
        if client in self._clients:
            self._clients.remove(client)
        client.socket.close()

    def close(self) -> None:
        for client in list(self._clients):
            self._drop(client)
        self._server.close()
        self._path.unlink(missing_ok=True)
