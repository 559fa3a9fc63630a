"""The journal's measurement: rows in the shape of `tumbler bench`, and group commit that pays."""

from __future__ import annotations

from pathlib import Path

from tumbler.journal.bench import rows


def test_rows_are_what_bench_prints_and_sharing_a_sync_pays(tmp_path: Path) -> None:
    measured = rows(rounds=1, results=320, folder=tmp_path)
    assert all(set(row) == {"what", "ours", "peer", "peer_name", "ratio", "unit"} for row in measured)
    together, alone, wanted = measured
    assert together["ours"] > alone["ours"] > 0
    assert wanted["peer"] == 1000
    assert not list(tmp_path.iterdir())
