"""Craps on two dice: come-out, point, puck, seven-out, the bonus bets' numbers, over power cuts; and no rolls by their cause."""

import random

import pytest
from bench_table import Bench
from controller import panel
from dicewire import codes
from dicewire import messages as wire
from tumbler.rules.tableplay import Play

BOOKS = ("crown-melbourne-craps", "nsw-craps", "crown-perth-crapless", "skycity-adelaide-craps")


def roll(bench, *dice):
    bench.play(*dice)
    assert bench.phase == codes.PHASE_RESULT
    bench.run(100)
    result = bench.host.last(wire.RESULT)
    bench.pay()
    return result


def test_a_point_is_made_with_the_puck_on_it_and_lost_by_a_seven(tmp_path):
    bench = Bench(tmp_path, "crown-melbourne-craps")
    come_out = roll(bench, 3, 4)
    assert (come_out["state_before"], come_out["state_after"], come_out["puck"]) == (0, 0, 0)
    point = roll(bench, 2, 4)
    assert point["puck"] == 6
    assert point["state_after"] != 0
    game = bench.round.game
    bench.run(300)
    assert game.puck_pixel(6) in bench.board.lamps.lit()
    bench.spin()
    assert game.puck_pixel(6) in bench.board.lamps.lit()  # the puck stays while the dice tumble
    bench.press(panel.NO_SPIN)
    assert bench.state.puck == 6  # a no roll changes neither point nor wagers
    out = roll(bench, 3, 4)
    assert (out["state_before"], out["state_after"], out["puck"]) == (point["state_after"], 0, 0)
    bench.run(300)
    assert game.puck_pixel(6) not in bench.board.lamps.lit()


@pytest.mark.parametrize("book", BOOKS)
def test_a_long_hand_with_power_cuts_goes_as_the_rules_say(tmp_path, book):
    bench = Bench(tmp_path, book)
    bench.set(spin_ms=1000, min_spin_ms=500, min_tumbles=4)
    play, rng = Play(book), random.Random(book)
    state = collected = 0
    for number in range(1, 31):
        faces = tuple(sorted((rng.randint(1, 6), rng.randint(1, 6))))
        result = roll(bench, *faces)
        after, puck, areas = play.roll(state, faces)
        collected = play.collect(collected, faces)
        assert result["spin"] == number
        assert (result["state_before"], result["state_after"], result["puck"]) == (state, after, puck)
        assert bench.image.lit_areas(result["areas"]) == areas
        assert result["collected"] == collected
        state = after
        if number % 7 == 0:
            bench.power_on()
            bench.until_phase(codes.PHASE_BETTING_OPEN)
            bench.until(lambda: bench.host.session.up)


def test_a_no_roll_carries_the_cause_that_the_document_names(tmp_path):
    bench = Bench(tmp_path, "crown-melbourne-craps")
    for cause in (codes.CAUSE_COCKED, codes.CAUSE_OFF_TABLE, codes.CAUSE_NO_WALL):
        bench.spin()
        assert bench.command(codes.COMMAND_NO_SPIN, cause, codes.ROLE_STICKPERSON) == codes.ANSWER_DONE
        bench.run(100)
        said = bench.host.last(wire.NO_SPIN)
        assert (said["cause"], said["by"]) == (cause, codes.ROLE_STICKPERSON)
    assert bench.phase == codes.PHASE_NO_SPIN  # what people call never locks


def test_nobody_can_declare_what_only_the_table_can_find(tmp_path):
    bench = Bench(tmp_path)
    bench.spin()
    for cause in (codes.CAUSE_POWER_CUT, codes.CAUSE_DISAGREE, codes.CAUSE_STORED_BADLY):
        assert bench.command(codes.COMMAND_NO_SPIN, cause) == codes.ANSWER_BAD_ARGUMENT
    assert bench.phase == codes.PHASE_SPINNING


def test_the_game_starts_anew_on_direction_and_only_between_rolls(tmp_path):
    bench = Bench(tmp_path, "crown-melbourne-craps")
    roll(bench, 2, 2)
    assert bench.state.puck == 4
    bench.spin()
    assert bench.command(codes.COMMAND_GAME_START) == codes.ANSWER_WRONG_PHASE
    bench.press(panel.NO_SPIN)
    assert bench.command(codes.COMMAND_GAME_START) == codes.ANSWER_DONE
    assert (bench.state.game_state, bench.state.puck) == (0, 0)


def test_three_dice_in_a_craps_game_are_refused_at_the_self_test(tmp_path):
    bench = Bench(tmp_path, "crown-melbourne-craps", game=False)
    from bench_table import dice_file, die_rows

    bench.files.replace("dice.bin", dice_file(die_rows(3)))
    bench.power_on()
    bench.until(lambda: bench.host.session.up)
    bench.host.send_game(bench.image.data, bench.board.now)
    bench.until(lambda: bench.host.bulk_ends)
    bench.host.send(wire.GAME_USE, bench.board.now, hash=bench.image.hash)
    bench.run(4000)
    assert bench.phase == codes.PHASE_SELF_TEST
    assert bench.table.parts.faults.bits & codes.FAULT_DICE_MAP
