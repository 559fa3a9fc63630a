"""`tumbler bench`: a result is at most three times as slow as its unavoidable steps, in the form that is promised."""

from __future__ import annotations

from pathlib import Path

from tumbler.bench.daemon import MOST_TIMES_ITS_PARTS, latency_row, parts
from tumbler.bench.latency import measure, rig


def test_a_result_reaches_the_floor_within_three_times_its_unavoidable_steps(tmp_path: Path) -> None:
    with rig(tmp_path) as at:
        times = measure(at, 40)
    row = latency_row(times)
    assert set(row) >= {"what", "ours", "peer", "peer_name", "ratio", "unit"}
    assert all(min(ms) > 0 and len(ms) == 40 for _, ms in parts(times))
    assert row["ratio"] <= MOST_TIMES_ITS_PARTS, row
