"""Proves the journal: walks the chain from its beginning and names the first record that is not as it was written.

With the journal's key every seal and signature is checked, so a record that was changed and re-hashed is named exactly.
Without it (an inspector who holds no secret) the chain, the numbers and the heads are still held together.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tumbler.journal.errors import JournalCorrupt, from_sqlite
from tumbler.journal.head import Head, head_file, read_head
from tumbler.journal.key import JournalKey
from tumbler.journal.reader import JournalReader
from tumbler.journal.record import GAMES, GENESIS, Kind, canonical, hash_of


class Fault(StrEnum):
    CHANGED = "changed"
    REMOVED = "removed"
    INSERTED = "inserted"
    SWAPPED = "swapped"
    CUT = "cut"  # removed at the end, known from the head file or from a head that was published
    LOST = "lost"  # missing at the end when the daemon started, and said so in a signed checkpoint
    HEAD = "head_missing"


@dataclass(frozen=True)
class Finding:
    fault: Fault
    seq: int  # the first record concerned
    upto: int  # the last one
    why: str


@dataclass
class Report:
    records: int = 0
    first: int = 0
    last: int = 0
    hash: str = ""
    sealed: bool = False  # seals and signatures were checked, not only the chain
    checkpoints: int = 0
    pruned_upto: int = 0
    head_file: bool = False  # it was there: not even an older copy in the journal's place would have passed
    finding: Finding | None = None

    @property
    def ok(self) -> bool:
        return self.finding is None

    def as_json(self) -> dict[str, Any]:
        found = self.finding
        return {
            "ok": self.ok,
            "records": self.records,
            "first": self.first,
            "last": self.last,
            "hash": self.hash,
            "sealed": self.sealed,
            "checkpoints": self.checkpoints,
            "pruned_upto": self.pruned_upto,
            "head_file": self.head_file,
            "finding": None
            if found is None
            else {"fault": found.fault.value, "seq": found.seq, "upto": found.upto, "why": found.why},
        }


@dataclass(frozen=True)
class Row:
    seq: int
    kind: str
    table: str
    game: str | None
    at_ms: int
    text: str
    hash: str
    seal: bytes
    inner: dict[str, Any] = field(default_factory=dict)


def verify_database(reader: JournalReader, key: JournalKey | None, anchor: tuple[int, str] | None = None) -> Report:
    """Walk the whole chain in one snapshot. `anchor` is a head (number, hash) that was published earlier."""
    head = read_head(head_file(reader.path), key)  # before the snapshot: the journal may only be younger than its head
    try:
        reader.db.execute("BEGIN")
        try:
            report = _Walk(reader, key).run(head, anchor)
            if report.ok:
                _check_indexes(reader)
            return report
        finally:
            reader.db.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise from_sqlite(error, reader.path) from error


def _check_indexes(reader: JournalReader) -> None:
    """The walk reads the records alone; `export` and `recall` find them by the indexes, which could hide one."""
    answer = str(reader.db.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if answer != "ok":
        raise JournalCorrupt(
            f"journal {reader.path}: every record is in order, but the file around them is damaged: "
            f"don't trust export or recall; keep the file as evidence and restore a backup (SQLite: {answer})"
        )


class _Found(Exception):
    def __init__(self, fault: Fault, seq: int, why: str, upto: int | None = None) -> None:
        super().__init__(why)
        self.finding = Finding(fault, seq, seq if upto is None else upto, why)


class _Walk:
    def __init__(self, reader: JournalReader, key: JournalKey | None) -> None:
        self.db, self.path, self.key = reader.db, reader.path, key
        self.journal = str(reader.meta("journal"))
        self.base = reader.meta("base")
        self.report = Report(sealed=key is not None)
        self.hashes_wanted: dict[int, str] = {}

    def run(self, head: Head | None, anchor: tuple[int, str] | None) -> Report:
        try:
            self._chain(head)
            self._ends(head, anchor)
        except _Found as found:
            self.report.finding = found.finding
        return self.report

    def _chain(self, head: Head | None) -> None:
        prev_seq, prev_hash = self._beginning()
        rows = itertools.chain(self._rows(), [None])
        row = next(rows)
        while row is not None:
            following = next(rows)
            self._record(row, following, prev_seq, prev_hash, head)
            prev_seq, prev_hash = row.seq, row.hash
            self.report.records += 1
            self.report.first = self.report.first or row.seq
            self.report.last, self.report.hash = row.seq, row.hash
            row = following

    def _beginning(self) -> tuple[int, str]:
        if self.base is None:
            return 0, GENESIS
        try:
            upto, digest, journal = int(self.base["upto"]), str(self.base["hash"]), self.base["journal"]
        except (LookupError, TypeError, ValueError):
            why = "the statement that stands in for the pruned beginning is not as it was written"
            raise _Found(Fault.REMOVED, 1, why) from None
        if self.key is not None and not (self.key.signed(self.base) and journal == self.journal):
            raise _Found(Fault.REMOVED, 1, "the statement that stands in for the pruned beginning is not signed")
        self.report.pruned_upto = upto
        return upto, digest

    def _rows(self) -> Iterator[Row]:
        sql = "SELECT seq, kind, tbl, game, at_ms, text, hash, seal FROM record ORDER BY seq"
        for columns in self.db.execute(sql):
            yield Row(*columns)

    def _record(self, row: Row, following: Row | None, prev_seq: int, prev_hash: str, head: Head | None) -> None:
        seq = row.seq
        inner = self._inner(row)
        lost = self._said_lost(row, inner, prev_seq)
        if inner["seq"] != seq:
            raise self._misplaced(row, inner, prev_seq)
        if seq != prev_seq + 1 and not lost:
            why = f"after record {prev_seq} comes {seq}"
            raise _Found(Fault.REMOVED, prev_seq + 1, why, seq - 1)
        if inner["prev"] != prev_hash:
            raise self._broken_link(row, following, prev_seq, head)
        game = inner["result_id"] if inner["kind"] in GAMES else None
        if (row.kind, row.table, row.game, row.at_ms) != (inner["kind"], inner["table"], game, inner["at"]):
            raise _Found(Fault.CHANGED, seq, "its columns are not what its text says")
        if self.key is not None and row.seal != self.key.seal(row.hash):
            raise _Found(Fault.CHANGED, seq, "its seal is wrong: it was not written by the daemon")
        if row.kind == Kind.CHECKPOINT:
            self.report.checkpoints += 1
            if self.key is not None and not (
                self.key.signed(inner["body"]) and inner["body"]["journal"] == self.journal
            ):
                raise _Found(Fault.CHANGED, seq, "the checkpoint's signature is wrong")
        if lost:
            why = f"they were gone when the daemon started, says checkpoint {seq}"
            raise _Found(Fault.LOST, prev_seq + 1, why, seq - 1)

    def _inner(self, row: Row) -> dict[str, Any]:
        if not isinstance(row.text, str) or hash_of(row.text) != row.hash:  # a blob in the text's place is no text
            raise _Found(Fault.CHANGED, row.seq, "its text does not give its hash")
        try:
            inner = json.loads(row.text)
            missing = {"seq", "prev", "kind", "table", "result_id", "at", "body"} ^ set(inner)
        except (ValueError, TypeError) as error:
            raise _Found(Fault.CHANGED, row.seq, f"its text is not JSON ({error})") from error
        if missing or canonical(inner) != row.text:
            raise _Found(Fault.CHANGED, row.seq, "its text is not in canonical form")
        return dict(inner)

    def _said_lost(self, row: Row, inner: dict[str, Any], prev_seq: int) -> bool:
        body = inner["body"]
        return (
            row.kind == Kind.CHECKPOINT and isinstance(body, dict) and body.get("lost") == [prev_seq + 1, row.seq - 1]
        )

    def _misplaced(self, row: Row, inner: dict[str, Any], prev_seq: int) -> _Found:
        """The number in the text is not its place: swapped with another, or moved up or down by a neighbour's fate."""
        own = inner["seq"]
        if row.seq == prev_seq + 1 and own == row.seq - 1:
            return _Found(Fault.INSERTED, prev_seq, f"record {own} stands at place {row.seq}: one was put before it")
        other = self.db.execute("SELECT text FROM record WHERE seq = ?", (own,)).fetchone()
        try:
            swapped = other is not None and json.loads(other[0])["seq"] == row.seq
        except (ValueError, KeyError, TypeError):
            swapped = False
        if swapped:
            return _Found(Fault.SWAPPED, row.seq, f"records {row.seq} and {own} stand in each other's place", own)
        if isinstance(own, int) and own > row.seq:
            return _Found(Fault.REMOVED, row.seq, f"record {own} stands at place {row.seq}", own - 1)
        return _Found(Fault.CHANGED, row.seq, f"its text says that it is record {own}")

    def _broken_link(self, row: Row, following: Row | None, prev_seq: int, head: Head | None) -> _Found:
        """Either this record or the one before was rewritten with a fitting hash; the seal or what follows tells."""
        if self.key is not None:
            trusted = row.seal == self.key.seal(row.hash)
        elif following is not None:
            trusted = f'"prev":"{row.hash}"' in following.text
        else:
            trusted = head is not None and head.hash == row.hash
        if trusted:
            return _Found(Fault.CHANGED, prev_seq, f"record {row.seq} was chained to another one than stands there")
        return _Found(Fault.CHANGED, row.seq, f"it is not chained to record {prev_seq}")

    def _ends(self, head: Head | None, anchor: tuple[int, str] | None) -> None:
        """The chain is sound in itself; was something cut off its end, or all of it replaced?"""
        report = self.report
        own = self._own_head()
        ends = [(own["seq"], own["hash"], "the head in the database")]
        ends += [] if head is None else [(head.seq, head.hash, "the head file")]
        ends += [] if anchor is None else [(*anchor, "the given head")]
        for seq, digest, who in ends:
            if seq > report.last:
                why = f"{who} knows {seq} records, the journal ends at {report.last}"
                raise _Found(Fault.CUT, report.last + 1, why, seq)
            row = self.db.execute("SELECT hash FROM record WHERE seq = ?", (seq,)).fetchone()
            known = row[0] if row else (self.base or {}).get("hash") if seq == report.pruned_upto else None
            if known != digest and seq > report.pruned_upto:
                raise _Found(Fault.CHANGED, seq, f"{who} has another hash for it")
        if own["seq"] < report.last:
            raise _Found(Fault.INSERTED, own["seq"] + 1, "the head in the database does not know it", report.last)
        if head is not None and head.journal != self.journal:
            raise _Found(Fault.HEAD, report.last, "the head file belongs to another journal")
        if head is None and head_file(self.path).exists():
            why = "the head file cannot be read or is not signed with this key"
            raise _Found(Fault.HEAD, report.last, why)
        report.head_file = head is not None

    def _own_head(self) -> dict[str, Any]:
        row = self.db.execute("SELECT value FROM meta WHERE name = 'head'").fetchone()
        try:
            own = dict(json.loads(row[0]))
            sound = {"hash", "journal", "seq", "mac"} == set(own) and own["journal"] == self.journal
            sound = sound and type(own["seq"]) is int and isinstance(own["hash"], str)
        except (ValueError, TypeError):
            own, sound = {}, False
        if not sound or (self.key is not None and not self.key.signed(own)):
            why = "the head in the database is missing or not signed: nobody can tell whether the end was cut"
            raise _Found(Fault.HEAD, self.report.last, why)
        return own
