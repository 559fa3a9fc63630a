"""Sends a table's outbox to the broker: in order, one at a time, forgotten only at PUBACK.

One in flight, because a broker may refuse a single message: with more, the next would arrive before the refused one is
sent again, and the floor would see spins out of order. It costs one round trip a message; a week without a broker (20 000
results) is caught up in seconds on a local network.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

from tumbler.journal import JournalError, Outbox, OutboxItem
from tumbler.log import Log
from tumbler.mqtt.connection import Connection
from tumbler.mqtt.counters import Counters

ACK_S = 20.0  # a broker that takes longer is as good as gone: a new connection is the only way to send again
RETRY_FIRST_S, RETRY_LONGEST_S = 1.0, 60.0


class OutboxSender:
    def __init__(self, outbox: Outbox, table: str, counters: Counters, log: Log) -> None:
        self._outbox, self._table, self._counters, self._log = outbox, table, counters, log
        self._connection: Connection | None = None
        self._batch: deque[OutboxItem] = deque()
        self._arrived = 0  # id of the last item that the broker has; the journal may not have removed it yet
        self._flying: tuple[int, OutboxItem, float] | None = None  # (PUBACK's id, item, when it was sent)
        self._timer: asyncio.TimerHandle | None = None
        self._retry_s = RETRY_FIRST_S

    def attach(self, connection: Connection) -> None:
        """A new connection: begin with the oldest item that has no PUBACK."""
        self._connection, self._flying, self._retry_s = connection, None, RETRY_FIRST_S
        self._batch.clear()
        self.pump()

    def detach(self) -> None:
        self._connection = self._flying = None
        self._set_timer(None, None)

    @property
    def idle(self) -> bool:
        return self._flying is None and not self._batch and self._timer is None

    def pump(self) -> None:
        """Send the next one, if nothing is in flight and there is one."""
        if self._connection is None or self._flying is not None or self._timer is not None:
            return
        if not self._batch:
            try:
                self._batch.extend(self._outbox.next_items(self._table, self._arrived))
            except JournalError as error:
                self._log.error("the outbox cannot be read", error=str(error))
                self._try_again_later()
                return
        if self._batch:
            self._send(self._connection, self._batch.popleft())

    def _send(self, connection: Connection, item: OutboxItem) -> None:
        told = item.publication
        mid = connection.publish(told.topic, told.payload, qos=told.qos, retain=False, expiry_s=told.expiry_s)
        self._flying = (mid, item, time.monotonic())
        self._counters.published += 1
        self._set_timer(ACK_S, lambda: connection.end(f"no PUBACK for {ACK_S:.0f} s"))

    def acknowledged(self, mid: int, refused: str | None) -> bool:
        """A PUBACK came; False when it is not for this sender."""
        if self._flying is None or self._flying[0] != mid:
            return False
        _, item, sent = self._flying
        self._flying = None
        self._set_timer(None, None)
        if refused is not None:
            self._counters.refused += 1
            self._log.error(
                "the broker refused a message; it stays in the outbox", topic=item.publication.topic, why=refused
            )
            self._batch.appendleft(item)
            self._try_again_later()
            return True
        self._counters.acknowledged += 1
        self._counters.ack_ms = round((time.monotonic() - sent) * 1000, 3)
        self._retry_s = RETRY_FIRST_S
        self._arrived = item.id
        self._outbox.done(self._table, item.id)
        self.pump()
        return True

    def _try_again_later(self) -> None:
        self._set_timer(self._retry_s, self.pump)
        self._retry_s = min(2 * self._retry_s, RETRY_LONGEST_S)

    def _set_timer(self, delay: float | None, action: Callable[[], None] | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if delay is not None and action is not None:
            self._timer = asyncio.get_running_loop().call_later(delay, self._ring, action)

    def _ring(self, action: Callable[[], None]) -> None:
        self._timer = None
        action()
