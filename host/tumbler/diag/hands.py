"""Who lays the dice while a table is taught: a person who is asked to, or the twin by its control socket."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from tumbler.cli.exits import BadInput, WorkFailed

ANSWER_S = 30.0
TURN = 0.7  # radians from one throw to the next: dice lie elsewhere, and otherwise turned


class Person:
    """Is asked on standard output and answers by Enter."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet

    def lay(self, words: str, faces: Sequence[int]) -> None:
        if not self._quiet:
            print(f"{words}, cover open, then Enter ", end="", flush=True)
        if not sys.stdin.readline():
            raise BadInput(f"standard input ended before {words.split(':')[0]}")

    def __enter__(self) -> Person:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        pass


class TwinHands:
    """A twin without a dealer of its own (`tumbler twin --control PATH`)."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(ANSWER_S)
        self._turn = 0.0

    def __enter__(self) -> TwinHands:
        try:
            self._socket.connect(str(self._path))
        except OSError as error:
            self._socket.close()
            raise BadInput(f"--unattended {self._path}: no twin listens there: {error.strerror or error}") from None
        self._stream = self._socket.makefile("rw")
        self._tell({"do": "cover", "closed": False})
        return self

    def lay(self, words: str, faces: Sequence[int]) -> None:
        self._turn += TURN
        self._tell({"do": "place", "faces": list(faces), "turn": self._turn % 6.0})

    def _tell(self, command: dict[str, object]) -> None:
        try:
            self._stream.write(json.dumps(command) + "\n")
            self._stream.flush()
            answer = json.loads(self._stream.readline() or '{"ok": false, "why": "it ended"}')
        except (OSError, ValueError) as error:
            raise WorkFailed(f"the twin at {self._path} does not answer: {error}") from error
        if not answer.get("ok"):
            raise WorkFailed(f"the twin refuses to {command['do']}: {answer.get('why')}")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._socket.close()


Hands = Person | TwinHands
