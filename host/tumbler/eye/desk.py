"""The controller's reader as a process on this machine: MicroPython with the firmware's own files, fed pictures by a pipe.

Not for opening picture files (pictures.py), nor for judging what it answers.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass

from tumbler.eye.pictures import Pixels
from tumbler.twin.process import NoMicroPython, find_micropython, firmware_tree

LONGEST_S = 120  # of one picture; seconds at most on any machine that is not swamped
HEAP = "128M"  # picture files at double size in three planes; the camera's frame needs 192 KB (make bench-reader)


class DeskFailed(Exception):
    """The reader's process ended or answered nonsense; the message has its last words."""


@dataclass(frozen=True)
class SeenDie:
    """In pixels of the picture that was given."""

    face: int
    x: float
    y: float
    confidence: float


@dataclass(frozen=True)
class Reading:
    """`reason` is "ok" or why the picture was refused; x, y where the trouble is."""

    reason: str
    dice: tuple[SeenDie, ...]
    x: float
    y: float
    ms: int

    @property
    def ok(self) -> bool:
        return self.reason == "ok"

    @property
    def faces(self) -> list[int]:
        return sorted(die.face for die in self.dice) if self.ok else []


class Desk:
    """Each picture is read by a process of its own, as after a fresh start of the board: it starts in milliseconds."""

    def __init__(self) -> None:
        try:
            firmware = firmware_tree()
            micropython = find_micropython()
        except NoMicroPython as error:
            raise DeskFailed(str(error)) from None
        self._command = [str(micropython), "-X", f"heapsize={HEAP}", "-m", "controller.reader.desk"]
        self._environment = {"MICROPYPATH": f"{firmware}:{firmware.parent / 'protocol'}:.frozen"}

    def read(self, picture: Pixels, dice: int = 0) -> Reading:
        done = subprocess.run(
            self._command,
            input=f"{picture.width} {picture.height} {dice}\n".encode() + picture.rgb,
            env=self._environment,
            capture_output=True,
            timeout=LONGEST_S,
        )
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise DeskFailed(f"the reader ended: {said[-1] if said else 'without a word'}") from None
        scale = picture.scale
        return Reading(
            reason=answer["reason"],
            dice=tuple(
                SeenDie(die["face"], die["x"] * scale, die["y"] * scale, die["confidence"]) for die in answer["dice"]
            ),
            x=answer["x"] * scale,
            y=answer["y"] * scale,
            ms=answer["ms"],
        )
