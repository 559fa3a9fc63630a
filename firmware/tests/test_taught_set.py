"""eye.bin and symbols.bin are one set: a power cut at any byte leaves the old one or the new one, and half a set is refused."""

import hashlib
import struct

import pytest
from bench_board import Reset  # noqa: F401 - puts the firmware on the path, as every test here
from controller.reader import calibration, camera, symbols, taught
from controller.reader.calibration import SYMBOLS, Calibration
from controller.teaching import Teaching
from cuts import CutFiles, PowerCut
from dicewire import codes


def eye(step, kind=SYMBOLS):
    known = Calibration(step, 0.0, 0, 0)
    known.kind = kind
    return known.pack()


def faces(shade):
    return symbols.pack([(100 + k, 10, 20, bytes([shade]) * 120) for k in range(6)])


OLD, NEW = (eye(12.0), faces(10)), (eye(12.5), faces(20))


def stored(files):
    return files.load(calibration.FILE), files.load(symbols.FILE)


def test_a_power_cut_at_every_byte_leaves_one_whole_set(tmp_path):
    whole = CutFiles(str(tmp_path / "whole"))
    taught.store(whole, *NEW)
    seen = set()
    for cut in range(whole.spent + 1):
        root = str(tmp_path / str(cut))
        taught.store(CutFiles(root), *OLD)
        try:
            taught.store(CutFiles(root, budget=cut), *NEW)
        except PowerCut:
            pass
        after = CutFiles(root)  # the power is back
        taught.finish(after)
        assert stored(after) in (OLD, NEW), f"cut at byte {cut}"
        assert after.load(taught.FILE) is None
        seen.add(stored(after) == NEW)
    assert seen == {False, True}


def test_a_second_cut_while_it_is_ended_leaves_one_whole_set(tmp_path):
    for second in range(0, 900, 37):
        root = str(tmp_path / str(second))
        taught.store(CutFiles(root), *OLD)
        files = CutFiles(root, budget=900)  # the common file is whole, the two are not
        with pytest.raises(PowerCut):
            taught.store(files, *NEW)
        try:
            taught.finish(CutFiles(root, budget=second))
        except PowerCut:
            pass
        after = CutFiles(root)
        taught.finish(after)
        assert stored(after) == NEW


class Reader:
    kind = camera.SYMBOLS
    loads = 0

    def load(self, files):
        self.loads += 1


class Events:
    def __init__(self):
        self.told = []

    def add(self, code, a=0, b=0, text=""):
        self.told.append((code, text))


class Parts:
    def __init__(self, root):
        self.files = CutFiles(root)
        self.camera_reader = Reader()
        self.events = Events()


@pytest.fixture
def parts(tmp_path):
    made = Parts(str(tmp_path))
    taught.store(made.files, *OLD)
    return made


def send(teaching, data, size=180):
    for at in range(0, len(data), size):
        came = teaching.symbols(struct.pack("<H", at) + data[at : at + size], 0)
    return struct.unpack("<H", came)[0]


def named(pair):
    return pair[0] + hashlib.sha256(pair[1]).digest()[:8]


def test_both_files_come_into_force_together_and_are_told_by_name(parts):
    teaching = Teaching(parts, None)
    assert send(teaching, NEW[1]) == len(NEW[1])
    assert stored(parts.files) == OLD
    assert teaching.calibration(named(NEW), 0) == b""
    assert stored(parts.files) == NEW
    assert parts.camera_reader.loads == 1
    assert parts.events.told == [
        (codes.EVENT_CALIBRATED, calibration.name(NEW[0]) + " " + calibration.name(NEW[1])),
    ]
    read = b""
    while part := teaching.symbols_read(struct.pack("<H", len(read)), 0):
        read += part
    assert (teaching.calibration_read(b"", 0), read) == NEW


def test_half_a_set_is_refused_and_the_old_one_stays(parts):
    teaching = Teaching(parts, None)
    with pytest.raises(ValueError, match="half a set"):
        teaching.calibration(NEW[0], 0)  # no symbols came
    send(teaching, NEW[1][:360])
    with pytest.raises(ValueError, match="half a set"):
        teaching.calibration(named(NEW), 0)  # they did not all come
    with pytest.raises(ValueError, match="360 bytes have come"):
        teaching.symbols(struct.pack("<H", 540) + NEW[1][540:], 0)  # a part is missing
    damaged = bytearray(NEW[1])
    damaged[50] ^= 1
    send(teaching, bytes(damaged))
    with pytest.raises(ValueError, match="damaged"):
        teaching.calibration(named((NEW[0], bytes(damaged))), 0)
    send(teaching, NEW[1])
    with pytest.raises(ValueError, match="pips"):
        teaching.calibration(named((b"TEY4" + NEW[0][4:], NEW[1])), 0)
    assert stored(parts.files) == OLD
    assert parts.camera_reader.loads == 0
    assert parts.events.told == []
