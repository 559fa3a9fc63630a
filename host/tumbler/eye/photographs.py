"""The real photographs beside the repository, with their truth, in two halves by the hash of their names.

Not part of the repository: whoever uses them must do without where they are missing.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from tumbler.twin.process import repository


@dataclass(frozen=True)
class Photograph:
    path: Path
    faces: list[int]
    source: str

    @property
    def tuned_on(self) -> bool:
        """By the hash of its name, so that nobody chose."""
        return hashlib.sha256(self.path.name.encode()).digest()[-1] & 1 == 0


def folder() -> Path:
    return repository().parent / "shared" / "dice"


def all_photographs() -> list[Photograph]:
    """In order of their names; empty where the folder is missing."""
    manifest = folder() / "manifest.json"
    if not manifest.exists():
        return []
    rows = json.loads(manifest.read_text())
    found = [Photograph(folder() / row["file"], sorted(row["faces"]), row["source"]) for row in rows]
    return sorted(found, key=lambda photograph: photograph.path.name)
