"""The recorder against a real broker and a real daemon: everything in the database, also what it was not there for."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from tumbler.bench.peer import ControllerPeer
from tumbler.bench.processes import Daemon, Mosquitto, write_config
from tumbler.config import MqttConfig
from tumbler.recorder.recorder import Plan, Recorder
from tumbler.recorder.store import Store, open_store
from tumbler.rules.gametable import compile_book
from tumbler.rules.tableplay import Play

BOOK = "crown-melbourne-sicbo-a"
KEY = bytes(range(32))


def until(what: str, ready: Callable[[], Any], seconds: float = 30.0) -> None:
    """Another thread stores, and only the database tells."""
    deadline, pause = time.monotonic() + seconds, threading.Event()
    while not ready():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s until {what}"
        pause.wait(0.02)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    made = Mosquitto(tmp_path)
    yield made
    made.stop()


class Floor:
    """Tables that are only publishers."""

    def __init__(self, port: int, told: Callable[..., bytes]) -> None:
        self._told = told
        self._client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()

    def result(self, table: str, spin: int) -> None:
        self._client.publish(f"tumbler/v1/north/{table}/result", self._told(spin), qos=1).wait_for_publish(20)

    def send(self, topic: str, payload: bytes) -> None:
        self._client.publish(topic, payload, qos=1).wait_for_publish(20)

    def stop(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


@pytest.fixture
def floor(broker: Mosquitto, told: Callable[..., bytes]) -> Iterator[Floor]:
    made = Floor(broker.port, told)
    yield made
    made.stop()


def spins(store: Store, table: str) -> list[int]:
    return [int(row[0][-8:]) for row in store.results("north", table)]


def test_instances_share_the_work_and_store_each_game_once(
    where: str, broker: Mosquitto, floor: Floor, in_background: Any
) -> None:
    stores = [open_store(where) for _ in range(3)]
    recorders = [Recorder(store, MqttConfig(port=broker.port), Plan(name=f"r{n}")) for n, store in enumerate(stores)]
    for recorder in recorders:
        in_background(recorder)
    for spin in range(1, 61):
        for table in ("t1", "t2"):
            floor.result(table, spin)
    floor.send("tumbler/v1/north/t1/result", b"rubbish")
    looker = open_store(where)
    until("all are stored", lambda: looker.count() == 120)
    until("the rubbish was counted", lambda: sum(r.counters.not_games for r in recorders) == 1)
    assert spins(looker, "t1") == spins(looker, "t2") == list(range(1, 61))
    assert sum(recorder.counters.new for recorder in recorders) == 120
    assert sum(recorder.counters.new > 0 for recorder in recorders) > 1
    looker.close()


def test_what_came_while_it_was_away_waits_at_the_broker(
    tmp_path: Path, broker: Mosquitto, floor: Floor, in_background: Any
) -> None:
    store = open_store(str(tmp_path / "games.db"))
    stop = in_background(Recorder(store, MqttConfig(port=broker.port)))
    floor.result("t1", 1)
    until("the first is stored", lambda: store.count() == 1)
    stop.set()
    for spin in range(2, 30):
        floor.result("t1", spin)
    in_background(Recorder(store, MqttConfig(port=broker.port)))
    until("all are stored", lambda: store.count() == 29)


def test_what_the_database_could_not_take_is_not_acknowledged(
    tmp_path: Path, broker: Mosquitto, floor: Floor, in_background: Any
) -> None:
    path = tmp_path / "games.db"
    store = open_store(str(path))
    healthy = store._connect
    recorder = Recorder(store, MqttConfig(port=broker.port))
    stop = in_background(recorder)

    def broken() -> Any:
        raise store.failure("disk I/O error")

    store._connect = broken  # type: ignore[method-assign]
    store.close()
    floor.result("t1", 1)
    until("it failed", lambda: recorder.counters.failures > 0)
    stop.set()
    store._connect = healthy  # type: ignore[method-assign]
    in_background(Recorder(store, MqttConfig(port=broker.port)))
    until("it came again", lambda: store.count() == 1)


def test_missed_games_are_asked_back_from_the_tables_own_journal(
    tmp_path: Path, broker: Mosquitto, in_background: Any
) -> None:
    peer = ControllerPeer(tmp_path / "controller", KEY, Play(BOOK), compile_book(BOOK))
    daemon = Daemon(write_config(tmp_path, broker.port, port=tmp_path / "controller", key=KEY))
    store = open_store(str(tmp_path / "games.db"))
    try:
        stop = in_background(Recorder(store, MqttConfig(port=broker.port), Plan(name="first")))
        peer.spin(1, 1, 2)
        until("the first is stored", lambda: store.count() == 1)
        stop.set()
        peer.spin(2, 2, 3)
        peer.no_spin(1)
        peer.spin(3, 3, 4)
        peer.wait(lambda at: at.committed == 4)
        # Another name: its session never saw what the first one missed.
        second = Recorder(store, MqttConfig(port=broker.port), Plan(name="second", group="others"))
        in_background(second)
        peer.spin(4, 4, 5)
        until("the newest is stored", lambda: store.count() >= 2)
        until("the gap is closed", lambda: store.count() == 5 and store.gaps() == [])
        faces = [row[1] for row in store.results("test", "t1")]
        assert faces == ["1 1 2", "2 2 3", "3 3 4", "4 4 5"]
        assert second.counters.recalled >= 3
        assert second.counters.conflicts == 0
    finally:
        daemon.kill()
        peer.stop()


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_records_until_it_is_told_to_stop(tmp_path: Path, broker: Mosquitto, floor: Floor) -> None:
    command = [sys.executable, "-m", "tumbler", "record", "--database", "games.db"]
    command += ["--broker", f"127.0.0.1:{broker.port}", "--name", "one"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "broker online" in process.stderr.readline()
        looker = open_store(str(tmp_path / "games.db"))
        spin = 0

        def stored() -> bool:
            nonlocal spin
            spin += 1  # the first may come before its subscription stands
            floor.result("t1", spin)
            return looker.count() > 0

        until("something is stored", stored)
        process.terminate()
        assert process.wait(10) == 0
        looker.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--database"),
        (("--database", "nowhere/games.db"), "folder does not exist"),
        (("--database", "g.db", "--broker", "host:99999999"), "is not HOST or HOST:PORT"),
        (("--database", "g.db", "--group", "a/b"), "--group 'a/b' is not a name"),
        (("--database", "g.db", "--key-file", "nowhere"), "nowhere cannot be read"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    command = [sys.executable, "-m", "tumbler", "record", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert said in line
