"""`tumbler soak`: bad usage is one line and nothing is started. The soak itself is in hil_tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from tumbler.cli.main import main


@pytest.mark.parametrize("words", [["--factor", "-1"], ["--kills", "-3"], ["--cuts", "1000000"]])
def test_bad_usage_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["soak", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_folder_that_is_there_already_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["soak", "--folder", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
