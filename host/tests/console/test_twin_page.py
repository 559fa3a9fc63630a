"""The page beside the real twin: the dice that it draws lie as the physics says, and show what MQTT was told."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocket, expect
from tumbler.twin.chips.dice import FACE_NORMALS

SPINS = 2


@pytest.fixture
def demo(tmp_path: Path, port: int) -> Iterator[str]:
    """A whole table, in a hurry; the page's URL."""
    command = [sys.executable, "-m", "tumbler", "demo", "--no-browser", "--listen", f"127.0.0.1:{port}"]
    command += ["--seed", "3", "--speed", "6", "--folder", str(tmp_path / "run")]
    with (tmp_path / "demo.log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        yield f"http://127.0.0.1:{port}/"
        process.terminate()
        process.wait(20)


def upper_face(die: dict[str, Any]) -> int | None:
    """Which face looks up; None for a die that is tilted."""
    w, x, y, z = die["q"]
    up = (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))  # third row of the rotation
    for face, normal in FACE_NORMALS.items():
        if sum(a * b for a, b in zip(up, normal, strict=True)) > 0.99:
            return face
    return None


def test_the_page_draws_the_dice_that_the_twin_has(demo: str, page: Page, complaints: Any, wait_for_port: Any) -> None:
    frames: list[dict[str, Any]] = []

    def follow(ws: WebSocket) -> None:
        ws.on("framereceived", lambda data: frames.append(json.loads(data)))

    page.on("websocket", follow)
    wait_for_port(demo)
    page.goto(demo)
    expect(page.locator("#dome svg")).to_have_attribute("data-source", "twin", timeout=60_000)
    page.wait_for_function(
        "(spins) => document.querySelectorAll('#road .game:not(.spoiled)').length >= spins", arg=SPINS, timeout=90_000
    )
    told: list[int] = []
    agreed = 0
    for frame in frames:
        if frame["kind"] == "say" and frame["leaf"] == "result":
            told = frame["payload"]["faces"]
        elif frame["kind"] == "say" and frame["leaf"] == "round" and frame["payload"]["round"] == "spinning":
            told = []
        elif frame["kind"] == "poses" and frame["dice"] and told:
            assert sorted(upper_face(die) or 0 for die in frame["dice"]) == told
            agreed += 1
    assert agreed > 0
    moving = {json.dumps(frame["dice"]) for frame in frames if frame["kind"] == "poses"}
    assert len(moving) > 10
