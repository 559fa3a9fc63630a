"""Asking a controller through the daemon that holds its cable: signed `service` commands over MQTT.

The same requests as over the cable; the daemon records who asked. Also reads what stands on the table's retained topics.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import secrets
from datetime import UTC, datetime
from typing import Any

import paho.mqtt.client as paho

from tumbler.config import Config
from tumbler.diag.line import LineDown, RequestRefused, Transfers
from tumbler.mqtt import BrokerUnusable, full_name
from tumbler.mqtt.connection import Connection, Message, Will
from tumbler.table.access import sign
from tumbler.update.sending import LOOK_S, OVER, Plan, Show, Standing

ANSWER_S = 65.0  # the daemon itself waits a minute for a self-test
STANDING_S = 2.0
PIECE = 2048  # a command has at most 4096 bytes
STANDING = ("state", "link", "round", "info", "health")
ROLE = "technician"


class ThroughDaemon:
    """`by` and `key` sign the commands; without a key the daemon must trust its broker."""

    def __init__(self, config: Config, table: str, by: str, key: bytes | None) -> None:
        self._site, self._table, self._by, self._key = config.site, table, by, key
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._transfers = Transfers()
        self._standing: dict[str, Any] = {}
        self._all_stand = asyncio.Event()
        will = Will(self._topic("diag/log"), b"")
        name = f"tumbler-diag-{secrets.token_hex(4)}"
        self._connection = Connection(config.mqtt, name, paho.MQTTv5, will, self._came, lambda _mid, _why: None)

    async def open(self) -> None:
        try:
            await self._connection.open()
        except BrokerUnusable as error:
            raise LineDown("broker", str(error)) from error
        for leaf in ("rsp/+", "diag/+", *STANDING):
            self._connection.subscribe(self._topic(leaf))

    async def standing(self) -> dict[str, Any]:
        """What stands on the retained topics, as far as it came in time."""
        try:
            async with asyncio.timeout(STANDING_S):
                await self._all_stand.wait()
        except TimeoutError:
            if not self._standing:
                why = f"nothing is known of table {self._table} at this broker; has its daemon ever run?"
                raise LineDown("unknown_table", why) from None
        return {leaf: self._standing.get(leaf) for leaf in STANDING}

    def identity(self) -> dict[str, Any]:
        info = self._standing.get("info") or {}
        return dict(info.get("controller") or {})

    async def counters(self) -> dict[str, Any]:
        """As they are now: those on `health` are seconds old, and a test would count what was before it."""
        return dict((await self._order("status", {}))["data"]["counters"])

    async def ask(self, op: str, number: int, data: bytes) -> bytes:
        answer = await self._order("service", {"op": op, "data": data.hex()})
        return bytes.fromhex(answer["data"]["data"])

    async def update(self, image: bytes, plan: Plan, show: Show) -> Standing:
        """The daemon gets it in pieces, signs it with the table's key and sends it on."""
        digest = hashlib.sha256(image).hexdigest()
        for offset in range(0, len(image), PIECE):
            data = base64.b64encode(image[offset : offset + PIECE]).decode("ascii")
            piece = {"sha256": digest, "size": len(image), "offset": offset, "data": data}
            await self._order("update_piece", piece)
        order = {"sha256": digest, "join_s": plan.join_s, "other_schema": plan.other_schema}
        await self._order("update", order)
        while True:
            standing = Standing(**(await self._order("update_status", {}))["data"])
            show(standing)
            if standing.stage in OVER:
                return standing
            await asyncio.sleep(LOOK_S)

    async def _order(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        command: dict[str, Any] = {"id": secrets.token_hex(8), "by": self._by, "role": ROLE, "args": args}
        command["at"] = datetime.now(UTC).isoformat(timespec="milliseconds")
        topic = self._topic(f"cmd/{name}")
        if self._key is not None:
            command["sig"] = sign(topic, command, self._key)
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[command["id"]] = waiting
        self._connection.publish(topic, json.dumps(command).encode(), qos=1, retain=False)
        try:
            async with asyncio.timeout(ANSWER_S):
                answer = await waiting
        except TimeoutError as error:
            why = f"no daemon has answered for table {self._table} in {ANSWER_S:.0f} s; is it running?"
            raise LineDown("no_daemon", why) from error
        finally:
            self._answers.pop(command["id"])
        if not answer["ok"]:
            raise RequestRefused(f"{args.get('op', name)}: {answer['text']} ({answer['code']})")
        return answer

    async def transfer(self, kind: str) -> bytes:
        return await self._transfers.take(kind)

    async def close(self) -> None:
        await self._connection.close()

    def _topic(self, leaf: str) -> str:
        return full_name(self._site, self._table, leaf)

    def _came(self, message: Message) -> None:
        leaf = message.topic.removeprefix(self._topic(""))
        if not message.payload:
            return
        body = json.loads(message.payload)
        if leaf.startswith("rsp/"):
            waiting = self._answers.get(str(body.get("id")))
            if waiting is not None and not waiting.done():
                waiting.set_result(body)
        elif leaf.startswith("diag/"):
            self._transfers.put(leaf.removeprefix("diag/"), base64.b64decode(body["frame"]))
        elif leaf in STANDING:
            self._standing[leaf] = body
            if len(self._standing) == len(STANDING):
                self._all_stand.set()
