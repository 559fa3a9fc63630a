"""Zones of a craps table as a person writes them: every mistake is named with its file, zone and key."""

from __future__ import annotations

from pathlib import Path

import pytest
from tumbler.diag import zones

GOOD = """
[[zone]]
cause = "in_bowl"
box = [200, 90, 260, 150]
[[zone]]
cause = "on_rail"
circle = [160, 120, 118]
inner = 100
[[zone]]
cause = "off_table"
outside = [160, 120, 118]
"""


def test_what_a_person_writes_comes_back_in_words(tmp_path: Path) -> None:
    (tmp_path / "zones.toml").write_text(GOOD)
    data = zones.read(tmp_path / "zones.toml")
    assert len(data) == 9 + 3 * zones.ROW.size
    assert zones.words(data) == [
        "in_bowl    box 200 90 260 150",
        "on_rail    circle 160 120 118 100",
        "off_table  outside 160 120 118 0",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[zone]]\ncause = 'fraud'\nbox = [1, 2, 3, 4]", "zone 1: cause 'fraud'"),
        ("[[zone]]\ncause = 'in_bowl'", "zone 1: needs one of circle, box, outside"),
        ("[[zone]]\ncause = 'in_bowl'\nbox = [1, 2, 3]", "zone 1: box [1, 2, 3]: must be 4 whole numbers"),
        ("[[zone]]\ncause = 'in_bowl'\nbox = [1, 2, 3, 4000]", "must be 4 whole numbers"),
        ("[[zone]]\ncause = 'in_bowl'\nbox = [1, 2, 3, 4]\ninner = 3", "zone 1: inner: unknown"),
        ("[[zone]]\ncause = 'on_rail'\ncircle = [1, 2, 3]\ninner = -3", "zone 1: inner -3"),
        ("[zones]", "zones: only [[zone]]"),
        ("zone = 3", "zone: only [[zone]]"),
        ("[[zone", "not TOML"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "zones.toml").write_text(text)
    with pytest.raises(zones.BadZones) as error:
        zones.read(tmp_path / "zones.toml")
    assert said in str(error.value)
    assert "zones.toml" in str(error.value)
