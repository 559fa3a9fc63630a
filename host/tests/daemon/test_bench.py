"""`tumbler bench`: a result is at most three times as slow as its unavoidable steps, in the form that is promised."""

from __future__ import annotations

from pathlib import Path

from tumbler.bench.daemon import MOST_TIMES_ITS_PARTS, latency_row, parts
from tumbler.bench.latency import measure, rig

ROUNDS = 40
ATTEMPTS = 3  # other tests run beside this one: the quietest of a few counts


def test_a_result_reaches_the_floor_within_three_times_its_unavoidable_steps(tmp_path: Path) -> None:
    tried = []
    for attempt in range(ATTEMPTS):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        with rig(folder) as at:
            times = measure(at, ROUNDS)
        assert all(min(ms) > 0 and len(ms) == ROUNDS for _, ms in parts(times))
        tried.append(latency_row(times))
        if tried[-1]["ratio"] <= MOST_TIMES_ITS_PARTS:
            break
    assert set(tried[-1]) >= {"what", "ours", "peer", "peer_name", "ratio", "unit"}
    assert min(row["ratio"] for row in tried) <= MOST_TIMES_ITS_PARTS, tried
