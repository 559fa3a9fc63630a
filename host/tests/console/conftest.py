"""A real daemon with its page, a controller on a pty, a broker, and a real browser that must never complain."""

from __future__ import annotations

import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from dicewire import messages as wire
from dicewire.declared.codes import INPUTS, LOCKS, PHASES
from playwright.sync_api import Browser, Page, sync_playwright
from tumbler.bench.peer import ControllerPeer
from tumbler.bench.processes import Daemon, Mosquitto, Subscriber, free_port, write_config
from tumbler.rules.gametable import compile_book
from tumbler.rules.tableplay import Play

KEY = bytes(range(32))
SICBO = "crown-melbourne-sicbo-a"
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PATIENCE_S = 20.0


def eventually(what: str, ready: Callable[[], Any]) -> Any:
    """For what another process does without telling: its log, its port."""
    deadline = time.monotonic() + PATIENCE_S
    pause = threading.Event()
    while not (value := ready()):
        assert time.monotonic() < deadline, f"waited {PATIENCE_S:.0f} s until {what}"
        pause.wait(0.02)
    return value


@dataclass
class Rig:
    """A table that a test plays by hand, with the daemon that serves its page."""

    folder: Path
    broker: Mosquitto
    peer: ControllerPeer
    floor: Subscriber
    config: Path
    play: Play
    state: int = 0
    collected: int = 0
    spins: int = 0
    daemons: list[Daemon] = field(default_factory=list)

    def start(self) -> str:
        """Start the daemon; the page's URL, from its log."""
        daemon = Daemon(self.config)
        before = len(self.daemons) and len(self.daemons[-1].said())
        self.daemons.append(daemon)
        return self.wait_until_served(daemon, before)

    def wait_until_served(self, daemon: Daemon, before: int = 0) -> str:
        found = eventually("the page is served", lambda: re.search(r"url=(http://\S+)", daemon.said()[before:]))
        return str(found[1])

    def spin(self, *faces: int) -> list[str]:
        """The dice show this; the areas that win."""
        before, shown = self.state, sorted(faces)
        self.state, puck, areas = self.play.roll(before, shown)
        self.collected = self.play.collect(self.collected, shown)
        told = {"state_before": before, "state_after": self.state, "puck": puck, "collected": self.collected}
        self.spins = self.peer.spin(*shown, areas=self.peer.image.bitmap(areas), **told)
        return areas

    def phase(self, name: str, *inputs: str, lock: str = "none", puck: int = 0) -> None:
        bits = sum(bit_of(one) for one in inputs)
        values = dict.fromkeys(("game_state", "faults", "hold", "uptime_ms", "pending"), 0)
        told = {"phase": PHASES.number(name), "lock": LOCKS.number(lock), "inputs": bits, "puck": puck}
        self.peer.say(wire.STATE, {**values, **told, "spin": self.spins, "collected": self.collected})

    def stop(self) -> None:
        for daemon in self.daemons:
            if daemon.alive:
                daemon.kill()
        self.peer.stop()
        self.floor.stop()
        self.broker.stop()


def bit_of(name: str) -> int:
    return next(1 << n for n in range(16) if INPUTS.names_in(1 << n) == [name])


@pytest.fixture
def make_rig(tmp_path: Path) -> Iterator[Callable[..., Rig]]:
    made: list[Rig] = []

    def make(book: str = SICBO, console: str = 'listen = "127.0.0.1:0"') -> Rig:
        broker = Mosquitto(tmp_path)
        play = Play(book)
        peer = ControllerPeer(tmp_path / "controller", KEY, play, compile_book(book))
        more = f"[console]\n{console}\n"
        config = write_config(tmp_path, broker.port, port=tmp_path / "controller", key=KEY, more=more)
        config.write_text(config.read_text().replace(SICBO, book))
        rig = Rig(tmp_path, broker, peer, Subscriber(broker.port), config, play)
        made.append(rig)
        return rig

    yield make
    for rig in made:
        rig.stop()


@pytest.fixture
def rig(make_rig: Callable[..., Rig]) -> Rig:
    return make_rig()


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def wait_for_port() -> Callable[[str], None]:
    """wait_for_port(url): until someone listens there."""

    def listens(url: str) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex((str(urlsplit(url).hostname), int(urlsplit(url).port or 80))) == 0

    return lambda url: eventually(f"{url} is served", lambda: listens(url))


# Not for the session: while Playwright is up its event loop runs in this thread, and asyncio.run() would fail elsewhere.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine (as root: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Complaints:
    """What the browser had to say; `allowed` is for tests that take the daemon away."""

    said: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    allowed: str = "(?!)"

    def unexpected(self) -> list[str]:
        return [line for line in self.said if not re.search(self.allowed, line)]


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture
def page(browser: Browser, complaints: Complaints) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_S * 1000)
    page.on("console", lambda message: complaints.said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.said.append(f"error: {error}"))
    page.on("request", lambda request: complaints.requests.append(request.url))
    yield page
    context.close()
    assert complaints.unexpected() == []
