"""The camera on the emulated RP2040: the firmware's own driver on SPI and I2C, its own reader, dice as the physics laid them.

The program is the shipped reader on the shipped board without the rest of the table, which test_emulated_camera_play.py has.
With `--rig emulated`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from dicewire import codes
from tumbler.rigs.emulated import image
from tumbler.rigs.emulated.table import EmulatedTable
from tumbler.rigs.emulated.uf2 import NoUf2, find_uf2
from tumbler.rigs.report import Measurement
from tumbler.twin.faults import PlayFault, lay
from tumbler.twin.lie import look
from tumbler.twin.twin import Plan

pytestmark = [pytest.mark.xdist_group("emulated"), pytest.mark.timeout(900)]

SEED = 1
READING_S = 30  # of emulated time
HEAP_LEAST = 16_000
PROGRAM = b"""
import time
time.sleep_ms(100)
import gc
from boards.pico import Board
board = Board()
from controller.files import Files
from controller.reader import camera

class Settings:
    still_reads = 2

files = Files(board.state_dir)
reader = camera.reader(files, board.camera, Settings(), board.cover, camera.buffers(files))
reader.load(files)
print('self-test', board.camera.selftest(), board.camera.fault)
while True:
    gc.collect()
    low = gc.mem_free()
    began = time.ticks_ms()
    reader.begin(board.clock.ms(), 3)
    while not reader.done:
        board.watchdog.feed()
        reader.step(board.clock.ms())
        low = min(low, gc.mem_free())
    taken = time.ticks_diff(time.ticks_ms(), began)
    print('read', reader.cause, reader.detail, reader.reads, low, taken, *reader.faces)
"""


class CameraTable:
    """Prints a reading, and the next, for ever."""

    def __init__(self, table: EmulatedTable) -> None:
        self.table = table
        self._said = bytearray()
        table.chip.on_bytes = self._said.extend

    @property
    def lines(self) -> list[list[str]]:
        whole = self._said[: self._said.rfind(b"\n") + 1]
        return [line.split() for line in whole.decode(errors="replace").splitlines()]

    def readings(self) -> list[list[int]]:
        return [[int(word) for word in line[1:]] for line in self.lines if line[:1] == ["read"]]

    def next_reading(self) -> list[int]:
        """One that began after now: cause, detail, reads, least heap, ms, faces."""
        seen, end = len(self.readings()), self.table.chip.now_us + 2 * READING_S * 1_000_000
        while len(self.readings()) < seen + 2:
            assert self.table.chip.now_us < end, self.lines[-5:]
            self.table.turn()
        return self.readings()[seen + 1]


@pytest.fixture(scope="module")
def camera(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CameraTable]:
    if request.config.getoption("--rig") != "emulated":
        pytest.skip("takes minutes: --rig emulated (make hil-emulated)")
    try:
        uf2 = find_uf2()
    except NoUf2 as error:
        pytest.skip(f"no emulated controller: {error}")
    folder = tmp_path_factory.mktemp("camera")
    plan = Plan(folder / "controller", folder / "truth.jsonl", folder, bytes(32), 3, SEED, reader="camera")
    table = EmulatedTable(plan, uf2)
    table.chip.files = image.littlefs({**image.table_files(folder / "provision"), "main.py": PROGRAM})
    table.world.cover(False)
    made = CameraTable(table)
    table.start()
    yield made
    table.close()


def test_its_driver_reads_the_dice_that_lie_there(camera: CameraTable, measure: Measurement) -> None:
    measure.fact("camera's seed", SEED)
    cause, _, reads, low, taken, *faces = camera.next_reading()
    assert ["self-test", "True"] in camera.lines
    assert (cause, reads) == (codes.CAUSE_NONE, 2)
    assert faces == look(camera.table.world.physics).faces
    assert camera.table.chips.wrong_use == []
    measure("heap at its lowest while the camera is read", low, "bytes", low=HEAP_LEAST)
    measure("a reading of two frames by camera", taken / 1000, "s", high=READING_S)


def test_a_die_that_leans_on_another_is_refused(camera: CameraTable) -> None:
    lay(camera.table.world.physics, PlayFault.LEANING, 0)
    assert look(camera.table.world.physics).why_not is not None
    cause, _, _, _, _, *faces = camera.next_reading()
    assert cause != codes.CAUSE_NONE
    assert faces == []
