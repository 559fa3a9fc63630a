"""The photographs where they are on the machine, and drawn dice for pictures whose truth is certain."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from tumbler.eye.photographs import Photograph, all_photographs, folder

SPOTS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
    6: [(-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)],
}


@pytest.fixture(scope="session")
def photographs() -> list[Photograph]:
    found = all_photographs()
    if not found:
        pytest.skip(f"the photographs are not on this machine ({folder()})")
    return found


@pytest.fixture(scope="session")
def draw() -> Callable[..., Image.Image]:
    return draw_dice


def draw_dice(
    faces: list[int],
    *,
    side: int = 60,
    body: str = "white",
    ink: str = "black",
    ground: str = "#5a6b52",
    turn: float = 20.0,
) -> Image.Image:
    """Dice seen from above, one beside the other, drawn at four times the size and brought down: soft edges as of a lens."""
    big = side * 4
    sheet = Image.new("RGB", (len(faces) * big * 2 + big, big * 3), ground)
    for k, face in enumerate(faces):
        die = Image.new("RGBA", (big * 2, big * 2), (0, 0, 0, 0))
        pen = ImageDraw.Draw(die)
        pen.rounded_rectangle([big // 2, big // 2, big * 3 // 2, big * 3 // 2], big // 8, fill=body)
        for a, b in SPOTS[face]:
            x, y, r = big + a * big * 0.27, big + b * big * 0.27, big * 0.09
            pen.ellipse([x - r, y - r, x + r, y + r], fill=ink)
        die = die.rotate(turn * (k + 1), resample=Image.Resampling.BICUBIC)
        sheet.paste(die, (k * big * 2 + big // 2, big // 2), die)
    return sheet.resize((sheet.width // 4, sheet.height // 4), Image.Resampling.BOX)


@contextlib.contextmanager
def running_twin(folder: Path, *words: object) -> Iterator[Path]:
    """Gives its control socket, once it listens."""
    link, control = folder / "controller", folder / "twin.sock"
    command = [sys.executable, "-m", "tumbler", "twin", "--link", link, "--truth", folder / "truth.jsonl"]
    command += ["--control", control, "--speed", "0", "--seed", "4", *words]
    with subprocess.Popen([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, text=True) as twin:
        try:
            assert twin.stdout is not None
            assert twin.stdout.readline().endswith("ready\n")
            yield control
        finally:
            twin.terminate()
            twin.wait(timeout=20)


@pytest.fixture
def start_twin() -> Callable[..., contextlib.AbstractContextManager[Path]]:
    return running_twin
