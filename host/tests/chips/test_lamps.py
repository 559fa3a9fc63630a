"""The lamps and the current that says whether they burn."""

from __future__ import annotations

import pytest
from chip_bench import Bench
from hypothesis import given
from hypothesis import strategies as st
from tumbler.twin.chips.faults import ChipFault, break_chip, mend_chip
from tumbler.twin.chips.ina219 import BUS, CALIBRATION, CONFIG, CURRENT, POWER, SHUNT, Ina219
from tumbler.twin.chips.ws2812 import CHANNEL_MA, IDLE_MA, Ws2812Chain

DARK_MA = 160 * IDLE_MA


def measured(bench: Bench) -> int:
    bench.wait_ms(bench.board.lamp_current.settle_ms)
    current: int = bench.board.lamp_current.ma()
    return current


def test_colours_arrive_as_they_were_set(bench: Bench) -> None:
    lamps = bench.board.lamps
    lamps.set(0, 10, 20, 30)
    lamps.set(159, 1, 2, 3)
    assert bench.chips.lamps.pixels[0] == (0, 0, 0)  # not before show()
    lamps.show()
    assert bench.chips.lamps.pixels[0] == (10, 20, 30)
    assert bench.chips.lamps.pixels[159] == (1, 2, 3)


def test_a_shorter_chain_leaves_the_rest_alone(bench: Bench) -> None:
    lamps = bench.board.lamps
    lamps.set(5, 9, 9, 9)
    lamps.show()
    lamps.fit(2)
    lamps.set(1, 7, 7, 7)
    lamps.show()
    assert bench.chips.lamps.pixels[1] == (7, 7, 7)
    assert bench.chips.lamps.pixels[5] == (9, 9, 9)


@pytest.mark.parametrize("n", [0, 161])
def test_a_chain_that_cannot_be_is_refused(bench: Bench, n: int) -> None:
    with pytest.raises(ValueError, match="1 to 160"):
        bench.board.lamps.fit(n)


def test_a_lamp_lit_adds_its_current(bench: Bench) -> None:
    assert measured(bench) == pytest.approx(DARK_MA, abs=1)
    bench.board.lamps.set(17, 255, 255, 255)
    bench.board.lamps.show()
    assert measured(bench) == pytest.approx(DARK_MA + 3 * CHANNEL_MA, abs=1)


def test_a_reading_before_the_sensor_has_measured_is_the_old_one(bench: Bench) -> None:
    measured(bench)
    bench.board.lamps.set(17, 255, 255, 255)
    bench.board.lamps.show()
    assert bench.board.lamp_current.ma() == pytest.approx(DARK_MA, abs=1)


def test_a_dead_lamp_draws_nothing_and_shows_nothing(bench: Bench) -> None:
    dark = measured(bench)
    break_chip(bench.chips, ChipFault.LAMP_DEAD, "17")
    bench.board.lamps.set(17, 255, 255, 255)
    bench.board.lamps.show()
    assert measured(bench) == pytest.approx(dark - IDLE_MA, abs=1)
    assert bench.chips.lamps.pixels[17] == (0, 0, 0)
    mend_chip(bench.chips, ChipFault.LAMP_DEAD, "17")
    assert measured(bench) == pytest.approx(dark + 3 * CHANNEL_MA, abs=1)


def test_behind_a_cut_no_lamp_follows(bench: Bench) -> None:
    break_chip(bench.chips, ChipFault.LAMP_CHAIN_CUT, "100")
    for i in (99, 100):
        bench.board.lamps.set(i, 50, 0, 0)
    bench.board.lamps.show()
    assert bench.chips.lamps.pixels[99:101] == [(50, 0, 0), (0, 0, 0)]


def test_the_sensor_s_range_ends_at_3_2_amperes(bench: Bench) -> None:
    for i in range(160):
        bench.board.lamps.set(i, 255, 255, 255)
    bench.board.lamps.show()
    assert measured(bench) == 3200


def test_self_test_sees_sensor_and_supply(bench: Bench) -> None:
    sense = bench.board.lamp_current
    bench.wait_ms(10)
    assert sense.selftest()
    assert sense.supply_mv() == 5000
    bench.chips.lamp_sense.power_cycle()
    assert not sense.selftest()
    assert "settings" in sense.fault
    bench.wait_ms(10)
    assert sense.selftest()
    break_chip(bench.chips, ChipFault.LAMP_SENSE_GONE)
    assert not sense.selftest()
    assert sense.fault == "lamp current: no answer"


def test_a_lamp_supply_that_is_down_fails_the_self_test(bench: Bench) -> None:
    bench.chips.lamp_sense._bus_volts = 3.1
    assert bench.board.absent == []
    bench.wait_ms(10)
    assert not bench.board.lamp_current.selftest()
    assert bench.board.lamp_current.fault == "lamp supply: 3100 mV"


# --- the chips themselves ------------------------------------------------------------------------------------------------


def word(chip: Ina219, register: int) -> int:
    chip.write(bytes((register,)))
    return int.from_bytes(chip.read(2), "big", signed=register in (SHUNT, CURRENT))


def test_current_is_zero_until_calibrated() -> None:
    chip = Ina219(0x40, 0.1, lambda: 1.0)
    chip.advance(1_000_000)
    assert word(chip, SHUNT) == 10_000
    assert word(chip, CURRENT) == 0
    assert "calibration" in chip.wrong_use.notes[0]
    chip.write(bytes((CALIBRATION, 0x10, 0x00)))
    assert word(chip, CURRENT) == 10_000
    assert word(chip, POWER) == 2_500  # 20 times the current's step: 5 W
    assert word(chip, BUS) >> 3 == 1250


def test_a_small_range_clips() -> None:
    chip = Ina219(0x40, 0.1, lambda: 1.0)
    chip.write(bytes((CONFIG, 0x01, 0x9F)))  # 40 mV
    chip.advance(1_000_000)
    assert word(chip, SHUNT) == 4_000


def test_power_down_keeps_the_last_value() -> None:
    amps = [0.5]
    chip = Ina219(0x40, 0.1, lambda: amps[0])
    chip.advance(10_000)
    chip.write(bytes((CONFIG, 0x39, 0x98)))
    amps[0] = 1.0
    chip.advance(1_000_000)
    assert word(chip, SHUNT) == 5_000


@pytest.mark.parametrize("data", [bytes((CURRENT, 0, 1)), bytes((9, 0, 1)), bytes((CONFIG, 1))])
def test_wrong_writes_are_noted(data: bytes) -> None:
    chip = Ina219(0x40, 0.1, lambda: 0.0)
    chip.write(data)
    assert chip.wrong_use.count == 1


@given(st.lists(st.tuples(*[st.integers(0, 255)] * 3), max_size=20), st.integers(0, 3))
def test_a_chain_shows_what_is_shifted_in(colours: list[tuple[int, int, int]], rest: int) -> None:
    chain = Ws2812Chain(10)
    data = bytes(v for r, g, b in colours for v in (g, r, b)) + bytes(rest if rest < 3 else 0)
    chain.shift(data)
    want = (colours + [(0, 0, 0)] * 10)[:10]
    assert chain.pixels == want
    assert chain.amps() * 1000 == pytest.approx(10 * IDLE_MA + CHANNEL_MA * sum(map(sum, want)) / 255)
