"""The whole firmware on MicroPython with the device's heap: rounds are played, memory does not grow, nothing is misused."""

import pytest
from dicewire import codes
from dicewire import messages as wire
from micropython_table import MicropythonTable

HEAP_LEAST = 64 * 1024  # of 384 KB on a 64-bit machine, which is 192 KB of the device


@pytest.fixture
def table(tmp_path):
    table = MicropythonTable(tmp_path)
    yield table
    table.close()


def test_rounds_are_played_read_and_sent_and_the_heap_does_not_grow(table):
    table.bring_game()
    throws = [(1, 2, 3), (4, 4, 4), (1, 5, 6), (2, 2, 6), (3, 3, 3), (6, 6, 6)]
    free = []
    for faces in throws:
        table.play(*faces)
        table.pay()
        free.append(table.heap_free())
    results = table.host.all(wire.RESULT)
    assert [tuple(r["faces"]) for r in results] == throws
    assert [r["spin"] for r in results] == list(range(1, len(throws) + 1))
    assert table.chips.wrong_use == []
    assert min(free) >= HEAP_LEAST
    assert free[1] - free[-1] < 2048  # the first rounds fill caches and logs


def test_a_power_cut_in_the_spin_is_a_no_spin_and_the_next_round_plays(table):
    table.bring_game()
    table.play(1, 2, 3)
    table.pay()
    table.world.cover_closed = True
    table.run(100)
    table.press(10)
    table.until_phase(codes.PHASE_SPINNING)
    table.run(1500)
    table.board.cut_power(300)
    table.until(lambda: table.host.all(wire.NO_SPIN), seconds=40, why="the cut spin is told")
    assert [(v["spin"], v["cause"]) for v in table.host.all(wire.NO_SPIN)] == [(2, codes.CAUSE_POWER_CUT)]
    table.until_phase(codes.PHASE_NO_SPIN)
    table.play(6, 5, 4)
    assert table.host.last(wire.RESULT)["spin"] == 3
    assert table.host.last(wire.RESULT)["faces"] == bytes((4, 5, 6))


def test_a_hung_program_is_started_anew_by_the_watchdog(table):
    table.bring_game()
    table.board._fed_us -= 9_000_000  # as if it had not fed for nine seconds
    table.until(lambda: table.board.watchdog_bites == 1, why="bite")
    table.until(lambda: table.host.ups == 2, seconds=40, why="back in session")
    assert table.host.session.peer["reset_cause"] == codes.RESET_WATCHDOG
    table.until_phase(codes.PHASE_BETTING_OPEN)
