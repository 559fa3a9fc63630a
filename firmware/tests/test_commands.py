"""People's commands through the daemon: who may, what the round does, lock and unlock over a restart."""

import pytest
from controller import commands, events, panel, records
from dicewire import codes
from dicewire import messages as wire
from dicewire.declared.codes import COMMANDS, ROLES
from dicewire.declared.eventcodes import EVENTS


def test_the_controllers_levels_are_those_of_the_declaration():
    assert [row.level or 0 for row in ROLES] == list(commands.LEVELS)


def test_every_command_of_the_declaration_is_there_with_its_level(bench):
    table = commands.Commands(bench.table.parts).table
    assert sorted(table) == sorted(row.number for row in COMMANDS)
    for row in COMMANDS:
        if row.name != "close_table":  # Sic Bo 9.8: a higher duties dealer
            assert table[row.number][0] == row.level, row.name


def test_severities_are_those_of_the_declaration():
    assert {row.number: events.severity(row.number) for row in EVENTS} == {row.number: row.level for row in EVENTS}


def test_a_dealer_may_not_lock_and_an_unknown_command_is_answered(bench):
    assert bench.command(codes.COMMAND_LOCK, role=codes.ROLE_DEALER) == codes.ANSWER_NO_AUTHORITY
    assert bench.command(99) == codes.ANSWER_UNKNOWN
    assert bench.command(codes.COMMAND_LOCK, role=200) == codes.ANSWER_NO_AUTHORITY
    assert bench.phase == codes.PHASE_BETTING_OPEN
    assert len(bench.host.events(codes.EVENT_COMMAND_REFUSED)) == 3


def test_a_whole_round_by_commands(bench):
    bench.lay(3, 3, 3)
    dealer = codes.ROLE_DEALER
    assert bench.command(codes.COMMAND_SPIN, role=dealer) == codes.ANSWER_DONE
    assert bench.command(codes.COMMAND_NO_MORE_BETS, role=dealer) == codes.ANSWER_DONE
    bench.wait_for_rest()
    bench.cover(False)
    bench.until_phase(codes.PHASE_RESULT)
    assert bench.command(codes.COMMAND_PAID, role=dealer) == codes.ANSWER_DONE
    bench.until_phase(codes.PHASE_BETTING_OPEN)


def test_locked_by_a_supervisor_survives_the_power_and_ends_the_spin(bench):
    bench.spin()
    assert bench.command(codes.COMMAND_LOCK) == codes.ANSWER_DONE
    assert bench.phase == codes.PHASE_LOCKED
    bench.power_on()
    bench.until_phase(codes.PHASE_LOCKED)
    assert bench.state.lock == codes.LOCK_COMMANDED
    assert bench.command(codes.COMMAND_UNLOCK) == codes.ANSWER_DONE


def test_a_table_closes_after_the_spins_of_its_notice(bench):
    assert bench.command(codes.COMMAND_CLOSE_TABLE, 2) == codes.ANSWER_BAD_ARGUMENT  # at least three: Sic Bo 9.8
    assert bench.command(codes.COMMAND_CLOSE_TABLE, 3, codes.ROLE_TG_HIGHER_DUTIES_DEALER) == codes.ANSWER_DONE
    for _ in range(3):
        assert bench.phase == codes.PHASE_CLOSING
        bench.play(1, 2, 3)
        bench.pay()
    bench.cover(True)
    bench.press(panel.SPIN)
    assert bench.phase == codes.PHASE_CLOSING
    bench.power_on()
    bench.until_phase(codes.PHASE_CLOSING)
    assert bench.command(codes.COMMAND_OPEN_TABLE) == codes.ANSWER_DONE
    bench.spin()


def test_spins_without_wagers_say_so(bench):
    assert bench.command(codes.COMMAND_SPIN_EMPTY, 1) == codes.ANSWER_DONE
    for _ in range(2):
        bench.play(1, 2, 3)
        bench.pay()
    bench.run(100)
    flags = [bool(v["flags"] & codes.RESULT_FLAG_NO_WAGERS) for v in bench.host.all(wire.RESULT)]
    assert flags == [True, False]


def test_a_hold_of_the_host_stops_new_spins_and_not_the_one_under_way(bench):
    bench.spin()
    bench.host.send(wire.HOLD, bench.board.now, on=1, reason=codes.HOLD_JOURNAL_FAILED)
    bench.close_bets()
    bench.wait_for_rest()
    bench.cover(False)
    bench.until_phase(codes.PHASE_RESULT)
    bench.pay()
    bench.cover(True)
    bench.press(panel.SPIN)
    assert bench.phase == codes.PHASE_BETTING_OPEN
    assert bench.host.last(wire.STATE)["hold"] == codes.HOLD_JOURNAL_FAILED
    bench.host.send(wire.HOLD, bench.board.now, on=0, reason=0)
    bench.run(100)
    bench.spin()


@pytest.mark.parametrize("reason", [codes.HOLD_COMMANDED, codes.HOLD_RESULT_REFUSED])
def test_a_hold_that_a_person_must_lift_stands_over_a_power_cut_without_the_host(bench, reason):
    bench.host.send(wire.HOLD, bench.board.now, on=1, reason=reason)
    bench.until(lambda: bench.round.hold == reason)
    bench.host.send(wire.HOLD, bench.board.now, on=1, reason=codes.HOLD_JOURNAL_FAILED)  # leads, and is the host's own
    bench.until(lambda: bench.round.hold == codes.HOLD_JOURNAL_FAILED)
    bench.power_on()
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    bench.press(panel.SPIN)
    assert (bench.round.hold, bench.state.next_spin) == (reason, 1)
    bench.power_on()
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    bench.until(lambda: bench.host.session.up)
    bench.host.send(wire.HOLD, bench.board.now, on=0, reason=0)
    bench.until(lambda: bench.round.hold == codes.HOLD_NONE)
    bench.power_on()
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    bench.spin()


def test_a_hold_of_the_hosts_own_does_not_outlive_the_power(bench):
    bench.host.send(wire.HOLD, bench.board.now, on=1, reason=codes.HOLD_JOURNAL_FAILED)
    bench.until(lambda: bench.round.hold == codes.HOLD_JOURNAL_FAILED)
    bench.power_on()
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    bench.spin()


def test_a_state_that_an_older_firmware_stored_is_read(bench):
    bench.host.send(wire.HOLD, bench.board.now, on=1, reason=codes.HOLD_COMMANDED)
    bench.until(lambda: bench.state.hold)
    old, state = bench.state.pack()[:-1], records.State()
    state.apply(records.SNAPSHOT, old)
    assert (state.hold, state.game_hash, state.epoch) == (0, bench.state.game_hash, bench.state.epoch)


def test_an_unlock_that_comes_while_the_table_starts_is_answered_by_that_self_test(bench):
    assert bench.command(codes.COMMAND_LOCK) == codes.ANSWER_DONE
    bench.power_on()
    bench.board.tags.sound = False
    bench.until(lambda: bench.host.session.up)
    assert bench.phase == codes.PHASE_SELF_TEST
    assert bench.command(codes.COMMAND_UNLOCK) == codes.ANSWER_FAULT_STAYS
    assert bench.phase == codes.PHASE_LOCKED
    bench.power_on()
    bench.until(lambda: bench.host.session.up)
    assert bench.phase == codes.PHASE_SELF_TEST
    assert bench.command(codes.COMMAND_UNLOCK) == codes.ANSWER_DONE
    assert bench.phase == codes.PHASE_BETTING_OPEN


@pytest.mark.parametrize("sound", [True, False])
def test_the_host_sees_what_a_command_did_before_it_hears_the_answer(bench, sound):
    assert bench.command(codes.COMMAND_LOCK) == codes.ANSWER_DONE
    bench.board.tags.sound = sound
    bench.command(codes.COMMAND_UNLOCK)
    answered = max(i for i, (number, _) in enumerate(bench.host.heard) if number == wire.COMMAND_RSP)
    before = [values["phase"] for number, values in bench.host.heard[:answered] if number == wire.STATE]
    assert before[-1] == (codes.PHASE_BETTING_OPEN if sound else codes.PHASE_LOCKED)


def test_an_unlock_that_cannot_be_stored_is_answered_too(bench):
    assert bench.command(codes.COMMAND_LOCK) == codes.ANSWER_DONE
    good = bench.files.append

    def broken(*_):
        raise OSError(5)

    bench.until(lambda: not bench.table.parts.store.pending)
    bench.files.append = bench.files.replace = broken
    assert bench.command(codes.COMMAND_UNLOCK) == codes.ANSWER_FAULT_STAYS
    assert bench.phase == codes.PHASE_LOCKED
    del bench.files.append, bench.files.replace
    assert bench.files.append == good
    assert bench.command(codes.COMMAND_UNLOCK) == codes.ANSWER_DONE
