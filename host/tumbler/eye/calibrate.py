"""Calibrates a table's camera from a few frames of its dice lying flat: plate, scale, lens, light, dice.

The plate is found here, from what all frames have in common; everything else is measured by the controller's own files on
MicroPython (controller/reader/lesson.py), and the camera fitted to that (fit.py). Not for getting frames or storing the result:
the command.
"""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tumbler.eye import fit
from tumbler.twin.process import find_micropython, firmware_tree

WIDTH, HEIGHT = 320, 240
LEAST_FRAMES = 3
LEAST_DICE = 4
HEAP = "8M"
LONGEST_S = 300
# where the plate may be: as the camera is mounted, and a technician's hand allows
RADII = (80.0, 119.0)
OFF_CENTRE = 24.0
RAYS = 72
RIM_WIDEST = 14.0  # pixels from the plate to the housing
INNER_SHARE = 0.35
RIM_STEP = 1.5  # grey steps: a rim fainter than this is a guess

Frame = npt.NDArray[np.uint8]
Pair = fit.Pair
Rays = npt.NDArray[np.float64]


class NotCalibrated(Exception):
    """The frames don't teach enough; the message says what to show instead."""


@dataclass(frozen=True)
class Plate:
    x: float
    y: float
    r: float


@dataclass(frozen=True)
class Lesson:
    """What was learned: `eye` is the file for the controller, `figures` what it says in words and numbers."""

    eye: bytes
    hash: str
    plate: Plate
    figures: dict[str, Any]
    taught: tuple[bool, ...]
    seen: tuple[tuple[tuple[int, float, float, float], ...], ...]  # of each frame: face, x, y, step of its dice


def find_plate(frames: Sequence[Frame]) -> Plate:
    """The circle with the strongest edge around the middle of the picture. Dice lie elsewhere in every frame: the middle of
    all frames shows the bare plate."""
    bare = np.median(np.stack(frames), axis=0).astype(np.float32)
    smooth = bare.copy()
    smooth[1:-1, 1:-1] = (
        bare[1:-1, 1:-1] * 4 + bare[:-2, 1:-1] + bare[2:, 1:-1] + bare[1:-1, :-2] + bare[1:-1, 2:]
    ) / 8
    angles: Rays = np.linspace(0.0, 2 * math.pi, RAYS, endpoint=False, dtype=np.float64)
    best, place = 0.0, Plate(WIDTH / 2, HEIGHT / 2, 104.0)
    for step, reach, radii in (
        (4.0, OFF_CENTRE, np.arange(*RADII, 1.0)),
        (1.0, 5.0, None),
        (0.25, 1.25, None),
    ):
        centre = place
        span = np.arange(-reach, reach + step / 2, step)
        around = radii if radii is not None else np.arange(centre.r - 4, centre.r + 4.1, 0.5)
        best = 0.0
        for dx in span:
            for dy in span:
                x, y = centre.x + float(dx), centre.y + float(dy)
                edge = _edges(smooth, x, y, around, angles)
                k = int(edge.argmax())
                if edge[k] > best:
                    best, place = float(edge[k]), Plate(x, y, float(around[k]))
    if best < RIM_STEP:
        raise NotCalibrated("the plate's rim is not to be seen: is the camera above the plate, and the lamp on?")
    radii = np.arange(place.r - RIM_WIDEST, place.r + 1, 0.5)
    edges = _edges(smooth, place.x, place.y, radii, angles)
    first = int(np.argmax(edges >= INNER_SHARE * best))  # the plate ends at the innermost of gasket, rim and housing
    while first + 1 < len(edges) and edges[first + 1] > edges[first]:
        first += 1
    return Plate(place.x, place.y, float(radii[first]))


def _edges(
    picture: npt.NDArray[np.float32],
    x: float,
    y: float,
    radii: npt.NDArray[np.float64],
    angles: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """How strong an edge runs along each circle."""
    steps = _profile(picture, x, y, radii + 1.5, angles) - _profile(picture, x, y, radii - 1.5, angles)
    strong: npt.NDArray[np.float64] = np.abs(np.median(steps, axis=1)) * _inside(x, y, radii)
    return strong


def _inside(x: float, y: float, radii: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    reach = min(x, y, WIDTH - 1 - x, HEIGHT - 1 - y)
    return (radii + 2 < reach).astype(np.float64)


def _profile(
    picture: npt.NDArray[np.float32],
    x: float,
    y: float,
    radii: npt.NDArray[np.float64],
    angles: npt.NDArray[np.float64],
) -> npt.NDArray[np.float32]:
    """Levels on circles: radii x angles."""
    columns = np.clip(np.rint(x + np.outer(radii, np.cos(angles))).astype(np.intp), 0, WIDTH - 1)
    rows = np.clip(np.rint(y + np.outer(radii, np.sin(angles))).astype(np.intp), 0, HEIGHT - 1)
    levels: npt.NDArray[np.float32] = picture[rows, columns]
    return levels


def calibrate(pairs: Sequence[Pair], plate: Plate | None = None) -> Lesson:
    """Of each throw a frame by one lamp and one by the other. NotCalibrated with what to do; NoMicroPython."""
    if len(pairs) < LEAST_FRAMES:
        came = f"{len(pairs)} throw{'' if len(pairs) == 1 else 's'}"
        raise NotCalibrated(f"{came}: at least {LEAST_FRAMES} throws of the dice are needed")
    if plate is None:
        plate = find_plate([frame for pair in pairs for frame in pair])
    rim = (plate.x + 0.5, plate.y + 0.5, plate.r)
    tables = [fit.first_guess(*rim, inv) for inv in (0, 255)]
    dice = [fit.sound(_looked_at(table, pairs), loose=True) for table in tables]
    table, found = max(zip(tables, dice, strict=True), key=lambda pair: len(pair[1]))
    several = sum(die["number"] > 3 for die in found)
    if several < LEAST_DICE:
        raise NotCalibrated(
            f"{several} dice of four and more pips were read, {LEAST_DICE} are needed: "
            "throw again, so that fours, fives and sixes are to be seen"
        )
    table = fit.fit_camera(table, found, rim)
    table = fit.fit_camera(table, fit.sound(_looked_at(table, pairs)), rim)
    table = fit.fit_light(table, pairs, _looked_at(table, pairs))
    seen = _looked_at(table, pairs)
    sound = fit.sound(seen)
    table = fit.fit_sides(table, sound)
    eye = table.pack()
    return Lesson(
        eye,
        hashlib.sha256(eye).hexdigest()[:16],
        plate,
        fit.figures(table, sound),
        tuple(any(die["number"] > 3 for die in frame["dice"]) for frame in seen),
        tuple(tuple(_place(table, die) for die in frame["dice"]) for frame in seen),
    )


def _place(table: fit.Table, die: fit.Die) -> tuple[int, float, float, float]:
    marks = die["marks"]
    x = sum(mark[0] for mark in marks) / len(marks)
    y = sum(mark[1] for mark in marks) / len(marks)
    return die["number"], x, y, table.pitch * table.camera.focal / (fit.LENS_HEIGHT - fit.EDGE)


def _looked_at(table: fit.Table, pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """What the controller's own files see in these throws by what is known so far."""
    head = json.dumps({"eye": table.pack().hex(), "throws": len(pairs)}).encode() + b"\n"
    done = _run("controller.reader.lesson", head + b"".join(frame.tobytes() for pair in pairs for frame in pair))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if len(rows) != len(pairs):
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise NotCalibrated(f"the controller's files failed: {said[-1] if said else 'without a word'}")
    return rows


def _run(module: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    firmware = firmware_tree()
    return subprocess.run(
        [str(find_micropython()), "-X", f"heapsize={HEAP}", "-m", module],
        env={"MICROPYPATH": f"{firmware}:{firmware.parent / 'protocol'}:.frozen"},
        input=given,
        capture_output=True,
        timeout=LONGEST_S,
        check=False,
    )


def learned_by(plate: Plate, frames: int, pixels: bytes, teacher: str) -> dict[str, Any]:
    """What the controller's own files learn from these frames; `teacher` is the file that does it."""
    head = f"{plate.x} {plate.y} {plate.r} {frames}\n".encode()
    done = _run(f"controller.reader.{teacher}", head + pixels)
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise NotCalibrated(f"the controller's files failed: {said[-1] if said else 'without a word'}") from None
    return answer


class Rehearsal(Protocol):
    """A table's camera that can show throws of its dice: camera/scene.py."""

    def rehearsal(self, throws: int, dice: int) -> list[Pair]: ...
    def shows(self, times: int, dice: int) -> list[list[Frame]]: ...


SHOWS = 4  # of each symbol
REHEARSAL = 12  # throws that a twin's camera is calibrated by


def calibration_files(scene: Rehearsal, die_set: str, dice: int) -> dict[str, bytes]:
    """What a twin's flash gets where it reads by camera, made as a technician makes it."""
    if die_set == "symbols":
        from tumbler.eye.symbol_lesson import calibrate_symbols  # which needs this file

        return calibrate_symbols(scene.shows(SHOWS, dice))
    return {"eye.bin": calibrate(scene.rehearsal(REHEARSAL, dice)).eye}
