"""The controller's game table interpreter, on CPython and on MicroPython, against the rules it was compiled from."""

import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from tumbler.rules.bookfile import book_ids
from tumbler.rules.gametable import GameImage, compile_book
from tumbler.rules.tableplay import Play

REPO = Path(__file__).resolve().parents[2]
FIRMWARE = REPO / "firmware"
BOOKS = book_ids()
CRAPLESS = "crown-perth-crapless"
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


@pytest.mark.parametrize("book", BOOKS)
def test_every_lamp_has_a_pixel_of_its_own(book: str, tmp_path: Path) -> None:
    lines = trial("cpython", compile_book(book), tmp_path)
    pixels = int(rows(lines, "game")[0][5])
    used = [pixel for _, _, first, count in rows(lines, "area") for pixel in range(int(first), int(first) + int(count))]
    states = rows(lines, "state")
    used += [int(pixel) for _, _, pixel in states if len(states) > 1]
    used += [int(pixel) for _, pixel in rows(lines, "bonus")]
    assert sorted(used) == list(range(pixels))
    assert pixels <= 160


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("layout", [1, 2])
def test_collected_numbers_of_the_bonus_bets_follow_the_rules(layout: int, runtime: str, tmp_path: Path) -> None:
    lines = rows(trial(runtime, compile_book(CRAPLESS, layout=layout), tmp_path), "collect")
    play = Play(CRAPLESS, layout=layout)
    collected = 0
    completed = set()
    for throw, now, done in lines:
        was, collected = collected, play.collect(collected, tuple(map(int, throw)))
        assert int(now) == collected, throw
        completed |= {bit for bit in range(3) if int(done) >> bit & 1}
        if int(done) == 0 and sum(map(int, throw)) != 7:
            assert collected & was == was  # nothing is forgotten but by a 7 or a win
    assert completed == {0, 1, 2}, "the throws must complete every bonus bet"


@pytest.mark.parametrize("book", BOOKS)
def test_a_look_up_on_micropython_takes_less_than_a_millisecond(book: str, tmp_path: Path) -> None:
    (nanoseconds,) = rows(trial("micropython", compile_book(book), tmp_path), "ns")
    assert int(nanoseconds[0]) < 1_000_000
