"""The retained topics of a table: the newest payload of each, sent when it changes and all of them again at every connect.

A broker may have forgotten everything, so nothing is trusted to be there still. At most one message a topic is in flight;
what changes faster than the broker takes it is sent as it stands then, so memory is bounded by the number of topics.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from tumbler.mqtt.connection import Connection
from tumbler.mqtt.counters import Counters
from tumbler.mqtt.topics import full_name, topic_of


@dataclass
class Standing:
    payload: bytes
    expiry_s: int | None
    since: float


class RetainedTopics:
    def __init__(self, site: str, table: str, counters: Counters) -> None:
        self._site, self._table, self._counters = site, table, counters
        self._standing: dict[str, Standing] = {}
        self._unsent: dict[str, None] = {}  # an ordered set
        self._flying: dict[int, str] = {}
        self._connection: Connection | None = None

    def put(self, leaf: str, payload: bytes, expiry_s: int | None) -> None:
        topic = topic_of(leaf)
        if not topic.retained:
            raise ValueError(f"topic {leaf!r} is not a retained one")
        self._standing[leaf] = Standing(payload, expiry_s if expiry_s is not None else topic.expiry_s, time.monotonic())
        self._unsent[leaf] = None
        self._pump()

    def attach(self, connection: Connection) -> None:
        self._connection = connection
        self._flying.clear()
        # `state` last: who sees the daemon online finds everything else in its place.
        leaves = sorted(self._standing, key=lambda leaf: (leaf == "state", leaf))
        self._unsent = dict.fromkeys(leaves)
        self._pump()

    def detach(self) -> None:
        self._connection = None

    @property
    def idle(self) -> bool:
        return not self._unsent and not self._flying

    def acknowledged(self, mid: int) -> bool:
        """A PUBACK came; False when it is not for a retained topic. A refused one stands until it changes or we reconnect."""
        if self._flying.pop(mid, None) is None:
            return False
        self._pump()
        return True

    def _pump(self) -> None:
        if self._connection is None:
            return
        busy = set(self._flying.values())
        for leaf in [leaf for leaf in self._unsent if leaf not in busy]:
            del self._unsent[leaf]
            standing = self._standing[leaf]
            left = self._seconds_left(standing)
            if left is not None and left <= 0:
                continue  # too old to be told as news
            topic = topic_of(leaf)
            name = full_name(self._site, self._table, leaf)
            mid = self._connection.publish(name, standing.payload, qos=topic.qos, retain=True, expiry_s=left)
            self._flying[mid] = leaf
            self._counters.retained += 1

    def _seconds_left(self, standing: Standing) -> int | None:
        if standing.expiry_s is None:
            return None
        return round(standing.expiry_s - (time.monotonic() - standing.since))
