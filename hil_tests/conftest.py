"""One suite for every table: `pytest hil_tests --rig twin` (default), `--rig emulated`, `--rig serial:PORT --key FILE`,
`--rig usb:SERIAL`.

A test asks for `table(...)` and marks what it needs of the rig: `@needs(Capability.POWER)`. Where the rig hasn't it, the
test is skipped with the reason. With `--unattended` nobody is asked to press, lay or pull anything.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tumbler.bench.processes import Daemon, Mosquitto, Subscriber, write_config
from tumbler.rigs import BadRig, Capability, Rig, RigFailed, choose, report
from tumbler.rigs.report import PICTURE, SEED, measure
from tumbler.rigs.twin import TwinPlan

__all__ = ["measure"]  # a fixture of every test here


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hil", "hardware in the loop")
    group.addoption("--rig", default="twin", help="twin (default), emulated, serial:PORT, usb:SERIAL, labgrid:FILE")
    group.addoption("--key", type=Path, help="the table's key, for a table on a bench")
    report.add_options(group)
    group.addoption("--unattended", action="store_true", help="skip what a person at the bench would have to do")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*capabilities): what the rig must be able to do")
    report.register(config)


def pytest_sessionstart(session: pytest.Session) -> None:
    """A rig that can't be had is said at once, in one line, and not in the middle of the first test."""
    if hasattr(session.config, "workerinput"):
        return
    option = session.config.getoption
    if option("--rig") in ("twin", "emulated"):
        return
    try:
        choose(option("--rig"), TwinPlan(Path()), option("--key"), None).stop()
    except (BadRig, RigFailed) as error:
        raise pytest.UsageError(str(error)) from error


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    told = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or told.failed
    return told


@pytest.fixture
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Rig]]:
    """table(spins=20, seed=3): a rig of the chosen kind, powered on; stopped at the end, whatever happened."""
    started: list[Rig] = []
    needed = {one for marker in request.node.iter_markers("needs") for one in marker.args}

    def start(**plan: Any) -> Rig:
        option = request.config.getoption
        folder = tmp_path / f"table{len(started)}"
        folder.mkdir()
        try:
            rig = choose(option("--rig"), TwinPlan(folder, **plan), option("--key"), _hand(request))
        except (BadRig, RigFailed) as error:
            pytest.exit(str(error), returncode=2)
        if why := rig.absent():
            pytest.skip(why)
        if missing := rig.missing(needed):
            pytest.skip(f"rig {rig.name} cannot: {'; '.join(missing)}")
        started.append(rig)
        if "seed" in plan and Capability.TRUTH in rig.capabilities:
            request.node.user_properties.append((SEED, str(plan["seed"])))
        rig.start()
        return rig

    yield start
    for rig in started:
        if request.node.stash.get(FAILED, False) and (picture := rig.picture()) is not None:
            request.node.user_properties.append((PICTURE, base64.b64encode(picture).decode()))
        rig.stop()


def _hand(request: pytest.FixtureRequest) -> Callable[[str], object] | None:
    if request.config.getoption("--unattended"):
        return None
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def ask(what: str) -> object:
        with capture.global_and_fixture_disabled():
            return input(f"\n  Please {what}, then press Enter: ")

    return ask


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
def serve(tmp_path: Path, broker: Mosquitto) -> Iterator[Callable[..., Daemon]]:
    """serve(rig): a daemon for this table; calling it again starts one more on the same journal."""
    started: list[Daemon] = []

    def start(rig: Rig, **options: Any) -> Daemon:
        config = tmp_path / "tumbler.toml"
        if not config.exists():
            write_config(tmp_path, broker.port, port=rig.port, key=rig.key, **options)
        started.append(Daemon(config))
        return started[-1]

    yield start
    for one in started:
        if one.alive:
            one.kill()
