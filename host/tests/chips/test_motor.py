"""The shaker's motor: its mechanics, and what the firmware's driver sees of it."""

from __future__ import annotations

import math

import pytest
from chip_bench import Bench
from hypothesis import given
from hypothesis import strategies as st
from tumbler.twin.chips.faults import ChipFault, break_chip, mend_chip
from tumbler.twin.chips.motor import PULSES_PER_TURN, DcMotor, HBridge


def run(motor: DcMotor, seconds: float, duty: float, load: float = 0.0, dt: float = 0.001) -> None:
    for _ in range(round(seconds / dt)):
        motor.step(dt, duty, load)


def test_free_running_it_turns_at_nearly_900_rpm_and_draws_little() -> None:
    motor = DcMotor()
    run(motor, 2.0, 1.0)
    assert 830 < motor.rpm < 900
    assert 0.3 < motor.amps < 0.5


def test_it_takes_a_time_constant_to_two_thirds() -> None:
    motor = DcMotor()
    run(motor, 0.16, 1.0)
    assert motor.rpm == pytest.approx(0.63 * 841, rel=0.05)


def test_a_load_slows_it_and_costs_current() -> None:
    motor = DcMotor()
    run(motor, 2.0, 0.8, load=0.2)
    assert 520 < motor.rpm < 560
    assert motor.amps == pytest.approx((0.1 + 0.2) / motor.plate.volts_per_rad_s, rel=0.01)


def test_a_seized_shaft_draws_all_that_its_winding_lets_through() -> None:
    motor = DcMotor()
    motor.seized = True
    run(motor, 0.1, 1.0)
    assert motor.rpm == 0.0
    assert motor.amps == pytest.approx(6.0)


def test_too_little_duty_for_its_friction_does_not_turn_it() -> None:
    motor = DcMotor()
    run(motor, 1.0, 0.05)
    assert motor.turns == 0.0


def test_without_duty_it_brakes_to_a_stop_within_a_second_and_stays() -> None:
    motor = DcMotor()
    run(motor, 1.0, 1.0)
    run(motor, 1.0, 0.0)
    assert motor.rpm == 0.0
    before = motor.turns
    run(motor, 1.0, 0.0)
    assert motor.turns == before


@given(st.floats(-1.0, 1.0), st.floats(0.0, 0.3), st.sampled_from((0.0005, 0.002, 0.01)))
def test_the_size_of_the_steps_does_not_change_a_run(duty: float, load: float, dt: float) -> None:
    fine, coarse = DcMotor(), DcMotor()
    run(fine, 0.6, duty, load, 0.0005)
    run(coarse, 0.6, duty, load, dt)
    assert coarse.rpm == pytest.approx(fine.rpm, abs=3.0)
    assert coarse.turns == pytest.approx(fine.turns, abs=0.05)


@given(st.sampled_from((0, 1)), st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(1, 100)), max_size=8))
def test_every_turn_gives_twelve_pulses(direction: int, profile: list[tuple[float, int]]) -> None:
    edges: list[bool] = []
    bridge = HBridge(DcMotor(), edges.append)
    bridge.on_direction(direction)
    for duty, steps in profile:
        bridge.on_pwm(20_000, round(duty * 65535))
        for _ in range(steps):
            bridge.step(0.001)
    assert abs(edges.count(True) - abs(bridge.motor.turns) * PULSES_PER_TURN) <= 1.0
    assert all(edges[i] != edges[i + 1] for i in range(len(edges) - 1))


def test_a_bridge_that_is_pulsed_too_slowly_stays_off() -> None:
    bridge = HBridge(DcMotor(), lambda _level: None)
    bridge.on_pwm(1000, 65535)
    assert bridge.duty == 0.0


# --- the driver ---------------------------------------------------------------------------------------------------------


def test_the_driver_counts_what_the_shaft_turns(bench: Bench) -> None:
    bench.board.motor.drive(800)
    bench.wait_ms(1500)
    turned = bench.chips.bridge.motor.turns
    assert bench.board.motor.pulses() == pytest.approx(turned * PULSES_PER_TURN, abs=1)
    assert turned > 10


def test_the_driver_reads_the_current_that_flows(bench: Bench) -> None:
    bench.chips.bridge.motor.seized = True
    bench.board.motor.drive(500)
    bench.wait_ms(10)
    assert bench.board.motor.current_ma() == pytest.approx(3000, abs=15)
    bench.board.motor.stop()
    bench.wait_ms(10)
    assert bench.board.motor.current_ma() == 0


def test_backwards_turns_the_other_way_and_counts_on(bench: Bench) -> None:
    bench.board.motor.drive(600, False)
    bench.wait_ms(500)
    assert bench.chips.bridge.motor.turns < -2
    assert bench.board.motor.pulses() > 20


def test_direction_changes_only_while_the_bridge_is_off(bench: Bench) -> None:
    duties: list[float] = []
    bench.board.motor.drive(900)
    bench.lines.on_output(9, lambda _level, _t: duties.append(bench.chips.bridge.duty))
    bench.board.motor.drive(900, False)
    assert duties == [0.0]
    assert bench.chips.bridge.duty == pytest.approx(-0.9, abs=0.001)


@pytest.mark.parametrize("permille", [-1, 1001])
def test_a_strength_that_cannot_be_is_refused(bench: Bench, permille: int) -> None:
    with pytest.raises(ValueError, match="permille"):
        bench.board.motor.drive(permille)


def test_a_dead_tachometer_counts_nothing_while_current_flows(bench: Bench) -> None:
    break_chip(bench.chips, ChipFault.TACHOMETER_DEAD)
    bench.board.motor.drive(800)
    bench.wait_ms(1000)
    assert bench.board.motor.pulses() == 0
    assert bench.board.motor.current_ma() >= 200
    mend_chip(bench.chips, ChipFault.TACHOMETER_DEAD)
    bench.wait_ms(500)
    assert bench.board.motor.pulses() > 20


def test_supply_is_measured_and_judged(bench: Bench) -> None:
    assert bench.board.supply.mv() == pytest.approx(24000, abs=20)
    assert bench.board.supply.selftest()
    break_chip(bench.chips, ChipFault.SUPPLY_LOW)
    assert not bench.board.supply.selftest()
    assert "supply: 169" in bench.board.supply.fault or "supply: 170" in bench.board.supply.fault
    mend_chip(bench.chips, ChipFault.SUPPLY_LOW)
    assert math.isclose(bench.board.supply.mv(), 24000, rel_tol=0.01)
