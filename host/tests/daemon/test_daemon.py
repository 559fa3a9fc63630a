"""The daemon from the port to the broker: every result once, in order, through every kind of interruption."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from dicewire import messages as wire
from tumbler.bench.peer import ControllerPeer
from tumbler.bench.processes import Daemon, Mosquitto, Subscriber
from tumbler.journal import JournalReader, Kind

Run = Callable[..., Daemon]


def dice(n: int) -> tuple[int, int, int]:
    return (1 + n % 6, 1 + n // 6 % 6, 1 + n // 36 % 6)


def expected(spins: int) -> list[list[int]]:
    return [sorted(dice(n)) for n in range(1, spins + 1)]


def faces(floor: Subscriber) -> list[list[int]]:
    return [result["faces"] for result in floor.results()]


def test_connects_sets_the_table_up_and_brings_every_result_once(
    run: Run, peer: ControllerPeer, floor: Subscriber
) -> None:
    run()
    assert floor.wait_for("t1/state", lambda state: state["state"] == "online")["version"]
    floor.wait_for("t1/link", lambda link: link["state"] == "up")
    peer.wait(lambda at: at.last(wire.GAME_USE) is not None)
    info = floor.wait_for("t1/info", lambda info: info["game_table"] == "active")
    assert info["controller"]["board"] == "pty"
    assert bytes.fromhex(info["game_hash"]) == peer.image.hash
    assert abs(peer.last(wire.TIME)["wall_ms"] / 1000 - time.time()) < 5
    assert peer.last(wire.SETTINGS)["min_spin_ms"] == 2000
    assert peer.last(wire.HOLD) == {"on": 0, "reason": 0}

    for n in range(1, 21):
        peer.spin(*dice(n))
    floor.wait(lambda at: len(at.results()) == 20)
    peer.wait(lambda at: at.committed == 20)
    assert faces(floor) == expected(20)
    assert floor.wait_for("t1/result/last", lambda last: last["spin"] == 20)
    assert "total:" + str(floor.results()[0]["total"]) in floor.results()[0]["winning_areas"]


def test_round_events_and_no_spins_are_told(run: Run, peer: ControllerPeer, floor: Subscriber) -> None:
    run()
    floor.wait_for("t1/round", lambda told: told["round"] == "betting_open")
    peer.phase("spinning")
    floor.wait_for("t1/round", lambda told: told["round"] == "spinning")
    peer.no_spin(1)
    assert floor.wait_for("t1/event/no_spin")["rule"] == "D5 7.1.1"
    peer.event(30, severity=1)
    assert floor.wait_for("t1/event/tamper")["code"] == "door_opened"
    health = floor.wait_for("t1/health", lambda told: told["link"]["state"] == "up")
    assert health["daemon"]["rss_mb"] < 80
    assert health["journal"]["failures"] == 0
    assert health["interval_s"] == 1


def test_unplugged_in_the_middle_nothing_is_lost(run: Run, peer: ControllerPeer, floor: Subscriber) -> None:
    run()
    for n in range(1, 6):
        peer.spin(*dice(n))
    floor.wait(lambda at: len(at.results()) == 5)
    peer.unplug()
    floor.wait_for("t1/link", lambda link: link["link"] in ("absent", "down"))
    for n in range(6, 11):
        peer.spin(*dice(n))
    peer.plug()
    floor.wait(lambda at: len(at.results()) == 10)
    peer.restart()
    for n in range(11, 16):
        peer.spin(*dice(n))
    floor.wait(lambda at: len(at.results()) == 15)
    assert faces(floor) == expected(15)


def test_broker_restart_brings_state_again_and_results_in_order(
    run: Run, peer: ControllerPeer, floor: Subscriber, broker: Mosquitto
) -> None:
    run()
    peer.spin(*dice(1))
    floor.wait(lambda at: len(at.results()) == 1)
    broker.stop()
    for n in range(2, 8):
        peer.spin(*dice(n))
    peer.wait(lambda at: at.committed == 7)
    before = len(floor.of("t1/state"))
    broker.start()
    floor.wait(lambda at: len(at.results()) == 7)
    assert faces(floor) == expected(7)
    floor.wait(lambda at: "online" in [state["state"] for state in at.of("t1/state")[before:]])


def test_killed_again_and_again_every_result_arrives_with_one_id(
    run: Run, peer: ControllerPeer, floor: Subscriber, config: Path
) -> None:
    spins = 0
    for _ in range(5):
        daemon = run()
        for _ in range(4):
            spins += 1
            peer.spin(*dice(spins))
        floor.wait(lambda at, spins=spins: len(at.results()) > spins - 3)  # somewhere in the middle
        daemon.kill()
    run()
    floor.wait(lambda at: len(at.results()) == spins)
    peer.wait(lambda at: at.committed == spins)
    assert faces(floor) == expected(spins)
    contents: dict[str, set[str]] = {}
    for result in floor.of("t1/result"):
        contents.setdefault(result["result_id"], set()).add(str(result))
    assert all(len(same) == 1 for same in contents.values())
    with JournalReader(config.with_name("journal.db")) as journal:
        assert [record.body["faces"] for record in journal.last("t1", 100)] == expected(spins)


def test_sigterm_ends_in_order(run: Run, peer: ControllerPeer, floor: Subscriber, config: Path) -> None:
    daemon = run()
    peer.spin(*dice(1))
    floor.wait(lambda at: len(at.results()) == 1)
    began = time.monotonic()
    assert daemon.stop(5) == 0
    assert time.monotonic() - began < 5
    assert floor.wait_for("t1/state", lambda state: state["state"] == "offline")["reason"] == "stopped"
    with JournalReader(config.with_name("journal.db")) as journal:
        assert len(journal.last(None, 5, (Kind.START,))) == len(journal.last(None, 5, (Kind.STOP,))) == 1
    assert "Traceback" not in daemon.said()


def test_a_killed_daemon_is_declared_offline_by_its_will(run: Run, floor: Subscriber) -> None:
    daemon = run()
    floor.wait_for("t1/state", lambda state: state["state"] == "online")
    daemon.kill()
    assert floor.wait_for("t1/state", lambda state: state["state"] == "offline")["reason"] == "lost"


def test_a_journal_whose_end_cannot_be_proved_is_told_to_the_floor_and_play_goes_on(
    run: Run, peer: ControllerPeer, floor: Subscriber, config: Path
) -> None:
    daemon = run()
    peer.spin(1, 2, 3)
    floor.wait(lambda at: len(at.results()) == 1)
    daemon.kill()
    config.with_name("journal.db.head").unlink()
    run()
    event = floor.wait_for("t1/event/fault", lambda told: told["code"] == "journal_recovered")
    assert "head file was missing" in event["text"]
    peer.spin(4, 5, 6)
    floor.wait(lambda at: len(at.results()) == 2)


def test_old_records_are_removed_by_the_rule_and_young_ones_stay(
    run: Run, peer: ControllerPeer, floor: Subscriber, config: Path
) -> None:
    config.write_text(config.read_text().replace('path = "journal.db"', 'path = "journal.db"\nkeep_days = 1'))
    peer.spin(1, 2, 3)
    daemon = run()
    floor.wait(lambda at: len(at.results()) == 1)
    floor.wait_for("t1/health")
    assert daemon.stop(5) == 0
    assert "old records removed" in daemon.said()
    assert "keep_days=1" in daemon.said()
    with JournalReader(config.with_name("journal.db")) as journal:
        assert len(journal.last("t1", 9)) == 1
