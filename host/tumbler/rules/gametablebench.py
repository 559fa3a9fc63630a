"""What a game table costs the controller: time of a look-up and memory, on MicroPython with the heap of a Pico.

The program below runs the controller's own `controller/game.py`. The peer is the budget: 1 ms and 8 KB. On the unix port of
MicroPython; an RP2040 takes some tens of times longer, which is why the look-up is measured in microseconds here.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tumbler.rules.bookfile import book_ids
from tumbler.rules.gametable import compile_book

BUDGET_US, BUDGET_BYTES = 1000, 8192
PATIENCE_S = 60
HEAP = "192wK"

PROGRAM = """
import gc, json, sys, time
sys.path.insert(0, sys.argv[1])
from controller.game import GameTable
with open(sys.argv[2], "rb") as file:
    data = file.read()
gc.collect()
before = gc.mem_alloc()
game = GameTable(data)
gc.collect()
taken = gc.mem_alloc() - before + len(data)
worst = 0
faces = bytearray(game.dice)
for state in range(game.states):
    for number in range(6 ** game.dice):
        for i in range(game.dice):
            faces[i] = 1 + number // 6 ** i % 6
        quickest = 1000000
        for _ in range(5):
            start = time.ticks_us()
            for _ in range(10):
                game.look_up(state, faces)
            quickest = min(quickest, time.ticks_diff(time.ticks_us(), start))
        worst = max(worst, quickest)
start = time.ticks_us()
for _ in range(5000):
    game.look_up(game.states - 1, faces)
print(json.dumps({"mean_us": time.ticks_diff(time.ticks_us(), start) / 5000, "worst_us": worst / 10, "heap": taken}))
"""


class BenchFailed(Exception):
    """MicroPython could not be run, or ended with an error."""


@dataclass(frozen=True, slots=True)
class Cost:
    book: str
    size: int  # bytes of the table
    heap: int  # bytes that the table and its index take on the heap
    mean_us: float
    worst_us: float  # of all states and throws, each at its quickest: what else the machine does is not the table's


def measure(book: str) -> Cost:
    from tumbler.twin.process import find_micropython, firmware_tree

    image = compile_book(book)
    with tempfile.TemporaryDirectory() as folder:
        program, table = Path(folder, "measure.py"), Path(folder, "game.bin")
        program.write_text(PROGRAM, "utf-8")
        table.write_bytes(image.data)
        words: list[str | Path] = [find_micropython(), "-X", f"heapsize={HEAP}", program, firmware_tree(), table]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise BenchFailed(f"MicroPython ended with {done.returncode}: {said[-1] if said else 'without a word'}")
    told = json.loads(done.stdout)
    return Cost(book, len(image.data), told["heap"], told["mean_us"], told["worst_us"])


def rows() -> list[dict[str, Any]]:
    """Rows for `tumbler bench`: the costliest book in each respect."""
    costs = [measure(book) for book in book_ids()]
    slowest = max(costs, key=lambda cost: cost.mean_us)
    largest = max(costs, key=lambda cost: cost.heap)
    return [
        _row(f"look up a throw on MicroPython, {slowest.book}", round(slowest.mean_us, 2), BUDGET_US, "us"),
        _row(f"game table on MicroPython's heap, {largest.book}", largest.heap, BUDGET_BYTES, "bytes"),
    ]


def _row(what: str, ours: float, budget: int, unit: str) -> dict[str, Any]:
    ratio = round(ours / budget, 4)
    return {"what": what, "ours": ours, "peer": budget, "peer_name": "budget", "ratio": ratio, "unit": unit}
