"""Throws of option B's dice at the twin's table, read as that table reads them: by its calibration and the controller's own files.

Truth comes from how the dice were placed, never from the reader. Dice with pips: frames.py.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumbler.eye.calibrate import SHOWS, NotCalibrated
from tumbler.eye.desk import DeskFailed
from tumbler.eye.frames import NOT_FLAT, SIGHTS
from tumbler.eye.shown import to_be_seen
from tumbler.eye.symbol_lesson import calibrate_symbols, chroma
from tumbler.twin.camera import PRESETS, SETS, Lie, StagedThrow, TableScene, render, stage
from tumbler.twin.process import HEAP, find_micropython, firmware_tree

DICE = 3
SET = SETS["symbols"]


@dataclass(frozen=True)
class SymbolReading:
    lie: Lie
    tilt: float
    truth: list[int]
    faces: list[int]
    reason: str
    us: int
    shown: bool  # whether the picture shows, by geometry and light, that the throw isn't flat
    throw: StagedThrow

    @property
    def accepted(self) -> bool:
        return self.reason == "ok"

    @property
    def wrong(self) -> bool:
        return self.accepted and self.faces != self.truth


@dataclass(frozen=True)
class Sitting:
    """One table: what it was taught, the throws at it and their frames as its camera gives them."""

    files: dict[str, bytes]
    throws: Sequence[tuple[Lie, StagedThrow, bool]]
    frames: Sequence[bytes]


class _Nobody:
    dice = ()
    cover_closed = False


def sitting(difficulty: str, flat: int, not_flat: int, seed: int) -> Sitting:
    """NotCalibrated where this table can't be taught."""
    preset = PRESETS[difficulty]
    scene = TableScene(_Nobody(), SET, preset, seed)
    files = calibrate_symbols(scene.shows(SHOWS, DICE))
    fitting = scene.conditions.fitting
    rng = np.random.default_rng(seed)
    throws, frames = [], []
    for lie in [Lie.FLAT] * flat + [NOT_FLAT[k % len(NOT_FLAT)] for k in range(not_flat)]:
        throw = stage(lie, DICE, rng)
        rgb = render(throw.poses, SET, preset.draw(rng, fitting), rng, colour=True, foreign=throw.foreign)
        luma, u, v = chroma(rgb)
        frames.append(luma.tobytes() + u + v)
        throws.append((lie, throw, lie is Lie.FLAT or to_be_seen(throw, lie, SET, fitting.view)))
    return Sitting(files, throws, frames)


def read(sat: Sitting) -> list[SymbolReading]:
    eye, taught = sat.files["eye.bin"], sat.files["symbols.bin"]
    firmware = firmware_tree()
    with tempfile.NamedTemporaryFile(prefix="tumbler-frames-") as file:
        file.write(
            f"{len(eye)} {len(taught)} {len(sat.frames)} {DICE}\n".encode() + eye + taught + b"".join(sat.frames)
        )
        file.flush()
        done = subprocess.run(
            [str(find_micropython()), "-X", f"heapsize={HEAP}", "-m", "controller.reader.symbol_frames", file.name],
            env={"MICROPYPATH": f"{firmware}:{firmware.parent / 'protocol'}:.frozen"},
            capture_output=True,
            timeout=1800,
            check=False,
        )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(sat.frames):
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise DeskFailed(said[-1] if said else "the reader ended without a word")
    return [
        SymbolReading(
            lie,
            max(throw.tilts, default=0.0),
            throw.faces,
            sorted(answer["faces"]),
            SIGHTS[answer["sight"]],
            answer["us"],
            shown,
            throw,
        )
        for (lie, throw, shown), answer in zip(sat.throws, answers, strict=True)
    ]


def read_throws(difficulty: str, flat: int, not_flat: int, seed: int) -> list[SymbolReading]:
    try:
        return read(sitting(difficulty, flat, not_flat, seed))
    except NotCalibrated as error:
        raise DeskFailed(f"{difficulty}: {error}") from None
