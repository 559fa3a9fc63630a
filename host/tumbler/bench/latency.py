"""How long a result takes from the controller's cable to a subscriber, beside what its three unavoidable steps cost alone.

The steps: one round trip on the same cable, one synced commit of the same bytes on the same disk, one message of the
same size through the same broker. All four are measured in turn, round by round, so that a busy moment of the machine
falls on all of them. The real daemon, a real broker, a real pty; only the dice are given.
"""

from __future__ import annotations

import json
import random
import socket
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tumbler.bench.peer import ControllerPeer
from tumbler.bench.processes import SITE, Daemon, Mosquitto, Subscriber, write_config
from tumbler.mqtt import full_name
from tumbler.rules.gametable import compile_book
from tumbler.rules.tableplay import Play

BOOK = "crown-melbourne-sicbo-a"
KEY = bytes(range(32))
WARM_UP = 10
ECHO = "echo"


@dataclass
class Times:
    """Milliseconds, one of each a round."""

    result: list[float] = field(default_factory=list)
    link: list[float] = field(default_factory=list)
    sync: list[float] = field(default_factory=list)
    broker: list[float] = field(default_factory=list)

    @property
    def parts(self) -> float:
        return sum(statistics.median(part) for part in (self.link, self.sync, self.broker))


@dataclass
class Rig:
    """A daemon at work, with both of its ends in our hands."""

    peer: ControllerPeer
    floor: Subscriber
    daemon: Daemon
    broker: int  # its port
    folder: Path


@contextmanager
def rig(folder: Path) -> Iterator[Rig]:
    """Up and playing: connected to both sides, its game table in use."""
    broker = Mosquitto(folder)
    floor = Subscriber(broker.port)
    peer = ControllerPeer(folder / "controller", KEY, Play(BOOK), compile_book(BOOK))
    daemon = Daemon(write_config(folder, broker.port, port=folder / "controller", key=KEY, health_s=10))
    try:
        floor.wait_for("t1/info", lambda info: info["game_table"] == "active")
        yield Rig(peer, floor, daemon, broker.port, folder)
    finally:
        daemon.stop()
        peer.stop()
        floor.stop()
        broker.stop()


class BarePublisher:
    """What a message through the broker costs when nothing else is done: written to the socket by the calling thread."""

    def __init__(self, port: int) -> None:
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id="bare", protocol=paho.MQTTv5)
        self._client.on_socket_open = lambda _client, _data, opened: opened.setsockopt(  # type: ignore[attr-defined]
            socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
        )
        self._client.connect("127.0.0.1", port)
        while not self._client.is_connected():
            self._client.loop(0.1)

    def __call__(self, leaf: str, body: bytes) -> None:
        self._client.publish(full_name(SITE, "bench", leaf), body, qos=1)

    def settle(self) -> None:
        """Take the PUBACK, so that the next message finds an idle connection."""
        while self._client._out_messages:  # the only word that paho has for "not acknowledged yet"
            self._client.loop(0.1)

    def close(self) -> None:
        self._client.disconnect()


class BareCommit:
    """What a synced commit costs here when nothing else is done: one row into SQLite, as safe as the journal's."""

    def __init__(self, file: Path) -> None:
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = full")
        self._db.execute("create table record (body blob)")

    def __call__(self, body: bytes) -> None:
        self._db.execute("begin immediate")
        self._db.execute("insert into record values (?)", (body,))
        self._db.execute("commit")

    def close(self) -> None:
        self._db.close()


def measure(at: Rig, rounds: int, seed: int = 1) -> Times:
    """Rounds of all four, after a few that are thrown away."""
    times, dice = Times(), random.Random(seed)
    commit, publish = BareCommit(at.folder / "bare.db"), BarePublisher(at.broker)
    try:
        for number in range(WARM_UP + rounds):
            at.floor.forget()
            result = _arrival(at.floor, "t1/result", lambda: at.peer.spin(*dice.choices(range(1, 7), k=3)))
            body = json.dumps(at.floor.of("t1/result")[0]).encode()
            began = time.perf_counter()
            commit(body)
            sync = time.perf_counter() - began
            broker = _arrival(at.floor, f"bench/{ECHO}", partial(publish, ECHO, body))
            publish.settle()
            spent = (result, at.peer.round_trip(), sync, broker)
            if number >= WARM_UP:
                for row, seconds in zip((times.result, times.link, times.sync, times.broker), spent, strict=True):
                    row.append(seconds * 1000)
    finally:
        commit.close()
        publish.close()
    return times


def _arrival(floor: Subscriber, leaf: str, act: Callable[[], object]) -> float:
    """Seconds from the act to the message at the subscriber."""
    began = time.perf_counter()
    act()
    floor.wait_for(leaf)
    return next(at for name, _, at in floor.messages if name == leaf) - began
