"""The camera's reader on the emulated RP2040: what one frame costs, step by step, and what it read.

    for reading in read_frames(find_uf2(), lessons, frames, dice=3): reading.cycles, reading.steps, reading.faces

Frames are 320 x 240 bytes of luma, as the camera gives them; the first few teach the table its camera. What the camera's bus
takes is not in it (77 ms of a frame at 8 MHz; the emulator's buses take no time).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tumbler.rigs.emulated.cycles import Cost, count
from tumbler.rigs.emulated.uf2 import Uf2

WIDTH, HEIGHT = 320, 240
MOST_FRAMES = 12  # in the flash beside the firmware
OK = "ok"
STEPS = 4

PROGRAM = """
from controller.reader import calibrate, picture, scene, things
from controller.reader.desk import CAMERA_OCTAVES
from controller.reader.pips import CAMERA_SEEDS, PipFinder

frame = bytearray({width} * {height})
finder = PipFinder(CAMERA_SEEDS)
floor = things.Floor({width} * {height} // 4, 1500)

def load(number):
    with open('frame%d' % number, 'rb') as f:
        f.readinto(frame)
    gc.collect()

def plain():
    seen = picture.Picture({width}, {height}, [frame], CAMERA_OCTAVES)
    return calibrate.lessons(scene.read(seen, finder.find(seen), 0, None, floor))

lessons = []
for number in range({lessons}):
    load(number)
    lessons += plain()
known = calibrate.learn(lessons)
for number in range({lessons}, {lessons} + {frames}):
    load(number)
    before = gc.mem_free()
    seen = step('octaves', picture.Picture, {width}, {height}, [frame], CAMERA_OCTAVES)
    pips = step('pips', finder.find, seen)
    lying = step('things', things.find, seen, floor)
    verdict = step('faces', scene.read, seen, pips, {dice}, known, floor, lying)
    print('read', verdict.reason, before - gc.mem_free(), gc.mem_free(), *sorted([die.number for die in verdict.dice]))
    seen = pips = lying = verdict = None
"""


@dataclass(frozen=True)
class FrameCost:
    steps: tuple[Cost, ...]  # octaves, pips, things, faces
    reason: str
    faces: tuple[int, ...]
    heap: int  # bytes taken, nothing collected meanwhile
    heap_free: int

    @property
    def cycles(self) -> int:
        return sum(step.cycles for step in self.steps)

    @property
    def ok(self) -> bool:
        return self.reason == OK


def read_frames(uf2: Uf2, lessons: Sequence[bytes], frames: Sequence[bytes], dice: int) -> list[FrameCost]:
    """RigFailed where the lessons do not suffice, or the reader raises."""
    together = [*lessons, *frames]
    if len(together) > MOST_FRAMES:
        raise ValueError(f"{len(together)} frames do not fit into the flash; at most {MOST_FRAMES} at a time")
    source = PROGRAM.format(width=WIDTH, height=HEIGHT, lessons=len(lessons), frames=len(frames), dice=dice)
    counted = count(uf2, source, {f"frame{number}": data for number, data in enumerate(together)})
    told = [line.split()[1:] for line in counted.lines if line.startswith("read ")]
    return [
        FrameCost(
            counted.costs[at * STEPS : (at + 1) * STEPS], words[0], tuple(map(int, words[3:])), *map(int, words[1:3])
        )
        for at, words in enumerate(told)
    ]
