"""Where the controller's memory goes: the heap that each module takes on the RP2040 as it is imported, and what is left.

    map = memory_map(find_uf2(), Plan(...)); map.modules, map.marks["self-test"].free, .largest

The shipped main.py starts the shipped table on an emulated board; only `import` is listened to. Every import is weighed after
a collection, less the imports inside it. Names (MicroPython's interned strings) are counted apart, because they come in
pools that whoever happens to fill one would pay for. Not for cycles: cycles.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tumbler.rigs.emulated import image
from tumbler.rigs.emulated.table import EmulatedTable
from tumbler.rigs.emulated.uf2 import Uf2
from tumbler.rigs.rig import RigFailed
from tumbler.twin.twin import Plan

BLOCK = 16  # bytes that MicroPython's heap gives at the least
LONGEST_S = 60  # of emulated time
END = "weighed"
BOOTED, STARTED, TESTED = "booted", "started", "self-test"

PROGRAM = f"""
dice = %d
import time
time.sleep_ms(100)
import builtins, gc, micropython, sys
inner = builtins.__import__

def mark(*words):
    gc.collect()
    print('mark', gc.mem_free(), *words)
    micropython.qstr_info()

def weigh(name, *args):
    got = between(inner, name, *args)
    if name == 'controller.table':
        sys.modules[name].Table.run = run
    return got

def between(load, name, *args):
    known = len(sys.modules)
    mark('begin', name)
    got = load(name, *args)
    mark('end', name, len(sys.modules) - known)
    return got

def run(table):
    rest('{STARTED}')
    while table.round.phase == 1:
        table.step()
    rest('{TESTED}')
    print('phase', table.round.phase)
    if table.parts.camera_reader:
        print('low', lowest(table.parts.camera_reader))
    print('{END}')
    time.sleep(100)

def lowest(reader):
    from controller.reader import bare
    low = 1 << 20
    def look(*args):
        nonlocal low
        gc.collect()
        low = min(low, gc.mem_free())
        return strange(*args)
    strange, bare.Bare.strange = bare.Bare.strange, look  # all that a frame showed is known, and nothing given back
    reader.begin(0, dice)
    while not reader.done:
        reader.step(0)
    print('read', reader.cause, reader.detail)
    return low

def rest(name):
    mark('rest', name)
    micropython.mem_info()

rest('{BOOTED}')
builtins.__import__ = weigh
from boards import inplace
moved = inplace.load  # an import, and what it leaves in flash
inplace.load = lambda name, rows: between(moved, name, rows)
import start
start.main()
"""


@dataclass(frozen=True)
class Mark:
    free: int
    largest: int  # bytes in one piece
    names: int  # how many interned strings
    name_bytes: int  # what they take


@dataclass(frozen=True)
class MemoryMap:
    modules: Mapping[str, int]  # bytes that importing it took, without names and without what it imports in turn
    marks: Mapping[str, Mark]
    phase: int  # after the self-test
    lowest: int | None  # heap that is free when it is least, in a reading by camera


def memory_map(uf2: Uf2, plan: Plan) -> MemoryMap:
    """RigFailed with the program's last words where it does not get through its self-test."""
    table = EmulatedTable(plan, uf2)
    files = image.table_files(plan.folder / "provision")
    files["start.py"] = files["main.py"]
    files["main.py"] = (PROGRAM % plan.dice).encode()
    table.chip.files = image.littlefs(files)
    table.chip.mcu.watchdog.on_watchdog_trigger = lambda: None  # weighing takes longer than it waits
    said = bytearray()
    table.chip.on_bytes = said.extend
    table.world.cover(False)
    ends = (f"{END}\r\n".encode(), b">>> ")
    try:
        table.start()
        while not said.endswith(ends) and table.chip.now_us < LONGEST_S * 1e6:
            table.turn()
    finally:
        table.close()
    return _read(said.decode(errors="replace").replace("\r\n", "\n").splitlines())


def _read(lines: list[str]) -> MemoryMap:
    """Each mark is followed by the count of names; one at rest by the heap's largest free piece too."""
    if END not in lines:
        raise RigFailed(f"the controller was not weighed to the end: {' / '.join(lines[-4:])}")
    modules: dict[str, int] = {}
    marks: dict[str, Mark] = {}
    free, names, name_bytes, phase = 0, 0, 0, -1
    lowest: int | None = None
    words: list[str] = []
    open_imports: list[list[int]] = []  # of each import under way: memory at its begin, bytes of those inside it
    for line in lines:
        if line.startswith("mark "):
            _, number, *words = line.split()
            free = int(number)
        elif line.startswith("qstr pool:"):
            _, names, _, name_bytes = (int(number) for number in re.findall(r"=(\d+)", line))
            left = free + name_bytes
            if words[0] == "begin":
                open_imports.append([left, 0])
            elif words[0] == "end":
                before, inside = open_imports.pop()
                if int(words[2]) or before - left - inside > 0:
                    modules[words[1]] = modules.get(words[1], 0) + before - left - inside
                if open_imports:
                    open_imports[-1][1] += before - left
        elif "max free sz" in line:
            largest = int(re.findall(r"max free sz: (\d+)", line)[0]) * BLOCK
            marks[words[1]] = Mark(free, largest, names, name_bytes)
        elif line.startswith("phase "):
            phase = int(line.split()[1])
        elif line.startswith("low "):
            lowest = int(line.split()[1])
    return MemoryMap({name: size for name, size in modules.items() if size}, marks, phase, lowest)
