"""What the journal finds when it is opened after a crash, and how it goes on. Nothing is cut without being said.

Three things are looked at: a write that SQLite had not finished (its bytes are kept beside the journal); a head file
that knows more records than the journal has (a disk that lied about a sync, or a hand that cut); a head file gone.
What is found is signed into the next checkpoint. A journal whose last records do not fit its head is not written to.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tumbler.journal.chain import Chain
from tumbler.journal.errors import JournalCorrupt, JournalKeyError
from tumbler.journal.head import head_file, read_head
from tumbler.journal.key import JournalKey, make_journal_key, read_journal_key
from tumbler.journal.wal import TornTail, torn_tail


@dataclass(frozen=True)
class Recovery:
    """What was not in order at start, and from where the numbers go on."""

    resume_after: int
    lost: tuple[int, int] | None  # records that the head file knows and the journal has not
    head_missing: bool
    torn_bytes: int
    torn_sha256: str | None

    def statement(self) -> dict[str, Any]:
        return {
            "lost": list(self.lost) if self.lost else None,
            "head_missing": self.head_missing,
            "torn_bytes": self.torn_bytes,
            "torn_sha256": self.torn_sha256,
        }

    def __str__(self) -> str:
        parts = []
        if self.lost:
            parts.append(
                f"records {self.lost[0]} to {self.lost[1]} are missing at the end: ask the controller for them"
            )
        if self.head_missing:
            parts.append("the head file was missing, so nobody can tell whether the end was cut")
        if self.torn_bytes:
            parts.append(f"an unfinished write of {self.torn_bytes} bytes was set aside")
        return "; ".join(parts)


def key_for(path: Path, key_file: Path) -> JournalKey:
    """The key of this journal; a new one only for a journal that is new."""
    exists = path.exists() and path.stat().st_size > 0
    if not exists and head_file(path).exists():
        raise JournalCorrupt(
            f"journal {path} is missing or empty, but its head file {head_file(path)} says that it had records; "
            "restore a backup, or move the head file away to begin a new journal"
        )
    if not exists and not key_file.exists():
        return make_journal_key(key_file)
    return read_journal_key(key_file)


def set_aside_torn_tail(path: Path) -> TornTail | None:
    """Before SQLite opens the file, which forgets the tail; its bytes go to a file of their own."""
    torn = torn_tail(path)
    if torn is not None:
        digest = hashlib.sha256(torn.data).hexdigest()
        path.with_name(f"{path.name}.torn-{digest[:12]}").write_bytes(torn.data)
    return torn


def examine(chain: Chain, torn: TornTail | None) -> Recovery | None:
    """Hold the opened journal against its head file; None when all is in order."""
    path, key = chain.path, chain.key
    _check_last(chain)
    head = read_head(head_file(path), key)
    lost: tuple[int, int] | None = None
    # A journal of one record was cut short while it was being made: its head file never came to be.
    missing = head is None and chain.seq > 1
    if head is not None and head.journal != chain.id:
        raise JournalCorrupt(f"journal {path}: its head file belongs to another journal; put back the right one")
    if head is not None and head.seq > chain.seq:
        lost = (chain.seq + 1, head.seq)
    elif head is not None:
        row = chain.db.execute("SELECT hash FROM record WHERE seq = ?", (head.seq,)).fetchone()
        if row is None or row[0] != head.hash:
            raise JournalCorrupt(
                f"journal {path}: record {head.seq} is not the one that the head file signed; "
                "run `tumbler journal verify`, keep the files as evidence and restore a backup"
            )
    if lost is None and not missing and torn is None:
        return None
    return Recovery(
        resume_after=lost[1] if lost else chain.seq,
        lost=lost,
        head_missing=missing,
        torn_bytes=len(torn.data) if torn else 0,
        torn_sha256=hashlib.sha256(torn.data).hexdigest() if torn else None,
    )


def _check_last(chain: Chain) -> None:
    """The end that new records will be chained to must be ours: sealed with the key at hand."""
    sql = "SELECT seq, hash, seal FROM record ORDER BY seq DESC LIMIT 1"
    seq, digest, seal = chain.db.execute(sql).fetchone()
    if chain.key.seal(digest) != seal:
        first = chain.db.execute("SELECT hash, seal FROM record ORDER BY seq LIMIT 1").fetchone()
        if chain.key.seal(first[0]) != first[1]:
            raise JournalKeyError(f"journal {chain.path}: was not made with the key at hand; put back its own key")
        raise JournalCorrupt(
            f"journal {chain.path}: record {seq} was not written by the daemon; run `tumbler journal verify`"
        )
