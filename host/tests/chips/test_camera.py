"""The camera: whole frames into one buffer, colour, exposure, and every way it fails told by its driver."""

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
from tumbler.twin.chips.faults import ChipFault, NotFitted, break_chip, mend_chip
from tumbler.twin.chips.ov2640 import Ov2640

Picture = npt.NDArray[np.uint8]
PIXELS = 320 * 240


class Wall:
    """A scene of coloured squares, with noise that is new in every frame."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(1)
        self.last: Picture = np.zeros((240, 320, 3), dtype=np.uint8)

    def __call__(self, colour: bool, lamp: int) -> Picture:
        tiles = np.random.default_rng(0).integers(30, 220, (12, 16, 3), dtype=np.uint8)
        self.last = tiles.repeat(20, axis=0).repeat(20, axis=1) + self._rng.integers(
            0, 4, (240, 320, 3), dtype=np.uint8
        )
        return self.last if colour else self.luma

    @property
    def luma(self) -> Picture:
        grey: Picture = (self.last @ np.array((0.299, 0.587, 0.114)) + 0.5).astype(np.uint8)
        return grey


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def bench(tmp_path: Path, wall: Wall) -> Iterator[Bench]:
    bench = Bench(tmp_path / "flash", scene=wall)
    yield bench
    bench.close()


@pytest.fixture
def camera(bench: Bench) -> Any:
    camera = bench.board.camera
    camera.start()
    return camera


def seen(buffer: bytearray) -> Picture:
    return np.frombuffer(bytes(buffer), dtype=np.uint8).reshape(240, 320)


def test_a_frame_comes_whole_into_one_buffer(camera: Any, wall: Wall, bench: Bench) -> None:
    frame = bytearray(PIXELS)
    assert camera.capture() == 1
    camera.read_rows_into(frame, 0, 240)
    assert (seen(frame) == wall.luma).all()
    assert not camera.torn
    assert not camera.frozen
    assert bench.chips.wrong_use == []


def test_rows_may_be_read_in_parts_and_skipped(camera: Any, wall: Wall, bench: Bench) -> None:
    camera.capture()
    part = bytearray(320 * 30)
    for first in (0, 30, 120, 210):
        camera.read_rows_into(part, first, 30)
        assert bytes(part) == wall.luma[first : first + 30].tobytes()
    with pytest.raises(ValueError, match="row 240 next"):
        camera.read_rows_into(part, 0, 30)
    assert bench.chips.wrong_use == []


def test_a_frame_is_taken_after_it_was_asked_for_within_two_frame_times(camera: Any, bench: Bench) -> None:
    start = bench.lines.now_us
    camera.begin()
    assert not camera.ready()
    camera.capture()
    assert arduchip.FRAME_US <= bench.lines.now_us - start <= 3 * arduchip.FRAME_US


def test_colour_frames_give_luma_and_chroma(bench: Bench, wall: Wall) -> None:
    camera = bench.board.camera
    camera.start(colour=True)
    frame, u, v = bytearray(PIXELS), bytearray(80 * 60), bytearray(80 * 60)
    camera.capture()
    camera.read_rows_into(frame, 0, 240, u, v)
    assert not camera.torn
    assert np.abs(seen(frame).astype(int) - wall.luma).max() <= 1
    middle = wall.last[130:131, 164:166].astype(float).mean(axis=(0, 1))  # inside a square: no edge
    y = middle @ (0.299, 0.587, 0.114)
    at = 130 // 4 * 80 + 164 // 4
    assert u[at] == pytest.approx((middle[2] - y) * 0.564 + 128, abs=4)
    assert v[at] == pytest.approx((middle[0] - y) * 0.713 + 128, abs=4)
    assert bench.chips.wrong_use == []


def test_luma_is_also_taken_from_a_sensor_that_gives_yuv(camera: Any, wall: Wall, bench: Bench) -> None:
    sensor = bench.chips.image_sensor
    assert sensor is not None
    sensor._banks[ov2640.DSP][ov2640.IMAGE_MODE] = 0  # one that knows no Y8
    frame = bytearray(PIXELS)
    camera.capture()
    camera.read_rows_into(frame, 0, 240)
    assert not camera.torn
    assert np.abs(seen(frame).astype(int) - wall.luma).max() <= 1


def test_exposure_is_fixed_and_shorter_is_darker(camera: Any, bench: Bench) -> None:
    sensor = bench.chips.image_sensor
    assert sensor is not None
    assert sensor.exposure == 1.0
    assert not sensor._sensor(ov2640.COM8) & (ov2640.AUTO_EXPOSURE | ov2640.AUTO_GAIN)
    means = []
    for lines, gain in ((300, 0), (75, 0), (75, 0x30)):
        camera.expose(lines, gain)
        frame = bytearray(PIXELS)
        camera.capture()
        camera.read_rows_into(frame, 0, 240)
        means.append(seen(frame).mean())
    assert means[1] < means[0] * 0.6
    assert means[2] == pytest.approx(means[0], abs=3)


def test_a_sensor_that_repeats_its_last_picture_is_known(camera: Any, bench: Bench) -> None:
    frame = bytearray(PIXELS)
    found = []
    for fault in (None, None, ChipFault.CAMERA_FROZEN, ChipFault.CAMERA_FROZEN):
        if fault:
            break_chip(bench.chips, fault)
        camera.capture()
        camera.read_rows_into(frame, 0, 240)
        found.append(camera.frozen)
    assert found == [False, False, True, True]
    mend_chip(bench.chips, ChipFault.CAMERA_FROZEN)
    camera.capture()
    camera.read_rows_into(frame, 0, 240)
    assert not camera.frozen


def test_a_frame_that_is_not_whole_is_known(camera: Any, bench: Bench) -> None:
    break_chip(bench.chips, ChipFault.CAMERA_TORN)
    camera.capture()
    assert camera.torn
    mend_chip(bench.chips, ChipFault.CAMERA_TORN)
    camera.capture()
    assert not camera.torn


def test_in_the_dark_the_picture_is_dark(camera: Any, bench: Bench) -> None:
    break_chip(bench.chips, ChipFault.CAMERA_DARK)
    frame = bytearray(PIXELS)
    camera.capture()
    camera.read_rows_into(frame, 0, 240)
    assert seen(frame).max() < 20


def test_self_test_passes_and_leaves_the_camera_seeing(camera: Any, wall: Wall, bench: Bench) -> None:
    assert camera.selftest(), camera.fault
    frame = bytearray(PIXELS)
    camera.capture()
    camera.read_rows_into(frame, 0, 240)
    assert (seen(frame) == wall.luma).all()
    assert bench.chips.wrong_use == []


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (ChipFault.CAMERA_GONE, "no answer"),
        (ChipFault.CAMERA_DEAD, "test register"),
        (ChipFault.CAMERA_HUNG, "no frame in 500 ms"),
        (ChipFault.CAMERA_FROZEN, "test bars"),
        (ChipFault.CAMERA_TORN, "not whole"),
        (ChipFault.CAMERA_STUCK, "data wires that never change: 40"),
    ],
)
def test_self_test_finds_the_fault(camera: Any, bench: Bench, fault: ChipFault, words: str) -> None:
    camera.capture()
    break_chip(bench.chips, fault)
    assert not camera.selftest()
    assert words in camera.fault
    mend_chip(bench.chips, fault)
    assert camera.selftest(), camera.fault


def test_a_table_without_camera_says_so(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "none")
    with pytest.raises(OSError, match="5"):
        bench.board.camera.start()
    assert not bench.board.camera.selftest()
    with pytest.raises(NotFitted):
        break_chip(bench.chips, ChipFault.CAMERA_TORN)
    bench.close()


def test_another_sensor_is_refused(camera: Any, bench: Bench) -> None:
    sensor = bench.chips.image_sensor
    assert sensor is not None
    sensor._banks[ov2640.SENSOR][ov2640.PIDH] = 0x56
    with pytest.raises(OSError, match="sensor is 5642"):
        camera.start()


def test_settings_go_with_the_power(camera: Any, bench: Bench) -> None:
    bench.chips.power(False)
    bench.chips.power(True)
    with pytest.raises(OSError, match="no frame in 500 ms"):
        camera.capture()
    camera.start()
    assert camera.capture()


# --- the chips themselves -----------------------------------------------------------------------------------------------


def registers(chip: ArduChip, *out: int) -> bytes:
    chip.select()
    back = chip.exchange(bytes(out))
    chip.deselect()
    return back


def test_arduchip_keeps_its_test_register_and_says_its_version() -> None:
    chip = ArduChip(Ov2640(0x30, Wall()))
    registers(chip, arduchip.TEST | 0x80, 0x5A)
    assert registers(chip, arduchip.TEST, 0)[1] == 0x5A
    assert registers(chip, arduchip.VERSION, 0)[1] == 0x73


@pytest.mark.parametrize(
    ("bytes_out", "words"),
    [
        ((0x41 | 0x80, 1), "write to 0x41"),
        ((0x3C, 0), "before its frame was done"),
        ((0x04 | 0x80,), "middle of a write"),
        ((0x20, 0), "read of 0x20"),
        ((0x00 | 0x80, 1, 2), "more than one byte"),
    ],
)
def test_what_its_table_forbids_is_noted(bytes_out: tuple[int, ...], words: str) -> None:
    chip = ArduChip(Ov2640(0x30, Wall()))
    registers(chip, *bytes_out)
    assert words in chip.wrong_use.notes[0]


def test_the_sensor_gives_nothing_until_its_image_processor_is_used() -> None:
    sensor = Ov2640(0x30, Wall())
    chip = ArduChip(sensor)
    registers(chip, arduchip.FIFO | 0x80, arduchip.START)
    chip.advance(1_000_000)
    assert not registers(chip, arduchip.STATUS, 0)[1] & arduchip.DONE
    sensor.write(bytes((ov2640.R_BYPASS, 0)))
    chip.advance(1_200_000)
    assert registers(chip, arduchip.STATUS, 0)[1] & arduchip.DONE


@pytest.mark.parametrize(
    ("writes", "words"),
    [
        (((0xFF, 1), (ov2640.PIDH, 1)), "read-only"),
        (((0xFF, 2),), "bank 2"),
        (((0xFF, 1), (0x00, 1, 2)), "one register at a time"),
    ],
)
def test_the_sensor_notes_what_sccb_and_datasheet_forbid(writes: tuple[tuple[int, ...], ...], words: str) -> None:
    sensor = Ov2640(0x30, Wall())
    for data in writes:
        sensor.write(bytes(data))
    assert words in sensor.wrong_use.notes[0]


def test_banks_are_apart_and_a_reset_forgets() -> None:
    sensor = Ov2640(0x30, Wall())
    sensor.write(b"\xff\x01")
    sensor.write(b"\x10\x44")
    sensor.write(b"\xff\x00")
    sensor.write(b"\x10\x77")
    sensor.write(b"\xff\x01")
    sensor.write(b"\x10")
    assert sensor.read(1) == b"\x44"
    sensor.write(b"\x12\x80")
    sensor.write(b"\x10")
    assert sensor.read(1) == b"\x33"


# --- the other camera ---------------------------------------------------------------------------------------------------


class OpenMvFirmware(types.ModuleType):
    """The `sensor` module of an OpenMV board, as far as the driver uses it; frames as its documents describe them."""

    GRAYSCALE, YUV422, QVGA, SINGLE_BUFFER = 1, 2, 3, 1

    def __init__(self, wall: Wall) -> None:
        super().__init__("sensor")
        self._wall = wall
        self.automatic = {"gain", "whitebal", "exposure"}
        self.format = 0
        self.broken = ""

    def reset(self) -> None:
        if self.broken:
            raise RuntimeError(self.broken)
        self.automatic = {"gain", "whitebal", "exposure"}

    def set_pixformat(self, value: int) -> None:
        self.format = value

    def set_framebuffers(self, count: int) -> None:
        assert count == self.SINGLE_BUFFER

    def set_framesize(self, value: int) -> None:
        assert value == self.QVGA

    def set_auto_gain(self, on: bool, *, gain_db: float) -> None:
        self.automatic -= set() if on else {"gain"}

    def set_auto_whitebal(self, on: bool, *, rgb_gain_db: tuple[float, ...]) -> None:
        self.automatic -= set() if on else {"whitebal"}

    def set_auto_exposure(self, on: bool, *, exposure_us: int) -> None:
        self.automatic -= set() if on else {"exposure"}

    def skip_frames(self, *, time: int) -> None:
        pass

    def snapshot(self) -> Any:
        if self.broken:
            raise RuntimeError(self.broken)
        if self.format == self.GRAYSCALE:
            data = bytearray(self._wall(False, 0).tobytes())
        else:
            sensor = Ov2640(0x30, self._wall)
            data = bytearray(sensor._yuv422(self._wall(True, 0)))
        return types.SimpleNamespace(bytearray=lambda: data)


@pytest.fixture
def openmv(bench: Bench, wall: Wall, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, OpenMvFirmware]:
    firmware = OpenMvFirmware(wall)
    monkeypatch.setitem(sys.modules, "sensor", firmware)
    return bench.firmware.module("drivers.openmv_camera").OpenMvCamera(), firmware


def test_the_openmv_camera_gives_the_same_frames(openmv: tuple[Any, OpenMvFirmware], wall: Wall) -> None:
    camera, firmware = openmv
    camera.start()
    assert firmware.automatic == set()
    assert camera.capture() == 1
    frame = bytearray(PIXELS)
    camera.read_rows_into(frame, 0, 240)
    assert (seen(frame) == wall.luma).all()
    assert camera.selftest()


def test_the_openmv_camera_gives_colour(openmv: tuple[Any, OpenMvFirmware], wall: Wall) -> None:
    camera, _ = openmv
    camera.start(colour=True)
    camera.capture()
    frame, u, v = bytearray(PIXELS), bytearray(4800), bytearray(4800)
    camera.read_rows_into(frame, 0, 240, u, v)
    assert np.abs(seen(frame).astype(int) - wall.luma).max() <= 1
    assert len(set(u)) > 20
    assert len(set(v)) > 20


def test_the_openmv_camera_says_what_its_firmware_says(openmv: tuple[Any, OpenMvFirmware]) -> None:
    camera, firmware = openmv
    firmware.broken = "Sensor control failed."
    with pytest.raises(OSError, match="Sensor control failed"):
        camera.start()
    assert not camera.selftest()
    assert camera.fault == "camera: Sensor control failed."
