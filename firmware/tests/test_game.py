"""The controller's game table interpreter, on CPython and on MicroPython, against the rules it was compiled from."""

import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from tumbler.rules.gametable import GameImage, compile_book
from tumbler.rules.tableplay import Play

REPO = Path(__file__).resolve().parents[2]
FIRMWARE = REPO / "firmware"
BOOKS = ("crown-melbourne-sicbo-a", "crown-melbourne-sicbo-b")
RUNTIMES = ("cpython", "micropython")


def command(runtime: str) -> list[str]:
    if runtime == "cpython":
        return [sys.executable]
    private = REPO / ".tools" / "bin" / "micropython"
    found = str(private) if private.exists() else shutil.which("micropython")
    assert found, "no MicroPython here: `make test` brings it"
    return [found, "-X", "heapsize=192wK"]


def trial(runtime: str, image: GameImage, folder: Path) -> list[list[str]]:
    """The lines that game_trial.py prints for this table."""
    table = folder / "game.bin"
    table.write_bytes(image.data)
    run = [*command(runtime), str(FIRMWARE / "tests" / "game_trial.py"), str(FIRMWARE), str(table)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr
    return [line.split(" ") for line in done.stdout.splitlines()]


def rows(lines: list[list[str]], kind: str) -> list[list[str]]:
    return [line[1:] for line in lines if line[0] == kind]


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("book", BOOKS)
def test_every_throw_in_every_state_lights_what_the_rules_say(book: str, runtime: str, tmp_path: Path) -> None:
    image = compile_book(book)
    play = Play(book)
    seen = {}
    for state, throw, after, puck, lit in rows(trial(runtime, image, tmp_path), "roll"):
        seen[int(state), tuple(map(int, throw))] = (int(after), int(puck), image.lit_areas(bytes.fromhex(lit)))
    throws = list(product(range(1, 7), repeat=play.dice))
    assert len(seen) == play.states * len(throws)
    for state in range(play.states):
        for throw in throws:
            assert seen[state, throw] == play.roll(state, throw), (state, throw)


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("book", BOOKS)
def test_the_controller_knows_the_book_the_hash_and_the_areas_by_name(book: str, runtime: str, tmp_path: Path) -> None:
    image = compile_book(book)
    lines = trial(runtime, image, tmp_path)
    (game,) = rows(lines, "game")
    assert game[:2] == [book, image.hash.hex()]
    assert [row[1] for row in rows(lines, "area")] == list(image.areas)


def test_lamps_of_areas_never_overlap(tmp_path: Path) -> None:
    for book in BOOKS:
        lines = trial("cpython", compile_book(book), tmp_path)
        pixels = int(rows(lines, "game")[0][5])
        used = [
            pixel for _, _, first, count in rows(lines, "area") for pixel in range(int(first), int(first) + int(count))
        ]
        assert len(used) == len(set(used))
        assert max(used) < pixels <= 160


@pytest.mark.parametrize("book", BOOKS)
def test_a_look_up_on_micropython_takes_less_than_a_millisecond(book: str, tmp_path: Path) -> None:
    (nanoseconds,) = rows(trial("micropython", compile_book(book), tmp_path), "ns")
    assert int(nanoseconds[0]) < 1_000_000
