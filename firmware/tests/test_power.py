"""The power fails in every phase and at every byte: the round goes on where it stood, or its spin is declared no spin.

Never guessed: a spin whose result is not in flash has none, whatever the dice show afterwards.
"""

import pytest
from bench_table import Bench
from controller import panel, records
from cuts import CutFiles, PowerCut
from dicewire import codes
from dicewire import messages as wire


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def to_spinning(bench):
    bench.spin()
    bench.run(800)


def to_no_more_bets(bench):
    to_spinning(bench)
    bench.close_bets()


def to_resting_dice(bench):
    to_no_more_bets(bench)
    bench.wait_for_rest()


def to_reading(bench):
    bench.set(entry=1)
    bench.to_reading()
    bench.until(lambda: bench.table.parts.reader.done)
    assert bench.phase == codes.PHASE_READING


@pytest.mark.parametrize("reach", [to_spinning, to_no_more_bets, to_resting_dice, to_reading])
def test_cut_inside_a_spin_is_a_no_spin_power_cut(bench, reach):
    bench.lay(1, 2, 3)
    reach(bench)
    bench.power_on()
    bench.until_phase(codes.PHASE_NO_SPIN)
    bench.run(300)
    assert not bench.board.motor.permille
    said = bench.host.last(wire.NO_SPIN)
    assert (said["spin"], said["cause"]) == (1, codes.CAUSE_POWER_CUT)
    assert bench.host.all(wire.RESULT) == []
    assert bench.state.next_spin == 2


def test_a_program_that_hung_in_the_spin_is_a_malfunction_and_not_a_power_cut(bench):
    to_spinning(bench)
    bench.power_on(codes.RESET_WATCHDOG)
    bench.run(2000)
    assert bench.host.last(wire.NO_SPIN)["cause"] == codes.CAUSE_MALFUNCTION
    assert bench.table.parts.faults.bits & codes.FAULT_WATCHDOG


def test_a_program_that_hangs_in_three_spins_running_locks_the_table(bench):
    for _ in range(3):
        to_spinning(bench)
        bench.power_on(codes.RESET_WATCHDOG)
        bench.until_phase(codes.PHASE_NO_SPIN, codes.PHASE_LOCKED)
    assert bench.phase == codes.PHASE_LOCKED
    assert bench.state.lock == codes.LOCK_INTERNAL


def test_cut_while_betting_is_open_changes_nothing(bench):
    bench.play(1, 2, 3)
    bench.pay()
    bench.power_on()
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    assert bench.board.lamps.lit() == set()
    bench.run(300)
    assert bench.host.all(wire.NO_SPIN) == []


def test_cut_in_the_result_lights_the_same_areas_again_until_it_is_paid(bench):
    bench.play(2, 2, 5)
    bench.run(100)
    lit = bench.board.lamps.lit()
    bench.power_on()
    bench.until_phase(codes.PHASE_RESULT)
    bench.run(300)
    assert bench.board.lamps.lit() == lit
    assert len({v["spin"] for v in bench.host.all(wire.RESULT)}) == 1
    bench.pay()


def test_cut_right_after_paid_does_not_ask_for_payment_again(bench):
    bench.play(2, 2, 5)
    bench.press(panel.CONFIRM)
    assert bench.phase == codes.PHASE_PAID
    bench.power_on()
    bench.until_phase(codes.PHASE_BETTING_OPEN)


def test_cut_in_the_no_spin_still_asks_for_the_spin_to_be_repeated(bench):
    bench.board.tags.dice = [0, 2, 3]
    bench.play()
    bench.power_on()
    bench.until_phase(codes.PHASE_NO_SPIN)
    bench.run(300)
    assert bench.host.all(wire.NO_SPIN)[0]["spin"] == 1


def test_a_cut_in_the_self_test_only_makes_it_begin_again(bench):
    bench.power_on()
    bench.run(200)
    assert bench.phase == codes.PHASE_SELF_TEST
    bench.power_on()
    bench.until_phase(codes.PHASE_BETTING_OPEN)


def test_a_cut_at_every_byte_of_a_round_leaves_a_result_or_a_no_spin_and_never_two(tmp_path):
    """Walks the cut through all that a round writes: 1 byte, 2 bytes ... until a round is done uncut."""
    bench = Bench(tmp_path)
    budget, rounds, cuts = 0, 0, 0
    faces_of = {}
    while True:
        before = bench.state.last_spin
        shown = (1 + budget % 6, 1 + budget // 6 % 6, 1 + budget // 36 % 6)
        bench.lay(*shown)
        bench.files.budget = budget
        try:
            if bench.phase == codes.PHASE_RESULT:
                bench.pay()
            bench.play()
            bench.pay()
        except PowerCut:
            cuts += 1
        else:
            break
        bench.files.budget = None
        bench.power_on()
        bench.until_phase(
            codes.PHASE_BETTING_OPEN, codes.PHASE_NO_SPIN, codes.PHASE_RESULT, codes.PHASE_LOCKED, ms=30000
        )
        assert bench.phase != codes.PHASE_LOCKED
        new = [row for row in bench.records() if row[0] > before]
        assert len(new) <= 1
        for spin, kind, values in new:
            if kind == records.RESULT:
                assert values["faces"] == bytes(sorted(shown))
                faces_of[spin] = values["faces"]
            else:
                assert values["cause"] == codes.CAUSE_POWER_CUT
        rounds += 1
        budget += 7
    assert cuts >= 25
    bench.files.budget = None
    bench.run(500)
    told = {}
    for values in bench.host.all(wire.RESULT, wire.NO_SPIN):
        body = {name: value for name, value in values.items() if name != "flags"}
        assert told.setdefault(values["spin"], body) == body  # told again, in the same words
    assert sorted(told) == list(range(1, bench.state.last_spin + 1))


# ---- the ring ----


def short_rounds(bench, n):
    for i in range(n):
        bench.play(1 + i % 6, 1 + i // 6 % 6, 1 + i // 36 % 6)
        bench.pay()


def test_the_ring_keeps_the_last_hundred_spins_over_a_power_cut(bench):
    bench.set(spin_ms=1000, min_spin_ms=500)
    short_rounds(bench, 112)
    bench.power_on()
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    rows = bench.records()
    assert len(rows) >= 100
    assert rows[-1][0] == 112
    for spin, kind, values in rows[-100:]:
        i = spin - 1
        assert kind == records.RESULT
        assert values["faces"] == bytes(sorted((1 + i % 6, 1 + i // 6 % 6, 1 + i // 36 % 6)))


def test_without_a_host_play_goes_on_until_the_ring_is_full_then_holds_and_then_all_is_told_in_order(bench):
    bench.set(spin_ms=1000, min_spin_ms=500)
    short_rounds(bench, 2)
    bench.board.port.unplug()
    bench.run(100)
    short_rounds(bench, 100)
    assert bench.round.hold == codes.HOLD_RING_FULL
    bench.cover(True)
    bench.press(panel.SPIN)
    assert bench.phase == codes.PHASE_BETTING_OPEN
    assert bench.state.next_spin == 103
    offline = [row[2]["flags"] & codes.RESULT_FLAG_OFFLINE for row in bench.records()[-99:]]
    assert all(offline)
    bench.board.port.plugged = True
    bench.until(lambda: bench.table.parts.store.pending == 0, why="all committed")
    assert [spin for spin, _ in bench.host.spins()] == list(range(1, 103))
    bench.run(100)
    assert bench.round.hold == codes.HOLD_NONE
    bench.play(1, 2, 3)
    bench.run(100)
    assert bench.host.last(wire.RESULT)["spin"] == 103


def test_what_was_not_committed_is_sent_again_in_every_session_and_marked_after_a_restart(bench):
    bench.host.commits = False
    bench.play(1, 1, 1)
    bench.pay()
    bench.board.port.unplug()
    bench.run(3000)
    bench.board.port.plugged = True
    bench.until(lambda: len(bench.host.spins()) == 2, why="sent again")
    bench.power_on()
    bench.host.commits = False
    bench.until(lambda: len(bench.host.spins()) == 3, why="sent again after the start")
    flags = [v["flags"] & codes.RESULT_FLAG_RESTORED for v in bench.host.all(wire.RESULT)]
    assert [bool(flag) for flag in flags] == [False, False, True]
    assert bench.table.parts.store.pending == 1
    bench.host.send(wire.COMMIT, bench.board.now, spin=1)
    bench.run(100)
    assert bench.table.parts.store.pending == 0


def test_a_commit_out_of_order_or_of_a_spin_that_is_not_there_changes_nothing(bench):
    bench.host.commits = False
    for _ in range(3):
        bench.play(1, 2, 3)
        bench.pay()
    for spin in (3, 2, 99):
        bench.host.send(wire.COMMIT, bench.board.now, spin=spin)
        bench.run(50)
    assert bench.table.parts.store.pending == 3
    bench.host.send(wire.COMMIT, bench.board.now, spin=1)
    bench.run(50)
    assert bench.table.parts.store.pending == 2


# ---- flash that fails ----


def test_a_result_that_can_not_be_stored_is_neither_lit_nor_sent_and_locks(bench):
    bench.lay(1, 2, 3)
    bench.to_reading()

    def fail(name, data):
        raise OSError(5)

    bench.files.append = fail
    bench.until_phase(codes.PHASE_LOCKED)
    bench.run(300)
    assert bench.board.lamps.lit() == set()
    assert bench.host.all(wire.RESULT) == []
    assert bench.state.lock == codes.LOCK_STORAGE
    del bench.files.append
    assert bench.command(codes.COMMAND_UNLOCK) == codes.ANSWER_DONE
    bench.until_phase(codes.PHASE_NO_SPIN)
    bench.run(300)
    assert bench.host.last(wire.NO_SPIN)["cause"] == codes.CAUSE_STORED_BADLY


def unreadable(name):
    raise OSError(5, "EIO")


def test_a_flash_that_cannot_be_read_for_a_moment_costs_no_result(bench):
    bench.host.commits = False
    bench.play(2, 3, 4)
    bench.host.heard.clear()
    real, bench.files.open = bench.files.open, unreadable
    bench.host.session.close(bench.board.now)
    bench.run(100)
    bench.host.session.restart(bench.board.now)
    bench.run(3000)
    assert bench.host.all(wire.RESULT, wire.NO_SPIN) == []
    bench.files.open = real
    bench.run(300)
    assert [values["faces"] for values in bench.host.all(wire.RESULT)] == [bytes((2, 3, 4))]


def start_unread(bench, unread):
    """A start at which these files can't be read, and then a while of turns. -> the host's last session state."""
    files = bench.files = CutFiles(str(bench.folder))
    real = files.open

    def failing(name):
        if unread(name):
            raise OSError(5, "EIO")
        return real(name)

    files.open = failing
    bench.power_on(files=files)
    bench.run(8000)
    return files, real


@pytest.mark.parametrize("ending", ["key.bin", "settings.bin", "dice.bin", ".seg", ".game", ""])
def test_a_flash_that_cannot_be_read_at_the_start_is_not_an_empty_one_and_is_read_when_it_can_be(bench, ending):
    """Neither a new table nor an unlocked one: it refuses to play, and goes on where it stood once the flash can be read."""
    bench.set(min_spin_ms=900)
    bench.play(2, 3, 4)
    bench.pay()
    epoch, before = bench.state.epoch, {path.name: path.read_bytes() for path in bench.folder.iterdir()}
    files, real = start_unread(bench, lambda name: name.endswith(ending))
    assert bench.phase == codes.PHASE_LOCKED
    assert bench.table.parts.faults.bits & codes.FAULT_FLASH
    bench.cover(True)
    bench.press(panel.SPIN)
    assert bench.phase == codes.PHASE_LOCKED
    if ending not in ("key.bin", ""):  # with its key it can say what is wrong
        assert any("not read" in told["text"] for told in bench.host.events(codes.EVENT_FAULT_SET))
    if ending != "dice.bin":  # looked at by the self-test, when the ring is known
        after = {path.name: path.read_bytes() for path in bench.folder.iterdir()}
        assert {name: after.get(name) for name in before} == before
        files.open = real
        assert bench.until_reset() == codes.RESET_SOFT
        bench.power_on(codes.RESET_SOFT)
    else:
        files.open = real
        assert bench.command(codes.COMMAND_UNLOCK) == codes.ANSWER_DONE
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    bench.run(300)
    assert (bench.state.epoch, bench.state.last_spin, bench.state.lock) == (epoch, 1, 0)
    assert bench.table.parts.settings.min_spin_ms == 900
    bench.play(1, 1, 6)
    bench.run(300)
    assert bench.host.last(wire.RESULT)["spin"] == 2


def test_a_ring_of_which_a_part_cannot_be_read_tells_no_spin_as_lost(bench):
    """The first segment is read and the second is not: what the first says stands for nothing."""
    bench.set(spin_ms=1000, min_spin_ms=500)
    short_rounds(bench, 60)
    bench.host.commits = False
    bench.play(2, 3, 4)
    newest = sorted(path.name for path in bench.folder.glob("*.seg"))[-1]
    bench.host.heard.clear()
    files, real = start_unread(bench, lambda name: name == newest)
    assert bench.host.all(wire.RESULT, wire.NO_SPIN) == []
    files.open = real
    bench.until_reset()
    bench.power_on(codes.RESET_SOFT)
    bench.until(lambda: bench.host.all(wire.RESULT), why="told")
    assert [values["spin"] for values in bench.host.all(wire.RESULT, wire.NO_SPIN)] == [61]


def test_a_record_that_stays_unreadable_is_a_no_spin_and_never_guessed(bench):
    bench.host.commits = False
    bench.play(2, 3, 4)
    bench.host.heard.clear()
    bench.files.open = unreadable
    bench.host.session.close(bench.board.now)
    bench.run(100)
    bench.host.session.restart(bench.board.now)
    bench.run(15000)
    assert bench.host.all(wire.RESULT) == []
    assert bench.host.last(wire.NO_SPIN)["cause"] == codes.CAUSE_STORED_BADLY
    assert bench.host.events(codes.EVENT_RECORD_UNSOUND)
