"""The page that a run of the hardware suite leaves: what was tested, what was measured, what failed and how, what has changed.

A suite of three tests is run twice, as the real one is; what lies in its folder is looked at.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.timeout(120)

PICTURE = base64.b64encode(b"\x89PNG like").decode()
CONFTEST = """
import pytest
from tumbler.rigs import report
from tumbler.rigs.report import measure

def pytest_addoption(parser):
    parser.addoption("--rig", default="twin")
    report.add_options(parser.getgroup("hil"))

def pytest_configure(config):
    report.register(config)
"""
SUITE = """
import os
import pytest
from tumbler.rigs.report import SEED

def test_lamp(measure, request):
    measure.fact("game table", os.environ["GAME"])
    request.node.user_properties.append((SEED, "17"))
    measure("lamp <current>", float(os.environ["CURRENT"]), "mA", low=10, high=20)

def test_dice(measure):
    measure.picture(b"\\x89PNG like")
    assert os.environ["DICE"] == "flat"

def test_relay():
    pytest.skip("rig twin cannot: press keys by a relay")
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_suite.py").write_text(SUITE)
    return tmp_path


def run(suite: Path, game: str, current: float, dice: str, rig: str = "twin") -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rig", rig, "--hil-report", "report"]
    words = {"GAME": game, "CURRENT": str(current), "DICE": dice}
    subprocess.run(command, cwd=suite, env={**os.environ, **words}, capture_output=True, timeout=60, check=False)
    return (suite / "report" / "report.html").read_text("utf-8")


def rows(page: str) -> list[str]:
    """Its text, a line for each row of a table or item of a list."""
    return [re.sub("<[^>]+>", " ", row) for row in re.split("<tr>|<li>|<p>|<h2>", page)]


def test_the_first_page_has_everything_and_needs_nothing_from_elsewhere(suite: Path) -> None:
    page = run(suite, "abc1", 15, "flat")
    assert "2 passed, 1 skipped" in page
    assert re.search(r"lamp &lt;current&gt;<td class='n'>15<td>mA<td class=n>10<td class=n>20", page)
    for told in (
        "abc1",
        "seed 17",
        "rig twin cannot: press keys by a relay",
        "no earlier run",
        "firmware sources sha256",
    ):
        assert told in page
    assert PICTURE not in page  # of a failure only
    assert not re.search(r"""(src|href)=['"]?(?!data:)|url\(|@import""", page)
    cases = ElementTree.parse(suite / "report" / "junit.xml").getroot().iter("testcase")
    assert {case.get("name") for case in cases} == {"test_lamp", "test_dice", "test_relay"}


def test_the_next_page_says_what_has_changed(suite: Path) -> None:
    run(suite, "abc1", 15, "flat")
    page = run(suite, "abc2", 21, "leaning")
    assert "2 failed, 1 skipped" in page
    told = rows(page)
    assert any("test_dice" in row and "was passed" in row and "is  failed" in row for row in told)
    assert any("game table" in row and "abc1 → abc2" in row for row in told)
    assert any("lamp" in row and "21" in row and "15 (+40 %)" in row for row in told)
    assert "is above its limits, 10 to 20 mA" in page
    assert PICTURE in page
    assert json.loads((suite / "report" / "results.json").read_text())["rig"] == "twin"


def test_a_run_of_another_rig_is_compared_with_nothing(suite: Path) -> None:
    run(suite, "abc1", 15, "flat")
    assert "no earlier run of this rig" in run(suite, "abc1", 15, "flat", rig="emulated")
