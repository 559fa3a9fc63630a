"""`tumbler game`: a table written, shown and asked, by the controller's own interpreter; what it costs on MicroPython."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from tumbler.cli.main import main
from tumbler.rules.bookfile import book_ids
from tumbler.rules.gametable import compile_book
from tumbler.rules.gametablebench import BUDGET_BYTES, measure

A, CRAPS, PERTH = "crown-melbourne-sicbo-a", "crown-melbourne-craps", "crown-perth-crapless"


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["game", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_compiled_file_is_the_table_and_shows_as_its_book(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.bin"
    made = told(capsys, "compile", A, "--out", str(file))
    assert file.read_bytes() == compile_book(A).data
    assert made["hash"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert list(tmp_path.iterdir()) == [file]
    by_file, by_book = told(capsys, "show", str(file)), told(capsys, "show", A)
    assert by_file == by_book
    assert (by_file["dice"], by_file["pucks"], by_file["as_compiled_here"]) == (3, [0], True)
    assert [area["area"] for area in by_file["areas"]][:2] == ["big", "small"]


def test_a_table_of_another_layout_is_not_what_is_compiled_here_for_this_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.bin"
    told(capsys, "compile", PERTH, "--layout", "2", "--out", str(file))
    assert told(capsys, "show", str(file))["as_compiled_here"] is False
    assert told(capsys, "show", str(file), "--layout", "2")["as_compiled_here"] is True
    assert main(["game", "show", str(file)]) == 0
    assert "NOT what this version compiles" in capsys.readouterr().out


def test_a_roll_moves_the_puck_and_lights_the_areas(capsys: pytest.CaptureFixture[str]) -> None:
    on = told(capsys, "roll", CRAPS, "3", "3")
    assert (on["point_before"], on["point_after"]) == (None, 6)
    out = told(capsys, "roll", CRAPS, "3", "4", "--point", "6")
    assert (out["point_before"], out["point_after"]) == (6, None)
    assert "any_seven" in out["winning_areas"]
    assert main(["game", "roll", A, "1", "1", "1"]) == 0
    assert "any_triple" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says", "code"),
    [
        (["compile", "no-such-book", "--out", "x"], "no-such-book", 2),
        (["compile", A, "--layout", "2", "--out", "x"], "layout 1, not 2", 2),
        (["compile", A, "--out", "/no/such/folder/x"], "cannot be written", 1),
        (["show", "no-such-file"], "is no file", 2),
        (["roll", CRAPS, "1", "2", "3"], "needs 2 dice", 2),
        (["roll", CRAPS, "1", "7"], "needs 2 dice of 1 to 6", 2),
        (["roll", CRAPS, "1", "6", "--point", "7"], "points 4, 5, 6, 8, 9, 10, not 7", 2),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], says: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["game", *arguments]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: b"", lambda data: data[:40] + b"?" + data[41:]])
def test_a_file_that_is_no_sound_table_is_refused(
    spoil: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.bin"
    file.write_bytes(spoil(compile_book(A).data))
    assert main(["game", "show", str(file)]) == 2
    assert "game table" in capsys.readouterr().err


@pytest.mark.parametrize("book", book_ids())
def test_on_micropython_a_table_takes_less_than_8_kb_and_a_look_up_far_less_than_a_millisecond(book: str) -> None:
    cost = measure(book)
    assert cost.heap < BUDGET_BYTES
    assert max(cost.mean_us, cost.worst_us) < 100  # a tenth of the budget, for whatever else this machine is doing
