"""A table's way to its broker: connects for ever, tells what stands, sends the outbox, takes commands.

One link, one connection and one last will for each table, so that a table's `state` is its own. What is sent is decided
elsewhere: sender.py (assured), retained.py (what stands), inbox.py (answers).
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTProtocolVersion

from tumbler.journal import Outbox
from tumbler.log import Log
from tumbler.mqtt.connection import VERSION_NAMES, Connection, NoAnswer, VersionRefused, Will
from tumbler.mqtt.counters import Counters
from tumbler.mqtt.inbox import Inbox, OnCommand
from tumbler.mqtt.retained import RetainedTopics
from tumbler.mqtt.sender import OutboxSender
from tumbler.mqtt.settings import BrokerSettings, BrokerUnusable
from tumbler.mqtt.topics import full_name, topic_of

BACK_OFF_FIRST_S, BACK_OFF_LONGEST_S = 0.5, 30.0
STABLE_S = 10.0  # a connection that lived this long was a good one: the next back-off starts anew
FLUSH_S = 2.0  # for what is under way when the daemon stops


class LinkState(StrEnum):
    IDLE = "idle"
    CONNECTING = "connecting"
    ONLINE = "online"
    WAITING = "waiting"  # for the next attempt
    STOPPED = "stopped"


class MqttLink:
    def __init__(
        self,
        settings: BrokerSettings,
        site: str,
        table: str,
        outbox: Outbox,
        on_command: OnCommand,
        *,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """`about` is told with `state` (version, since)."""
        self.state = LinkState.IDLE
        self.detail = ""  # why it is not online, or which version it speaks
        self.since = time.monotonic()
        self.counters = Counters()
        self._settings, self._site, self._table = settings, site, table
        self._about = dict(about or {})
        self._outbox = outbox
        self._log = Log("tumbler.mqtt", table=table)
        self._sender = OutboxSender(outbox, table, self.counters, self._log)
        self._retained = RetainedTopics(site, table, self.counters)
        self._inbox = Inbox(site, table, on_command, self.counters, self._log)
        self._connection: Connection | None = None
        self._task: asyncio.Task[None] | None = None
        self._unlisten: Callable[[], None] | None = None
        self._listeners: list[Callable[[MqttLink], None]] = []
        self._version: MQTTProtocolVersion = paho.MQTTv5
        self._online, self._acked = asyncio.Event(), asyncio.Event()
        self._said = ""

    # --- for the daemon -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to connect, for ever, until stop()."""
        loop = asyncio.get_running_loop()
        self._unlisten = self._outbox.listen(self._table, lambda: _wake(loop, self._sender.pump))
        self._task = loop.create_task(self._run(), name=f"mqtt-{self._table}")

    async def stop(self) -> None:
        """Say offline, give what is under way a moment, DISCONNECT. What is left stays in the outbox."""
        if self._unlisten is not None:
            self._unlisten()
        if self._connection is not None and self.state is LinkState.ONLINE:
            await self._drain()
            self._tell_state("offline", reason="stopped")
            await self._drain()
            await self._connection.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._inbox.close()
        self._set_state(LinkState.STOPPED, "stopped")

    @property
    def connected(self) -> bool:
        return self.state is LinkState.ONLINE

    async def wait_connected(self) -> None:
        await self._online.wait()

    def on_change(self, listener: Callable[[MqttLink], None]) -> None:
        """Called with the link whenever its state changes."""
        self._listeners.append(listener)

    def publish_retained(self, leaf: str, payload: Mapping[str, Any], *, expiry_s: int | None = None) -> None:
        """What stands on a retained topic from now on; sent now, and again at every connect."""
        self._retained.put(leaf, encode(payload), expiry_s)

    def publish(self, leaf: str, payload: Mapping[str, Any]) -> bool:
        """Without a guarantee (diag, and events that could not be journalled); False when there is no broker now."""
        topic = topic_of(leaf)
        if self._connection is None or not self.connected:
            self.counters.dropped += 1
            return False
        name = full_name(self._site, self._table, leaf)
        self._connection.publish(name, encode(payload), qos=topic.qos, retain=False, expiry_s=topic.expiry_s)
        self.counters.unassured += 1
        return True

    # --- connecting for ever ----------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        back_off = BACK_OFF_FIRST_S
        while True:
            began = time.monotonic()
            try:
                why, longest = await self._one_connection()
                self.counters.lost += 1
                if time.monotonic() - began > STABLE_S:
                    back_off = BACK_OFF_FIRST_S
                if longest:
                    back_off = BACK_OFF_LONGEST_S
            except VersionRefused as error:
                self._log.info("the broker is older than MQTT 5", answer=str(error))
                if self._version == paho.MQTTv5:
                    self._version = paho.MQTTv311
                    continue
                why = str(error)
                self._version = paho.MQTTv5
            except NoAnswer as error:
                self.counters.failed_connects += 1
                why = str(error)
                # Some old brokers hang up at a version that they do not know: ask for the other one next time.
                self._version = paho.MQTTv311 if self._version == paho.MQTTv5 else paho.MQTTv5
            except BrokerUnusable as error:
                self.counters.failed_connects += 1
                why = str(error)
            except Exception as error:  # noqa: BLE001 - a defect here must not silence a table for ever
                self.counters.failed_connects += 1
                why = f"a defect of the program: {type(error).__name__}: {error}"
            else:
                self._version = paho.MQTTv5  # the broker may have been replaced by a newer one
            self._set_state(LinkState.WAITING, why)
            # Many tables lose one broker at the same moment; they must not come back at the same moment.
            await asyncio.sleep(back_off * random.uniform(0.7, 1.3))
            back_off = min(2 * back_off, BACK_OFF_LONGEST_S)

    async def _one_connection(self) -> tuple[str, bool]:
        """Connect and stay; (why it ended, whether to keep away for long)."""
        if self.state is not LinkState.WAITING:
            self._set_state(LinkState.CONNECTING, "")
        will = Will(full_name(self._site, self._table, "state"), encode(self._state_payload("offline", reason="lost")))
        connection = Connection(
            self._settings, self._client_id(), self._version, will, self._inbox.receive, self._acknowledged
        )
        try:
            await connection.open()
            self._connected(connection)
            why = await connection.ended
        finally:
            connection.end("given up")
            self._connection = None
            for part in (self._sender, self._retained, self._inbox):
                part.detach()
        if connection.taken_over:
            return f"another client took the name {self._client_id()}: is a second daemon serving this table?", True
        return f"the connection was lost: {why}", False

    def _connected(self, connection: Connection) -> None:
        self._connection = connection
        self.counters.connects += 1
        self._tell_state("online")
        self._inbox.attach(connection)
        self._retained.attach(connection)
        self._sender.attach(connection)
        self._set_state(LinkState.ONLINE, f"MQTT {VERSION_NAMES[connection.version]}")

    def _acknowledged(self, mid: int, refused: str | None) -> None:
        self._acked.set()
        if not self._sender.acknowledged(mid, refused) and self._retained.acknowledged(mid) and refused:
            self.counters.refused += 1
            self._log.error("the broker refused a retained message", why=refused)

    async def _drain(self) -> None:
        """Wait for the PUBACKs of what was sent, but not for long: the process has five seconds to end."""
        try:
            async with asyncio.timeout(FLUSH_S / 2):
                while self.connected and not (self._retained.idle and self._sender.idle):
                    self._acked.clear()
                    await self._acked.wait()
        except TimeoutError:
            self._log.warning("stopped with messages under way; they stay in the outbox")

    # --- state ------------------------------------------------------------------------------------------------------------

    def _client_id(self) -> str:
        return f"{self._settings.client_id or f'tumbler-{self._site}'}-{self._table}"

    def _state_payload(self, state: str, **more: Any) -> dict[str, Any]:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"site": self._site, "table": self._table, "at": now, "state": state, **more, **self._about}

    def _tell_state(self, state: str, **more: Any) -> None:
        self._retained.put("state", encode(self._state_payload(state, **more)), None)

    def _set_state(self, state: LinkState, detail: str) -> None:
        if (state, detail) == (self.state, self.detail):
            return
        if state is not self.state:
            self.since = time.monotonic()
        self.state, self.detail = state, detail
        if state is LinkState.ONLINE:
            self._online.set()
            self._log.info("broker online", speaks=detail)
        else:
            self._online.clear()
        if state is LinkState.WAITING and detail != self._said:
            self._log.warning("no broker", why=detail)  # once for each reason, not for each attempt
        self._said = detail if state is LinkState.WAITING else "" if state is LinkState.ONLINE else self._said
        for listener in list(self._listeners):
            listener(self)


def encode(payload: Mapping[str, Any]) -> bytes:
    return json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()


def _wake(loop: asyncio.AbstractEventLoop, pump: Callable[[], None]) -> None:
    """From the journal's thread; the loop may be closing."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(pump)
