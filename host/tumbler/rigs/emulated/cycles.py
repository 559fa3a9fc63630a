"""What a piece of the firmware costs on the RP2040, in cycles of its processor and bytes of heap; counted, not timed.

A program on a bare chip imports the shipped modules and raises a pin around each call; the cycles between the two edges are
its cost, less that of an empty call. The same program gives the same numbers every time. No table is around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tumbler.rigs.emulated.chip import HZ, Chip
from tumbler.rigs.emulated.image import STARTED_BY_NAME, firmware_files, littlefs
from tumbler.rigs.emulated.uf2 import Uf2
from tumbler.rigs.rig import RigFailed

MS = HZ // 1000
PIN = 28
SLICE_US = 5_000
LONGEST_S = 60.0  # of emulated time
END = "end"
EMPTY = "empty call"

# `cost` is for a call that can be made twice: the first time it loads and warms what the second does not pay for.
# `step` is for one that can't, and gives what the call gave; what is called `aside` in it is not counted.
PRELUDE = f"""
import time
time.sleep_ms(100)
import gc, machine
pin = machine.Pin({PIN}, machine.Pin.OUT, value=0)

def cost(name, call, *args):
    call(*args)
    gc.collect()
    step(name, call, *args)

def step(name, call, *args):
    global pieces
    pieces = 1
    free = gc.mem_free()
    pin.value(1)
    got = call(*args)
    pin.value(0)
    print('cost', pieces, name, free - gc.mem_free())
    return got

def aside(call, *args):
    global pieces
    pin.value(0)
    call(*args)
    pieces += 1
    pin.value(1)

def nothing(*args):
    pass

cost('{EMPTY}', nothing)
"""


@dataclass(frozen=True)
class Cost:
    what: str
    cycles: int
    heap: int  # bytes that it took and had not given back at its end

    @property
    def ms(self) -> float:
        return self.cycles / MS


@dataclass(frozen=True)
class Counted:
    costs: tuple[Cost, ...]
    lines: tuple[str, ...]  # what the program printed besides


def count(uf2: Uf2, program: str, files: Mapping[str, bytes] | None = None) -> Counted:
    """Runs `program` after PRELUDE, with `files` beside the shipped ones. RigFailed with its last words where it fails."""
    chip = Chip(uf2)
    shipped = {name: data for name, data in firmware_files().items() if name not in STARTED_BY_NAME}
    source = PRELUDE + program + f"\nprint('{END}')\n"
    chip.files = littlefs({**shipped, **(files or {}), "main.py": source.encode()})
    said = bytearray()
    chip.on_bytes = said.extend
    edges = _edges(chip)
    chip.power_on()
    while not said.endswith((f"{END}\r\n".encode(), b">>> ")) and chip.now_us < LONGEST_S * 1e6:
        chip.run(SLICE_US)
    lines = said.decode(errors="replace").replace("\r\n", "\n").removesuffix(">>> ").splitlines()
    if END not in lines:
        raise RigFailed(f"the program did not come to its end: {' / '.join(lines[-4:])}")
    return _sorted_out(lines[: lines.index(END)], edges)


def _edges(chip: Chip) -> list[int]:
    """Filled while the chip runs: cycles for which the pin was high, each time."""
    from rp2040py.gpio_pin import GPIOPinState

    rises: list[int] = []
    counts: list[int] = []

    def edge(new: Any, old: Any) -> None:
        if new == GPIOPinState.HIGH:
            rises.append(chip.cycles)
        elif old == GPIOPinState.HIGH:
            counts.append(chip.cycles - rises[-1])

    listener: Callable[[Any, Any], None] = edge
    chip.mcu.gpio[PIN].add_listener(listener)
    return counts


def _sorted_out(lines: list[str], edges: list[int]) -> Counted:
    rows: list[Cost] = []
    at = 0
    for line in lines:
        if line.startswith("cost "):
            _, pieces, rest = line.split(" ", 2)
            what, heap = rest.rsplit(" ", 1)
            high = edges[at : at + int(pieces)]
            at += int(pieces)
            rows.append(Cost(what, sum(high) - len(high) * edges[0] * bool(rows), int(heap)))
    if at != len(edges) or not rows or rows[0].what != EMPTY:
        raise RigFailed(f"{at} pieces were told and {len(edges)} counted")
    return Counted(tuple(rows[1:]), tuple(line for line in lines if not line.startswith("cost ")))
