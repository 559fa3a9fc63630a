"""Self-test at start, the technician's requests, people's commands, the game table and the settings."""

import struct

import pytest
from bench_board import Reset
from bench_table import KEY, Bench, dice_file, die_rows
from controller import commands, events, panel, service
from controller.settings import FIELDS
from dicewire import codes
from dicewire import messages as wire
from dicewire.codec import decode
from dicewire.declared.codes import COMMANDS, ROLES, SERVICE_OPS
from dicewire.declared.eventcodes import EVENTS
from tumbler.rules.gametable import compile_book


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


# ---- self-test ----


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


# ---- commands ----


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


# ---- game table, settings, time ----


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
    import hashlib

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
    from bench_host import Host

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


# ---- service ----


def test_every_service_operation_of_the_declaration_is_there(bench):
    assert sorted(service.Service(bench.table.parts, None).table) == sorted(row.number for row in SERVICE_OPS)


def test_what_moves_or_lights_needs_service_and_service_needs_rest(bench):
    for op in (codes.SERVICE_MOTOR, codes.SERVICE_LAMPS, codes.SERVICE_FORMAT, codes.SERVICE_DICE_MAP):
        assert bench.service(op, bytes(4)) == (0, b"enter service first")
    bench.spin()
    assert bench.service(codes.SERVICE_ENTER)[0] == 0
    assert bench.service(codes.SERVICE_TAGS)[0] == 0
    bench.press(panel.NO_SPIN)
    assert bench.service(codes.SERVICE_ENTER)[0] == 1
    assert bench.phase == codes.PHASE_SERVICE
    bench.press(panel.SPIN)
    assert bench.phase == codes.PHASE_SERVICE
    assert bench.service(codes.SERVICE_LEAVE)[0] == 1
    bench.until_phase(codes.PHASE_NO_SPIN)  # through the self-test


@pytest.fixture
def shop(bench):
    assert bench.service(codes.SERVICE_ENTER)[0] == 1
    return bench


def test_the_motor_turns_for_a_technician_and_only_under_a_closed_cover(shop):
    ok, data = shop.service(codes.SERVICE_MOTOR, struct.pack("<hH", 500, 1000))
    pulses, ma, ms = struct.unpack("<IHH", data)
    assert ok
    assert pulses > 60
    assert 500 < ma < 2000
    assert 1000 <= ms < 1050
    assert shop.board.motor.permille == 0
    shop.cover(False)
    assert shop.service(codes.SERVICE_MOTOR, struct.pack("<hH", 500, 1000))[0] == 0
    assert shop.board.motor.permille == 0
    assert shop.service(codes.SERVICE_MOTOR, struct.pack("<hH", 5000, 1000))[0] == 0
    assert shop.service(codes.SERVICE_MOTOR, b"x")[0] == 0


def test_the_motor_stops_when_the_technicians_cable_is_pulled(shop):
    shop.host.send(
        wire.SERVICE_REQ,
        shop.board.now,
        req=shop.host.next_req(),
        op=codes.SERVICE_MOTOR,
        data=struct.pack("<hH", 500, 5000),
    )
    shop.until(lambda: shop.board.motor.permille == 500)
    shop.board.port.unplug()
    shop.run(50)
    assert shop.board.motor.permille == 0


def test_lamps_one_at_a_time_all_together_and_tested(shop):
    assert shop.service(codes.SERVICE_LAMPS, struct.pack("<HBBB", 7, 9, 0, 0)) == (1, b"")
    assert shop.board.lamps.shown[7] == (9, 0, 0)
    assert shop.service(codes.SERVICE_LAMPS, struct.pack("<HBBB", 65535, 1, 1, 1))[0] == 1
    assert len(shop.board.lamps.lit()) == shop.round.game.pixels
    assert shop.service(codes.SERVICE_LAMPS, struct.pack("<HBBB", 9999, 1, 1, 1))[0] == 0
    shop.board.lamps.dead = {3, 17}
    ok, data = shop.service(codes.SERVICE_LAMPS)
    assert (ok, data) == (1, bytes((shop.round.game.pixels, 2, 3, 17)))


def test_the_self_test_by_request_names_what_fails(shop):
    ok, data = shop.service(codes.SERVICE_SELF_TEST)
    assert (ok, struct.unpack_from("<I", data)[0]) == (1, 0)
    shop.board.tags.sound = False
    ok, data = shop.service(codes.SERVICE_SELF_TEST)
    assert struct.unpack_from("<I", data)[0] == codes.FAULT_TAG_READER
    assert data[6:] == b"tag reader: no chip"


def test_tags_inputs_currents_and_acceleration_are_read(bench):
    ok, data = bench.service(codes.SERVICE_TAGS, b"\x00")
    assert (ok, data[0]) == (1, 3)
    assert data[1:10] == bench.rows[0][0] + bytes((0 << 4 | 1,))
    assert bench.service(codes.SERVICE_TAGS, b"\x01")[1][0] == 18
    inputs, held, phase = struct.unpack("<HHB", bench.service(codes.SERVICE_INPUTS)[1])
    assert inputs & codes.INPUT_COVER_CLOSED
    assert (held, phase) == (0, codes.PHASE_BETTING_OPEN)
    motor, lamp, supply, temperature = struct.unpack("<HHHh", bench.service(codes.SERVICE_CURRENT)[1])
    assert (motor, lamp, supply, temperature) == (0, 4, 24000, 315)
    assert struct.unpack("<hhh", bench.service(codes.SERVICE_ACCELEROMETER)[1]) == (0, 0, 1000)


def test_recall_gives_a_spin_of_the_ring_as_it_was_sent(bench):
    bench.play(2, 4, 6)
    bench.pay()
    bench.board.tags.dice = [0, 2, 3]
    bench.play()
    ok, data = bench.service(codes.SERVICE_RECALL, struct.pack("<I", 1))
    assert (ok, data[0]) == (1, wire.RESULT)
    assert decode(wire.RESULT, data[1:]) == bench.host.last(wire.RESULT)
    ok, data = bench.service(codes.SERVICE_RECALL)
    assert decode(wire.NO_SPIN, data[1:])["cause"] == codes.CAUSE_NOT_FLAT
    assert bench.service(codes.SERVICE_RECALL, struct.pack("<I", 77))[0] == 0


def test_the_log_is_fetched_as_a_transfer(bench):
    bench.host.bulk_ends.clear()
    ok, data = bench.service(codes.SERVICE_LOG)
    bench.until(lambda: bench.host.bulk_ends)
    assert ok
    assert len(bench.host.received) == struct.unpack("<I", data)[0]
    assert f"event {codes.EVENT_BOOT} ".encode() in bench.host.received


def test_info_and_settings_are_words(bench):
    info = dict(line.split("=") for line in bench.service(codes.SERVICE_INFO)[1].decode().split("\n"))
    assert info["book"] == "crown-melbourne-sicbo-a"
    assert info["epoch"] == bench.state.epoch.hex()
    said = dict(line.split("=") for line in bench.service(codes.SERVICE_SETTINGS)[1].decode().split("\n"))
    assert list(said) == [row[0] for row in FIELDS]
    assert said["still_reads"] == "3"


def test_a_new_die_set_is_checked_before_it_replaces_the_old(shop):
    old = shop.service(codes.SERVICE_DICE_MAP_READ)[1]
    assert old == dice_file(shop.rows)
    assert shop.service(codes.SERVICE_DICE_MAP, old[:-1])[0] == 0
    assert shop.service(codes.SERVICE_DICE_MAP, dice_file(die_rows(2)))[0] == 0
    assert shop.service(codes.SERVICE_DICE_MAP_READ)[1] == old
    rows = [(bytes((0xE0, 9, 9, 9, 9, 9, die, face)), die, face) for die in range(3) for face in range(1, 7)]
    assert shop.service(codes.SERVICE_DICE_MAP, dice_file(rows)) == (1, b"")
    assert shop.table.parts.tag_reader.die_set.find(rows[0][0]) == 1


def test_the_buzzer_sounds_as_long_as_asked(shop):
    assert shop.service(codes.SERVICE_BUZZER, struct.pack("<H", 300))[0] == 1
    assert shop.board.panel.buzzing
    shop.run(400)
    assert not shop.board.panel.buzzing


@pytest.mark.parametrize(
    ("op", "cause"),
    [(codes.SERVICE_RESET, codes.RESET_COMMANDED), (codes.SERVICE_BOOTLOADER, codes.RESET_UNKNOWN)],
)
def test_a_restart_is_answered_before_it_happens(shop, op, cause):
    assert shop.service(op)[0] == 1
    assert shop.until_reset() == cause


def test_formatting_is_refused_while_a_record_is_not_committed_and_makes_a_new_epoch(bench):
    bench.host.commits = False
    bench.play(1, 2, 3)
    bench.pay()
    bench.service(codes.SERVICE_ENTER)
    assert bench.service(codes.SERVICE_FORMAT)[0] == 0
    bench.host.send(wire.COMMIT, bench.board.now, spin=1)
    bench.run(100)
    old = bench.state.epoch
    assert bench.service(codes.SERVICE_FORMAT)[0] == 1
    assert bench.until_reset() == codes.RESET_COMMANDED
    bench.power_on(codes.RESET_COMMANDED)
    assert bench.state.epoch != old
    assert bench.state.next_spin == 1


def test_what_this_table_has_not_is_said_in_words(shop):
    assert shop.service(codes.SERVICE_FRAME) == (0, b"no camera is fitted, or it does not answer")
    assert shop.service(codes.SERVICE_UPDATE_APPLY) == (0, b"no update has been received")
    assert shop.service(99) == (0, b"no such service operation")


def test_a_picture_is_fetched_as_a_transfer(bench):
    class Camera:
        width, height, torn = 8, 4, False
        started = False

        def start(self):
            self.started = True

        def capture(self):
            assert self.started

        def read_rows_into(self, luma, first, rows):
            luma[:] = bytes(range(first * self.width, (first + rows) * self.width))

    bench.board.camera = Camera()
    bench.host.bulk_ends.clear()
    ok, data = bench.service(codes.SERVICE_FRAME)
    bench.until(lambda: bench.host.bulk_ends)
    assert (ok, struct.unpack("<HH", data)) == (1, (8, 4))
    assert bench.host.received == bytes(range(32))
    bench.board.camera.torn = True
    assert bench.service(codes.SERVICE_FRAME)[0] == 0


# ---- a defect of the program ----


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
