"""Rendered frames of the twin's camera, read by the controller's files on MicroPython in an RP2040's heap.

One process a die set and difficulty. It is calibrated by frames of flat dice, as a technician does it, and reads each throw
as a table does. Truth comes from how the dice were placed, never from the reader.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from dicewire import codes

from tumbler.eye.calibrate import NotCalibrated, calibrate
from tumbler.eye.desk import DeskFailed
from tumbler.eye.shown import to_be_seen
from tumbler.twin.camera import PRESETS, SETS, Lie, Pair, StagedThrow, pair, stage
from tumbler.twin.process import HEAP, find_micropython, firmware_tree

LESSONS = 10
SIGHTS = {0: "ok"} | {n: word[6:].lower() for word, n in vars(codes).items() if word.startswith("SIGHT_")}
NOT_FLAT = tuple(lie for lie in Lie if lie not in (Lie.FLAT, Lie.MOVING))


@dataclass(frozen=True)
class FrameReading:
    difficulty: str
    die_set: str
    lie: Lie
    tilt: float
    truth: list[int]
    faces: list[int]
    reason: str
    us: int
    heap: int
    frames: tuple[bytes, bytes]  # by one lamp and by the other
    shown: bool  # whether the picture shows, by geometry and light, that the throw isn't flat

    @property
    def accepted(self) -> bool:
        return self.reason == "ok"

    @property
    def wrong(self) -> bool:
        return self.accepted and self.faces != self.truth


def read_throws(
    difficulty: str, die_set: str, flat: int, not_flat: int, seed: int, dice: int = 3
) -> list[FrameReading]:
    rng = np.random.default_rng(seed)
    preset = PRESETS[difficulty]
    fitting = preset.fit(rng)

    def pair_of(throw: StagedThrow) -> Pair:
        return pair(throw.poses, SETS[die_set], preset.draw(rng, fitting), rng, foreign=throw.foreign)

    lessons = [pair_of(stage(Lie.FLAT, dice, rng)) for _ in range(LESSONS)]
    lies = [Lie.FLAT] * flat + [NOT_FLAT[k % len(NOT_FLAT)] for k in range(not_flat)]
    throws = [stage(lie, dice, rng) for lie in lies]
    pairs = [pair_of(throw) for throw in throws]
    try:
        eye = calibrate(lessons).eye
    except NotCalibrated as error:
        raise DeskFailed(f"{difficulty} {die_set}: {error}") from None
    try:
        answers = read_pairs(eye, pairs, dice)
    except DeskFailed as error:
        raise DeskFailed(f"{difficulty} {die_set}: {error}") from None
    return [
        FrameReading(
            difficulty,
            die_set,
            lie,
            max(throw.tilts, default=0.0),
            throw.faces,
            answer["faces"],
            SIGHTS[answer["sight"]],
            answer["us"],
            answer["heap"],
            (both[0].tobytes(), both[1].tobytes()),
            lie is Lie.FLAT or to_be_seen(throw, lie, SETS[die_set], fitting.view),
        )
        for lie, throw, both, answer in zip(lies, throws, pairs, answers, strict=True)
    ]


def read_pairs(eye: bytes, pairs: Sequence[Pair], dice: int) -> list[dict[str, Any]]:
    """What the controller's files say of each pair of frames: sight, faces, us, heap. DeskFailed where they end without."""
    firmware = firmware_tree()
    with tempfile.NamedTemporaryFile(prefix="tumbler-frames-") as file:
        file.write(f"{len(eye)} {len(pairs)} {dice}\n".encode() + eye)
        for both in pairs:
            file.write(both[0].tobytes() + both[1].tobytes())
        file.flush()
        done = subprocess.run(
            [str(find_micropython()), "-X", f"heapsize={HEAP}", "-m", "controller.reader.desk", "frames", file.name],
            env={"MICROPYPATH": f"{firmware}:{firmware.parent / 'protocol'}:.frozen"},
            capture_output=True,
            timeout=600,
            check=False,
        )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(pairs):
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise DeskFailed(said[-1] if said else "the reader ended without a word")
    return answers
