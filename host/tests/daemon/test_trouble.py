"""Trouble: each kind is one clear line and an event, the daemon goes on trying, and no result is lost."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dicewire import codes
from dicewire import messages as wire
from tumbler.bench.peer import ControllerPeer
from tumbler.bench.processes import Daemon, Mosquitto, Subscriber, cpu_seconds, resident_mb, write_config
from tumbler.journal import JournalReader, Kind

Run = Callable[..., Daemon]
KEY = bytes(range(32))


def lines_with(daemon: Daemon, words: str) -> list[str]:
    return [line for line in daemon.said().splitlines() if words in line]


def test_wrong_key_is_one_line_and_a_tamper_event(
    run: Run, peer: ControllerPeer, floor: Subscriber, config: Path
) -> None:
    config.with_name("t1.key").write_text("ff" * 32)
    daemon = run()
    event = floor.wait_for("t1/event/tamper")
    assert event["code"] == "link_key"
    assert "key" in event["text"]
    assert floor.wait_for("t1/link", lambda link: link["link"] == "refused")["state"] == "down"
    assert len(lines_with(daemon, "link refused")) == 1
    peer.spin(1, 2, 3)
    assert daemon.stop() == 0
    assert floor.results() == []

    config.with_name("t1.key").write_text(KEY.hex())
    run()
    floor.wait(lambda at: len(at.results()) == 1)


class Talker:
    """Something on the port that is no controller: a modem that echoes and says OK."""

    def __init__(self, link: Path, answer: bytes) -> None:
        self.fd, near = os.openpty()
        tty.setraw(near)
        link.symlink_to(os.ttyname(near))
        self._near, self._answer = near, answer
        self.asked = 0
        self._thread = threading.Thread(target=self._talk, daemon=True)
        self._thread.start()

    def _talk(self) -> None:
        while True:
            try:
                data = os.read(self.fd, 4096)
            except OSError:
                return
            self.asked += 1
            if b"quit" in data:
                return
            if self._answer:
                os.write(self.fd, self._answer)

    def stop(self, link: Path) -> None:
        link.unlink()
        os.write(self._near, b"quit")
        self._thread.join(5)
        os.close(self._near)
        os.close(self.fd)


@pytest.fixture
def talker(tmp_path: Path) -> Iterator[Callable[[bytes], Talker]]:
    started: list[Talker] = []

    def start(answer: bytes) -> Talker:
        started.append(Talker(tmp_path / "controller", answer))
        return started[-1]

    yield start
    for one in started:
        if (tmp_path / "controller").is_symlink() and one.fd >= 0:
            one.stop(tmp_path / "controller")


@pytest.mark.parametrize(("answer", "state"), [(b"\r\nOK\r\n", "foreign"), (b"", "silent")])
def test_foreign_or_silent_device_is_told_once_and_a_controller_is_taken_when_it_comes(
    answer: bytes, state: str, talker: Callable[[bytes], Talker], run: Run, floor: Subscriber, tmp_path: Path
) -> None:
    stranger = talker(answer)
    daemon = run()
    event = floor.wait_for("t1/event/fault")
    assert event["code"] == f"link_{state}"
    assert str(tmp_path / "controller") in event["text"]
    floor.wait_for("t1/link", lambda link: link["link"] == state)
    assert len(lines_with(daemon, f"link {state}")) == 1
    asked = stranger.asked
    floor.wait_for("t1/health", lambda told: "link_down" in told["warnings"])
    stranger.stop(tmp_path / "controller")
    assert asked >= 3

    from tumbler.rules.gametable import compile_book
    from tumbler.rules.tableplay import Play

    book = "crown-melbourne-sicbo-a"
    peer = ControllerPeer(tmp_path / "controller", KEY, Play(book), compile_book(book))
    try:
        peer.spin(4, 5, 6)
        floor.wait(lambda at: len(at.results()) == 1)
    finally:
        peer.stop()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_port_that_is_none_is_one_line_and_an_event(what: str, run: Run, floor: Subscriber, tmp_path: Path) -> None:
    port = tmp_path / "controller"
    port.touch() if what == "file" else port.mkdir()
    daemon = run()
    event = floor.wait_for("t1/event/fault", lambda told: told["code"].startswith("link_"))
    assert event["code"] == "link_not_serial"
    assert f"{port} is not a serial port" in event["text"]
    floor.wait_for("t1/health", lambda told: "link_down" in told["warnings"])
    assert len(lines_with(daemon, "link closed")) == 1


def small_files(size: int) -> Callable[[], None]:
    """No file of the process may grow beyond this: the disk is full, as SQLite sees it."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    return limit


def test_full_disk_holds_the_table_with_one_line_and_an_event_and_loses_nothing(
    run: Run, peer: ControllerPeer, floor: Subscriber
) -> None:
    daemon = run(limits=small_files(400_000))
    floor.wait_for("t1/link", lambda link: link["state"] == "up")
    held = {
        "on": 1,
        "reason": codes.HOLD_JOURNAL_FAILED,
    }  # at first it is held until it has its game table, which is another reason
    spins = 0
    while peer.last(wire.HOLD) != held and spins < 400:
        for _ in range(10):
            spins += 1
            peer.spin(1 + spins % 6, 2, 3)
        peer.wait(lambda at, spins=spins: at.committed == spins or at.last(wire.HOLD) == held)
    assert peer.last(wire.HOLD) == held
    assert peer.committed < spins
    event = floor.wait_for("t1/event/fault", lambda told: told["severity"] == "critical")
    assert event["code"].startswith("journal_")
    assert len(lines_with(daemon, "the journal fails, the table is held")) == 1
    committed = peer.committed

    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))  # someone makes room
    peer.wait(lambda at: at.committed == spins)
    floor.wait(lambda at: len(at.results()) == spins)
    assert [result["spin"] for result in floor.results()] == list(range(1, spins + 1))
    assert peer.last(wire.HOLD) == {"on": 0, "reason": 0}
    assert committed < spins
    floor.wait_for("t1/event/fault", lambda told: told["code"] == "journal_works")


def test_journal_that_cannot_be_opened_is_one_line_an_event_and_exit_1(
    run: Run, floor: Subscriber, config: Path
) -> None:
    config.write_text(config.read_text().replace('path = "journal.db"', 'path = "t1.key/journal.db"'))
    daemon = run()
    assert daemon.wait() == 1
    (line,) = daemon.said().splitlines()
    assert line.startswith("tumbler run: journal ")
    assert "t1.key" in line
    event = floor.wait_for("t1/event/fault")
    assert event["severity"] == "critical"
    assert event["text"] in line


def test_a_changed_game_is_never_told_again_but_ends_the_start_with_one_line(
    run: Run, peer: ControllerPeer, floor: Subscriber, config: Path
) -> None:
    daemon = run()
    peer.spin(1, 2, 3)
    floor.wait(lambda at: len(at.results()) == 1)
    assert daemon.stop() == 0
    db = sqlite3.connect(config.with_name("journal.db"))
    db.execute("""UPDATE record SET text = replace(text, '"faces":[1,', '"faces":[2,') WHERE kind = 'result'""")
    db.commit()
    db.close()
    again = run()
    assert again.wait() == 1
    (line,) = [said for said in again.said().splitlines() if said.startswith("tumbler run: ")]
    assert "is not as it was written" in line
    floor.wait_for("t1/event/fault", lambda told: told["text"] in line)
    assert [told["faces"] for told in floor.results()] == [[1, 2, 3]]


def test_a_second_daemon_on_the_same_journal_is_refused(run: Run, floor: Subscriber, peer: ControllerPeer) -> None:
    first = run()
    floor.wait_for("t1/link", lambda link: link["state"] == "up")
    second = run()
    assert second.wait() == 1
    assert first.alive
    peer.spin(1, 1, 1)
    floor.wait(lambda at: len(at.results()) == 1)


def test_a_changed_record_is_refused_held_and_released_by_the_area_manager(
    run: Run, peer: ControllerPeer, floor: Subscriber, config: Path
) -> None:
    run()
    peer.spin(1, 2, 3)
    peer.wait(lambda at: at.committed == 1)
    peer.alter(1, faces=bytes((6, 6, 6)))
    event = floor.wait_for("t1/event/refused")
    assert event["code"] == "conflict"
    peer.wait(lambda at: at.last(wire.HOLD)["on"] == 1)

    floor.publish("t1/cmd/release", {"id": "r1", "by": "ben", "role": "dealer"})
    answer = floor.wait_for("t1/rsp/release", lambda told: told["id"] == "r1")
    assert (answer["ok"], answer["code"]) == (False, "no_authority")
    floor.publish("t1/cmd/release", {"id": "r2", "by": "anna", "role": "tg_area_manager"})
    assert floor.wait_for("t1/rsp/release", lambda told: told["id"] == "r2")["ok"]
    peer.wait(lambda at: at.last(wire.HOLD)["on"] == 0)
    assert [result["faces"] for result in floor.results()] == [[1, 2, 3]]
    with JournalReader(config.with_name("journal.db")) as journal:
        assert len(journal.last("t1", 9)) == 1


def test_commands_reach_the_controller_and_a_retained_one_never(
    run: Run, peer: ControllerPeer, floor: Subscriber
) -> None:
    floor.publish("t1/cmd/unlock", {"id": "old", "by": "anna", "role": "tg_area_manager"}, retain=True)
    run()
    answer = floor.wait_for("t1/rsp/unlock")
    assert (answer["ok"], answer["code"]) == (False, "retained")
    floor.wait_for("t1/link", lambda link: link["state"] == "up")
    floor.publish("t1/cmd/no_more_bets", {"id": 7, "by": "ben", "role": "dealer"})
    assert floor.wait_for("t1/rsp/no_more_bets", lambda told: told["id"] == 7)["ok"]
    assert peer.last(wire.COMMAND)["op"] == 2
    assert floor.wait_for("t1/event/access", lambda told: told["code"] == "command")["by"] == "ben"
    peer.spin(1, 2, 3)
    floor.wait(lambda at: len(at.results()) == 1)
    rid = floor.results()[0]["result_id"]
    order = {"by": "eva", "role": "tg_assistant_casino_manager", "args": {"result_id": rid, "cause": "fraud"}}
    floor.publish("t1/cmd/void", {"id": 8, **order})
    assert floor.wait_for("t1/rsp/void", lambda told: told["id"] == 8)["rule"] == "D5 9.3"
    assert floor.wait_for("t1/event/void")["result_id"] == rid
    floor.publish("t1/cmd/recall", {"id": 9, "by": "vic", "role": "inspector", "args": {"n": 5}})
    (game,) = floor.wait_for("t1/rsp/recall", lambda told: told["id"] == 9)["data"]
    for number, before in ((10, rid), (11, "00000000-00000001")):
        ask = {"id": number, "by": "vic", "role": "inspector", "args": {"before": before}}
        floor.publish("t1/cmd/recall", ask)
    assert floor.wait_for("t1/rsp/recall", lambda told: told["id"] == 10)["data"] == []  # nothing was before the first
    assert floor.wait_for("t1/rsp/recall", lambda told: told["id"] == 11)["code"] == "not_found"
    assert game["result_id"] == rid
    assert game["wire"]["faces"] == "010203"
    assert all(number != wire.COMMAND or values["op"] != 4 for number, values in peer.heard)


def test_unknown_message_is_refused_and_the_session_goes_on(run: Run, peer: ControllerPeer, floor: Subscriber) -> None:
    run()
    floor.wait_for("t1/link", lambda link: link["state"] == "up")
    peer.unknown(0x70, b"from a newer controller")
    event = floor.wait_for("t1/event/refused")
    assert event["code"] == "link_unknown_message"
    assert "0x70" in event["text"]
    peer.spin(1, 2, 3)
    floor.wait(lambda at: len(at.results()) == 1)


def test_idle_daemon_costs_less_than_a_percent_and_eighty_megabytes(
    run: Run, peer: ControllerPeer, floor: Subscriber
) -> None:
    daemon = run()
    floor.wait_for("t1/info", lambda info: info["game_table"] == "active")
    began, spent = time.monotonic(), cpu_seconds(daemon.pid)
    ticks = len(floor.of("t1/health")) + 5  # five seconds by its own clock
    floor.wait(lambda at: len(at.of("t1/health")) >= ticks)
    busy = (cpu_seconds(daemon.pid) - spent) / (time.monotonic() - began)
    assert busy < 0.01
    assert resident_mb(daemon.pid) < 80


def test_two_tables_are_served_apart(broker: Mosquitto, floor: Subscriber, tmp_path: Path) -> None:
    from tumbler.rules.gametable import compile_book
    from tumbler.rules.tableplay import Play

    book = "crown-melbourne-sicbo-a"
    config = write_config(tmp_path, broker.port, port=tmp_path / "c1", key=KEY)
    more = f'[[table]]\nid = "t2"\nbook = "{book}"\nport = "{tmp_path / "c2"}"\nkey_file = "t1.key"\n'
    config.write_text(config.read_text() + more)
    peers = [ControllerPeer(tmp_path / name, KEY, Play(book), compile_book(book)) for name in ("c1", "c2")]
    daemon = Daemon(config)
    try:
        for spin in range(1, 6):
            peers[0].spin(1, 1, spin)
            peers[1].spin(6, 6, spin)
        floor.wait(lambda at: len(at.results("t1")) == len(at.results("t2")) == 5)
        assert [result["faces"][0] for result in floor.results("t1")] == [1] * 5
        assert [result["faces"][-1] for result in floor.results("t2")] == [6] * 5
        assert floor.wait_for("t2/state", lambda state: state["state"] == "online")
        assert daemon.stop(5) == 0
    finally:
        if daemon.alive:
            daemon.kill()
        for peer in peers:
            peer.stop()
    with JournalReader(config.with_name("journal.db")) as journal:
        assert len(journal.last("t2", 100, (Kind.RESULT,))) == 5


def test_systemd_hears_ready_alive_and_stopping(config: Path, broker: Mosquitto, tmp_path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(tmp_path / "notify"))
        ear.settimeout(20)
        environment = {**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"}
        command = [sys.executable, "-m", "tumbler", "run", "--config", str(config)]
        child = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        try:
            assert ear.recv(200).startswith(b"READY=1\nSTATUS=serving t1")
            assert [ear.recv(200) for _ in range(3)] == [b"WATCHDOG=1"] * 3
            child.terminate()
            while (heard := ear.recv(200)) == b"WATCHDOG=1":
                pass
            assert heard == b"STOPPING=1"
            assert child.wait(5) == 0
        finally:
            child.kill()
            child.wait()
