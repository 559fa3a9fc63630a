"""deploy/: what an operator copies onto a table's PC is sound and in step with the program."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from tumbler.bench.processes import PATIENCE_S, Process, free_port
from tumbler.config_example import example
from tumbler.usb.devices import KNOWN, Mode

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
MOST_EXPOSURE = 2.5  # of 10; below it systemd calls a service "OK"


class RepeatedKeys(dict[str, Any]):
    """A unit may name a key more than once: keep all values of it."""

    def __setitem__(self, key: str, value: Any) -> None:
        if isinstance(value, list) and key in self:
            self[key].extend(value)
        else:
            super().__setitem__(key, value)


def unit() -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, dict_type=RepeatedKeys)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(DEPLOY / "tumbler.service")
    return parser


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    found = shutil.which("systemd-analyze")
    if found is None:
        pytest.skip("systemd-analyze is not on this machine")
    return subprocess.run([found, *map(str, words)], capture_output=True, text=True, timeout=60)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The unit as it would lie on a PC whose tumbler is the one under test."""
    file = tmp_path / "tumbler.service"
    text = (DEPLOY / "tumbler.service").read_text()
    file.write_text(text.replace("/opt/tumbler/bin/tumbler", str(Path(sys.executable).with_name("tumbler"))))
    return file


def test_systemd_finds_nothing_wrong_with_the_unit(installed: Path) -> None:
    done = analyze("verify", installed)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "tumbler.service" in line]) == (0, [])


def test_the_unit_leaves_the_daemon_little_to_break(installed: Path) -> None:
    done = analyze("security", "--offline=true", "--no-pager", installed)
    level = re.search(r"Overall exposure level for \S+: ([0-9.]+)", done.stdout)
    assert level is not None, done.stderr
    assert float(level[1]) < MOST_EXPOSURE


def test_the_unit_waits_for_ready_watches_and_gives_up_only_on_a_wrong_configuration() -> None:
    service = unit()["Service"]
    assert service["Type"] == "notify"
    assert int(service["WatchdogSec"]) >= 10
    assert service["Restart"] == "always"
    assert service["RestartPreventExitStatus"] == "2"
    assert service["ExecStart"].split()[1:] == ["run", "--config", "/etc/tumbler/tumbler.toml"]
    assert int(service["TimeoutStopSec"]) > 5


def test_udev_names_every_controller_that_the_daemon_looks_for() -> None:
    named: dict[str, set[tuple[int, int]]] = {"tty": set(), "usb": set()}
    for line in (DEPLOY / "70-tumbler.rules").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        assert re.fullmatch(r'(?:[A-Z]+(?:\{\w+\})?(?:==|\+=|=)"[^"]+"(?:, |$))+', line), line
        vendor, product = re.findall(r'\{id(?:Vendor|Product)\}=="([0-9a-f]{4})"', line)
        subsystem = re.search(r'SUBSYSTEM=="(\w+)"', line)
        assert subsystem is not None
        named[subsystem[1]].add((int(vendor, 16), int(product, 16)))
    running = {ids for ids, (_, mode) in KNOWN.items() if mode is Mode.RUNNING}
    assert named == {"tty": running, "usb": set(KNOWN)}


def test_the_configuration_to_start_from_is_the_programs_own_example() -> None:
    assert (DEPLOY / "tumbler.toml").read_text() == example(), (
        "make it again: tumbler config example > deploy/tumbler.toml"
    )


def test_users_and_folders_are_understood(tmp_path: Path) -> None:
    if shutil.which("systemd-sysusers") is None or shutil.which("systemd-tmpfiles") is None:
        pytest.skip("systemd is not on this machine")
    for folder in ("etc", "var/lib"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "etc/group").write_text("root:x:0:\ndialout:x:20:\n")
    (tmp_path / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    users = ["systemd-sysusers", f"--root={tmp_path}", "-"]
    done = subprocess.run(users, input=(DEPLOY / "tumbler.sysusers").read_text(), text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^tumbler:.*:/var/lib/tumbler:", (tmp_path / "etc/passwd").read_text(), re.MULTILINE)
    assert re.search(r"^dialout:.*tumbler", (tmp_path / "etc/group").read_text(), re.MULTILINE)
    if os.geteuid() != 0:
        return  # folders of another user are root's to make
    folders = ["systemd-tmpfiles", "--create", f"--root={tmp_path}", "-"]
    done = subprocess.run(folders, input=(DEPLOY / "tumbler.tmpfiles").read_text(), text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "var/lib/tumbler").stat().st_mode & 0o777 == 0o750


def test_the_brokers_lists_let_the_floor_read_and_only_the_pit_command(tmp_path: Path) -> None:
    passwd, broker = shutil.which("mosquitto_passwd"), shutil.which("mosquitto", path=os.defpath + ":/usr/sbin")
    if passwd is None or broker is None:
        pytest.skip("mosquitto or mosquitto_passwd is not on this machine")
    users = tmp_path / "tumbler.users"
    users.write_text("pit:secret\nfloor:secret\n")
    subprocess.run([passwd, "-U", str(users)], check=True, capture_output=True)
    acl = tmp_path / "tumbler.acl"
    acl.write_text((DEPLOY / "mosquitto/tumbler.acl").read_text())
    port = free_port()
    text = (DEPLOY / "mosquitto/tumbler.conf").read_text().replace("/etc/mosquitto", str(tmp_path))
    text = text.replace("listener 1883", f"listener {port} 127.0.0.1") + f"persistence_location {tmp_path}/\n"
    (tmp_path / "broker.conf").write_text(text + ("user root\n" if os.geteuid() == 0 else ""))
    process = Process([broker, "-c", str(tmp_path / "broker.conf")], tmp_path / "broker.log")
    try:
        assert publish_as("pit", port) == "No matching subscribers"  # taken, though nobody listens
        assert publish_as("floor", port) == "Not authorized"
        assert publish_as("stranger", port) == "Not authorized"
    finally:
        process.stop()


def publish_as(user: str, port: int) -> str:
    """What the broker answers to a command of this user."""
    said: list[str] = []
    answered = threading.Event()

    def answer(reason: Any) -> None:
        if str(reason) != "Success" or said:
            said.append(str(reason))
            answered.set()
        else:
            said.append("")
            client.publish("tumbler/v1/s/t1/cmd/unlock", b"{}", qos=1)

    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.username_pw_set(user, "secret")
    client.on_connect = lambda _client, _data, _flags, reason, _properties: answer(reason)
    client.on_publish = lambda _client, _data, _mid, reason, _properties: answer(reason)
    client.reconnect_delay_set(1, 1)
    client.connect_async("127.0.0.1", port)
    client.loop_start()
    try:
        assert answered.wait(PATIENCE_S), said
    finally:
        client.disconnect()
        client.loop_stop()
    return said[-1]
