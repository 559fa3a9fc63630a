"""The controller as a process: MicroPython with the firmware's files as they lie on the device. Start it, cut its power.

Not for what it says on the bus (bus.py), nor for when to cut (twin.py, faults.py).
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import dicewire

import tumbler
from tumbler.twin.bus import Wire
from tumbler.twin.flash import Flash

HEAP = "192wK"  # an RP2040's budget; w scales it for the 64-bit words of the unix port
OLDEST = (1, 22)
FLASH_MOUNT = "/flash"
LOG_TAIL_BYTES = 4096


class NoMicroPython(Exception):
    """There is no usable MicroPython on this machine; the message says how to get it."""


class FirmwareFailed(Exception):
    """The firmware ended by itself, with its last words."""


def _version(path: Path) -> tuple[int, ...] | None:
    try:
        answer = subprocess.run(
            [path, "-c", "import sys; print(sys.implementation.version)"], capture_output=True, text=True, timeout=20
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    numbers = re.findall(r"\d+", answer)
    return tuple(int(n) for n in numbers[:2]) if len(numbers) >= 2 else None


def find_micropython() -> Path:
    """TUMBLER_MICROPYTHON, else one on the PATH that is new enough, else the one that `make setup` put into .tools."""
    named = os.environ.get("TUMBLER_MICROPYTHON")
    if named:
        version = _version(Path(named))
        if version is None or version < OLDEST:
            raise NoMicroPython(f"TUMBLER_MICROPYTHON={named}: not a MicroPython of 1.22 or newer; correct or unset it")
        return Path(named)
    on_path = shutil.which("micropython")
    if on_path and (_version(Path(on_path)) or (0, 0)) >= OLDEST:
        return Path(on_path)
    own = repository() / ".tools" / "bin" / "micropython"
    if own.exists() and _version(own) is not None:
        return own
    raise NoMicroPython("no MicroPython 1.22 or newer on the PATH or in .tools; `make setup` brings it")


def repository() -> Path:
    return Path(tumbler.__file__).resolve().parents[2]


def firmware_tree() -> Path:
    """The controller's flash as files: the source tree's, or the copy in an installed wheel."""
    for tree in (repository() / "firmware", Path(tumbler.__file__).resolve().parent / "_firmware"):
        if (tree / "boot.py").exists():
            return tree
    raise NoMicroPython("the firmware's files are missing from this installation; install the package again")


class Controller:
    """One board. `start` powers it, `kill` cuts the power between two instructions; both any number of times."""

    def __init__(
        self,
        folder: Path,
        flash: Flash,
        *,
        firmware: Path | None = None,
        provision: Path | None = None,
        rom: Path | None = None,
    ) -> None:
        """`rom`: the firmware as an image that runs in place (rom.py), where its code is not to lie in the heap."""
        self._micropython = find_micropython()
        self._firmware = (firmware or firmware_tree()).resolve()
        self._machine = Path(__file__).resolve().parent / "machine"
        self._folder = folder
        self._flash = flash
        self._provision = provision
        self._rom = rom
        self.log = folder / "controller.log"
        (folder / "board.txt").write_text("twin\n")
        self._process: subprocess.Popen[bytes] | None = None
        self.wire: Wire | None = None

    def start(self) -> Wire:
        ours, theirs = socket.socketpair()
        fd = theirs.fileno()
        wire = Path(dicewire.__file__).resolve().parent.parent
        path = [self._machine, self._firmware, wire, ".frozen"]
        words = [self._micropython, "-X", f"heapsize={HEAP}", self._machine / "start.py", fd, self._flash.path]
        words += [self._flash.blocks, FLASH_MOUNT, self._firmware, self._provision or "", self._rom or ""]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(word) for word in words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env={"MICROPYPATH": ":".join(str(part) for part in path), "PATH": os.environ.get("PATH", "")},
                pass_fds=(fd,),
                start_new_session=True,  # Ctrl-C is for the twin: it ends the controller in order
            )
        theirs.close()
        self.wire = Wire(ours)
        return self.wire

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def kill(self) -> int | None:
        """Cut the power, as hard as a process can lose it. Gives the exit code, negative for the signal."""
        process, self._process = self._process, None
        if self.wire is not None:
            self.wire.close()
            self.wire = None
        if process is None:
            return None
        process.kill()
        return process.wait()

    def ended(self) -> int | None:
        """The exit code if it ended by itself and its bus is closed; waits for the process that just closed it."""
        return self._process.wait() if self._process is not None else None

    def last_words(self) -> str:
        with self.log.open("rb") as log:
            log.seek(0, os.SEEK_END)
            log.seek(max(0, log.tell() - LOG_TAIL_BYTES))
            return log.read().decode(errors="replace").strip()
