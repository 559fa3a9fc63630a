"""The camera's driver on MicroPython with the device's heap: a rendered frame arrives bit for bit, beside what else is needed."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
from chip_bench import FIRMWARE, Bench
from tumbler.twin.bus import MOST_IRQS, Answer, BusGone, Op
from tumbler.twin.camera import NORMAL, SETS, Lie, stage
from tumbler.twin.camera.scene import TableScene
from tumbler.twin.process import Controller

PROGRAM = """
import binascii, gc
from boards.twin import Board
from drivers import yuv_plain, yuv_viper
camera = Board().camera
frame = bytearray(320 * 240)
camera.start()
for _ in range(2):
    camera.capture()
    camera.read_rows_into(frame, 0, 240)
    print("luma", binascii.crc32(frame), camera.torn, camera.frozen, camera.frames)
gc.collect()
before = gc.mem_alloc()
camera.capture()
camera.read_rows_into(frame, 0, 240)
print("garbage", gc.mem_alloc() - before)
camera.start(colour=True)
u, v = bytearray(4800), bytearray(4800)
camera.capture()
for first in range(0, 240, 24):
    camera.read_rows_into(memoryview(frame)[first * 320 : (first + 24) * 320], first, 24, u, v)
print("colour", binascii.crc32(frame), binascii.crc32(u), binascii.crc32(v), camera.torn)
row = bytes((i * 37) & 255 for i in range(640))
fast, plain = bytearray(720), bytearray(720)
for module, out in ((yuv_viper, fast), (yuv_plain, plain)):
    module.luma(row, out, 3, 320)
    module.chroma(row, memoryview(out)[330:], memoryview(out)[420:], 2, 80, 4)
print("same", fast == plain and max(fast) > 0)
print("selftest", camera.selftest(), camera.fault)
"""


class Recorded(TableScene):
    """The table's scene, remembering what it showed."""

    shown: list[npt.NDArray[np.uint8]]

    def __call__(self, colour: bool, lamp: int = 0) -> npt.NDArray[np.uint8]:
        picture = super().__call__(colour, lamp)
        self.shown = [*getattr(self, "shown", []), picture]
        return picture


class SeenWorld:
    def __init__(self) -> None:
        self.dice = stage(Lie.FLAT, 3, np.random.default_rng(4)).poses
        self.cover_closed = False


def device_with(program: str, folder: Path) -> Path:
    """A flash that has the firmware's drivers and boards, and this as its main program."""
    folder.mkdir()
    for name in ("drivers", "boards", "slots.py"):
        (folder / name).symlink_to(FIRMWARE / name)
    (folder / "boot.py").write_text("")
    (folder / "main.py").write_text(program)
    return folder


def run_to_its_end(bench: Bench, controller: Controller) -> list[list[str]]:
    wire = controller.start()
    try:
        while True:
            request = wire.receive()
            edges = []
            if request.op is Op.WAIT:
                bench.advance(request.c)
                edges = bench.lines.take_edges(MOST_IRQS)
                answer = Answer()
            else:
                answer = bench.bus.answer(request)
            wire.reply(answer, bench.lines, bench.lines.now_us, bench.cable, edges)
    except BusGone:
        code = controller.ended()
    finally:
        controller.kill()
    assert code == 0, controller.last_words()
    return [line.split() for line in controller.log.read_text().splitlines()]


def test_rendered_frames_arrive_bit_for_bit(tmp_path: Path) -> None:
    scene = Recorded(SeenWorld(), SETS["symbols"], NORMAL, seed=3)
    bench = Bench(tmp_path / "image", scene=scene)
    firmware = device_with(PROGRAM, tmp_path / "device")
    said = run_to_its_end(bench, Controller(tmp_path, bench.flash, firmware=firmware))
    bench.close()
    first, second, _, coloured = scene.shown[:4]
    assert said[0] == ["luma", str(zlib.crc32(first.tobytes())), "False", "False", "1"]
    assert said[1] == ["luma", str(zlib.crc32(second.tobytes())), "False", "False", "2"]
    assert said[2][0] == "garbage"
    assert int(said[2][1]) < 4096
    assert bench.chips.image_sensor is not None
    yuyv = np.frombuffer(bench.chips.image_sensor._yuv422(coloured), dtype=np.uint8).reshape(240, 160, 4)
    luma = np.stack((yuyv[..., 0], yuyv[..., 2]), axis=-1).tobytes()
    u, v = yuyv[::4, ::2, 1].tobytes(), yuyv[::4, ::2, 3].tobytes()
    assert said[3] == ["colour", *(str(zlib.crc32(plane)) for plane in (luma, u, v)), "False"]
    assert said[4] == ["same", "True"]
    assert said[5] == ["selftest", "True"]
    assert bench.chips.wrong_use == []
