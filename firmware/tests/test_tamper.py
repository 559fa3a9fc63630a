"""A blow against the table and a table that leans are told; the round's own shaking and the dealer's hands are not."""

import pytest
from bench_table import Bench
from dicewire import codes
from dicewire import messages as wire


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_a_blow_at_rest_is_one_event_with_its_strength(bench):
    bench.run(1000)
    bench.board.accel.shaken = True
    bench.run(400)
    bench.board.accel.shaken = False
    bench.run(1000)
    (struck,) = bench.host.events(codes.EVENT_STRUCK)
    assert struck["a"] == 400
    assert bench.phase == codes.PHASE_BETTING_OPEN


def test_rounds_of_play_strike_nothing(bench):
    for _ in range(3):
        bench.play(1, 2, 3)
        bench.pay()
        bench.run(1000)
    assert bench.host.events(codes.EVENT_STRUCK) == []


def test_a_table_that_leans_is_a_fault_until_it_is_level(bench):
    bench.board.accel.gravity = (150, 0, 980)
    bench.run(1000)
    assert not bench.host.last(wire.STATE)["faults"] & codes.FAULT_TILT  # leant upon for a moment
    bench.run(3000)
    assert bench.host.last(wire.STATE)["faults"] & codes.FAULT_TILT
    bench.board.accel.gravity = (10, -20, 1000)
    bench.run(4000)
    assert not bench.host.last(wire.STATE)["faults"] & codes.FAULT_TILT
