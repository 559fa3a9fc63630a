"""The controller's reader as a process on this machine: MicroPython with the firmware's own files, fed pictures by a pipe.

Not for opening picture files (pictures.py), nor for judging what it answers.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from types import TracebackType
from typing import IO

from tumbler.eye.pictures import Pixels
from tumbler.twin.process import NoMicroPython, find_micropython, firmware_tree

HEAP = "384M"  # picture files at double size in three planes; the camera's frame needs 192 KB (make bench-reader)


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
    """Use as a context; read() as often as wanted."""

    def __init__(self) -> None:
        try:
            firmware = firmware_tree()
            micropython = find_micropython()
        except NoMicroPython as error:
            raise DeskFailed(str(error)) from None
        self._process = subprocess.Popen(
            [str(micropython), "-X", f"heapsize={HEAP}", "-m", "controller.reader.desk"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"MICROPYPATH": f"{firmware}:{firmware.parent / 'protocol'}:.frozen"},
        )

    def __enter__(self) -> Desk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._pipe(self._process.stdin).close()
        self._process.kill()
        self._process.wait()
        self._pipe(self._process.stdout).close()
        self._pipe(self._process.stderr).close()

    def read(self, picture: Pixels, dice: int = 0) -> Reading:
        request = self._pipe(self._process.stdin)
        try:
            request.write(f"{picture.width} {picture.height} {dice}\n".encode())
            request.write(picture.rgb)
            request.flush()
        except BrokenPipeError:
            raise DeskFailed(self._last_words()) from None
        line = self._pipe(self._process.stdout).readline()
        try:
            answer = json.loads(line)
        except ValueError:
            raise DeskFailed(self._last_words()) from None
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

    def _last_words(self) -> str:
        self._process.kill()
        said = self._pipe(self._process.stderr).read().decode(errors="replace").strip().splitlines()
        return f"the reader ended: {said[-1] if said else 'without a word'}"

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        if pipe is None:
            raise DeskFailed("the reader was started without pipes")
        return pipe
