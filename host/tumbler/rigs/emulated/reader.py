"""The camera's reader on the emulated RP2040: what one frame costs, step by step, and what was read.

    reading = read_spin(find_uf2(), eye, frames, dice=3); reading.frames[-1].cycles, .steps; reading.faces

`eye` is the table's calibration (tumbler.eye.calibrate), a frame 320 x 240 bytes of luma as the camera gives them. What the
camera's bus takes is not in it (77 ms a frame at 8 MHz; the emulator's buses take no time).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tumbler.rigs.emulated.cycles import Cost, count
from tumbler.rigs.emulated.uf2 import Uf2

FRAME_BYTES = 320 * 240
MOST_FRAMES = 12  # in the flash beside the firmware
STEPS = {
    "_capture": "begin",
    "take": "take: rows into the plane",
    "look": "look: light, focus",
    "_read": "read: marks, poses, outlines, bare plate",
}

PROGRAM = """
from controller.reader.pip_reader import Buffers, PipReader

class Frames:
    torn = frozen = False

    def __init__(self):
        self.number = 0
        self.file = None

    def start(self, colour=False):
        pass

    def light(self, lamp):
        pass

    def begin(self):
        if self.file:
            self.file.close()
        self.file = open('frame%d' % self.number, 'rb')
        self.number = min(self.number + 1, {frames} - 1)

    def ready(self):
        return True

    def read_rows_into(self, strip, first, n, u=None, v=None):
        aside(self.file.readinto, memoryview(strip)[: n * 320])

class Settings:
    still_reads = {reads}

class Cover:
    def closed(self):
        return False

before = gc.mem_alloc()
reader = PipReader(Frames(), Settings(), Cover(), Buffers())
with open('eye.bin', 'rb') as f:
    reader.teach(f.read())
gc.collect()
print('fixed', gc.mem_alloc() - before)
low = gc.mem_free()

def counted(name):
    inner = getattr(reader, name)
    def run(*now):
        global low
        step(name, inner, *now)
        low = min(low, gc.mem_free())
    setattr(reader, name, run)

for name in {steps}:
    counted(name)
reader.begin(0, {dice})
while not reader.done:
    reader.step(0)
print('read', reader.cause, reader.detail, reader.reads, low, *reader.faces)
"""


@dataclass(frozen=True)
class FrameCost:
    steps: tuple[Cost, ...]

    @property
    def cycles(self) -> int:
        return sum(step.cycles for step in self.steps)

    def split(self) -> dict[str, int]:
        """Cycles of each kind of step."""
        parts: dict[str, int] = {}
        for step in self.steps:
            parts[STEPS[step.what]] = parts.get(STEPS[step.what], 0) + step.cycles
        return parts


@dataclass(frozen=True)
class SpinCost:
    frames: tuple[FrameCost, ...]
    cause: int  # codes.CAUSE_*, 0 where it was read
    detail: int
    reads: int
    faces: tuple[int, ...]
    heap_fixed: int  # bytes that the reader keeps
    heap_low: int  # free at the lowest, before anything was collected


def read_spin(uf2: Uf2, eye: bytes, frames: Sequence[bytes], dice: int, reads: int = 3) -> SpinCost:
    """Frames as they come one after the other; the last one stays. RigFailed where the reader raises."""
    if not 0 < len(frames) <= MOST_FRAMES:
        raise ValueError(f"{len(frames)} frames: one at least, and at most {MOST_FRAMES} fit into the flash")
    source = PROGRAM.format(frames=len(frames), reads=reads, dice=dice, steps=tuple(STEPS))
    counted = count(uf2, source, {"eye.bin": eye, **{f"frame{n}": data for n, data in enumerate(frames)}})
    told = {line.split()[0]: [int(word) for word in line.split()[1:]] for line in counted.lines}
    cause, detail, agreed, low, *faces = told["read"]
    taken: list[list[Cost]] = []
    for cost in counted.costs:
        if STEPS[cost.what] == "begin":
            taken.append([])
        taken[-1].append(cost)
    costs = tuple(FrameCost(tuple(one)) for one in taken)
    return SpinCost(costs, cause, detail, agreed, tuple(faces), told["fixed"][0], low)
