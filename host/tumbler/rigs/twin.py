"""The twin as a rig (L1): `tumbler twin` in a process of its own, led over its control socket."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from tumbler.bench.processes import Process
from tumbler.rigs.capability import Capability
from tumbler.rigs.rig import Rig, RigFailed

START_S = 30.0
ANSWER_S = 20.0
CRANK_S = 2.0  # of table time, from the dice at rest to the crank at rest


@dataclass(frozen=True)
class TwinPlan:
    """How the twin is started; `faults` as on its command line, `dealer` whether it plays by itself."""

    folder: Path
    seed: int = 1
    spins: int | None = None
    dealer: bool = True
    speed: float = 0.0
    book: str = "crown-melbourne-sicbo-a"
    faults: tuple[str, ...] = ()
    more: tuple[str, ...] = field(default=())


class Lines:
    """One connection to the control socket: a line of JSON out, a line of JSON in."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(ANSWER_S)
        self._socket.connect(str(path))
        self._file = self._socket.makefile("rb")

    def ask(self, body: dict[str, Any]) -> dict[str, Any]:
        self._socket.sendall(json.dumps(body).encode() + b"\n")
        return self.next(ANSWER_S)

    def next(self, seconds: float) -> dict[str, Any]:
        self._socket.settimeout(max(0.001, seconds))
        line = self._file.readline()
        if not line:
            raise RigFailed("the twin closed its control socket")
        body: dict[str, Any] = json.loads(line)
        return body

    def close(self) -> None:
        self._file.close()
        self._socket.close()


class TwinRig(Rig):
    name: ClassVar[str] = "twin"
    capabilities: ClassVar[frozenset[Capability]] = frozenset(Capability) - {Capability.TIME}

    def __init__(self, plan: TwinPlan) -> None:
        self.plan = plan
        self._process: Process | None = None
        self._lines: Lines | None = None

    @property
    def port(self) -> Path:
        return self.plan.folder / "controller"

    @property
    def key(self) -> bytes:
        return bytes.fromhex((self.plan.folder / "controller.key").read_text().strip())

    @property
    def _truth(self) -> Path:
        return self.plan.folder / "truth.jsonl"

    def start(self) -> None:
        plan, socket_file = self.plan, self.plan.folder / "control"
        command = [sys.executable, "-m", "tumbler", "twin", "--link", str(self.port), "--truth", str(self._truth)]
        command += ["--book", plan.book, "--seed", str(plan.seed), "--speed", str(plan.speed)]
        command += ["--control", str(socket_file), *plan.more]
        command += ["--auto"] if plan.dealer else []
        command += ["--spins", str(plan.spins)] if plan.spins is not None else []
        for fault in plan.faults:
            command += ["--fault", fault]
        self._process = Process(command, plan.folder / "twin.log")
        deadline = time.monotonic() + START_S
        while not (self.port.is_symlink() and socket_file.is_socket()):
            if not self._process.alive or time.monotonic() > deadline:
                raise RigFailed(f"the twin did not start: {self.said()}")
            time.sleep(0.02)  # another process makes the files; nothing tells when
        self._lines = Lines(socket_file)

    def said(self) -> str:
        return self._process.said()[-800:] if self._process is not None else ""

    def stop(self) -> None:
        if self._lines is not None:
            self._lines.close()
            self._lines = None
        if self._process is not None and self._process.alive:
            self._process.stop()

    def control(self, do: str, **fields: Any) -> dict[str, Any]:
        if self._lines is None:
            raise RigFailed("the twin is not started")
        answer = self._lines.ask({"do": do, **fields})
        if not answer.get("ok"):
            raise RigFailed(f"{do}: {answer.get('why')}")
        return answer

    def wait_spins(self, number: int, seconds: float = 60.0) -> None:
        watch = Lines(self.plan.folder / "control")
        deadline = time.monotonic() + seconds
        try:
            watch.ask({"do": "watch"})
            known = len(self.truth())
            while known < number:
                event = watch.next(deadline - time.monotonic())
                known = int(event["spin"]) if event.get("event") == "rest" else known
        except TimeoutError:
            raise RigFailed(f"{len(self.truth())} of {number} spins in {seconds:.0f} s: {self.said()}") from None
        finally:
            watch.close()

    def wait_played(self, seconds: float = 120.0) -> None:
        if self._process is None:
            raise RigFailed("the twin is not started")
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise RigFailed(f"{len(self.truth())} spins played in {seconds:.0f} s: {self.said()}") from error
        if code != 0:
            raise RigFailed(f"the twin ended with {code}: {self.said()}")

    def rested(self) -> int:
        return len(self.truth())

    def wait_rest(self, rested: int) -> None:
        """And until the crank stands: the controller leads it down after the dice lie already."""
        self.wait_spins(rested + 1)
        until = self.control("status")["t"] + CRANK_S
        while self.control("status")["t"] < until:
            time.sleep(0.02)  # table time passes in another process; nothing tells how far it is

    def lit(self) -> list[int]:
        return [place for place, colour in enumerate(self.control("status")["lamps"]) if any(colour)]

    def picture(self) -> bytes | None:
        if self._process is None or not self._process.alive:
            return None
        from tumbler.rigs.picture import of_dice

        try:
            return of_dice(self.control("status")["dice"])
        except (RigFailed, OSError):  # it hangs or ends just now: the test's own failure is what matters
            return None

    def truth(self) -> list[dict[str, Any]]:
        if not self._truth.exists():
            return []
        return [json.loads(line) for line in self._truth.read_text().splitlines() if line.endswith("}")]
