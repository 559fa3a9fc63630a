"""Takes games from the broker into the store: acknowledged to the broker only when they are in the database.

Any number of instances share the work by a shared subscription; which of them gets a message does not matter, because a
game is stored once by its id. Missing spins are asked back from the table's own daemon, whose journal has them.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tumbler.log import Log
from tumbler.mqtt.settings import BrokerSettings, password, tls_context
from tumbler.mqtt.topics import PREFIX
from tumbler.recorder.game import LEAVES, Game, NotAGame, Void, read
from tumbler.recorder.missing import Missing
from tumbler.recorder.store import Store, StoreFailed

BATCH = 200
WAIT_S = 0.2
IN_FLIGHT = 1000  # so many may wait for the database; the broker keeps the rest
SESSION_S = 7 * 86400  # what came while this instance was away waits at the broker for a week
RETRY_S = 2.0

log = Log("tumbler.recorder")

Arrival = tuple[int, int, str, bytes]  # message id, QoS, topic, payload


@dataclass(frozen=True)
class Plan:
    group: str = "recorder"  # instances of one group share the tables among them
    name: str = "recorder-1"  # of this instance; its session at the broker
    by: str = "recorder"
    role: str = "inspector"
    key: bytes | None = None  # to sign requests where the tables ask for it


@dataclass
class Counters:
    new: int = 0
    repeated: int = 0
    conflicts: int = 0
    not_games: int = 0
    recalled: int = 0
    failures: int = 0


@dataclass
class Recorder:
    store: Store
    broker: BrokerSettings
    plan: Plan = field(default_factory=Plan)
    counters: Counters = field(default_factory=Counters)

    def __post_init__(self) -> None:
        self._arrivals: queue.Queue[Arrival] = queue.Queue()
        self.subscribed = threading.Event()
        self._answers = f"tumbler-recorder/{self.plan.name}/recall"
        self._missing = Missing(self.plan.by, self.plan.role, self.plan.key)
        self._client = self._build()

    def _build(self) -> paho.Client:
        client = paho.Client(
            CallbackAPIVersion.VERSION2, client_id=self.plan.name, protocol=paho.MQTTv5, manual_ack=True
        )
        client.reconnect_delay_set(1, 30)
        if self.broker.username is not None:
            client.username_pw_set(self.broker.username, password(self.broker))
        context = tls_context(self.broker)
        if context is not None:
            client.tls_set_context(context)
        client.on_connect, client.on_message = self._connected, self._came
        client.on_disconnect = self._lost
        client.on_subscribe = lambda *_: self.subscribed.set()
        return client

    def run(self, stop: threading.Event) -> None:
        """Until `stop` is set. A broker or a database that is away is waited for."""
        session = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        session.SessionExpiryInterval = SESSION_S
        session.ReceiveMaximum = IN_FLIGHT
        self._client.connect_async(
            self.broker.host, self.broker.port, self.broker.keepalive, clean_start=False, properties=session
        )
        self._client.loop_start()
        try:
            while not stop.is_set():
                self._one_turn(stop)
        finally:
            self._client.disconnect()
            self._client.loop_stop()

    def _one_turn(self, stop: threading.Event) -> None:
        batch = self._next_batch()
        try:
            if batch:
                self._store(batch)
            self._ask_for_missing()
        except StoreFailed as error:
            self.counters.failures += 1
            log.error("the database fails; games wait at the broker", error=str(error))
            # Not acknowledged, so nothing is lost; and the next turn begins with the same ones.
            for arrival in batch:
                self._arrivals.put(arrival)
            stop.wait(RETRY_S)

    def _next_batch(self) -> list[Arrival]:
        batch: list[Arrival] = []
        try:
            batch.append(self._arrivals.get(timeout=WAIT_S))
            while len(batch) < BATCH:
                batch.append(self._arrivals.get_nowait())
        except queue.Empty:
            return batch
        return batch

    def _store(self, batch: list[Arrival]) -> None:
        entries: list[Game | Void] = []
        for _, _, topic, payload in batch:
            try:
                if topic == self._answers:
                    recalled = self._missing.answered(payload)
                    self.counters.recalled += len(recalled)
                    entries += recalled
                else:
                    entries.append(read(topic, payload))
            except NotAGame as error:
                self.counters.not_games += 1
                log.warning("not a game", why=str(error))
        added = self.store.add(entries)
        self.counters.new += added.new
        self.counters.repeated += added.repeated
        self.counters.conflicts += added.conflicts
        if added.conflicts:
            log.error("one result_id with two contents; see the table `conflict`", count=added.conflicts)
        for mid, qos, _, _ in batch:
            self._client.ack(mid, qos)

    def _ask_for_missing(self) -> None:
        now = time.monotonic()
        if not self._missing.due(now) or not self._client.is_connected():
            return
        for topic, payload in self._missing.requests(self.store.gaps(), now):
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.ResponseTopic = self._answers
            self._client.publish(topic, payload, qos=1, properties=properties)

    # --- paho's thread ----------------------------------------------------------------------------------------------------

    def _connected(self, client: paho.Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            log.error("the broker refused", why=str(reason))
            return
        log.info("broker online", group=self.plan.group)
        topics = [f"$share/{self.plan.group}/{PREFIX}/+/+/{leaf}" for leaf in LEAVES]
        client.subscribe([(topic, 1) for topic in [*topics, self._answers]])

    def _lost(self, _client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        # What was not acknowledged comes again with the next connection; acknowledging it on that one would be wrong.
        while True:
            try:
                self._arrivals.get_nowait()
            except queue.Empty:
                break
        self.subscribed.clear()
        log.warning("no broker", why=str(reason))

    def _came(self, _client: Any, _data: Any, message: paho.MQTTMessage) -> None:
        self._arrivals.put((message.mid, message.qos, message.topic, bytes(message.payload)))
