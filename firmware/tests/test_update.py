"""When an update may come in, and what becomes of a transfer that breaks off: on the bench, in virtual time."""

import struct

import pytest
import slots
from bench_table import KEY, Bench
from dicewire import codes
from dicewire import messages as wire
from dicewire.bulk import MemorySource
from tumbler.update.image import pack, signed

FILES = {f"controller/part{i}.py": bytes([65 + i]) * (3000 * i) for i in range(8)}
IMAGE = signed(pack(FILES, "bench", "0.9.9"), KEY)
APPLY = struct.pack("<H8s", 30, wire.SCHEMA_HASH)


@pytest.fixture
def bench(tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "program").mkdir()
    return Bench(tmp_path / "state", program=tmp_path / "program")


def offer(bench, image=IMAGE):
    bench.host.bulk_ends.clear()
    assert bench.host.session.bulk_send(codes.BULK_UPDATE, MemorySource(image), bench.board.now)


def send(bench, image=IMAGE):
    offer(bench, image)
    bench.until(lambda: bench.host.bulk_ends, why="the transfer's end")
    return bench.host.bulk_ends[-1][1]


def refusals(bench):
    bench.run(100)
    return [event["text"] for event in bench.host.events(codes.EVENT_UPDATE_REFUSED)]


def test_in_play_an_update_is_refused(bench):
    assert not send(bench)
    assert refusals(bench) == ["enter service first"]
    assert bench.service(codes.SERVICE_UPDATE_APPLY, APPLY) == (0, b"enter service first")


def test_with_an_uncommitted_result_an_update_is_refused(bench):
    bench.host.commits = False
    bench.play(1, 2, 3)
    bench.pay()
    bench.service(codes.SERVICE_ENTER)
    assert not send(bench)
    assert refusals(bench) == ["1 records are not committed yet"]
    bench.host.send(wire.COMMIT, bench.board.now, spin=1)
    bench.run(100)
    assert send(bench)


def test_received_checked_and_tried_out_at_the_next_start(bench):
    bench.service(codes.SERVICE_ENTER)
    assert bench.service(codes.SERVICE_UPDATE_APPLY, APPLY) == (0, b"no update has been received")
    assert send(bench)
    assert bench.service(codes.SERVICE_UPDATE_APPLY, b"") == (
        0,
        b"apply: seconds to join, 1 to 3600, and the host's schema",
    )
    assert bench.service(codes.SERVICE_UPDATE_APPLY, APPLY) == (1, b"0.9.9")
    assert bench.until_reset() == codes.RESET_UPDATE
    for name, data in FILES.items():
        assert (bench.program / "slot_a" / name).read_bytes() == data
    bench.power_on(codes.RESET_UPDATE)
    assert bench.board.slots.on_trial
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    assert bench.round.hold == codes.HOLD_UPDATING  # no spin before it has proved itself
    bench.until(lambda: bench.host.events(codes.EVENT_UPDATE_APPLIED), why="applied")
    assert bench.round.hold == codes.HOLD_NONE
    bench.play(1, 2, 3)


def test_a_file_that_changed_in_flash_after_the_transfer_is_found_before_the_switch(bench):
    bench.service(codes.SERVICE_ENTER)
    assert send(bench)
    (bench.program / "slot_a" / "controller" / "part3.py").write_bytes(bytes(9000))
    ok, why = bench.service(codes.SERVICE_UPDATE_APPLY, APPLY)
    assert (ok, why) == (0, b"controller/part3.py is not as it was packed")
    assert not bench.board.slots.marked(1)
    assert bench.service(codes.SERVICE_LEAVE)[0]
    bench.until_phase(codes.PHASE_BETTING_OPEN)


def test_a_transfer_goes_on_after_a_broken_line_and_after_a_power_cut(bench):
    bench.service(codes.SERVICE_ENTER)
    offer(bench)
    part = bench.program / "slot_a" / "controller" / "part4.py"
    bench.until(part.exists, why="half of it")
    bench.board.port.unplug()
    bench.run(6000)
    bench.board.port.plugged = True
    bench.until(lambda: bench.host.session.up, why="session again")
    bench.run(20)
    assert bench.host.session.bulk_progress >= 9000  # not from its first byte
    bench.power_on()
    bench.until_phase(codes.PHASE_BETTING_OPEN)
    bench.service(codes.SERVICE_ENTER)
    offer(bench)
    bench.until(lambda: bench.host.session.bulk_progress, why="granted")
    assert bench.host.session.bulk_progress >= 9000
    bench.until(lambda: bench.host.bulk_ends, why="the transfer's end")
    assert bench.service(codes.SERVICE_UPDATE_APPLY, APPLY) == (1, b"0.9.9")


def test_a_new_image_empties_the_slot_of_the_old_one_first(bench):
    bench.service(codes.SERVICE_ENTER)
    assert send(bench)
    assert send(bench, signed(pack({"boards/one.py": b"x = 1\n"}, "bench", "1.0.0"), KEY))
    left = {path.name for path in (bench.program / "slot_a").rglob("*") if path.is_file()}
    assert left == {"offer", "index", "one.py"}
    assert bench.service(codes.SERVICE_UPDATE_APPLY, APPLY) == (1, b"1.0.0")


def test_a_program_on_trial_that_finds_no_host_gives_itself_back(bench):
    bench.service(codes.SERVICE_ENTER)
    send(bench)
    bench.service(codes.SERVICE_UPDATE_APPLY, APPLY)
    bench.until_reset()
    bench._with_host = False
    bench.host = None
    bench.power_on(codes.RESET_UPDATE)
    assert bench.until_reset(40000) == codes.RESET_UPDATE
    bench._with_host = True
    bench.power_on(codes.RESET_UPDATE)
    assert bench.board.slots.running == slots.FACTORY
    bench.until(lambda: bench.host.events(codes.EVENT_UPDATE_ROLLED_BACK), why="rolled back")
    assert bench.host.events(codes.EVENT_UPDATE_ROLLED_BACK)[0]["text"] == "0.9.9: no host joined in 30 s"
    bench.run(3000)
    assert bench.board.slots.note == slots.NOTE_NONE


def test_an_image_that_does_not_fit_is_refused_before_its_contents_come(bench, monkeypatch):
    monkeypatch.setattr(bench.files, "free_bytes", lambda: 100_000)
    bench.service(codes.SERVICE_ENTER)
    assert not send(bench)
    assert refusals(bench) == ["needs 102 KB, 33 KB are free"]


def test_a_table_with_a_camera_is_not_updated_over_the_wire(bench):
    bench.files.replace("readers.bin", b"\x03")
    bench.service(codes.SERVICE_ENTER)
    assert not send(bench)
    assert refusals(bench) == ["a table with a camera is updated at the bench"]
