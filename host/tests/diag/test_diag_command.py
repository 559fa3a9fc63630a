"""`tumbler diag`: over the cable, through the daemon that holds it, and in one line where neither works."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dicewire import messages as wire
from dicewire.declared.codes import PHASES, SERVICE_OPS
from tumbler.bench.peer import ControllerPeer
from tumbler.cli.diag import standing_lines

Diag = Callable[..., Any]


def op(name: str) -> int:
    return SERVICE_OPS.number(name)


def asked(peer: ControllerPeer) -> list[str]:
    return [SERVICE_OPS.name(values["op"]) for number, values in peer.heard if number == wire.SERVICE_REQ]


def in_phase(name: str) -> tuple[int, bytes]:
    return 1, struct.pack("<HHB", 0b11, 0, PHASES.number(name))


@pytest.fixture
def cable(tmp_path: Path, key_file: Path) -> tuple[str | Path, ...]:
    return ("--port", tmp_path / "controller", "--key", key_file)


def test_over_the_cable_a_request_is_answered_and_no_result_is_committed(
    diag: Diag, peer: ControllerPeer, cable: Any
) -> None:
    peer.service[op("info")] = (1, b"firmware=1.0\nspins=3")
    peer.spin(1, 2, 3)
    done = diag("info", *cable, "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"firmware": "1.0", "spins": 3})
    assert peer.committed == 0


def test_what_moves_the_machine_is_done_out_of_play_and_the_table_given_back(
    diag: Diag, peer: ControllerPeer, cable: Any
) -> None:
    peer.service[op("inputs")] = in_phase("betting_open")
    peer.service[op("motor")] = (1, struct.pack("<IHH", 90, 800, 1500))
    done = diag("motor", *cable, "500", "1500")
    assert done.returncode == 0, done.stderr
    assert "rpm            300" in done.stdout
    assert asked(peer) == ["inputs", "enter", "motor", "leave"]


def test_a_table_that_was_in_service_stays_there(diag: Diag, peer: ControllerPeer, cable: Any) -> None:
    peer.service[op("inputs")] = in_phase("service")
    peer.service[op("self_test")] = (1, struct.pack("<IH", 0, 700))
    assert diag("self-test", *cable).returncode == 0
    assert asked(peer) == ["inputs", "self_test"]


def test_refusal_of_the_controller_is_one_line_and_the_table_is_given_back(
    diag: Diag, peer: ControllerPeer, cable: Any
) -> None:
    peer.service[op("inputs")] = in_phase("betting_open")
    peer.service[op("motor")] = (0, b"close the cover: the dice would fly")
    done = diag("motor", *cable, "500", "1500")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "tumbler diag: motor: close the cover: the dice would fly\n"
    assert asked(peer)[-1] == "leave"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("motor", "2000", "10"), "permille 2000 is not between -1000 and 1000"),
        (("info",), "name a table"),
        (("status",), "--config is needed"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(words: tuple[str, ...], said: str, diag: Diag) -> None:
    done = diag(*words)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert said in line


def test_wrong_key_and_missing_port_are_said_in_one_line(
    diag: Diag, peer: ControllerPeer, key_file: Path, tmp_path: Path
) -> None:
    absent = diag("info", "--port", tmp_path / "nowhere", "--key", key_file)
    assert absent.returncode == 1
    assert "nowhere is not there" in absent.stderr
    key_file.write_text("ee" * 32)
    refused = diag("info", "--port", tmp_path / "controller", "--key", key_file)
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert "it holds another key" in line


def test_where_the_daemon_holds_the_cable_it_is_asked_and_keeps_the_record(
    diag: Diag, peer: ControllerPeer, daemon: Path
) -> None:
    peer.service[op("current")] = (1, struct.pack("<HHHh", 12, 40, 24100, 250))
    done = diag("current", "--config", daemon, "--by", "tom", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["supply_mv"] == 24100
    peer.service[op("current")] = (0, b"not now: ask again between two rounds")
    refused = diag("current", "--config", daemon, "--by", "tom")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "not now" in refused.stderr
    status = diag("status", "--config", daemon, "--json")
    standing = json.loads(status.stdout)
    assert standing["link"]["state"] == "up"
    assert standing["info"]["game_table"] == "active"
    cable_only = diag("current", "--config", daemon, "--via", "cable")
    assert cable_only.returncode == 1
    assert "in use by another program" in cable_only.stderr


def test_the_lines_counters_are_of_this_moment_through_the_daemon_too(
    diag: Diag, peer: ControllerPeer, daemon: Path
) -> None:
    """Those on `health` are as old as its interval: from before the link was up, they made a sound line look noisy."""
    peer.service[op("inputs")] = in_phase("betting_open")
    seen = [json.loads(diag("link", "--config", daemon, "--by", "tom", "--json").stdout) for _ in range(2)]
    assert 0 < seen[0]["frames_in"] < seen[1]["frames_in"]


@pytest.mark.parametrize(("state", "old"), [("online", False), ("offline", True)])
def test_what_a_daemon_that_is_away_said_last_is_not_shown_as_todays(state: str, old: bool) -> None:
    at = {"at": "2026-03-01T20:14:07Z"}
    standing = {"state": {"state": state, **at}, "link": {"state": "up", "port": "p", **at}, "health": None}
    first, link, health = standing_lines(standing)
    assert first.startswith(f"state    {state}")
    assert ("as the daemon left it: up on p" in link) is old
    assert health == "health   nothing"


def test_who_asks_is_asked_for(diag: Diag, daemon: Path) -> None:
    (daemon.parent / "people.toml").write_text(f'[tom]\nrole = "technician"\nkey = "{"5a" * 32}"\n')
    (daemon.parent / "people.toml").chmod(0o600)
    text = daemon.read_text()
    assert 'trust = "broker"' in text
    daemon.write_text(text.replace('trust = "broker"', 'keys_file = "people.toml"'))  # the daemon has read its own
    done = diag("info", "--config", daemon)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the daemon wants to know who asks; --by is one of tom" in done.stderr


def test_the_whole_test_measures_against_limits_and_fails_on_one(diag: Diag, peer: ControllerPeer, cable: Any) -> None:
    peer.service |= {
        op("inputs"): in_phase("betting_open"),
        op("current"): (1, struct.pack("<HHHh", 12, 40, 24100, 250)),
        op("accelerometer"): (1, struct.pack("<hhh", 5, -5, 998)),
        op("self_test"): (1, struct.pack("<IH", 0, 700)),
        op("motor"): (1, struct.pack("<IHH", 90, 800, 1500)),
        op("lamps"): (1, bytes((120, 0))),
        op("tags"): (1, b"\x01" + bytes(8) + b"\x13"),
    }
    good = diag("test", *cable, "--json")
    report = json.loads(good.stdout)
    assert (good.returncode, report["passed"]) == (0, True), report
    peer.service[op("lamps")] = (1, bytes((120, 1, 9)))
    bad = diag("test", *cable)
    assert bad.returncode == 1
    assert "dead_lamps" in bad.stdout
    assert "dead lamps: 9" in bad.stdout
