"""The camera's two lamps: each frame is wholly by the one that was asked for, whenever in a frame it was asked for."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from chip_bench import Bench
from tumbler.twin.chips import arduchip, ov2640
from tumbler.twin.chips.arduchip import ArduChip
from tumbler.twin.chips.camera_lamp import CameraLamp
from tumbler.twin.chips.faults import ChipFault, break_chip, mend_chip
from tumbler.twin.chips.ov2640 import FRAME_US, Ov2640
from tumbler.twin.chips.table import CAMERA_LAMP

Picture = npt.NDArray[np.uint8]
BY_LAMP = (80, 160)


def plain(colour: bool, lamp: int) -> Picture:
    """One grey by one lamp, another by the other."""
    return np.full((240, 320, 3) if colour else (240, 320), BY_LAMP[lamp], dtype=np.uint8)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path / "flash", scene=plain)
    yield bench
    bench.close()


@pytest.fixture
def camera(bench: Bench) -> Any:
    camera = bench.board.camera
    camera.start()
    return camera


def greys(camera: Any) -> set[int]:
    """Of every row of the frame taken last."""
    frame = bytearray(320 * 240)
    camera.read_rows_into(frame, 0, 240)
    return set(frame)


@pytest.mark.parametrize("part", range(8))
def test_a_frame_after_a_change_is_wholly_by_the_new_lamp(camera: Any, bench: Bench, part: int) -> None:
    for lamp in (1, 0, 1):
        bench.advance(FRAME_US - bench.lines.now_us % FRAME_US + part * FRAME_US // 8)
        camera.light(lamp)
        camera.capture()
        assert greys(camera) == {BY_LAMP[lamp]}
    assert bench.chips.wrong_use == []


def test_the_lamp_that_is_lit_already_costs_no_wait(camera: Any, bench: Bench) -> None:
    camera.light(1)
    camera.capture()
    begin = bench.lines.now_us
    camera.light(1)
    camera.capture()
    assert bench.lines.now_us - begin <= 3 * FRAME_US


def test_a_change_costs_one_frame_time(camera: Any, bench: Bench) -> None:
    camera.capture()
    begin = bench.lines.now_us
    camera.light(1)
    camera.capture()
    assert bench.lines.now_us - begin <= 3 * FRAME_US + 10_000


def test_a_change_while_the_last_frame_is_read_costs_nothing(camera: Any, bench: Bench) -> None:
    camera.capture()
    camera.light(1)
    assert greys(camera) == {BY_LAMP[0]}
    bench.advance(80_000)
    camera.begin()
    begin = bench.lines.now_us
    while not camera.ready():
        bench.advance(1000)
    assert bench.lines.now_us - begin <= 2 * FRAME_US + 1000
    assert greys(camera) == {BY_LAMP[1]}


def test_a_frame_during_which_the_lamps_changed_is_thrown_away(camera: Any, bench: Bench) -> None:
    camera.begin()
    bench.advance(FRAME_US // 2)
    camera.light(1)
    while not camera.ready():
        bench.advance(1000)
    assert camera.frames == 1
    assert greys(camera) == {BY_LAMP[1]}
    assert bench.chips.wrong_use == []


def test_a_controller_that_starts_anew_lights_the_first_lamp(camera: Any, bench: Bench) -> None:
    camera.light(1)
    bench.lines.reset()
    bench.advance(1000)
    assert bench.chips.camera_lamp.lit == 0


def test_the_camera_started_again_has_the_lamp_that_it_had(camera: Any, bench: Bench) -> None:
    camera.light(1)
    bench.lines.put_out(CAMERA_LAMP, 0)
    camera.start()
    camera.capture()
    assert greys(camera) == {BY_LAMP[1]}


def test_a_dead_lamp_leaves_its_frames_dark(camera: Any, bench: Bench) -> None:
    break_chip(bench.chips, ChipFault.CAMERA_LAMP)
    seen = []
    for lamp in (0, 1):
        camera.light(lamp)
        camera.capture()
        seen.append(max(greys(camera)))
    assert seen[0] == BY_LAMP[0]
    assert seen[1] < 20
    mend_chip(bench.chips, ChipFault.CAMERA_LAMP)
    camera.capture()
    assert greys(camera) == {BY_LAMP[1]}


def test_a_stuck_change_over_gives_the_first_lamp_always(camera: Any, bench: Bench) -> None:
    break_chip(bench.chips, ChipFault.CAMERA_LAMP_STUCK)
    camera.light(1)
    camera.capture()
    assert greys(camera) == {BY_LAMP[0]}


# --- the chips themselves ---------------------------------------------------------------------------------------------


def taken_at(changed_us: int) -> Picture:
    """A frame from FRAME_US on, taken without regard to a change of lamp."""
    lamp = CameraLamp()
    sensor = Ov2640(0x30, plain, lamp)
    for register, value in ((0xFF, 0), (ov2640.R_BYPASS, 0), (ov2640.IMAGE_MODE, ov2640.Y8)):
        sensor.write(bytes((register, value)))
    for register, value in ((ov2640.ZMOW, 80), (ov2640.ZMOH, 60), (ov2640.HSIZE, 200), (ov2640.VSIZE, 150)):
        sensor.write(bytes((register, value)))
    for register, value in ((0xFF, 1), (ov2640.COM7, 0x40), (ov2640.COM8, 0xC0), (ov2640.AEC, 300 >> 2)):
        sensor.write(bytes((register, value)))
    chip = ArduChip(sensor)
    for value in (arduchip.CLEAR_DONE, arduchip.START):
        chip.select()
        chip.exchange(bytes((arduchip.FIFO | 0x80, value)))
        chip.deselect()
    lamp.on_level(1, changed_us)
    chip.advance(3 * FRAME_US)
    chip.select()
    picture = np.frombuffer(chip.exchange(bytes((arduchip.BURST, *bytes(320 * 240))))[1:], dtype=np.uint8)
    assert sensor.wrong_use.notes == chip.wrong_use.notes == []
    return picture.reshape(240, 320)


def test_a_frame_begun_too_soon_after_a_change_has_both_lamps_in_its_upper_rows() -> None:
    rows = taken_at(FRAME_US - 5_000).mean(axis=1)
    assert BY_LAMP[0] < rows[0] < BY_LAMP[1]
    assert (np.diff(rows) >= 0).all()
    assert (rows[120:] == BY_LAMP[1]).all()


def test_a_change_in_the_middle_of_a_frame_leaves_its_first_rows_to_the_old_lamp() -> None:
    rows = taken_at(FRAME_US + FRAME_US // 2).mean(axis=1)
    assert (rows[:100] == BY_LAMP[0]).all()
    assert rows[-1] == BY_LAMP[1]


def test_a_change_an_exposure_before_the_frame_leaves_no_trace() -> None:
    assert set(taken_at(FRAME_US - 30_000).ravel()) == {BY_LAMP[1]}


# --- the other camera -------------------------------------------------------------------------------------------------


def test_the_openmv_camera_waits_too(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    firmware = types.ModuleType("sensor")
    level: list[int] = []
    shots: list[int] = []

    def snapshot() -> Any:
        shots.append(bench.lines.now_us)
        return types.SimpleNamespace(bytearray=lambda: bytearray(320 * 240))

    vars(firmware).update(snapshot=snapshot)
    monkeypatch.setitem(sys.modules, "sensor", firmware)
    pin = types.SimpleNamespace(value=level.append)
    camera = bench.firmware.module("drivers.openmv_camera").OpenMvCamera(pin)
    changed_us = bench.lines.now_us
    camera.light(1)
    camera.capture()
    assert level == [1]
    assert shots[0] - changed_us >= FRAME_US
