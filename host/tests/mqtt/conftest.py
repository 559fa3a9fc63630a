"""A real Mosquitto on a free port, an observer of its own, and a journal with an outbox: what every test of the link needs."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from tumbler.journal import Journal, Publication, Record
from tumbler.mqtt import MqttLink

MOSQUITTO = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
PATIENCE_S = 20.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Broker:
    """A Mosquitto that can be stopped, started again, and told to forget."""

    def __init__(self, folder: Path, lines: tuple[str, ...] = ()) -> None:
        self.port = free_port()
        self.folder, self._lines = folder, lines
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        config = self.folder / "mosquitto.conf"
        lines = [f"listener {self.port} 127.0.0.1", "persistence true", f"persistence_location {self.folder}/"]
        lines += ["user root"] if os.geteuid() == 0 else []
        lines += self._lines or ["allow_anonymous true"]
        config.write_text("\n".join(lines) + "\n")
        assert MOSQUITTO is not None
        with (self.folder / "mosquitto.log").open("ab") as log:
            self._process = subprocess.Popen([MOSQUITTO, "-v", "-c", str(config)], stdout=log, stderr=log)
        self._until_it_listens()

    def _until_it_listens(self) -> None:
        assert self._process is not None
        for _ in range(2000):
            with socket.socket() as probe:
                probe.settimeout(1)
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert self._process.poll() is None, (self.folder / "mosquitto.log").read_text()
            try:
                self._process.wait(0.005)
            except subprocess.TimeoutExpired:
                continue
        raise AssertionError("mosquitto does not listen")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def forget(self) -> None:
        """Lose every session and every retained message."""
        (self.folder / "mosquitto.db").unlink(missing_ok=True)

    def freeze(self, signal: int) -> None:
        assert self._process is not None
        self._process.send_signal(signal)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    if MOSQUITTO is None:
        pytest.skip("mosquitto is not installed")
    folder = tmp_path / "broker"
    folder.mkdir()
    broker = Broker(folder)
    broker.start()
    yield broker
    broker.stop()


@dataclass(frozen=True)
class Settings:
    port: int
    host: str = "127.0.0.1"
    username: str | None = None
    password_file: Path | None = None
    tls: bool = False
    ca_file: Path | None = None
    cert_file: Path | None = None
    private_key_file: Path | None = None
    client_id: str | None = None
    keepalive: int = 5


@dataclass
class Seen:
    topic: str
    payload: Any
    retained: bool
    expiry_s: int | None
    correlation: bytes | None


@dataclass
class Observer:
    """A subscriber with a thread of its own; a test waits for what it wants to see."""

    port: int
    loop: asyncio.AbstractEventLoop
    everything: list[Seen] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    client: paho.Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_message = self._message
        self.client.on_subscribe = lambda *_: self.loop.call_soon_threadsafe(self.changed.set)
        self.client.on_connect = lambda client, *_: client.subscribe("#", qos=1)

    def _message(self, _client: Any, _data: Any, message: paho.MQTTMessage) -> None:
        properties = message.properties
        seen = Seen(
            message.topic,
            json.loads(message.payload) if message.payload else None,
            bool(message.retain),
            getattr(properties, "MessageExpiryInterval", None),
            getattr(properties, "CorrelationData", None),
        )
        self.loop.call_soon_threadsafe(self._add, seen)

    def _add(self, seen: Seen) -> None:
        self.everything.append(seen)
        self.changed.set()

    async def start(self) -> None:
        self.client.connect_async("127.0.0.1", self.port, clean_start=True)
        self.client.loop_start()
        async with asyncio.timeout(PATIENCE_S):
            await self.changed.wait()

    async def until(self, ready: Callable[[list[Seen]], Any]) -> Any:
        async with asyncio.timeout(PATIENCE_S):
            while not (value := ready(self.everything)):
                self.changed.clear()
                await self.changed.wait()
        return value

    def on(self, leaf: str) -> list[Any]:
        return [seen.payload for seen in self.everything if seen.topic == f"tumbler/v1/demo/t1/{leaf}"]

    def send(self, topic: str, payload: bytes, *, retain: bool = False, **properties: Any) -> None:
        told = Properties(PacketTypes.PUBLISH)
        for name, value in properties.items():
            setattr(told, name, value)
        self.client.publish(topic, payload, qos=1, retain=retain, properties=told)

    def stop(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@dataclass
class Floor:
    """Broker, journal and table t1 of site demo; makes links and observers, and puts results into the outbox."""

    broker: Broker
    journal: Journal
    commands: list[tuple[str, bytes, bool]] = field(default_factory=list)

    @asynccontextmanager
    async def observer(self) -> AsyncIterator[Observer]:
        observer = Observer(self.broker.port, asyncio.get_running_loop())
        await observer.start()
        try:
            yield observer
        finally:
            observer.stop()

    @asynccontextmanager
    async def link(self, *, port: int | None = None, table: str = "t1", **settings: Any) -> AsyncIterator[MqttLink]:
        chosen = Settings(port or self.broker.port, **settings)
        link = MqttLink(chosen, "demo", table, self.journal.outbox, self._command, about={"version": "1.2.3"})
        link.start()
        try:
            yield link
        finally:
            await link.stop()

    async def _command(self, name: str, _topic: str, payload: bytes, retained: bool) -> dict[str, Any]:
        self.commands.append((name, payload, retained))
        if name == "break":
            raise RuntimeError("broken on purpose")
        answer = {"id": json.loads(payload).get("id"), "ok": not retained, "code": "done", "text": name}
        return {**answer, "code": "retained"} if retained else answer

    def result(self, spin: int, table: str = "t1") -> str:
        """A result into the journal and its publication into the outbox."""
        result_id = f"0badcafe-{spin:08d}"

        def publish(record: Record) -> list[Publication]:
            told = {"result_id": result_id, "spin": spin, "seq": record.seq}
            return [Publication(f"tumbler/v1/demo/{table}/result", json.dumps(told).encode())]

        self.journal.append("result", table, {"spin": spin}, result_id=result_id, publish=publish)
        return result_id

    async def until(self, what: Callable[[], Any]) -> None:
        """For what has no event to wait for: the journal's own thread, the broker's files."""
        async with asyncio.timeout(PATIENCE_S):
            while not what():
                await asyncio.sleep(0.01)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as journal:
        yield journal


@pytest.fixture
def floor(broker: Broker, journal: Journal) -> Floor:
    return Floor(broker, journal)
