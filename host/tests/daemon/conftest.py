"""A whole daemon in its own process, a real broker, a real pty with a dicewire controller at its far end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tumbler.bench.peer import ControllerPeer
from tumbler.bench.processes import Daemon, Mosquitto, Subscriber, write_config
from tumbler.rules.gametable import compile_book
from tumbler.rules.tableplay import Play

BOOK = "crown-melbourne-sicbo-a"
KEY = bytes(range(32))


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    made = Mosquitto(tmp_path)
    yield made
    made.stop()


@pytest.fixture
def floor(broker: Mosquitto) -> Iterator[Subscriber]:
    made = Subscriber(broker.port)
    yield made
    made.stop()


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[ControllerPeer]:
    made = ControllerPeer(tmp_path / "controller", KEY, Play(BOOK), compile_book(BOOK))
    yield made
    made.stop()


@pytest.fixture
def config(tmp_path: Path, broker: Mosquitto) -> Path:
    return write_config(tmp_path, broker.port, port=tmp_path / "controller", key=KEY)


@pytest.fixture
def run(config: Path) -> Iterator[Callable[..., Daemon]]:
    """run(): start the daemon; it is stopped at the end, whatever happened."""
    started: list[Daemon] = []

    def start(**options: Any) -> Daemon:
        started.append(Daemon(config, **options))
        return started[-1]

    yield start
    for one in started:
        if one.alive:
            one.kill()
