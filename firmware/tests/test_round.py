"""A round of play by the rules (Sic Bo 5.1), from the dealer's hands to the record in flash and the message on the wire."""

import pytest
from bench_table import Bench
from controller import panel, records
from dicewire import codes
from dicewire import messages as wire
from tumbler.rules.tableplay import Play


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_a_round_ends_in_a_result_that_is_stored_lit_and_sent(bench):
    bench.play(2, 3, 6)
    assert bench.phase == codes.PHASE_RESULT
    bench.run(200)
    result = bench.host.last(wire.RESULT)
    assert (result["spin"], result["faces"], result["dice"]) == (1, bytes((2, 3, 6)), 3)
    assert bench.image.lit_areas(result["areas"]) == Play("crown-melbourne-sicbo-a").roll(0, (2, 3, 6))[2]
    assert result["opinions"] == codes.READER_TAGS
    assert result["reads"] >= 3
    assert result["spin_ms"] >= 2000
    assert result["tumbles"] >= 8
    assert 0 < result["nmb_ms"] <= result["exposed_ms"] <= result["read_ms"]
    lit = {
        pixel
        for area in range(bench.round.game.areas)
        if result["areas"][area >> 3] >> (area & 7) & 1
        for pixel in range(
            bench.round.game.area_first(area), bench.round.game.area_first(area) + bench.round.game.area_count(area)
        )
    }
    assert bench.board.lamps.lit() == lit
    (record,) = bench.records()
    assert record[1] == records.RESULT
    assert record[2]["faces"] == result["faces"]


def test_the_phases_come_in_the_order_of_the_rules(bench):
    bench.play(1, 1, 1)
    bench.pay()
    bench.run(300)
    seen = []
    for values in bench.host.all(wire.STATE):
        if not seen or seen[-1] != values["phase"]:
            seen.append(values["phase"])
    order = [
        codes.PHASE_BETTING_OPEN, codes.PHASE_SPINNING, codes.PHASE_NO_MORE_BETS, codes.PHASE_READING,
        codes.PHASE_RESULT, codes.PHASE_PAID, codes.PHASE_BETTING_OPEN,
    ]  # fmt: skip
    assert seen[-len(order) :] == order


def test_lamps_are_dark_again_when_the_round_is_paid(bench):
    bench.play(4, 4, 4)
    assert bench.board.lamps.lit()
    bench.pay()
    assert bench.board.lamps.lit() == set()


def test_no_lamp_burns_and_nothing_is_sent_before_the_result_is_in_flash(bench):
    bench.lay(5, 5, 6)
    bench.to_reading()
    store = bench.table.parts.store
    real = store.end_spin
    seen = []

    def end_spin(kind, values):
        seen.append((bench.board.lamps.lit(), bench.host.last(wire.RESULT)))
        real(kind, values)

    store.end_spin = end_spin
    bench.until_phase(codes.PHASE_RESULT)
    assert seen == [(set(), None)]


@pytest.mark.parametrize("faces", [(1, 1, 1), (1, 2, 3), (6, 6, 6), (3, 3, 4)])
def test_dice_in_any_order_are_reported_ascending(bench, faces):
    bench.play(*reversed(faces))
    bench.run(100)
    assert bench.host.last(wire.RESULT)["faces"] == bytes(faces)


def test_spin_with_the_cover_open_is_refused_with_a_buzz(bench):
    bench.cover(False)
    bench.press(panel.SPIN)
    assert bench.phase == codes.PHASE_BETTING_OPEN
    assert bench.board.panel.buzzes == 1
    bench.run(100)
    assert bench.host.events(codes.EVENT_SPIN_REFUSED)[0]["a"] == codes.CAUSE_COVER_OPEN
    assert bench.state.next_spin == 1


def test_keys_that_mean_nothing_now_buzz(bench):
    for key in (panel.NO_MORE_BETS, panel.CONFIRM, panel.NO_SPIN, panel.UNDO, 3):
        before = bench.board.panel.buzzes
        bench.press(key)
        bench.run(300)
        assert bench.board.panel.buzzes == before + 1
    assert bench.phase == codes.PHASE_BETTING_OPEN


def test_the_sign_says_no_more_bets_while_they_are_closed(bench):
    bench.spin()
    assert not bench.board.panel.announcing
    bench.close_bets()
    bench.run(20)
    assert bench.board.panel.announcing
    bench.wait_for_rest()
    bench.cover(False)
    bench.until_phase(codes.PHASE_RESULT)
    assert bench.board.panel.announcing
    bench.pay()
    bench.run(20)
    assert not bench.board.panel.announcing


def test_the_motor_never_turns_alike_twice(bench):
    profiles = set()
    for _ in range(6):
        bench.play(1, 2, 3)
        bench.run(100)
        result = bench.host.last(wire.RESULT)
        profiles.add((result["spin_ms"], result["peak_rpm"], result["tumbles"]))
        bench.pay()
    assert len(profiles) >= 5


def test_paid_by_itself_where_the_settings_say_so(bench):
    bench.set(auto_paid_ms=1500)
    bench.play(1, 2, 3)
    start = bench.board.now
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    assert 1500 <= bench.board.now - start < 2200


# ---- the dealer's entry (Sic Bo 5.1.5(a)) ----


def enter(bench, *faces):
    for face in faces:
        bench.press(face - 1)
    bench.press(panel.CONFIRM)


def reading_with_entry(bench, *faces):
    bench.set(entry=1)
    bench.lay(*faces)
    bench.to_reading()
    bench.until(lambda: bench.table.parts.reader.done)
    bench.run(150)  # one look at the accelerometer more


def test_an_entry_that_agrees_is_one_more_opinion(bench):
    reading_with_entry(bench, 2, 4, 4)
    assert bench.phase == codes.PHASE_READING
    enter(bench, 4, 2, 4)
    bench.run(100)
    result = bench.host.last(wire.RESULT)
    assert result["opinions"] == codes.READER_TAGS | codes.READER_DEALER
    assert result["flags"] & codes.RESULT_FLAG_ENTERED


def test_a_slip_of_the_finger_is_forgiven_once_and_undone(bench):
    reading_with_entry(bench, 2, 4, 4)
    bench.press(0)
    bench.press(panel.UNDO)
    enter(bench, 2, 4, 5)
    assert bench.phase == codes.PHASE_READING
    enter(bench, 2, 4, 4)
    assert bench.phase == codes.PHASE_RESULT


@pytest.mark.parametrize(("key", "phase"), [(panel.CONFIRM, codes.PHASE_RESULT), (panel.NO_SPIN, codes.PHASE_NO_SPIN)])
def test_a_disputed_entry_is_ruled_by_the_supervisor_and_never_by_the_dealer(bench, key, phase):
    reading_with_entry(bench, 2, 4, 4)
    enter(bench, 1, 1, 1)
    enter(bench, 1, 1, 1)
    bench.press(panel.CONFIRM)
    assert bench.phase == codes.PHASE_READING
    bench.board.panel.key_switch = True
    bench.press(key)
    assert bench.phase == phase
    bench.run(100)
    assert len(bench.host.events(codes.EVENT_ENTRY_DIFFERS)) == 2
    if phase == codes.PHASE_RESULT:
        result = bench.host.last(wire.RESULT)
        assert result["faces"] == bytes((2, 4, 4))
        assert result["opinions"] & codes.READER_SUPERVISOR
        assert not result["opinions"] & codes.READER_DEALER
    else:
        assert bench.host.last(wire.NO_SPIN)["cause"] == codes.CAUSE_ENTRY_DIFFERS
