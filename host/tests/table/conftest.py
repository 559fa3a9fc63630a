"""A Sic Bo table's spins as the controller reports them, and a journal to keep them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tumbler.journal import Journal
from tumbler.rules.gametable import GameImage, compile_book
from tumbler.rules.tableplay import Play

BOOK = "crown-melbourne-sicbo-a"
EPOCH = bytes.fromhex("0a1b2c3d")
NOON_MS = 1_760_000_000_000


@pytest.fixture(scope="session")
def image() -> GameImage:
    return compile_book(BOOK)


@pytest.fixture(scope="session")
def play() -> Play:
    return Play(BOOK)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


@pytest.fixture
def report(image: GameImage, play: Play) -> Any:
    """report(spin, faces, **changes): the values of a RESULT that is right in everything but the changes."""

    def values(spin: int = 1, faces: tuple[int, ...] = (1, 4, 6), **changes: Any) -> dict[str, Any]:
        _, _, areas = play.roll(0, sorted(faces))
        right = {
            "spin": spin,
            "faces": bytes(sorted(faces)),
            "dice": 3,
            "state_before": 0,
            "state_after": 0,
            "puck": 0,
            "opinions": 1,
            "reads": 3,
            "spin_ms": 3000,
            "tumbles": 40,
            "peak_rpm": 420,
            "nmb_ms": 2500,
            "exposed_ms": 5200,
            "read_ms": 5900,
            "flags": 0,
            "wall_ms": NOON_MS,
            "uptime_ms": 60_000 + spin,
            "collected": 0,
            "areas": image.bitmap(areas),
        }
        return {**right, **changes}

    return values
