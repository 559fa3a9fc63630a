"""Pictures of no spins: what the controller sends of a refused reading, kept as a file beside the journal.

The file is a PGM (any viewer opens it), named by the spin's result_id; the journal's event has its name and SHA-256. Not for a
technician's picture of now, which goes to the topic diag/frame and is not kept.
"""

from __future__ import annotations

import hashlib
import os
import struct
from dataclasses import dataclass
from pathlib import Path

from dicewire.declared.codes import CAUSES, SIGHTS

from tumbler.table.spin import result_id

HEAD = struct.Struct("<4sIHHHH")  # magic, spin, width, height, cause, detail
MAGIC = b"TEV1"
SEEN = 256  # a detail from here on is a sight
MOST_PIXELS = 1 << 20


class BadEvidence(Exception):
    """Not a picture of a no spin; the message says what is wrong."""


@dataclass(frozen=True)
class Kept:
    file: Path
    spin: int
    result_id: str
    cause: str
    sight: str | None
    sha256: str


def sight_of(detail: int) -> str | None:
    """What the camera saw, where a no spin's detail says so."""
    return SIGHTS.name(detail - SEEN) if detail >= SEEN and detail - SEEN in {row.number for row in SIGHTS} else None


def keep(folder: Path, epoch: bytes, data: bytes) -> Kept:
    """Write it, durable when this returns. BadEvidence, OSError."""
    if len(data) < HEAD.size:
        raise BadEvidence(f"{len(data)} bytes are no picture")
    magic, spin, width, height, cause, detail = HEAD.unpack_from(data)
    pixels = data[HEAD.size :]
    if magic != MAGIC or not 0 < width * height <= MOST_PIXELS or len(pixels) != width * height:
        raise BadEvidence(f"{len(pixels)} bytes are no picture of {width} x {height}")
    name = result_id(epoch, spin)
    folder.mkdir(parents=True, exist_ok=True)
    content = b"P5\n%d %d\n255\n" % (width, height) + pixels
    file = folder / f"{name}.pgm"
    fresh = file.with_suffix(".new")
    with fresh.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)
    known = {row.number for row in CAUSES}
    said = CAUSES.name(cause) if cause in known else str(cause)
    return Kept(file, spin, name, said, sight_of(detail), hashlib.sha256(content).hexdigest())
