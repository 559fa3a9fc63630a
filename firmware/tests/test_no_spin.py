"""Every way a spin does not count (Sic Bo 7.1), the wagers that stand, and the lock when the fault stays (7.4)."""

import pytest
from bench_table import Bench
from controller import panel, records
from dicewire import codes
from dicewire import messages as wire


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def no_spin(bench):
    """The no spin as the wire brought it; nothing else about that spin was ever said."""
    bench.run(200)
    (said,) = bench.host.all(wire.NO_SPIN)
    assert bench.host.all(wire.RESULT) == []
    assert bench.phase == codes.PHASE_NO_SPIN
    assert not bench.board.motor.permille
    assert bench.board.lamps.lit() == set()
    return said


def replay(bench):
    """Wagers stand, the spin is repeated with a new number."""
    bench.play(1, 2, 3)
    bench.run(200)
    assert bench.host.last(wire.RESULT)["spin"] == 2
    assert bench.host.last(wire.RESULT)["faces"] == bytes((1, 2, 3))


def lie(**how):
    def arrange(bench):
        for name, value in how.items():
            setattr(bench.board.tags, name, value)

    return arrange


STRANGER = bytes((0xE0, 7, 7, 7, 7, 7, 7, 7))


@pytest.mark.parametrize(
    ("arrange", "cause", "detail"),
    [
        (lie(dice=[1, 0, 3]), codes.CAUSE_NOT_FLAT, 1),
        (lie(dice=[1, 2, None]), codes.CAUSE_MISSING, 2),
        (lie(dice=[None, None, None]), codes.CAUSE_MISSING, 0),
        (lie(twice=0), codes.CAUSE_TOO_MANY_TAGS, 0),
        (lie(flicker=True), codes.CAUSE_UNREADABLE, None),
    ],
)
def test_dice_that_do_not_lie_well_are_a_no_spin_and_spun_again(bench, arrange, cause, detail):
    arrange(bench)
    bench.play()
    said = no_spin(bench)
    assert said["cause"] == cause
    assert detail is None or said["detail"] == detail
    arrange = {"dice": [1, 2, 3], "twice": None, "flicker": False}
    for name, value in arrange.items():
        setattr(bench.board.tags, name, value)
    replay(bench)


def test_a_die_of_another_set_locks_at_once_and_is_named(bench):
    bench.board.tags.strange = [STRANGER]
    bench.play()
    bench.run(200)
    assert bench.host.last(wire.NO_SPIN)["cause"] == codes.CAUSE_WRONG_DICE
    assert bench.phase == codes.PHASE_LOCKED
    assert bench.state.lock == codes.LOCK_DICE
    assert bench.host.events(codes.EVENT_STRANGE_TAG)[0]["text"] == STRANGER.hex()


def test_exposed_before_no_more_bets(bench):
    bench.spin()
    bench.run(1000)
    bench.cover(False)
    said = no_spin(bench)
    assert said["cause"] == codes.CAUSE_EXPOSED_EARLY
    replay(bench)


def test_exposed_before_no_more_bets_also_when_the_dice_rest(bench):
    bench.spin()
    bench.wait_for_rest()
    bench.cover(False)
    assert no_spin(bench)["cause"] == codes.CAUSE_EXPOSED_EARLY


def test_uncovered_while_the_motor_still_turns(bench):
    bench.spin()
    bench.close_bets()
    bench.run(1000)
    bench.cover(False)
    assert no_spin(bench)["cause"] == codes.CAUSE_COVER_OPEN


def test_called_by_the_dealer(bench):
    bench.spin()
    bench.run(500)
    bench.press(panel.NO_SPIN)
    said = no_spin(bench)
    assert (said["cause"], said["by"]) == (codes.CAUSE_CALLED, codes.ROLE_DEALER)
    replay(bench)


def test_called_through_the_daemon_by_an_area_manager(bench):
    bench.spin()
    assert bench.command(codes.COMMAND_NO_SPIN, codes.CAUSE_CALLED) == codes.ANSWER_DONE
    assert no_spin(bench)["by"] == codes.ROLE_TG_AREA_MANAGER


@pytest.mark.parametrize(
    ("how", "cause", "fault"),
    [
        ({"stalled": True}, codes.CAUSE_MALFUNCTION, codes.FAULT_MOTOR_STALL),
        ({"jammed_current": True}, codes.CAUSE_MALFUNCTION, codes.FAULT_MOTOR_CURRENT),
        ({"tachometer_dead": True}, codes.CAUSE_MALFUNCTION, codes.FAULT_TACHOMETER),
    ],
)
def test_a_motor_that_fails(bench, how, cause, fault):
    for name, value in how.items():
        setattr(bench.board.motor, name, value)
    bench.spin()
    bench.until_phase(codes.PHASE_NO_SPIN)
    assert no_spin(bench)["cause"] == cause
    assert bench.table.parts.faults.bits & fault
    for name in how:
        setattr(bench.board.motor, name, False)
    replay(bench)
    assert not bench.table.parts.faults.bits & fault


def test_a_motor_that_turns_without_shaking_the_dome_is_a_weak_spin(bench):
    bench.board.accel.uncoupled = True
    bench.spin()
    bench.until_phase(codes.PHASE_NO_SPIN)
    assert no_spin(bench)["cause"] == codes.CAUSE_WEAK_SPIN


def test_a_belt_that_slips_for_most_of_the_spin_makes_it_too_short(bench):
    turns = bench.board.motor.advance
    bench.board.motor.advance = lambda ms: (
        turns(ms),
        setattr(bench.board.motor, "rpm", min(bench.board.motor.rpm, 100.0)),  # over a stall's 60, under lively 120
    )
    bench.spin()
    bench.until_phase(codes.PHASE_NO_SPIN)
    assert no_spin(bench)["cause"] == codes.CAUSE_SHORT_SPIN


def test_a_table_that_never_comes_to_rest(bench):
    bench.spin()
    bench.close_bets()
    bench.board.accel.shaken = True
    bench.until_phase(codes.PHASE_NO_SPIN)
    assert no_spin(bench)["cause"] == codes.CAUSE_NOT_AT_REST


def test_a_table_moved_again_and_again_while_the_dice_are_read(bench):
    bench.set(entry=1)
    bench.to_reading()
    for _ in range(4):
        bench.until(lambda: bench.table.parts.reader.done)
        bench.board.accel.shaken = True
        bench.run(350)  # a blow that lasts is one blow
        bench.board.accel.shaken = False
        bench.run(400)
    assert no_spin(bench)["cause"] == codes.CAUSE_DISTURBED


def test_moved_in_the_very_last_read_the_dice_are_read_anew(bench):
    bench.lay(1, 1, 1)
    bench.to_reading()
    bench.until(lambda: bench.table.parts.reader.done)
    assert bench.phase == codes.PHASE_READING  # read, and not yet believed
    bench.board.accel.shaken = True
    bench.lay(1, 1, 2)
    bench.turn()
    bench.board.accel.shaken = False
    bench.until_phase(codes.PHASE_RESULT)
    bench.run(100)
    assert bench.host.last(wire.RESULT)["faces"] == bytes((1, 1, 2))


def test_a_nudge_after_a_long_entry_only_has_the_dice_read_again(bench):
    bench.set(entry=1)
    bench.lay(2, 3, 4)
    bench.to_reading()
    bench.run(40000)
    bench.board.accel.shaken = True
    bench.run(100)
    bench.board.accel.shaken = False
    bench.run(1000)
    assert bench.phase == codes.PHASE_READING
    for face in (2, 3, 4):
        bench.press(face - 1)
    bench.press(panel.CONFIRM)
    assert bench.phase == codes.PHASE_RESULT


def test_moved_once_the_dice_are_read_anew(bench):
    bench.set(entry=1)
    bench.lay(1, 1, 1)
    bench.to_reading()
    bench.until(lambda: bench.table.parts.reader.done)
    bench.board.accel.shaken = True
    bench.lay(1, 1, 2)
    bench.run(150)
    bench.board.accel.shaken = False
    bench.run(800)
    for face in (1, 1, 2):
        bench.press(face - 1)
    bench.press(panel.CONFIRM)
    bench.run(200)
    assert bench.host.last(wire.RESULT)["faces"] == bytes((1, 1, 2))


def test_the_service_door_opened_during_the_spin(bench):
    bench.spin()
    bench.board.door.is_closed = False
    bench.until_phase(codes.PHASE_NO_SPIN)
    assert no_spin(bench)["cause"] == codes.CAUSE_DOOR_OPEN
    bench.cover(True)
    bench.press(panel.SPIN)
    assert bench.phase == codes.PHASE_NO_SPIN  # no spin while it is open
    bench.board.door.is_closed = True
    bench.run(100)
    replay(bench)


@pytest.mark.parametrize("chip", ["tags", "accel", "panel"])
def test_a_chip_that_dies_in_the_spin(bench, chip):
    bench.lay(1, 2, 3)
    bench.spin()
    bench.close_bets()
    if chip == "tags":
        bench.wait_for_rest()
        bench.cover(False)
    getattr(bench.board, chip).gone = True
    bench.until_phase(codes.PHASE_NO_SPIN)
    said = no_spin(bench)
    assert said["cause"] == (codes.CAUSE_UNREADABLE if chip == "tags" else codes.CAUSE_MALFUNCTION)
    getattr(bench.board, chip).gone = False
    replay(bench)


def test_a_chip_that_is_dead_when_spin_is_pressed_ends_that_spin_and_no_number_is_left_open(bench):
    bench.cover(True)
    bench.board.accel.gone = True
    bench.press(panel.SPIN)
    bench.until_phase(codes.PHASE_NO_SPIN)
    assert no_spin(bench)["cause"] == codes.CAUSE_MALFUNCTION
    assert bench.table.parts.faults.bits == codes.FAULT_ACCELEROMETER
    bench.board.accel.gone = False
    replay(bench)
    assert bench.table.parts.faults.bits == 0


def test_a_panel_that_stutters_is_not_taken_for_another_chip(bench):
    bench.spin()
    bench.board.panel.pressed.append(panel.NO_MORE_BETS)
    bench.turn()
    bench.board.panel.gone = True
    bench.run(15)
    bench.board.panel.gone = False
    bench.run(50)
    assert bench.phase == codes.PHASE_NO_MORE_BETS
    assert bench.board.panel.announcing
    assert bench.table.parts.faults.bits == 0


def test_a_chip_that_dies_between_rounds_locks_the_table_and_one_that_only_stuttered_does_not(bench):
    bench.board.panel.gone = True
    bench.run(30)
    bench.board.panel.gone = False
    bench.run(3000)
    assert bench.phase == codes.PHASE_BETTING_OPEN
    bench.board.panel.gone = True
    bench.run(3000)
    assert bench.phase == codes.PHASE_LOCKED


def test_bets_stay_closed_after_a_no_spin_and_are_not_opened_by_a_power_cut(bench):
    bench.board.tags.dice = [0, 2, 3]
    bench.play()
    bench.lay(1, 2, 3)
    bench.spin()
    assert bench.phase == codes.PHASE_NO_MORE_BETS  # Sic Bo 3.2
    bench.run(500)
    bench.power_on()
    bench.until_phase(codes.PHASE_NO_SPIN)
    bench.spin()
    assert bench.phase == codes.PHASE_NO_MORE_BETS
    bench.wait_for_rest()
    bench.cover(False)
    bench.until_phase(codes.PHASE_RESULT)
    bench.pay()
    bench.spin()
    assert bench.phase == codes.PHASE_SPINNING


# ---- a fault that stays ----


def stall_until_locked(bench):
    bench.board.motor.stalled = True
    for _ in range(3):
        bench.spin()
        bench.until_phase(codes.PHASE_NO_SPIN, codes.PHASE_LOCKED)
    assert bench.phase == codes.PHASE_LOCKED


def test_three_motor_faults_in_a_row_lock_the_table_and_a_good_spin_between_does_not(bench):
    for stalled in (True, True, False, True, True):
        bench.board.motor.stalled = stalled
        bench.spin()
        if stalled:
            bench.until_phase(codes.PHASE_NO_SPIN)
        else:
            if bench.phase == codes.PHASE_SPINNING:
                bench.close_bets()
            bench.wait_for_rest()
            bench.cover(False)
            bench.until_phase(codes.PHASE_RESULT)
            bench.pay()
    bench.board.motor.stalled = True
    bench.spin()
    bench.until_phase(codes.PHASE_LOCKED)
    bench.run(200)
    assert bench.host.last(wire.STATE)["lock"] == codes.LOCK_MOTOR
    assert bench.host.events(codes.EVENT_LOCKED)[-1]["a"] == codes.LOCK_MOTOR


def test_the_lock_survives_a_power_cut_and_nothing_spins_while_it_stands(bench):
    stall_until_locked(bench)
    for _ in range(2):
        bench.power_on()
        bench.board.motor.stalled = True
        bench.until_phase(codes.PHASE_LOCKED)
        assert bench.state.lock == codes.LOCK_MOTOR
        bench.cover(True)
        bench.press(panel.SPIN)
        assert bench.command(codes.COMMAND_SPIN, role=codes.ROLE_DEALER) == codes.ANSWER_LOCKED
        assert bench.state.open_spin == 0
    assert bench.state.next_spin == 4


def test_the_lock_and_its_no_spin_are_one_record(bench):
    stall_until_locked(bench)
    _, kind, values = bench.records()[-1]
    assert kind == records.NO_SPIN
    assert values["lock"] == codes.LOCK_MOTOR


def test_unlock_needs_the_supervisor_and_a_motor_that_turns(bench):
    stall_until_locked(bench)
    bench.press(panel.CONFIRM)
    assert bench.phase == codes.PHASE_LOCKED
    bench.board.panel.key_switch = True
    bench.cover(True)
    bench.press(panel.CONFIRM)
    bench.until_phase(codes.PHASE_LOCKED)  # tried, and the motor still stalls
    bench.run(2000)
    assert bench.phase == codes.PHASE_LOCKED
    bench.board.motor.stalled = False
    bench.press(panel.CONFIRM)
    bench.until(lambda: bench.state.lock == 0)
    bench.until_phase(codes.PHASE_NO_SPIN)
    bench.run(100)
    assert bench.host.events(codes.EVENT_UNLOCKED)
    bench.power_on()
    bench.until_phase(codes.PHASE_NO_SPIN)
    assert bench.state.lock == 0


def test_unlock_by_command_answers_when_the_self_test_is_over(bench):
    stall_until_locked(bench)
    bench.cover(True)
    assert bench.command(codes.COMMAND_UNLOCK, role=codes.ROLE_DEALER) == codes.ANSWER_NO_AUTHORITY
    assert bench.command(codes.COMMAND_UNLOCK) == codes.ANSWER_FAULT_STAYS
    bench.board.motor.stalled = False
    assert bench.command(codes.COMMAND_UNLOCK) == codes.ANSWER_DONE
    assert bench.phase == codes.PHASE_NO_SPIN
