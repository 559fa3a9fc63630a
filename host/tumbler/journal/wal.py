"""Looks into SQLite's write-ahead log before SQLite does, for a write that was not finished when the power went.

SQLite drops such a tail without a word. The journal says so in its next checkpoint and keeps the bytes. Format:
https://sqlite.org/fileformat2.html#walformat
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

_HEADER = struct.Struct(">8I")  # magic, version, page size, checkpoint number, salt 1 and 2, checksum 1 and 2
_FRAME = struct.Struct(">6I")  # page number, pages after commit (0: not a commit), salt 1 and 2, checksum 1 and 2
_MAGIC = (0x377F0682, 0x377F0683)  # the lowest bit says that checksums are big-endian


@dataclass(frozen=True)
class TornTail:
    """Bytes after the last whole commit that belong to this generation of the log."""

    offset: int
    data: bytes


def torn_tail(journal: Path) -> TornTail | None:
    """The unfinished write at the end of the log, or None when the log ends with a commit (or is not there)."""
    try:
        data = journal.with_name(journal.name + "-wal").read_bytes()
    except OSError:
        return None
    if len(data) < _HEADER.size:
        return None
    magic, _, page_size, _, salt1, salt2, check1, check2 = _HEADER.unpack_from(data)
    if magic not in _MAGIC:
        return None
    order = ">" if magic & 1 else "<"
    if _checksum(data[:24], order, 0, 0) != (check1, check2):
        return TornTail(0, data)
    position = committed = _HEADER.size
    sums = (check1, check2)
    step = _FRAME.size + page_size
    while position + step <= len(data):
        _, commit, one, two, check1, check2 = _FRAME.unpack_from(data, position)
        if (one, two) != (salt1, salt2):
            return _tail(data, committed, position)  # an older generation: never part of this write
        sums = _checksum(data[position : position + 8], order, *sums)
        sums = _checksum(data[position + _FRAME.size : position + step], order, *sums)
        if sums != (check1, check2):
            return _tail(data, committed, position + step)
        position += step
        if commit:
            committed = position
    return _tail(data, committed, len(data) if _same_salt(data, position, salt1, salt2) else position)


def _tail(data: bytes, start: int, end: int) -> TornTail | None:
    return TornTail(start, data[start:end]) if end > start else None


def _same_salt(data: bytes, position: int, salt1: int, salt2: int) -> bool:
    """Whether an incomplete last frame has at least its own head, and that is of this generation."""
    return len(data) >= position + 16 and struct.unpack_from(">2I", data, position + 8) == (salt1, salt2)


def _checksum(data: bytes, order: str, s0: int, s1: int) -> tuple[int, int]:
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for x0, x1 in zip(words[::2], words[1::2], strict=True):
        s0 = (s0 + x0 + s1) & 0xFFFFFFFF
        s1 = (s1 + x1 + s0) & 0xFFFFFFFF
    return s0, s1
