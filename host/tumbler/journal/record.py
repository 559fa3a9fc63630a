"""A record of the journal: its canonical text, its hash and its place in the chain. No storage, no clock.

The text is what counts: the hash is SHA-256 over exactly the stored bytes, and the text holds the hash before it. The
columns beside it in the database only make it quick to find; `verify` holds them against the text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tumbler.journal.outbox import Publication

GENESIS = "0" * 64  # what the first record names as its predecessor


class Kind(StrEnum):
    RESULT = "result"
    NO_SPIN = "no_spin"
    REFUSED = "refused"  # the controller called it a result, the daemon did not believe it
    EVENT = "event"
    VOID = "void"
    CHECKPOINT = "checkpoint"
    START = "start"
    STOP = "stop"


GAMES = (Kind.RESULT, Kind.NO_SPIN, Kind.REFUSED)  # a spin ends in one: a result_id stands here once


@dataclass(frozen=True, slots=True)
class Record:
    seq: int
    hash: str
    prev: str
    kind: Kind
    table: str  # "" for what belongs to the journal as a whole
    result_id: str | None
    at_ms: int  # wall clock of the host when it was written, UTC
    body: Mapping[str, Any]

    @property
    def game(self) -> str | None:
        """The result_id, when this record is what its spin ended in."""
        return self.result_id if self.kind in GAMES else None


Publish = Callable[[Record], Sequence["Publication"]]


@dataclass(frozen=True, slots=True)
class Draft:
    """What a caller wants recorded. `publish` is asked for the publications once the record has its number."""

    kind: Kind
    table: str
    body: Mapping[str, Any]
    result_id: str | None = None
    publish: Publish | None = None


def canonical(value: Any) -> str:
    """One text for one value: sorted keys, no spaces, ASCII, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def seal_text(draft: Draft, seq: int, prev: str, at_ms: int) -> tuple[str, str]:
    """(text, hash) of a draft at its place in the chain."""
    text = canonical(
        {
            "at": at_ms,
            "body": draft.body,
            "kind": draft.kind,
            "prev": prev,
            "result_id": draft.result_id,
            "seq": seq,
            "table": draft.table,
        }
    )
    return text, hash_of(text)


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def parse(text: str, digest: str) -> Record:
    """The record of a stored text; ValueError or KeyError when it is not one."""
    value = json.loads(text)
    return Record(
        seq=value["seq"],
        hash=digest,
        prev=value["prev"],
        kind=Kind(value["kind"]),
        table=value["table"],
        result_id=value["result_id"],
        at_ms=value["at"],
        body=value["body"],
    )
