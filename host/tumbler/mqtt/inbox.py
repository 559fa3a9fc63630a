"""Commands that come in: each carried out once, each answered, a retained one refused.

QoS 1 may bring a command twice, and a broker keeps a retained one for ever; neither may move the table again. Whether it is
allowed, and what it does, is the table's business (tumbler.table.commands).
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from tumbler.log import Log
from tumbler.mqtt.connection import Connection, Message
from tumbler.mqtt.counters import Counters
from tumbler.mqtt.topics import PREFIX, full_name, topic_of

# (name, topic, payload, retained) -> the answer
OnCommand = Callable[[str, str, bytes, bool], Awaitable[Mapping[str, Any]]]
REMEMBERED = 256  # answers kept for commands that come again
AT_ONCE = 16  # commands under way; a self-test takes a minute, a flood must not take the daemon
MAX_BYTES = 65536

Key = tuple[str, bytes, bytes | None]


class Inbox:
    def __init__(self, site: str, table: str, on_command: OnCommand, counters: Counters, log: Log) -> None:
        self._prefix = full_name(site, table, "cmd/")
        self._answers = full_name(site, table, "rsp/")
        self._on_command, self._counters, self._log = on_command, counters, log
        self._connection: Connection | None = None
        self._known: OrderedDict[Key, Mapping[str, Any] | None] = OrderedDict()  # None: still under way
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def subscription(self) -> str:
        return self._prefix + "+"

    def attach(self, connection: Connection) -> None:
        self._connection = connection
        connection.subscribe(self.subscription)

    def detach(self) -> None:
        self._connection = None

    def receive(self, message: Message) -> None:
        if not message.topic.startswith(self._prefix) or (message.retained and not message.payload):
            return  # an empty retained message is how a retained one is removed
        name = message.topic.removeprefix(self._prefix)
        key = (name, message.payload, message.correlation)
        self._counters.commands += 1
        if key in self._known:
            self._counters.commands_repeated += 1
            known = self._known[key]
            if known is not None:
                self._answer(name, message, known)
            return
        if len(message.payload) > MAX_BYTES or len(self._tasks) >= AT_ONCE:
            self._counters.commands_refused += 1
            self._answer(
                name, message, {"id": None, "ok": False, "code": "busy", "text": "too much at once; ask again"}
            )
            return
        if not message.retained:
            self._known[key] = None
        task = asyncio.get_running_loop().create_task(self._carry_out(name, key, message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry_out(self, name: str, key: Key, message: Message) -> None:
        try:
            answer = await self._on_command(name, message.topic, message.payload, message.retained)
        except Exception as error:  # noqa: BLE001 - whoever asked must hear that it failed; the link lives on
            self._log.error("a command failed", command=name, error=f"{type(error).__name__}: {error}")
            answer = {
                "id": _id_of(message.payload),
                "ok": False,
                "code": "failed",
                "text": "the daemon failed; see its log",
            }
        if not answer.get("ok"):
            self._counters.commands_refused += 1
        if key in self._known:
            self._known[key] = answer
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        self._answer(name, message, answer)

    def _answer(self, name: str, message: Message, answer: Mapping[str, Any]) -> None:
        if self._connection is None:
            self._counters.dropped += 1  # who asked has heard that we are offline
            return
        own = self._answers + name
        asked = message.response_topic
        # Never on a topic of ours that others trust: a command must not be a way to write a result.
        topic = asked if asked and (asked.startswith(self._answers) or not asked.startswith(PREFIX)) else own
        payload = json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode()
        row = topic_of(f"rsp/{name}")
        self._connection.publish(topic, payload, qos=row.qos, retain=False, correlation=message.correlation)

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _id_of(payload: bytes) -> Any:
    try:
        value = json.loads(payload)
    except ValueError:
        return None
    return value.get("id") if isinstance(value, dict) else None
