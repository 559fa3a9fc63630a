"""A whole table on one machine: broker, twin with the firmware, daemon, page, and a subscriber that keeps score.

What `make run` starts. Every process is the real one, started as an operator would; the demo only watches what arrives
on MQTT and, at the end, holds it against the twin's truth file. Not for production: there systemd starts the daemon.
"""

from __future__ import annotations

import ctypes
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tumbler.advice import LOCKS

SITE = "demo"
TABLE = "t1"
TOPIC = f"tumbler/v1/{SITE}/{TABLE}"
START_SECONDS = 30.0
DELIVERY_SECONDS = 60.0
LOCKED_SECONDS = 60.0  # the dealer calls the supervisor within seconds; a lock that stays so long is for a person
PREFERRED_CONSOLE_PORT = 8765
PR_SET_PDEATHSIG = 1
MAX_RESTARTS = 50
BAD_INPUT = 2  # exit code of a part that no second start can help
SESSION_SECONDS = 3600


class DemoError(Exception):
    """The demo cannot go on; the message says which part failed and where its log is."""


@dataclass(frozen=True)
class Plan:
    """What the person typed."""

    folder: Path
    book: str
    spins: int | None
    seed: int
    pace: str
    speed: float
    listen: str | None
    browser: bool
    reader: str = "tags"
    difficulty: str = "normal"


@dataclass
class Part:
    """One process of the demo, with its log."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes]
    log: Path
    restarts: int = 0

    def failed(self) -> str | None:
        code = self.process.poll()
        if code is None:
            return None
        tail = self.log.read_text(errors="replace").strip().splitlines()[-3:]
        return f"{self.name} ended with {code}; its log {self.log} ends: " + " | ".join(tail)


@dataclass
class Score:
    """What arrived on MQTT, in the order of arrival; a repeated result_id is dropped as every consumer must."""

    results: list[dict[str, Any]] = field(default_factory=list)
    spins: dict[int, list[int] | None] = field(default_factory=dict)  # faces of each spin; None: a no spin
    seen: set[str] = field(default_factory=set)

    def add(self, result: dict[str, Any]) -> bool:
        if result["result_id"] in self.seen:
            return False
        self.seen.add(result["result_id"])
        self.results.append(result)
        self.spins[result["spin"]] = result["faces"]
        return True

    def explains(self, truth: list[list[int]]) -> bool:
        """Do the records tell of these flat spins, where a reader may have refused some that lay well? Each record is one
        spin, in order; a refusal stands for any spin, faces only for a flat one that shows them."""
        left = 0
        for _, faces in sorted(self.spins.items()):
            if faces is None:
                continue
            while left < len(truth) and truth[left] != faces:
                left += 1
            if left == len(truth):
                return False
            left += 1
        refused = sum(1 for faces in self.spins.values() if faces is None)
        return len(truth) - len(self.results) <= refused


def free_port(preferred: int = 0) -> int:
    for port in (preferred, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise DemoError("no free TCP port on 127.0.0.1")


def can_listen(listen: str) -> str | None:
    """Why the page could not be served there: a person would be sent to nowhere, or to another program's page."""
    host, _, port = listen.rpartition(":")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        return f"{listen!r}: cannot listen there: {error.strerror or error}"
    return None


def die_with_parent() -> None:
    """So that not even kill -9 of the demo leaves a process behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def launch(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=die_with_parent,
        )


class Demo:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.parts: list[Part] = []
        self.score = Score()
        self.arrivals: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.stopping = False
        self.locked: tuple[float, str] | None = None  # since when, and why
        self.broker_port = free_port()
        host, _, port = (plan.listen or f"127.0.0.1:{free_port(PREFERRED_CONSOLE_PORT)}").rpartition(":")
        self.listen = f"{host}:{int(port) or free_port()}"  # shown to a person, so 0 is made a number here
        self.truth = plan.folder / "truth.jsonl"
        self.link = plan.folder / "controller"

    # --- starting -----------------------------------------------------------------------------------------------

    def start_part(self, name: str, command: list[str]) -> Part:
        log = self.plan.folder / f"{name}.log"
        part = Part(name, command, launch(command, log), log)
        self.parts.append(part)
        return part

    def look_after(self, part: Part, failure: str) -> None:
        """Start it again, as systemd does on a real table; but the twin is the table, without it there is no demo."""
        if part.name == "twin" or part.process.returncode == BAD_INPUT or part.restarts >= MAX_RESTARTS:
            raise DemoError(failure)
        part.restarts += 1
        print(f"  {part.name} ended with {part.process.returncode}: started again", flush=True)
        part.process = launch(part.command, part.log)

    def start_broker(self) -> None:
        found = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        if not found:
            raise DemoError("mosquitto is missing; as root: apt-get install mosquitto")
        folder = self.plan.folder / "mosquitto"
        folder.mkdir(mode=0o700)
        config = folder / "mosquitto.conf"
        lines = [f"listener {self.broker_port} 127.0.0.1", "allow_anonymous true", "persistence true"]
        lines += [f"persistence_location {folder}/", "max_queued_messages 0"]
        # A killed broker must still know what the subscriber has not had: save on every change.
        lines += ["autosave_on_changes true", "autosave_interval 1"]
        lines.append("set_tcp_nodelay true")  # a result must not wait 40 ms for a delayed acknowledgement
        if os.geteuid() == 0:
            lines.append("user root")  # the broker would otherwise change to a user that cannot read the run folder
        config.write_text("\n".join(lines) + "\n")
        broker = self.start_part("mosquitto", [found, "-c", str(config)])
        self.wait_until("the broker listens", self.broker_listens, broker)

    def broker_listens(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(0.2)
            return probe.connect_ex(("127.0.0.1", self.broker_port)) == 0

    def start_subscriber(self) -> mqtt.Client:
        client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="demo-score", protocol=mqtt.MQTTv5)
        client.reconnect_delay_set(1, 2)
        session = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        session.SessionExpiryInterval = SESSION_SECONDS

        def on_connect(connected: mqtt.Client, *_: Any) -> None:
            connected.subscribe(f"{TOPIC}/#", qos=1)

        def on_message(_client: mqtt.Client, _data: Any, message: mqtt.MQTTMessage) -> None:
            self.arrivals.put((message.topic.removeprefix(TOPIC + "/"), bytes(message.payload)))

        client.on_connect = on_connect
        client.on_message = on_message
        client.connect("127.0.0.1", self.broker_port, clean_start=False, properties=session)
        client.loop_start()
        return client

    def start_twin(self) -> Part:
        plan = self.plan
        command = [sys.executable, "-m", "tumbler", "twin", "--auto", "--book", plan.book, "--seed", str(plan.seed)]
        command += ["--link", str(self.link), "--truth", str(self.truth), "--key", str(plan.folder / "table.key")]
        command += ["--control", str(plan.folder / "twin.sock"), "--pace", plan.pace, "--speed", str(plan.speed)]
        command += ["--reader", plan.reader, "--difficulty", plan.difficulty]
        if plan.spins is not None:
            command += ["--spins", str(plan.spins)]
        twin = self.start_part("twin", command)
        self.wait_until("the twin's serial port appears", self.link.exists, twin)
        return twin

    def start_daemon(self) -> Part:
        config = self.plan.folder / "tumbler.toml"
        config.write_text(
            f'site = "{SITE}"\n\n[journal]\npath = "{self.plan.folder / "journal.db"}"\n\n'
            f'[mqtt]\nhost = "127.0.0.1"\nport = {self.broker_port}\n\n'
            f'[console]\nlisten = "{self.listen}"\nposes = "{self.plan.folder / "twin.sock"}"\n\n'
            f'[[table]]\nid = "{TABLE}"\nbook = "{self.plan.book}"\nport = "{self.link}"\n'
            f'key_file = "{self.plan.folder / "table.key"}"\nreader = "{self.plan.reader}"\n'
        )
        return self.start_part("daemon", [sys.executable, "-m", "tumbler", "run", "--config", str(config)])

    def wait_until(self, what: str, ready: Callable[[], bool], part: Part) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not ready():
            failure = part.failed()
            if failure:
                raise DemoError(failure)
            if time.monotonic() > deadline:
                raise DemoError(f"waited {START_SECONDS:.0f} s until {what}; see {part.log}")
            time.sleep(0.02)

    # --- watching -----------------------------------------------------------------------------------------------

    def messages(self) -> Iterator[tuple[str, Any]]:
        """MQTT messages as they come; every second without one, an empty topic so that processes are looked after."""
        while not self.stopping:
            try:
                topic, payload = self.arrivals.get(timeout=0.5)
            except queue.Empty:
                yield "", None
                continue
            yield topic, json.loads(payload) if payload else None

    def show(self, topic: str, body: Any) -> None:
        if topic == "result" and self.score.add(body):
            areas = ", ".join(body["winning_areas"])
            faces = " ".join(str(face) for face in body["faces"])
            print(f"  spin {body['spin']:>4}   {faces}   total {body['total']:>2}   lit: {areas}", flush=True)
        elif topic == "event/no_spin":
            self.score.spins[body["spin"]] = None
            seen = f", seen: {body['sight']}" if body.get("sight") else ""
            print(
                f"  spin {body['spin']:>4}   no spin: {body['cause']} (rule {body['rule']}){seen}, spin again",
                flush=True,
            )
        elif topic.startswith("event/") and body.get("severity") in ("warning", "error", "critical"):
            print(f"  {topic.removeprefix('event/')}: {body.get('text') or body.get('code')}", flush=True)
        elif topic == "round":
            self.look_at_lock(body["round"], body["lock"])

    def look_at_lock(self, phase: str, reason: str) -> None:
        if phase == "locked":
            self.locked = self.locked or (time.monotonic(), reason)
        elif phase not in ("boot", "self_test"):  # an attempt to unlock goes through these, and may end where it began
            self.locked = None

    def locked_for_good(self) -> str | None:
        """Why a run that was to end by itself never would."""
        if self.plan.spins is None or self.locked is None or time.monotonic() - self.locked[0] < LOCKED_SECONDS:
            return None
        reason = self.locked[1]
        return (
            f"the table has been locked for {LOCKED_SECONDS:.0f} s ({reason}): {LOCKS[reason]} See {self.plan.folder}"
        )

    def flat_spins(self) -> list[list[int]]:
        if not self.truth.exists():
            return []
        rows = [json.loads(line) for line in self.truth.read_text().splitlines() if line.endswith("}")]
        return [row["faces"] for row in rows if row["flat"]]

    def watch(self, twin: Part) -> int:
        twin_ended_at: float | None = None
        for topic, body in self.messages():
            self.show(topic, body)
            for part in self.parts:
                if part is twin and part.process.poll() == 0:
                    twin_ended_at = twin_ended_at or time.monotonic()
                elif failure := part.failed():
                    self.look_after(part, failure)
            if twin_ended_at is None:
                if why := self.locked_for_good():
                    raise DemoError(why)
                continue
            arrived = [result["faces"] for result in self.score.results]
            told = arrived == self.flat_spins() or (self.plan.reader != "tags" and self.all_told())
            if told and self.arrivals.empty():
                break
            if time.monotonic() - twin_ended_at > DELIVERY_SECONDS:
                break
        return self.verdict() if self.plan.spins is not None else 0

    def all_told(self) -> bool:
        """Every physical spin has its record."""
        return len(self.score.spins) >= len(self.truth.read_text().splitlines())

    def verdict(self) -> int:
        truth, arrived = self.flat_spins(), [result["faces"] for result in self.score.results]
        if truth != arrived and self.plan.reader != "tags" and self.score.explains(truth):
            more = len(truth) - len(arrived)
            print(
                f"{len(arrived)} results on MQTT, equal to flat spins of {self.truth}; {more} more refused", flush=True
            )
            return 0
        if truth == arrived:
            print(f"{len(arrived)} results on MQTT, equal to the {len(truth)} flat spins of {self.truth}", flush=True)
            return 0
        pairs = zip(truth, arrived, strict=False)
        first = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(truth), len(arrived)))
        print(
            f"results differ from the physics: {len(truth)} flat spins, {len(arrived)} results, "
            f"first difference at number {first + 1}; see {self.plan.folder}",
            file=sys.stderr,
        )
        return 1

    # --- the whole ----------------------------------------------------------------------------------------------

    def run(self) -> int:
        client: mqtt.Client | None = None
        try:
            self.start_broker()
            client = self.start_subscriber()
            twin = self.start_twin()
            self.start_daemon()
            print(f"console   http://{self.listen}/", flush=True)
            print(f"broker    mqtt://127.0.0.1:{self.broker_port}, topics {TOPIC}/#", flush=True)
            print(f"files     {self.plan.folder} (truth, journal, logs)", flush=True)
            if self.plan.browser and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
                webbrowser.open(f"http://{self.listen}/")
            return self.watch(twin)
        finally:
            self.stop()
            if client is not None:
                client.loop_stop()

    def stop(self) -> None:
        """Twin first, then the daemon, the broker last: each can still say good-bye to the next."""
        self.stopping = True
        order = {"twin": 0, "daemon": 1, "mosquitto": 2}
        for part in sorted(self.parts, key=lambda part: order[part.name]):
            if part.process.poll() is None:
                part.process.terminate()
                try:
                    part.process.wait(timeout=6)
                except subprocess.TimeoutExpired:
                    part.process.kill()
                    part.process.wait()
