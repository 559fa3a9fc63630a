"""A daemon's updates of its controller: the image comes in pieces over the command path, is signed with the table's key and
sent. One at a time; started, refused, failed are events of the kind `update`, and the controller's own words follow theirs.

Not for how it is sent: tumbler.update.sending.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from tumbler.table.session import Connection
from tumbler.update.image import MOST_BYTES, ImageError, read, signed
from tumbler.update.sending import OVER, Plan, Sending, Service, Stage, Standing, UpdateRefused

__all__ = ("UpdateRefused", "Updates")

NOTHING = Standing("none", "", 0, 0, "no update since the daemon's start")
Tell = Callable[..., None]


class Updates:
    """`tell(code, severity, text, **more)` is an event of this table."""

    def __init__(self, link: Connection, service: Service, key: bytes, tell: Tell) -> None:
        self._link, self._service, self._key, self._tell = link, service, key, tell
        self._digest, self._brought = "", bytearray()
        self._board = ""
        self._job: Sending | None = None
        self._wanted: asyncio.Queue[Sending] = asyncio.Queue()

    @property
    def busy(self) -> bool:
        return self._job is not None and self._job.stage not in OVER

    def standing(self) -> dict[str, Any]:
        return asdict(self._job.standing() if self._job is not None else NOTHING)

    def bring(self, sha256: str, size: int, offset: int, data: str) -> dict[str, Any]:
        """A piece, in order; offset 0 begins anew. How much is there now."""
        if size > MOST_BYTES:
            raise UpdateRefused(f"an image has at most {MOST_BYTES} bytes")
        if offset == 0:
            self._digest, self._brought = sha256, bytearray()
        if sha256 != self._digest or offset != len(self._brought):
            raise UpdateRefused(f"the next piece is at {len(self._brought)}; begin at 0 for another image")
        try:
            self._brought += base64.b64decode(data, validate=True)
        except binascii.Error as error:
            raise UpdateRefused("data must be base64") from error
        if len(self._brought) > size:
            self._digest, self._brought = "", bytearray()
            raise UpdateRefused("more came than the image has")
        return {"have": len(self._brought)}

    def start(self, by: str, sha256: str, join_s: int, other_schema: bool) -> dict[str, Any]:
        if self.busy:
            raise UpdateRefused("an update is under way already")
        image = bytes(self._brought)
        if hashlib.sha256(image).hexdigest() != sha256:
            raise UpdateRefused("the image has not been brought, or not whole")
        try:
            head = read(image).head
        except ImageError as error:
            raise UpdateRefused(f"the image {error}") from error
        if not self._link.up:
            raise UpdateRefused("the controller is not connected")
        plan = Plan(join_s, other_schema)
        self._job = Sending(self._link, self._service, signed(image, self._key), plan, self._board)
        self._digest, self._brought = "", bytearray()
        self._wanted.put_nowait(self._job)
        text = f"firmware {head.version} for {head.board} is sent by {by}"
        self._tell("update_started", "info", text, by=by, version=head.version, sha256=sha256)
        return self.standing()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            job = await self._wanted.get()
            await job.run()
            if job.stage in (Stage.REFUSED, Stage.FAILED):
                text = f"firmware {job.head.version} {job.stage}: {job.text}"
                self._tell("update_not_sent", "warning", text, version=job.head.version)

    # --- what the link tells ------------------------------------------------------------------------------------------

    def link_up(self, hello: Mapping[str, Any]) -> None:
        self._board = str(hello["board"])
        if self._job is not None:
            self._job.link_up()

    def bulk_sent(self, kind: int, code: int) -> None:
        if self._job is not None:
            self._job.bulk_sent(kind, code)

    def event(self, values: Mapping[str, Any]) -> None:
        if self._job is not None:
            self._job.event(values)
