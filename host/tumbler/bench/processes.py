"""The other processes of a measurement or a test: a broker of one's own, the daemon as an operator starts it, a subscriber.

Each with free ports and in a folder that the caller gives; each ended by its own `stop`, never by name.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

PATIENCE_S = 20.0
SESSION_S = 3600
PR_SET_PDEATHSIG = 1
SITE = "test"


class PartFailed(Exception):
    """A process did not come up or did not do its part; the message ends with what it said."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """A child with its output in a file."""

    def __init__(self, command: Sequence[str], log: Path, limits: Callable[[], None] | None = None) -> None:
        self.log = log

        def prepare() -> None:
            die_with_parent()
            if limits is not None:
                limits()

        with log.open("ab") as out:
            self._child = subprocess.Popen(
                command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, preexec_fn=prepare
            )

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def alive(self) -> bool:
        return self._child.poll() is None

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def stop(self, seconds: float = PATIENCE_S) -> int:
        """SIGTERM, and the exit code."""
        if self.alive:
            self._child.terminate()
        try:
            return self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise PartFailed(f"{self.log.stem} did not end in {seconds} s: {self.said()[-500:]}") from None

    def wait(self, seconds: float = PATIENCE_S) -> int:
        return self._child.wait(seconds)

    def kill(self) -> None:
        self._child.kill()
        self._child.wait()


class Mosquitto:
    """A broker on a free port that remembers over a restart."""

    def __init__(self, folder: Path) -> None:
        found = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        if found is None:
            raise PartFailed("mosquitto is missing; as root: apt-get install mosquitto")
        self.port = free_port()
        self._folder = folder / f"mosquitto-{self.port}"
        self._folder.mkdir(mode=0o700)
        self._config = self._folder / "mosquitto.conf"
        lines = [f"listener {self.port} 127.0.0.1", "allow_anonymous true", "persistence true", "max_queued_messages 0"]
        lines += ["set_tcp_nodelay true"]  # else a result waits 40 ms for the other side's delayed acknowledgement
        lines += [f"persistence_location {self._folder}/", "autosave_on_changes true", "autosave_interval 1"]
        if os.geteuid() == 0:
            lines.append("user root")
        self._config.write_text("\n".join(lines) + "\n")
        self._command = [found, "-c", str(self._config)]
        self._process: Process | None = None
        self.start()

    def start(self) -> None:
        self._process = Process(self._command, self._folder / "broker.log")
        deadline = time.monotonic() + PATIENCE_S
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            if not self._process.alive or time.monotonic() > deadline:
                raise PartFailed(f"mosquitto does not listen: {self._process.said()[-300:]}")
            time.sleep(0.01)

    def stop(self) -> None:
        if self._process is not None and self._process.alive:
            self._process.stop()

    def restart(self) -> None:
        self.stop()
        self.start()

    def freeze(self) -> None:
        """It hangs: connections stay open and nothing is answered, until thaw()."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.alive:
            os.kill(self._process.pid, number)


class Subscriber:
    """Keeps everything that arrives, with the time of arrival; a persistent session, so that it misses nothing."""

    def __init__(self, port: int, client_id: str = "subscriber") -> None:
        self.messages: list[tuple[str, Any, float]] = []  # (leaf with table, payload, perf_counter)
        self.changed = threading.Condition()
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id=client_id, protocol=paho.MQTTv5)
        self._client.reconnect_delay_set(1, 1)
        self._client.on_connect = lambda client, *_: client.subscribe(f"tumbler/v1/{SITE}/#", qos=1)
        self._client.on_message = self._came
        self._client.on_socket_open = lambda _client, _data, opened: opened.setsockopt(  # type: ignore[attr-defined]
            socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
        )
        session = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        session.SessionExpiryInterval = SESSION_S
        subscribed = threading.Event()
        self._client.on_subscribe = lambda *_: subscribed.set()
        self._client.connect("127.0.0.1", port, keepalive=10, clean_start=False, properties=session)
        self._client.loop_start()
        if not subscribed.wait(PATIENCE_S):
            raise PartFailed("the subscriber was not accepted by the broker")

    def _came(self, _client: Any, _data: Any, message: paho.MQTTMessage) -> None:
        at = time.perf_counter()
        leaf = message.topic.removeprefix(f"tumbler/v1/{SITE}/")
        payload = json.loads(message.payload) if message.payload else None
        with self.changed:
            self.messages.append((leaf, payload, at))
            self.changed.notify_all()

    def of(self, leaf: str) -> list[Any]:
        """Payloads of a topic such as `t1/result`, in order of arrival."""
        with self.changed:
            return [payload for name, payload, _ in self.messages if name == leaf]

    def results(self, table: str = "t1") -> list[Any]:
        """As every consumer must: a repeated result_id is dropped."""
        seen: dict[str, Any] = {}
        for payload in self.of(f"{table}/result"):
            seen.setdefault(payload["result_id"], payload)
        return list(seen.values())

    def wait(self, ready: Callable[[Subscriber], bool], seconds: float = PATIENCE_S) -> None:
        with self.changed:
            if not self.changed.wait_for(lambda: ready(self), seconds):
                raise PartFailed(f"did not arrive in {seconds} s; topics: {sorted({m[0] for m in self.messages})}")

    def wait_for(self, leaf: str, matches: Callable[[Any], bool] = lambda _: True, seconds: float = PATIENCE_S) -> Any:
        """The first payload on a topic that matches, now or later."""
        self.wait(lambda me: any(payload is not None and matches(payload) for payload in me.of(leaf)), seconds)
        return next(payload for payload in self.of(leaf) if payload is not None and matches(payload))

    def forget(self) -> None:
        with self.changed:
            self.messages.clear()

    def publish(self, leaf: str, payload: Mapping[str, Any] | bytes, *, retain: bool = False) -> None:
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self._client.publish(f"tumbler/v1/{SITE}/{leaf}", data, qos=1, retain=retain).wait_for_publish(PATIENCE_S)

    def stop(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


class Daemon(Process):
    """`tumbler run` with a configuration."""

    def __init__(self, config: Path, limits: Callable[[], None] | None = None) -> None:
        command = [sys.executable, "-m", "tumbler", "run", "--config", str(config)]
        super().__init__(command, config.with_suffix(".log"), limits)


def write_config(
    folder: Path, broker: int, *, port: Path, key: bytes, name: str = "t1", more: str = "", health_s: int = 1
) -> Path:
    """A configuration for one Sic Bo table; `more` is added at the end, inside its [[table]]."""
    key_file = folder / f"{name}.key"
    key_file.write_text(key.hex())
    key_file.chmod(0o600)
    file = folder / "tumbler.toml"
    file.write_text(
        f'site = "{SITE}"\nhealth_s = {health_s}\n[journal]\npath = "journal.db"\n[mqtt]\nport = {broker}\n'
        f'[commands]\ntrust = "broker"\n[[table]]\nid = "{name}"\nbook = "crown-melbourne-sicbo-a"\n'
        f'port = "{port}"\nkey_file = "{key_file.name}"\n{more}\n'
    )
    return file


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
