"""A controller on a pty that answers service requests as it is told, a broker and a daemon where a test wants them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tumbler.bench.peer import ControllerPeer
from tumbler.bench.processes import Daemon, Mosquitto, Subscriber, write_config
from tumbler.rules.gametable import compile_book
from tumbler.rules.tableplay import Play

BOOK = "crown-melbourne-sicbo-a"
KEY = bytes(range(32))

Diag = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[ControllerPeer]:
    made = ControllerPeer(tmp_path / "controller", KEY, Play(BOOK), compile_book(BOOK))
    yield made
    made.stop()


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    file = tmp_path / "table.key"
    file.write_text(KEY.hex())
    file.chmod(0o600)
    return file


@pytest.fixture
def diag(tmp_path: Path) -> Diag:
    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tumbler", "diag", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)

    return run


@pytest.fixture
def daemon(tmp_path: Path, peer: ControllerPeer) -> Iterator[Path]:
    """A daemon that holds the controller's cable; its configuration."""
    broker = Mosquitto(tmp_path)
    floor = Subscriber(broker.port)
    config = write_config(tmp_path, broker.port, port=tmp_path / "controller", key=KEY)
    process = Daemon(config)
    try:
        floor.wait_for("t1/info", lambda info: info["game_table"] == "active")
        floor.wait_for("t1/health")
        yield config
    finally:
        process.stop()
        floor.stop()
        broker.stop()
