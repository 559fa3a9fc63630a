"""The accelerometer: what it reads at rest and shaken, its FIFO, its self-test, and its faults."""

from __future__ import annotations

import math

import pytest
from chip_bench import Bench
from tumbler.twin.chips.faults import ChipFault, break_chip, mend_chip
from tumbler.twin.chips.lis3dh import CTRL1, FIFO_SRC, OUT_X_L, WHO_AM_I, Lis3dh


def shaking(hertz: float, g: float):  # type: ignore[no-untyped-def]
    return lambda t: (g * math.sin(2 * math.pi * hertz * t), g * math.cos(2 * math.pi * hertz * t), 1.0)


def test_a_table_at_rest_feels_gravity_and_no_activity(bench: Bench) -> None:
    accel = bench.board.accel
    bench.wait_ms(100)
    accel.activity()
    bench.wait_ms(100)
    x, y, z = accel.read()
    assert abs(x) < 15
    assert abs(y) < 15
    assert abs(z - 1000) < 15
    assert accel.activity() == 0


def test_shaking_is_felt_in_most_samples_and_stops_with_the_motor(bench: Bench) -> None:
    accel = bench.board.accel
    bench.wait_ms(50)
    accel.activity()
    bench.world.shake = shaking(8.0, 1.5)
    bench.wait_ms(100)
    assert accel.activity() >= 15  # of 20 samples
    bench.world.shake = None
    bench.world.acceleration = (0.0, 0.0, 1.0)
    bench.wait_ms(100)
    accel.activity()
    bench.wait_ms(100)
    assert accel.activity() == 0


def test_a_jolt_is_remembered_when_nobody_read_for_seconds(bench: Bench) -> None:
    accel = bench.board.accel
    bench.wait_ms(100)
    accel.activity()
    bench.world.acceleration = (0.9, 0.0, 1.0)
    bench.wait_ms(10)
    bench.world.acceleration = (0.0, 0.0, 1.0)
    bench.wait_ms(2000)
    assert accel.activity() == 1
    bench.wait_ms(100)
    assert accel.activity() == 0


@pytest.mark.parametrize("g", [(-1.5, 0.25, 1.0), (0.0, 0.0, -1.0), (3.9, -3.9, 0.1)])
def test_what_it_reads_is_what_the_table_feels(bench: Bench, g: tuple[float, float, float]) -> None:
    bench.world.acceleration = g
    bench.board.accel.start()
    bench.wait_ms(50)
    for axis, value in enumerate(bench.board.accel.read()):
        assert abs(value - 1000 * g[axis]) < 20


def test_self_test_moves_every_axis(bench: Bench) -> None:
    assert bench.board.accel.selftest()
    bench.wait_ms(50)
    assert abs(bench.board.accel.read()[2] - 1000) < 15  # and leaves it as it was


@pytest.mark.parametrize(
    ("fault", "words"),
    [(ChipFault.ACCELEROMETER_GONE, "no answer"), (ChipFault.ACCELEROMETER_BROKEN, "self-test force")],
)
def test_self_test_finds_the_fault(bench: Bench, fault: ChipFault, words: str) -> None:
    break_chip(bench.chips, fault)
    assert not bench.board.accel.selftest()
    assert words in bench.board.accel.fault
    mend_chip(bench.chips, fault)
    assert bench.board.accel.selftest()


def test_a_noisy_chip_is_never_still(bench: Bench) -> None:
    break_chip(bench.chips, ChipFault.ACCELEROMETER_NOISY)
    bench.board.accel.activity()
    bench.wait_ms(100)
    assert bench.board.accel.activity() > 5


def test_drivers_do_nothing_that_the_datasheet_forbids(bench: Bench) -> None:
    bench.board.accel.selftest()
    bench.wait_ms(300)
    bench.board.accel.activity()
    assert bench.chips.wrong_use == []


# --- the chip itself ----------------------------------------------------------------------------------------------------


def test_it_says_who_it_is() -> None:
    chip = Lis3dh(0x18, lambda: (0.0, 0.0, 1.0))
    chip.write(bytes((WHO_AM_I,)))
    assert chip.read(1) == b"\x33"


def test_it_does_not_measure_in_power_down() -> None:
    chip = Lis3dh(0x18, lambda: (0.0, 0.0, 1.0))
    chip.advance(1_000_000)
    chip.write(bytes((OUT_X_L | 0x80,)))
    assert chip.read(6) == bytes(6)


def test_without_the_top_bit_the_address_stays() -> None:
    chip = Lis3dh(0x18, lambda: (0.0, 0.0, 1.0))
    chip.write(bytes((CTRL1, 0x57)))
    chip.write(bytes((CTRL1,)))
    assert chip.read(3) == b"\x57\x57\x57"


def test_a_fifo_that_nobody_empties_says_so() -> None:
    chip = Lis3dh(0x18, lambda: (0.0, 0.0, 1.0))
    for register, value in ((CTRL1, 0x67), (0x24, 0x40), (0x2E, 0x80)):
        chip.write(bytes((register, value)))
    chip.advance(1_000_000)
    chip.write(bytes((FIFO_SRC,)))
    assert chip.read(1)[0] & 0x7F == 0x40 | 31


@pytest.mark.parametrize("register", [0x00, 0x10, WHO_AM_I, 0x27])
def test_a_write_to_what_cannot_be_written_is_noted(register: int) -> None:
    chip = Lis3dh(0x18, lambda: (0.0, 0.0, 1.0))
    chip.write(bytes((register, 1)))
    assert chip.wrong_use.count == 1
