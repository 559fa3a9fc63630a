"""The board as the firmware builds it: every pin where the twin has it, and no chip treated against its datasheet."""

from __future__ import annotations

import pytest
from chip_bench import FIRMWARE, Bench, lying
from dicewire import codes
from tumbler.twin.bus import Op
from tumbler.twin.chips import table
from tumbler.twin.chips.faults import ChipFault, break_chip, mend_chip

SELFTESTS = ("panel", "accel", "lamp_current", "tags", "supply", "camera")


def failing(bench: Bench) -> dict[str, str]:
    bench.wait_ms(10)
    parts = {name: getattr(bench.board, name) for name in SELFTESTS}
    return {name: part.fault for name, part in parts.items() if not part.selftest()}


def test_a_whole_table_passes_every_self_test_and_is_never_misused(bench: Bench) -> None:
    assert bench.board.absent == []
    assert failing(bench) == {}
    bench.world.dice = [lying(1), lying(2, 0.03), lying(3, -0.03)]
    bench.board.tags.inventory(1, bytearray(256))
    bench.board.motor.drive(500)
    bench.board.lamps.show()
    bench.wait_ms(50)
    bench.board.panel.scan(bench.board.clock.ms())
    bench.board.accel.activity()
    assert bench.chips.wrong_use == []


def test_pin_map_and_twin_agree(bench: Bench) -> None:
    pico = bench.firmware.module("boards.pico")
    assert {name: pico.PINS[name] for name in pico.PINS if hasattr(table, _NAMES.get(name, ""))} == {
        name: getattr(table, constant) for name, constant in _NAMES.items()
    }
    assert pico.ADDRESSES == {
        "panel": table.EXPANDER_ADDRESS,
        "accelerometer": table.ACCELEROMETER_ADDRESS,
        "lamp_current": table.LAMP_SENSE_ADDRESS,
        "camera": table.CAMERA_ADDRESS,
    }


_NAMES = {
    "panel_interrupt": "PANEL_INTERRUPT",
    "camera_cs": "CAMERA_SELECT",
    "camera_lamp": "CAMERA_LAMP",
    "motor_pwm": "PWM",
    "motor_direction": "DIRECTION",
    "cover": "COVER",
    "door": "DOOR",
    "reader_nss": "READER_SELECT",
    "reader_busy": "READER_BUSY",
    "reader_rst": "READER_RESET",
    "tachometer": "TACHOMETER",
    "motor_sense": "MOTOR_SENSE",
    "supply_sense": "SUPPLY_SENSE",
}


def test_no_pin_is_used_twice(bench: Bench) -> None:
    pins = list(bench.firmware.module("boards.pico").PINS.values())
    assert len(pins) == len(set(pins))


@pytest.mark.parametrize(
    ("fault", "part"),
    [
        (ChipFault.PANEL_GONE, "panel"),
        (ChipFault.ACCELEROMETER_GONE, "accel"),
        (ChipFault.LAMP_SENSE_GONE, "lamp_current"),
        (ChipFault.READER_DEAD, "tags"),
        (ChipFault.CAMERA_GONE, "camera"),
    ],
)
def test_a_board_with_a_missing_chip_still_starts_and_says_which(bench: Bench, fault: ChipFault, part: str) -> None:
    break_chip(bench.chips, fault)
    assert list(failing(bench)) == [part]


@pytest.mark.parametrize("fault", list(ChipFault))
def test_every_fault_can_be_mended(bench: Bench, fault: ChipFault) -> None:
    assert failing(bench) == {}
    break_chip(bench.chips, fault)
    bench.wait_ms(50)
    mend_chip(bench.chips, fault)
    bench.wait_ms(50)
    assert failing(bench) == {}


@pytest.mark.parametrize(("cause", "expected"), [(1, codes.RESET_POWER_ON), (3, codes.RESET_WATCHDOG)])
def test_the_cause_of_a_reset_is_told(bench: Bench, cause: int, expected: int) -> None:
    bench.bus.reset_cause = cause
    assert bench.board.reset_cause == expected


def test_a_reset_on_purpose_is_told_from_the_watchdog(bench: Bench, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    state = tmp_path / "state"
    state.mkdir()
    board = bench.firmware.module("boards.twin").Board
    monkeypatch.setattr(board, "state_dir", str(state))
    first = board()
    resets: list[None] = []
    bench.bus.on_reset = lambda: resets.append(None)
    first.reset(codes.RESET_UPDATE)
    assert len(resets) == 1
    machine = bench.firmware.module("machine")
    monkeypatch.setattr(machine, "reset_cause", lambda: machine.WDT_RESET)
    assert board().reset_cause == codes.RESET_UPDATE
    assert board().reset_cause == codes.RESET_WATCHDOG  # told once


@pytest.mark.parametrize("switch", ["cover", "door"])
def test_cover_and_door_read_as_they_stand_once_the_contact_rests(bench: Bench, switch: str) -> None:
    contact = getattr(bench.board, switch)
    assert contact.closed()
    setattr(bench.world, f"{switch}_closed", False)
    bench.wait_ms(10)
    assert not contact.closed()
    setattr(bench.world, f"{switch}_closed", True)
    bench.wait_ms(10)
    assert contact.closed()


def test_a_contact_bounces_before_it_rests(bench: Bench) -> None:
    seen: list[bool] = []
    bench.lines.drive(table.COVER, 0)
    bench.chips.cover._changed = seen.append
    bench.world.cover_closed = False
    bench.advance(10_000)
    assert len(seen) >= 3
    assert seen[-1] is False


def test_the_serial_port_never_blocks_and_says_when_the_cable_is_out(bench: Bench) -> None:
    view = memoryview(bytearray(16))
    assert bench.board.port.read_into(view) == 0
    bench.cable.to_controller += b"hello"
    assert bench.board.port.read_into(view) == 5
    assert bytes(view[:5]) == b"hello"
    assert bench.board.port.write(memoryview(b"answer")) == 6
    assert bytes(bench.cable.from_controller) == b"answer"
    bench.cable.plugged = False
    with pytest.raises(OSError, match="19"):
        bench.board.port.write(memoryview(b"x"))


def test_watchdog_entropy_and_heartbeat(bench: Bench) -> None:
    fed: list[int] = []
    bench.bus.on_watchdog = fed.append
    bench.board.watchdog.feed()
    assert fed == [8000, 0]
    first, second = bench.board.entropy(16), bench.board.entropy(16)
    assert len(first) == 16
    assert first != second
    bench.board.heartbeat(True)
    assert bench.lines.level(25) == 1
    assert bench.transfers[Op.ENTROPY] == 2


def test_the_motor_is_off_and_the_lamps_are_dark_after_a_power_cut(bench: Bench) -> None:
    bench.board.motor.drive(900)
    bench.board.lamps.set(0, 9, 9, 9)
    bench.board.lamps.show()
    bench.chips.power(False)
    assert bench.chips.bridge.duty == 0.0
    assert bench.chips.lamps.pixels[0] == (0, 0, 0)
    bench.chips.power(True)
    assert not bench.board.lamp_current.selftest()  # its settings went with the power


def test_drivers_import_nothing_of_the_twin_and_nothing_above_them() -> None:
    for source in (FIRMWARE / "drivers").glob("*.py"):
        text = source.read_text()
        for forbidden in ("tablebus", "controller", "boards", "dicewire"):
            assert f"import {forbidden}" not in text, source
            assert f"from {forbidden}" not in text, source
