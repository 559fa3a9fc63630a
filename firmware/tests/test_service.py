"""The technician's requests: what is allowed when, and what each answers."""

import binascii
import struct

import pytest
from bench_table import dice_file, die_rows
from controller import panel, service
from controller.looking import Looking
from controller.settings import FIELDS
from controller.teaching import Teaching
from controller.working import Working
from dicewire import codes
from dicewire import messages as wire
from dicewire.codec import decode
from dicewire.declared.codes import SERVICE_OPS


def test_every_service_operation_of_the_declaration_is_there(bench):
    parts = bench.table.parts
    answered = {
        **Looking(None, parts, None).answers,
        **Working(None, parts, None).answers,
        **Teaching(parts, None).answers,
    }
    assert sorted(service.REQUESTS) == sorted(answered) == sorted(row.number for row in SERVICE_OPS)


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


@pytest.mark.parametrize("data", [b"", struct.pack("<I", 7)])
def test_recall_of_a_ring_without_spins_says_so(bench, data):
    assert bench.service(codes.SERVICE_RECALL, data) == (0, b"no spin has been played since the ring was formatted")


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
    assert shop.service(codes.SERVICE_UPDATE_APPLY) == (0, b"this board has no slots")
    assert shop.service(99) == (0, b"no such service operation")


def test_a_picture_is_fetched_as_a_transfer(bench):
    class Camera:
        width, height, torn, colour, crc = 16, 8, False, False, 0
        started = False
        lamp = -1

        def start(self, colour):
            self.started = True

        def light(self, lamp):
            self.lamp = lamp

        def capture(self):
            assert self.started

        def rewind(self):
            pass

        def read_rows_into(self, luma, first, rows):
            luma[:] = bytes(range(first * self.width, (first + rows) * self.width))
            self.crc = self.crc or binascii.crc32(luma)

    bench.board.camera = Camera()
    bench.host.bulk_ends.clear()
    ok, data = bench.service(codes.SERVICE_FRAME)
    bench.until(lambda: bench.host.bulk_ends)
    assert (ok, struct.unpack("<HH", data)) == (1, (16, 8))
    assert bench.host.received == bytes(range(128))
    assert bench.board.camera.lamp == 0
    bench.host.bulk_ends.clear()
    assert bench.service(codes.SERVICE_FRAME, b"\x02")[0] == 1
    bench.until(lambda: bench.host.bulk_ends)
    assert bench.board.camera.lamp == 1
    bench.board.camera.torn = True
    assert bench.service(codes.SERVICE_FRAME)[0] == 0


def test_a_request_that_comes_while_the_table_tests_itself_is_answered_after_it(bench):
    bench.power_on()
    bench.until(lambda: bench.host.session.up)
    assert bench.phase == codes.PHASE_SELF_TEST
    assert bench.service(codes.SERVICE_INPUTS)[0] == 1  # looks at nothing that the test moves
    assert bench.phase == codes.PHASE_SELF_TEST
    assert bench.service(codes.SERVICE_ENTER)[0] == 1
    assert bench.phase == codes.PHASE_SERVICE


def test_a_request_that_waited_is_forgotten_with_its_cable(bench):
    bench.power_on()
    bench.until(lambda: bench.host.session.up)
    request = {"req": bench.host.next_req(), "op": codes.SERVICE_ENTER, "data": b""}
    bench.host.send(wire.SERVICE_REQ, bench.board.now, **request)
    bench.run(20)
    bench.board.port.unplug()
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    bench.run(500)
    assert bench.phase == codes.PHASE_BETTING_OPEN
