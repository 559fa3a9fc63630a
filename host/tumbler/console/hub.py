"""Who looks at the page, and what each has still to be told. Bounded: a browser that stops reading costs a closed socket.

Poses of dice are pictures of a moment: only the newest waits. Everything else waits in order, up to a limit; who falls
behind it is let go and comes back for a whole new picture.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from typing import Any

MOST_WAITING = 512


class FellBehind(Exception):
    """This viewer does not read; close it."""


class Viewer:
    """One open page."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()
        self._pose: str | None = None
        self._wake = asyncio.Event()

    def put(self, line: str) -> None:
        if len(self._lines) <= MOST_WAITING:  # one too many is the mark of a viewer that fell behind
            self._lines.append(line)
        self._wake.set()

    def put_pose(self, line: str) -> None:
        self._pose = line
        self._wake.set()

    async def next_lines(self) -> list[str]:
        """What there is to send, at least one line. FellBehind when too much has piled up."""
        await self._wake.wait()
        self._wake.clear()
        if len(self._lines) > MOST_WAITING:
            raise FellBehind
        lines = [*self._lines]
        self._lines.clear()
        if self._pose is not None:
            lines.append(self._pose)
            self._pose = None
        return lines


class Hub:
    def __init__(self) -> None:
        self._viewers: set[Viewer] = set()
        self._someone = asyncio.Event()

    def __len__(self) -> int:
        return len(self._viewers)

    def join(self) -> Viewer:
        viewer = Viewer()
        self._viewers.add(viewer)
        self._someone.set()
        return viewer

    def leave(self, viewer: Viewer) -> None:
        self._viewers.discard(viewer)
        if not self._viewers:
            self._someone.clear()

    async def wait_for_someone(self) -> None:
        await self._someone.wait()

    def say(self, message: Mapping[str, Any]) -> None:
        if self._viewers:
            line = encode(message)
            for viewer in self._viewers:
                viewer.put(line)

    def show_poses(self, message: Mapping[str, Any]) -> None:
        line = encode(message)
        for viewer in self._viewers:
            viewer.put_pose(line)


def encode(message: Mapping[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)
