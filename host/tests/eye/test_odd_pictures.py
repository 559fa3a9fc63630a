"""`tumbler read` on pictures that are odd but sound, or too small: read, or one line and exit 2."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from tumbler.cli.main import main

Draw = Callable[..., Image.Image]


def test_a_picture_of_one_pixel_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Image.new("RGB", (1, 1)).save(tmp_path / "dot.png")
    assert main(["read", str(tmp_path / "dot.png"), "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "dot.png" in said.err
    assert said.err.count("\n") == 1


def test_an_empty_file_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.jpg").write_bytes(b"")
    assert main(["read", str(tmp_path / "empty.jpg"), "--json"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", ["turned.jpg", "moving.gif", "huge.png"])
def test_turned_animated_and_large_pictures_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], draw: Draw, name: str
) -> None:
    picture = draw([4, 5])
    if name == "turned.jpg":
        exif = Image.Exif()
        exif[0x0112] = 6
        picture.save(tmp_path / name, exif=exif, quality=95)
    elif name == "moving.gif":
        picture.save(tmp_path / name, save_all=True, append_images=[picture])
    else:
        picture.resize((picture.width * 12, picture.height * 12)).save(tmp_path / name)
    assert main(["read", str(tmp_path / name), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["pictures"]
    assert row["faces"] == [4, 5]
