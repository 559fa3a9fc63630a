"""`tumbler read`: the contract's answer, and one clear line for what is no picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from tumbler.cli.main import main

Draw = Callable[..., Image.Image]


def read(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    assert main(["read", *words, "--json"]) == 0
    rows: list[dict[str, object]] = json.loads(capsys.readouterr().out)["pictures"]
    return rows


@pytest.mark.parametrize(
    ("body", "ink"),
    [("white", "black"), ("black", "white"), ("#a01020", "white"), ("#e8d9a0", "#101010"), ("#202020", "#d02020")],
)
def test_drawn_dice_of_many_colours_are_read_as_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], draw: Draw, body: str, ink: str
) -> None:
    draw([1, 2, 3], body=body, ink=ink).save(tmp_path / "low.png")
    draw([4, 5, 6], body=body, ink=ink).save(tmp_path / "high.png")
    low, high = read(capsys, str(tmp_path / "low.png"), str(tmp_path / "high.png"))
    assert (low["verdict"], low["faces"]) == ("ok", [1, 2, 3])
    assert (high["verdict"], high["faces"]) == ("ok", [4, 5, 6])


def test_a_row_says_where_each_die_is_in_the_files_own_pixels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], draw: Draw
) -> None:
    draw([5], side=300).save(tmp_path / "large.png")
    (row,) = read(capsys, str(tmp_path / "large.png"), "--dice", "1")
    assert set(row) == {"file", "verdict", "reason", "faces", "dice", "ms"}
    (die,) = row["dice"]  # type: ignore[misc]
    assert abs(die["x"] - 450) < 10
    assert abs(die["y"] - 450) < 10
    assert 0 < die["confidence"] <= 1


@pytest.mark.parametrize(("dice", "reason"), [("3", "missing"), ("1", "too_many")])
def test_the_wrong_number_of_dice_is_refused_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], draw: Draw, dice: str, reason: str
) -> None:
    draw([4, 6]).save(tmp_path / "two.png")
    (row,) = read(capsys, str(tmp_path / "two.png"), "--dice", dice)
    assert (row["verdict"], row["reason"], row["faces"]) == ("no_spin", reason, [])


@pytest.mark.parametrize("ground", ["black", "white", "#808080"])
def test_an_empty_picture_is_no_dice(tmp_path: Path, capsys: pytest.CaptureFixture[str], ground: str) -> None:
    Image.new("RGB", (320, 240), ground).save(tmp_path / "empty.png")
    (row,) = read(capsys, str(tmp_path / "empty.png"))
    assert (row["verdict"], row["reason"]) == ("no_spin", "no_dice")


@pytest.mark.parametrize("mode", ["L", "RGBA", "P", "CMYK", "1", "I;16"])
def test_any_mode_of_picture_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], draw: Draw, mode: str
) -> None:
    grey = draw([5, 4], ground="#303030").convert("L")
    picture = (
        grey.convert("I").point(lambda v: v * 200).convert("I;16")
        if mode == "I;16"
        else grey.convert("RGB").convert(mode)
    )
    name = tmp_path / ("dice.tif" if mode in ("CMYK", "I;16") else "dice.png")
    picture.save(name)
    (row,) = read(capsys, str(name))
    assert row["faces"] in ([4, 5], [])  # a dithered picture may be refused, never misread
    assert row["faces"] == [4, 5] or mode == "1"


def test_what_is_no_picture_is_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("two sixes")
    for name, why in (("notes.txt", "not a picture"), ("absent.png", "no such file")):
        assert main(["read", str(tmp_path / name), "--json"]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert name in said.err
        assert why in said.err
        assert said.err.count("\n") == 1


@pytest.mark.parametrize("dice", ["0", "-1", "7"])
def test_a_number_of_dice_that_cannot_be_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], draw: Draw, dice: str
) -> None:
    draw([5, 4]).save(tmp_path / "two.png")
    assert main(["read", str(tmp_path / "two.png"), "--dice", dice]) == 2
    assert f"--dice {dice}: 1 to 6" in capsys.readouterr().err


def test_a_picture_cut_short_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str], draw: Draw) -> None:
    draw([5, 4]).save(tmp_path / "whole.jpg")
    (tmp_path / "cut.jpg").write_bytes((tmp_path / "whole.jpg").read_bytes()[:700])
    assert main(["read", str(tmp_path / "cut.jpg"), "--json"]) == 2
    assert "cut.jpg" in capsys.readouterr().err
