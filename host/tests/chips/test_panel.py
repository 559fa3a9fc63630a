"""The dealer's panel: keys that bounce, keys that stick, and an expander that is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from chip_bench import Bench
from hypothesis import given, settings
from hypothesis import strategies as st
from tumbler.diag.operations import KEYS
from tumbler.twin.bus import Op
from tumbler.twin.chips.faults import ChipFault, break_chip
from tumbler.twin.chips.mcp23017 import GPINTEN, GPIO, GPPU, INTCAP, IODIR, Mcp23017
from tumbler.twin.chips.panel import KEY_BITS

CODES = {
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "6": 5,
    "confirm": 6,
    "undo": 7,
    "no_spin": 8,
    "no_more_bets": 9,
    "spin": 10,
}


def test_the_technician_is_told_the_key_that_is_held() -> None:
    assert {name: code for code, name in KEYS.items()} == CODES


def play(bench: Bench, ms: int) -> list[int]:
    """Let the loop run for so long, 5 ms a turn; the codes that came."""
    came = []
    for _ in range(ms // 5):
        bench.board.clock.wait(5)
        bench.board.panel.scan(bench.board.clock.ms())
        while (code := bench.board.panel.next_key()) >= 0:
            came.append(code)
    return came


@pytest.mark.parametrize("key", CODES)
def test_a_press_is_one_event_however_its_contact_bounces(bench: Bench, key: str) -> None:
    assert play(bench, 50) == []
    bench.world.keys = (key,)
    assert play(bench, 100) == [CODES[key]]
    bench.world.keys = ()
    assert play(bench, 100) == []


def test_a_touch_shorter_than_a_bounce_is_no_press(bench: Bench) -> None:
    play(bench, 50)
    bench.world.keys = ("spin",)
    assert play(bench, 5) == []
    bench.world.keys = ()
    assert play(bench, 100) == []


def test_a_key_held_at_power_on_is_no_press_but_fails_the_self_test(bench: Bench) -> None:
    bench.world.keys = ("no_spin",)
    bench.advance(20_000)
    assert play(bench, 100) == []
    assert bench.board.panel.held() == 1 << CODES["no_spin"]
    assert not bench.board.panel.selftest()
    assert "stuck" in bench.board.panel.fault


def test_the_supervisor_s_key_is_a_state_and_no_press(bench: Bench) -> None:
    play(bench, 50)
    assert not bench.board.panel.supervisor()
    bench.world.keys = ("supervisor",)
    assert play(bench, 100) == []
    assert bench.board.panel.supervisor()
    assert bench.board.panel.selftest()
    bench.world.keys = ()
    play(bench, 100)
    assert not bench.board.panel.supervisor()


def test_a_chattering_key_does_not_deafen_the_others(bench: Bench) -> None:
    play(bench, 50)
    chatter = bench.chips.panel.keys["undo"]
    bench.on_step.append(lambda: chatter._show(bench.lines.now_us // 1000 % 3 == 0))
    bench.world.keys = ("confirm",)
    assert CODES["confirm"] in play(bench, 100)


def test_an_idle_panel_is_not_asked(bench: Bench) -> None:
    play(bench, 200)
    before = bench.transfers.get(Op.I2C, 0)
    play(bench, 1000)
    assert bench.transfers[Op.I2C] - before <= 10  # one look in 100 ms, in case the interrupt's wire is broken


def test_a_broken_interrupt_wire_only_makes_the_panel_slower(bench: Bench) -> None:
    play(bench, 50)
    bench.chips.expander._interrupt = None
    bench.lines.drive(6, 1)
    bench.world.keys = ("spin",)
    assert play(bench, 200) == [CODES["spin"]]


def test_announce_lamp_and_buzzer_follow(bench: Bench) -> None:
    panel = bench.board.panel
    panel.announce(True)
    panel.buzz(True)
    assert bench.chips.panel.announce
    assert bench.chips.panel.buzzer
    panel.buzz(False)
    assert bench.chips.panel.announce
    assert not bench.chips.panel.buzzer


def test_an_expander_that_is_gone_is_an_os_error(bench: Bench) -> None:
    play(bench, 50)
    break_chip(bench.chips, ChipFault.PANEL_GONE)
    with pytest.raises(OSError, match="5"):
        play(bench, 200)
    assert not bench.board.panel.selftest()
    assert bench.board.panel.fault == "panel: no answer from the expander"


def test_an_expander_that_was_reset_is_set_up_again_by_the_self_test(bench: Bench) -> None:
    play(bench, 50)
    bench.chips.expander.power_cycle()
    assert bench.board.panel.selftest()
    bench.world.keys = ("6",)
    assert play(bench, 100) == [CODES["6"]]


def test_presses_that_nobody_takes_are_counted_when_the_queue_is_full(bench: Bench) -> None:
    panel = bench.board.panel
    for _ in range(20):
        for keys in (("1",), ()):
            bench.world.keys = keys
            for _ in range(8):
                bench.board.clock.wait(5)
                panel.scan(bench.board.clock.ms())
    assert panel.lost == 4


def test_the_table_of_wiring_is_the_same_on_both_sides(bench: Bench) -> None:
    driver = bench.firmware.module("drivers.panel")
    keys = {bit: code for bit, code in driver.KEYS}
    assert keys == {KEY_BITS[name]: code for name, code in CODES.items()}
    assert sum(1 << bit for bit in KEY_BITS.values()) == driver.INPUTS


@given(st.lists(st.tuples(st.sampled_from(sorted(CODES)), st.integers(30, 90), st.integers(30, 90)), max_size=8))
@settings(max_examples=25, deadline=None)
def test_every_press_of_a_hand_arrives_once_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, presses: list[tuple[str, int, int]]
) -> None:
    bench = Bench(Path(tmp_path_factory.mktemp("flash")) / "flash")
    try:
        came = play(bench, 50)
        for key, held_ms, pause_ms in presses:
            bench.world.keys = (key,)
            came += play(bench, held_ms)
            bench.world.keys = ()
            came += play(bench, pause_ms)
        assert came == [CODES[key] for key, _, _ in presses]
    finally:
        bench.close()


# --- the chip itself ----------------------------------------------------------------------------------------------------


def test_inputs_without_pull_up_do_not_read_high() -> None:
    chip = Mcp23017(0x20)
    chip.write(bytes((GPIO,)))
    assert chip.read(2) == b"\x00\x00"
    chip.write(bytes((GPPU, 0xFF, 0xFF)))
    chip.write(bytes((GPIO,)))
    assert chip.read(2) == b"\xff\xff"


def test_a_change_interrupts_until_it_is_read_and_its_capture_stays() -> None:
    levels: list[bool] = []
    chip = Mcp23017(0x20, levels.append)
    chip.write(bytes((GPPU, 0xFF, 0xFF)))
    chip.write(bytes((GPINTEN, 0x01, 0x00)))
    assert levels[-1]
    chip.set_inputs(low=0x0001)
    assert not levels[-1]
    chip.set_inputs(low=0)
    chip.write(bytes((INTCAP,)))
    assert chip.read(1) == b"\xfe"  # as it was when the interrupt came
    assert levels[-1]


def test_port_bit_7_as_an_input_is_wrong_use() -> None:
    chip = Mcp23017(0x20)
    chip.write(bytes((IODIR, 0xFF, 0x7F)))
    assert chip.wrong_use.notes == ["MCP23017: GPA7 made an input"]


def test_a_register_that_is_not_there_is_wrong_use() -> None:
    chip = Mcp23017(0x20)
    chip.write(b"\x16\x00")
    assert chip.wrong_use.count == 1
