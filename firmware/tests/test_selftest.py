"""The self-test at start, what it locks, what it waits for; and a defect of the program itself."""

import pytest
from bench_board import Reset
from bench_table import KEY, Bench, dice_file
from controller import panel
from dicewire import codes
from dicewire import messages as wire


def test_no_play_before_the_self_test_has_passed(tmp_path):
    bench = Bench(tmp_path)
    bench.power_on()
    bench.run(100)
    assert bench.phase == codes.PHASE_SELF_TEST
    bench.press(panel.SPIN)
    assert bench.command(codes.COMMAND_SPIN, role=codes.ROLE_DEALER) == codes.ANSWER_WRONG_PHASE
    assert bench.state.next_spin == 1
    bench.until_phase(codes.PHASE_BETTING_OPEN)


@pytest.mark.parametrize(
    ("part", "attribute", "value", "fault"),
    [
        ("panel", "sound", False, codes.FAULT_PANEL),
        ("accel", "sound", False, codes.FAULT_ACCELEROMETER),
        ("tags", "sound", False, codes.FAULT_TAG_READER),
        ("lamp_current", "sound", False, codes.FAULT_LAMP_SUPPLY),
        ("supply", "volts", 18000, codes.FAULT_SUPPLY),
    ],
)
def test_a_part_that_fails_its_self_test_locks_the_table_until_it_is_mended(bench, part, attribute, value, fault):
    good = getattr(getattr(bench.board, part), attribute)
    bench.power_on()
    setattr(getattr(bench.board, part), attribute, value)
    bench.until_phase(codes.PHASE_LOCKED)
    bench.run(200)
    assert bench.state.lock == codes.LOCK_SELF_TEST
    assert bench.host.last(wire.STATE)["faults"] & fault
    failed = bench.host.events(codes.EVENT_SELF_TEST_FAILED)[-1]
    assert 1 << failed["a"] == fault
    assert failed["text"]
    bench.press(panel.SPIN)
    assert bench.state.next_spin == 1
    setattr(getattr(bench.board, part), attribute, good)
    assert bench.command(codes.COMMAND_UNLOCK) == codes.ANSWER_DONE
    assert bench.phase == codes.PHASE_BETTING_OPEN
    assert not bench.table.parts.faults.bits & fault


def test_dead_lamps_are_told_and_play_goes_on(bench):
    bench.power_on()
    bench.board.lamps.dead = set(range(40))
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    bench.play(1, 2, 3)
    bench.run(300)
    assert bench.host.last(wire.STATE)["faults"] & codes.FAULT_LAMPS
    assert bench.host.last(wire.RESULT)["flags"] & codes.RESULT_FLAG_LAMPS_FAILED
    assert bench.host.events(codes.EVENT_LAMP_DEAD)


def test_without_key_dice_or_game_the_table_waits_and_says_what_is_missing(tmp_path):
    bench = Bench(tmp_path, provision=False, game=False)
    bench.run(5000)
    assert bench.phase == codes.PHASE_SELF_TEST
    assert bench.state.lock == 0
    missing = codes.FAULT_KEY | codes.FAULT_DICE_MAP | codes.FAULT_GAME_TABLE
    assert bench.table.parts.faults.bits & missing == missing
    assert bench.host.refusals[0][0] == codes.REFUSAL_KEY  # the host learns why, it is not left in silence
    bench.files.replace("key.bin", KEY)
    bench.files.replace("dice.bin", dice_file(bench.rows))
    bench.power_on()
    bench.bring_game()
    bench.play(1, 2, 3)
    assert bench.phase == codes.PHASE_RESULT


def test_a_new_table_waits_for_its_first_game_table_without_an_alarm(tmp_path):
    bench = Bench(tmp_path, game=False)
    bench.run(5000)
    assert bench.phase == codes.PHASE_SELF_TEST
    assert bench.host.last(wire.STATE)["faults"] == codes.FAULT_GAME_TABLE
    alarms = (codes.EVENT_FAULT_SET, codes.EVENT_SELF_TEST_FAILED)
    assert [bench.host.events(code) for code in alarms] == [[], []]
    bench.bring_game()
    assert bench.host.last(wire.STATE)["faults"] == 0


def test_a_table_that_lost_its_game_table_says_so(bench):
    for name in bench.files.names(".game"):
        bench.files.remove(name)
    bench.power_on()
    bench.until(lambda: bench.host.events(codes.EVENT_SELF_TEST_FAILED))
    assert bench.phase == codes.PHASE_SELF_TEST
    assert bench.host.events(codes.EVENT_FAULT_SET)[-1]["text"] == "no game table: the host sends it"


def test_a_table_with_its_game_installed_plays_without_ever_having_met_a_host(tmp_path):
    bench = Bench(tmp_path, game=False, host=False)
    bench.files.replace(bench.image.hash[:8].hex() + ".game", bench.image.data)
    bench.files.replace("game.use", bench.image.hash)
    bench.power_on()
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    bench.play(1, 2, 3)
    assert bench.phase == codes.PHASE_RESULT
    bench.power_on()
    bench.until_phase(codes.PHASE_RESULT)
    assert bench.state.game_hash == bench.image.hash


def test_a_defect_ends_the_spin_and_a_lasting_one_starts_the_controller_anew(bench):
    bench.defect_expected = True
    bench.spin()
    good = bench.table.parts.reader.step

    def defective(now):
        raise IndexError("list index out of range")

    stages = bench.table._stages
    bench.table._stages = ((defective, 0), *stages)
    bench.table._tries = bytearray(len(bench.table._stages))
    bench.turn()
    bench.table._stages = stages
    assert bench.phase == codes.PHASE_NO_SPIN
    bench.run(200)
    assert bench.host.last(wire.NO_SPIN)["cause"] == codes.CAUSE_MALFUNCTION
    assert "IndexError" in bench.host.events(codes.EVENT_PROGRAM_FAILED)[0]["text"]
    assert bench.table.parts.reader.step == good
    fed = bench.board.watchdog.fed_at
    bench.table._stages = ((defective, 0), *stages)
    with pytest.raises(Reset) as reset:
        bench.run(1000)
    assert reset.value.cause == codes.RESET_CRASH
    assert bench.board.watchdog.fed_at == fed  # a sick loop does not feed


def test_the_watchdog_is_fed_and_the_heart_beats(bench):
    bench.run(5000)
    assert bench.board.now - bench.board.watchdog.fed_at < 1000
    assert bench.board.beats >= 9
