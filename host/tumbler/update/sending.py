"""An update on its way to one controller: into service, the transfer, the trial, and what became of it. One try, no retries
of a whole update; a broken line or a restarted controller is gone on from, because both sides know how far they were.

For the daemon (tumbler.table.updates) and for a technician's cable (tumbler.diag.line): both have a Connection and a way to
ask. The controller decides; what it refuses is told in its own words.
"""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from dicewire import codes
from dicewire.image import Head
from dicewire.messages import SCHEMA_HASH

from tumbler.table.requests import NoAnswer

ANSWER_S = 20.0
APPLY_S = 60.0
STALL_S = 30.0
READY_S = 40.0  # a controller that has just started tests itself before it can be asked
LOOK_S = 0.5
TRIES = 5
SILENT_LOOKS = 8
STARTS = 3  # of a program on trial; firmware/slots.py

Service = Callable[[int, bytes, float], Awaitable[tuple[bool, bytes]]]


class Stage(StrEnum):
    ENTERING = "entering"
    SENDING = "sending"
    APPLYING = "applying"
    ON_TRIAL = "on_trial"
    APPLIED = "applied"
    ROLLED_BACK = "rolled_back"
    REFUSED = "refused"
    FAILED = "failed"


OVER = frozenset({Stage.APPLIED, Stage.ROLLED_BACK, Stage.REFUSED, Stage.FAILED})


class UpdateRefused(Exception):
    """It may not be done now, or not with this image; nothing has changed."""


class UpdateFailed(Exception):
    """It did not get through; the controller runs the program it ran before."""


@dataclass(frozen=True)
class Plan:
    """`join_s`: how long the new program waits for a host. `other_schema`: a host of its version will be there then."""

    join_s: int = 120
    other_schema: bool = False


@dataclass(frozen=True)
class Standing:
    stage: str
    version: str
    done: int
    size: int
    text: str


Show = Callable[[Standing], None]


class Link(Protocol):
    @property
    def up(self) -> bool: ...

    @property
    def bulk_progress(self) -> int: ...

    def send_bulk(self, kind: int, data: bytes) -> bool: ...

    def cancel_bulk(self) -> None: ...


class Sending:
    def __init__(self, link: Link, service: Service, image: bytes, plan: Plan, board: str) -> None:
        self.head = Head(image)
        self.stage, self.text = Stage.ENTERING, ""
        self._link, self._service, self._image, self._plan, self._board = link, service, image, plan, board
        self._ups = 0
        self._slot = ""
        self._entered = False
        loop = asyncio.get_running_loop()
        self._sent: asyncio.Future[int] = loop.create_future()
        self._verdict: asyncio.Future[tuple[Stage, str]] = loop.create_future()

    def standing(self) -> Standing:
        done = self._link.bulk_progress if self.stage is Stage.SENDING else 0
        if self.stage in (Stage.APPLYING, Stage.ON_TRIAL, Stage.APPLIED, Stage.ROLLED_BACK):
            done = len(self._image)
        return Standing(self.stage.value, self.head.version, done, len(self._image), self.text)

    # --- what the link tells ------------------------------------------------------------------------------------------

    def link_up(self) -> None:
        self._ups += 1

    def bulk_sent(self, kind: int, code: int) -> None:
        if kind == codes.BULK_UPDATE and not self._sent.done():
            self._sent.set_result(code)

    def event(self, values: Mapping[str, Any]) -> None:
        verdicts = {codes.EVENT_UPDATE_APPLIED: Stage.APPLIED, codes.EVENT_UPDATE_ROLLED_BACK: Stage.ROLLED_BACK}
        stage = verdicts.get(int(values["code"]))
        if stage is not None and self.stage in (Stage.APPLYING, Stage.ON_TRIAL) and not self._verdict.done():
            self._verdict.set_result((stage, str(values["text"])))

    # --- the way of an update -----------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Until it is over; `stage` and `text` say how."""
        try:
            await self._look()
            await self._enter()
            await self._transfer()
            await self._apply()
            self.stage, self.text = await self._trial()
        except (UpdateRefused, UpdateFailed, NoAnswer) as error:
            self.stage = Stage.REFUSED if isinstance(error, UpdateRefused) else Stage.FAILED
            self.text = str(error)
            await self._give_back()

    async def _look(self) -> None:
        if self.head.board != self._board:
            raise UpdateRefused(f"the image is for the board {self.head.board}, this is {self._board}")
        if self.head.schema != SCHEMA_HASH and not self._plan.other_schema:
            theirs, ours = self.head.schema.hex(), SCHEMA_HASH.hex()
            raise UpdateRefused(f"the image speaks dicewire {theirs}, this host {ours}: they could not talk afterwards")
        info = await self._info()
        waiting = int(info.get("spins", 0)) - int(info.get("committed", 0))
        if waiting > 0:
            raise UpdateRefused(
                f"{waiting} records of the table are not journalled yet: let the daemon take them first"
            )
        self._slot = info.get("slot", "none")

    async def _info(self) -> dict[str, str]:
        done, answer = await self._service(codes.SERVICE_INFO, b"", ANSWER_S)
        if not done:
            raise UpdateRefused(_words(answer))
        pairs = (line.partition("=") for line in answer.decode("utf-8", "replace").splitlines())
        return {name: value for name, _, value in pairs}

    async def _enter(self) -> None:
        """Out of play. A controller that was just restarted is asked until its self-test is over."""
        until = time.monotonic() + (READY_S if self._ups else 0.0)
        while True:
            try:
                done, answer = await self._service(codes.SERVICE_ENTER, b"", ANSWER_S)
            except NoAnswer:
                if time.monotonic() >= until:
                    raise
                done, answer = False, b""
            if done:
                self._entered = True
                return
            if time.monotonic() >= until:
                raise UpdateRefused(f"the table is not idle: {_words(answer)}")
            await asyncio.sleep(LOOK_S)

    async def _transfer(self) -> None:
        self.stage = Stage.SENDING
        for _ in range(TRIES):
            ups = self._ups
            self._sent = asyncio.get_running_loop().create_future()
            if not self._link.send_bulk(codes.BULK_UPDATE, self._image):
                raise UpdateRefused("another transfer is under way; try again in a minute")
            code = await self._end_of_transfer()
            if code == codes.BULK_CODE_OK:
                return
            if self._ups == ups:
                raise UpdateRefused(await self._why(code))
            await self._enter()  # it restarted and is not in service any more; the transfer goes on where it stood
        raise UpdateFailed(f"the controller restarted {TRIES} times while it received the update")

    async def _end_of_transfer(self) -> int:
        done, moved = 0, time.monotonic()
        while True:
            await asyncio.wait({self._sent}, timeout=LOOK_S)
            if self._sent.done():
                return self._sent.result()
            now = time.monotonic()
            if self._link.bulk_progress != done:
                done, moved = self._link.bulk_progress, now
            elif now - moved > STALL_S:
                self._link.cancel_bulk()
                raise UpdateFailed(
                    f"the transfer stood still for {STALL_S:.0f} s at {done} of {len(self._image)} bytes"
                )

    async def _why(self, code: int) -> str:
        """The controller's own words for a transfer that it ended."""
        done, answer = await self._service(codes.SERVICE_UPDATE_APPLY, self._apply_data(), ANSWER_S)
        return _words(answer) if not done else f"the transfer ended with code {code}"

    def _apply_data(self) -> bytes:
        return struct.pack("<H8s", self._plan.join_s, self.head.schema)

    async def _apply(self) -> None:
        self.stage = Stage.APPLYING
        self._ups = 0
        try:
            done, answer = await self._service(codes.SERVICE_UPDATE_APPLY, self._apply_data(), APPLY_S)
        except NoAnswer as error:
            self.text = str(error)  # it may have been done: the trial shows
            return
        if not done:
            raise UpdateRefused(_words(answer))

    async def _trial(self) -> tuple[Stage, str]:
        """The controller tells what became of it, after it has started anew. One that tells nothing is looked at."""
        self.stage = Stage.ON_TRIAL
        until = time.monotonic() + STARTS * (self._plan.join_s + ANSWER_S)
        silent = 0
        while time.monotonic() < until:
            await asyncio.wait({self._verdict}, timeout=LOOK_S)
            if self._verdict.done():
                return self._verdict.result()
            if not self._ups or not self._link.up:
                continue
            try:
                slot = (await self._info()).get("slot", "")
            except (NoAnswer, UpdateRefused):
                continue
            silent = silent + 1 if slot == self._slot else 0
            if silent >= SILENT_LOOKS:
                raise UpdateFailed("the controller runs its old program: it was cut before the switch; send it again")
        raise UpdateFailed(
            "nothing was heard of the update in time; look at `tumbler diag info` and the event `update`"
        )

    async def _give_back(self) -> None:
        if not self._entered:
            return
        try:
            await self._service(codes.SERVICE_LEAVE, b"", ANSWER_S)
        except NoAnswer as error:
            self.text += f" ({error})"


def _words(answer: bytes) -> str:
    return answer.decode("utf-8", "replace") or "the controller refused"
