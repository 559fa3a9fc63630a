"""The camera's reader on the emulated RP2040: what a reading costs, frame by frame and step by step, and what was read.

    spin = read_spin(find_uf2(), eye, (by_lamp_0, by_lamp_1), dice=3); spin.readings[-1].cycles, .split(); spin.faces

`eye` is the table's calibration (tumbler.eye.calibrate), a frame 320 x 240 bytes of luma as the camera gives them. What the
camera's bus takes is not in it (77 ms a frame at 8 MHz; the emulator's buses take no time).
"""

from __future__ import annotations

from dataclasses import dataclass

from tumbler.rigs.emulated.cycles import Cost, count
from tumbler.rigs.emulated.uf2 import Uf2

FRAME_BYTES = 320 * 240
STEPS = {
    "_capture": "begin",
    "take": "take: rows into the plane",
    "look": "look: light, focus",
    "find": "find: marks, poses, second opinion",
    "outline": "outline: turns of ones, sides",
    "judge": "judge: sides, bare plate",
}

PROGRAM = """
from controller.reader.pip_reader import Buffers, PipReader

class Frames:
    torn = frozen = False

    def __init__(self):
        self.lamp = 0
        self.file = None

    def start(self, colour=False):
        pass

    def light(self, lamp):
        self.lamp = lamp

    def begin(self):
        if self.file:
            self.file.close()
        self.file = open('frame%d' % self.lamp, 'rb')

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
class ReadingCost:
    """Frames by both lamps, until they were read or refused."""

    steps: tuple[Cost, ...]

    @property
    def frames(self) -> int:
        return sum(STEPS[step.what] == "begin" for step in self.steps)

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
    readings: tuple[ReadingCost, ...]
    cause: int  # codes.CAUSE_*, 0 where it was read
    detail: int
    reads: int
    faces: tuple[int, ...]
    heap_fixed: int  # bytes that the reader keeps
    heap_low: int  # free at the lowest, before anything was collected


def read_spin(uf2: Uf2, eye: bytes, pair: tuple[bytes, bytes], dice: int, reads: int = 2) -> SpinCost:
    """Of dice that lie still, seen by one lamp and by the other. RigFailed where the reader raises."""
    source = PROGRAM.format(reads=reads, dice=dice, steps=tuple(STEPS))
    counted = count(uf2, source, {"eye.bin": eye, **{f"frame{n}": data for n, data in enumerate(pair)}})
    told = {line.split()[0]: [int(word) for word in line.split()[1:]] for line in counted.lines}
    cause, detail, agreed, low, *faces = told["read"]
    readings: list[list[Cost]] = [[]]
    judged = False
    for cost in counted.costs:
        if judged:
            readings.append([])
        readings[-1].append(cost)
        judged = cost.what == "judge"
    costs = tuple(ReadingCost(tuple(one)) for one in readings)
    return SpinCost(costs, cause, detail, agreed, tuple(faces), told["fixed"][0], low)
