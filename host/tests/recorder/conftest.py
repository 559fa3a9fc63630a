"""Databases to record into: SQLite in a file, and a PostgreSQL of the test's own where the machine has one."""

from __future__ import annotations

import glob
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tumbler.recorder.store import Store, open_store

BIN = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)), None)
SERVER_USER = "postgres" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root


class Postgres:
    """A cluster in a folder of its own, reached by a socket in it; can be stopped and started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"postgresql:///postgres?host={folder}&user=tester"
        self._run("initdb", "-D", f"{folder}/data", "-U", "tester", "-A", "trust", "-N")
        self.start()

    def _run(self, tool: str, *words: str) -> None:
        done = subprocess.run(
            [f"{BIN}/{tool}", *words], user=SERVER_USER, cwd=self.folder, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-o", options, "-l", f"{self.folder}/log", "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "stop")


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    pytest.importorskip("psycopg", reason="psycopg is not installed (pip install 'tumbler[recorder]')")
    if BIN is None:
        pytest.skip("PostgreSQL is not installed (as root: apt-get install postgresql)")
    # Not below pytest's own folder, which only its owner may enter; and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    if SERVER_USER is not None:
        shutil.chown(folder, SERVER_USER)
    server = Postgres(folder)
    yield server
    server.stop()
    shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "games.db")
    server: Postgres = request.getfixturevalue("postgres")
    import psycopg

    with psycopg.connect(server.address) as db:
        db.execute("DROP TABLE IF EXISTS game, void, conflict, recorder")
    return server.address


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    store = open_store(where)
    yield store
    store.close()


def result(spin: int, faces: tuple[int, ...] = (1, 2, 3), **more: Any) -> bytes:
    told = {"result_id": f"0badcafe-{spin:08d}", "spin": spin, "faces": list(faces), "total": sum(faces), **more}
    return json.dumps({**told, "at": "2026-03-01T20:14:07.312Z", "winning_areas": ["small"], "seq": spin + 1}).encode()


@pytest.fixture
def told() -> Callable[..., bytes]:
    return result


@pytest.fixture
def in_background() -> Iterator[Callable[..., threading.Event]]:
    """in_background(recorder): runs it; the event ends it. All are ended with the test."""
    running: list[tuple[threading.Event, threading.Thread]] = []

    def start(recorder: Any) -> threading.Event:
        stop = threading.Event()
        thread = threading.Thread(target=recorder.run, args=(stop,))
        thread.start()
        running.append((stop, thread))
        assert recorder.subscribed.wait(20)
        return stop

    yield start
    for stop, _ in running:
        stop.set()
    for _, thread in running:
        thread.join(20)
        assert not thread.is_alive()
