"""The head file: where the chain ended when it was last written, signed, outside the database.

A chain cut at its end is still a sound chain; the head in the database tells, and where that was put back to an older
one with the rest, this file does. It is written after each commit is on disk,
so an honest disk can leave it older than the journal, never newer. Two slots are written in turn: a torn write costs
one of them, and the other is at most one commit older. Not synced each time: the journal's own sync is what counts.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tumbler.journal.errors import JournalUnwritable
from tumbler.journal.key import JournalKey
from tumbler.journal.record import canonical

SLOT_BYTES = 512  # one sector: written whole or not at all on any disk of today


@dataclass(frozen=True)
class Head:
    journal: str
    seq: int
    hash: str
    signed: bool | None  # None: no key to check it with


def head_file(journal: Path) -> Path:
    return journal.with_name(journal.name + ".head")


def read_head(path: Path, key: JournalKey | None) -> Head | None:
    """The younger of the slots that can be read; with a key only signed ones count. None when there is none."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    slots = [_slot(data, turn, key) for turn in (0, 1)]
    return max((slot for slot in slots if slot is not None), key=lambda slot: slot.seq, default=None)


def _slot(data: bytes, turn: int, key: JournalKey | None) -> Head | None:
    try:
        value = json.loads(data[turn * SLOT_BYTES : (turn + 1) * SLOT_BYTES])
        signed = key.signed(value) if key is not None else None
        head = Head(str(value["journal"]), int(value["seq"]), str(value["hash"]), signed)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # torn or never written; the other one speaks
    return None if signed is False else head


class HeadFile:
    """The writer's side."""

    def __init__(self, path: Path, journal: str, key: JournalKey) -> None:
        self._journal, self._key = journal, key
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            first, second = (_slot(os.pread(self._fd, 2 * SLOT_BYTES, 0), turn, key) for turn in (0, 1))
        except OSError as error:
            raise JournalUnwritable(f"journal head {path} cannot be written: {error.strerror}") from error
        # The younger slot is the one to keep while the other is written.
        self._turn = 1 if first is not None and (second is None or first.seq > second.seq) else 0

    def write(self, seq: int, record_hash: str, *, sync: bool = False) -> None:
        statement = self._key.sign({"hash": record_hash, "journal": self._journal, "seq": seq})
        slot = (canonical(statement) + "\n").encode().ljust(SLOT_BYTES)
        os.pwrite(self._fd, slot, self._turn * SLOT_BYTES)
        self._turn ^= 1
        if sync:
            os.fsync(self._fd)

    def close(self) -> None:
        os.close(self._fd)
