"""Option B's symbols on picture files: the controller's own files on MicroPython, and the set that they are compared with.

A table is taught its own dice. For pictures of no table in particular there is `option_b.bin`, taught by the twin's dice:

    python -m tumbler.eye.symbols [FILE]      makes it again

Not for teaching a table: calibrate.py.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from tumbler.eye.calibrate import SHOWS
from tumbler.eye.desk import HEAP, LONGEST_S, DeskFailed, Reading, SeenDie
from tumbler.eye.pictures import Pixels
from tumbler.eye.symbol_lesson import calibrate_symbols, chroma
from tumbler.twin.process import NoMicroPython, find_micropython, firmware_tree

TAUGHT = Path(__file__).with_name("option_b.bin")
LONGEST = 320  # pixels of the longer side: a die is then as large as the table's camera shows it
SEED = 1


class BadTaught(Exception):
    """The file is not what a table was taught; the message says what is wrong with it."""


class SymbolDesk:
    """Each picture is read by a process of its own, as after a fresh start of the board."""

    def __init__(self, taught: Path | None = None) -> None:
        path = taught or TAUGHT
        try:
            self._taught = path.read_bytes()
        except OSError as error:
            raise BadTaught(f"{path}: {error.strerror or error}") from None
        self._path = path
        try:
            firmware = firmware_tree()
            micropython = find_micropython()
        except NoMicroPython as error:
            raise DeskFailed(str(error)) from None
        self._command = [str(micropython), "-X", f"heapsize={HEAP}", "-m", "controller.reader.symbol_desk"]
        self._environment = {"MICROPYPATH": f"{firmware}:{firmware.parent / 'protocol'}:.frozen"}

    def read(self, picture: Pixels, dice: int = 0) -> Reading:
        rgb = np.frombuffer(picture.rgb, dtype=np.uint8).reshape(picture.height, picture.width, 3)
        luma, u, v = chroma(rgb)
        head = f"{picture.width} {picture.height} {dice} {len(self._taught)}\n".encode()
        done = subprocess.run(
            self._command,
            input=head + self._taught + luma.tobytes() + u + v,
            env=self._environment,
            capture_output=True,
            timeout=LONGEST_S,
            check=False,
        )
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise DeskFailed(f"the reader ended: {said[-1] if said else 'without a word'}") from None
        if "why" in answer:
            raise BadTaught(f"{self._path}: {answer['why']}")
        scale = picture.scale
        seen = tuple(
            SeenDie(die["face"], die["x"] * scale, die["y"] * scale, die["confidence"]) for die in answer["dice"]
        )
        return Reading(answer["reason"], seen, answer["x"] * scale, answer["y"] * scale, answer["ms"])


def twins_set() -> bytes:
    """What a technician would teach at the twin's table, each face shown some times."""
    from tumbler.twin.camera import EASY, SETS, TableScene

    class Nothing:
        dice = ()
        cover_closed = False

    return calibrate_symbols(TableScene(Nothing(), SETS["symbols"], EASY, SEED).shows(2 * SHOWS, 3))["symbols.bin"]


def main() -> int:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else TAUGHT
    path.write_bytes(twins_set())
    print(f"{path}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
