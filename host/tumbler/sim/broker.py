"""The broker and the floor behind it, played: it vanishes, keeps silent, refuses, forgets, answers late.

`Connection` stands where the daemon's link has its connection to a real broker: the sender, the retained topics and the
inbox above it are the real ones. What the broker took is at the floor: it acknowledges nothing that it then loses.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from random import Random
from typing import Any

from tumbler.mqtt.connection import CONNECT_S, Message, NoAnswer, Will
from tumbler.mqtt.settings import BrokerUnusable
from tumbler.sim.clockwork import MS, SECOND, Clockwork

KEEPALIVE_US = 22 * SECOND  # 1.5 times the keep-alive: then paho gives a silent broker up


class Broker:
    def __init__(self, clockwork: Clockwork) -> None:
        self._clockwork = clockwork
        self._rng: Random = clockwork.stream("broker")
        self.up = True
        self.silent = self.refuses = self.closed_door = False
        self.late_us = 0
        self.connection: Connection | None = None
        self.retained: dict[str, bytes] = {}
        self.taken = 0
        self.generation = 0  # a connection to a broker before its restart carries nothing any more
        self.on_message: Callable[[str, bytes], None] = lambda topic, payload: None

    def latency(self) -> int:
        return 200 + int(self._rng.random() * 3 * MS)

    # --- what befalls it ----------------------------------------------------------------------------------------------

    def vanish(self) -> None:
        self.up = False
        self.generation += 1
        self.end_connection("the broker went away")

    def fall_silent(self) -> None:
        self.silent = True
        connection = self.connection
        if connection is not None:
            self._clockwork.after(KEEPALIVE_US, lambda: self._give_up(connection))

    def _give_up(self, connection: Connection) -> None:
        if self.silent and connection is self.connection:
            self.end_connection("Keep alive timeout")

    def forget(self) -> None:
        """As a broker without persistence that was restarted."""
        self.retained.clear()
        self.generation += 1
        self.end_connection("the broker was restarted")

    def end_connection(self, why: str) -> None:
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.lost(why)

    # --- what it does -------------------------------------------------------------------------------------------------

    def arrive(self, connection: Connection, mid: int, topic: str, payload: bytes, retain: bool) -> None:
        """A PUBLISH came over the network; also from a daemon that has died since."""
        if not self.up or self.silent or connection.generation != self.generation:
            return
        if self.connection is not None and self.connection is not connection:
            return  # a client of the same name has taken its place
        refused = self.refuses and self._rng.random() < 0.5
        if not refused:
            self.taken += 1
            if retain:
                self.retained[topic] = payload
            self.on_message(topic, payload)
        answer = "Quota exceeded" if refused else None
        wait = self.latency() + (int(self._rng.random() * self.late_us) if self.late_us else 0)
        connection.answer_in(wait, mid, answer)

    def command(self, topic: str, body: dict[str, Any]) -> bool:
        """Someone on the floor sends a command; False when no daemon hears it."""
        if self.connection is None or self.silent:
            return False
        self.connection.deliver(Message(topic, json.dumps(body).encode(), False, None, None))
        return True


class Connection:
    """In the place of tumbler.mqtt.connection.Connection; `broker` and `clockwork` are given by a subclass."""

    broker: Broker
    clockwork: Clockwork

    def __init__(
        self,
        settings: Any,
        client_id: str,
        version: Any,
        will: Will,
        on_message: Callable[[Message], None],
        on_ack: Callable[[int, str | None], None],
    ) -> None:
        self.version = version
        self.taken_over = False
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[str] = self._loop.create_future()
        self._on_message, self._on_ack = on_message, on_ack
        self._mid = 0
        self._last_at = self._last_answer_at = 0  # a connection never reorders
        self.generation = self.broker.generation

    async def open(self) -> None:
        broker = self.broker
        await asyncio.sleep(broker.latency() / SECOND)
        if not broker.up:
            raise BrokerUnusable("broker cannot be reached: Connection refused")
        if broker.silent:
            await asyncio.sleep(CONNECT_S)
            raise NoAnswer("broker does not answer")
        if broker.closed_door:
            raise BrokerUnusable("broker refused the connection: Not authorized")
        self.generation = broker.generation
        broker.connection = self

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        qos: int,
        retain: bool,
        expiry_s: int | None = None,
        correlation: bytes | None = None,
    ) -> int:
        self._mid += 1
        mid, broker = self._mid, self.broker
        if not self._loop.is_closed():
            self._last_at = at = max(self._last_at, self.clockwork.now + broker.latency())
            self.clockwork.at(at, lambda: broker.arrive(self, mid, topic, payload, retain))
        return mid

    def answer_in(self, us: int, mid: int, refused: str | None) -> None:
        self._last_answer_at = at = max(self._last_answer_at, self.clockwork.now + us)
        self.clockwork.at(at, lambda: self._answer(mid, refused))

    def _answer(self, mid: int, refused: str | None) -> None:
        """A PUBACK on its way back; lost when the broker fell silent or the connection ended meanwhile."""
        if self.broker.connection is self and not self.broker.silent and not self.ended.done():
            self._loop.call_soon(self._on_ack, mid, refused)

    def deliver(self, message: Message) -> None:
        self._loop.call_soon(self._on_message, message)

    def subscribe(self, topic: str) -> None:
        """The floor speaks to whoever is connected."""

    def lost(self, why: str) -> None:
        if not self._loop.is_closed() and not self.ended.done():
            self.ended.set_result(why)

    def end(self, why: str) -> None:
        if self.broker.connection is self:
            self.broker.connection = None
        self.lost(why)

    async def close(self) -> None:
        self.end("closed")
