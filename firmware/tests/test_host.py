"""What the host brings: game tables, settings, the time, its key; and events that a pulled cable held up."""

import hashlib

from bench_host import Host
from bench_table import KEY, Bench
from controller import panel
from dicewire import codes
from dicewire import messages as wire
from tumbler.rules.gametable import compile_book


def test_a_game_table_is_changed_between_rounds_only_and_proved_by_a_self_test(bench):
    other = compile_book("crown-melbourne-sicbo-b")
    bench.spin()
    bench.host.bulk_ends.clear()
    bench.host.send_game(other.data, bench.board.now)
    bench.until(lambda: bench.host.bulk_ends)
    bench.host.send(wire.GAME_USE, bench.board.now, hash=other.hash)
    bench.run(100)
    answer = bench.host.last(wire.GAME_ACTIVE)
    assert (answer["ok"], answer["code"]) == (0, codes.GAME_BUSY)
    bench.close_bets()
    bench.wait_for_rest()
    bench.cover(False)
    bench.until_phase(codes.PHASE_RESULT)
    bench.pay()
    bench.host.send(wire.GAME_USE, bench.board.now, hash=other.hash)
    bench.run(100)
    assert bench.host.last(wire.GAME_ACTIVE)["ok"] == 1
    assert bench.phase == codes.PHASE_SELF_TEST
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    bench.power_on()
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    assert bench.round.game.hash == other.hash
    assert bench.host.session.peer["game_hash"] == other.hash


def test_a_table_that_is_not_there_or_not_sound_is_answered_by_its_code(bench):
    bench.host.send(wire.GAME_USE, bench.board.now, hash=bytes(32))
    bench.run(100)
    assert bench.host.last(wire.GAME_ACTIVE)["code"] == codes.GAME_ABSENT
    bad = bytearray(bench.image.data)
    bad[40] ^= 1
    bench.host.bulk_ends.clear()
    bench.host.send_game(bytes(bad), bench.board.now)
    bench.until(lambda: bench.host.bulk_ends)
    bench.run(100)
    bench.host.send(wire.GAME_USE, bench.board.now, hash=hashlib.sha256(bad).digest())
    bench.run(100)
    assert bench.host.last(wire.GAME_ACTIVE)["code"] == codes.GAME_UNSOUND
    assert "CRC" in bench.host.events(codes.EVENT_GAME_REFUSED)[0]["text"]
    assert bench.phase == codes.PHASE_BETTING_OPEN


def test_a_game_table_too_large_is_refused_before_a_byte_of_it_is_taken(bench):
    bench.host.bulk_ends.clear()
    bench.host.send_game(bytes(9000), bench.board.now)
    bench.until(lambda: bench.host.bulk_ends)
    assert bench.host.bulk_ends == [(codes.BULK_GAME_TABLE, False)]


def test_settings_are_kept_over_a_power_cut_and_wait_for_the_end_of_a_spin(bench):
    bench.spin()
    bench.host.send(wire.SETTINGS, bench.board.now, **bench.settings(min_spin_ms=60000, spin_ms=3000))
    bench.run(100)
    assert bench.table.parts.settings.min_spin_ms == 2000
    bench.press(panel.NO_SPIN)
    bench.run(100)
    assert bench.table.parts.settings.min_spin_ms == 60000
    bench.power_on()
    assert bench.table.parts.settings.min_spin_ms == 60000


def test_settings_out_of_range_are_refused_whole(bench):
    before = bench.table.parts.settings.values()
    bench.set(spin_rpm=5000, brightness=200)
    assert bench.table.parts.settings.values() == before
    assert bench.host.events(codes.EVENT_COMMAND_REFUSED)[-1]["text"].startswith("spin_rpm 5000")


def test_the_hosts_time_is_in_the_next_record(bench):
    wall = 1_790_000_000_000
    bench.host.send(wire.TIME, bench.board.now, wall_ms=wall)
    start = bench.board.now
    bench.play(1, 2, 3)
    bench.run(100)
    assert 0 <= bench.host.last(wire.RESULT)["wall_ms"] - wall - (bench.board.now - start) + 500 < 1000


def test_a_host_with_another_key_is_refused_and_told(tmp_path):
    bench = Bench(tmp_path)
    bench.board.port.unplug()
    bench.run(100)
    bench.board.port.plugged = True
    bench.host = Host(bench.board.port, bytes(32), bench.board.now)
    bench.run(2000)
    assert not bench.host.session.up
    assert bench.host.refusals[0][0] == codes.REFUSAL_KEY
    bench.host = Host(bench.board.port, KEY, bench.board.now)
    bench.until(lambda: bench.host.session.up)
    bench.run(200)
    assert bench.host.events(codes.EVENT_AUTH_FAILED)


def test_events_that_were_on_their_way_when_the_cable_went_come_again(bench):
    bench.run(500)
    before = len(bench.host.events(codes.EVENT_SUPERVISOR_ON))
    bench.board.panel.key_switch = True
    bench.table.step()
    bench.board.port.unplug()
    bench.run(200)
    bench.board.port.plugged = True
    bench.until(lambda: bench.host.ups == 2)
    bench.run(500)
    assert len(bench.host.events(codes.EVENT_SUPERVISOR_ON)) == before + 1
