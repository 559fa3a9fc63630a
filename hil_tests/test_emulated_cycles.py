"""What the controller's hot paths cost on the RP2040, in cycles of its processor: counted by the emulator, the same each run.

A program of its own imports the shipped modules and raises a pin around each call; the cycles between the two edges are the
cost, less that of an empty call. 125 000 cycles are a millisecond. With `--rig emulated` only.
"""

from __future__ import annotations

from typing import Any

import pytest
from tumbler.rigs.emulated.chip import Chip
from tumbler.rigs.emulated.image import firmware_files, littlefs
from tumbler.rigs.emulated.uf2 import NoUf2, find_uf2
from tumbler.rigs.report import Measurement
from tumbler.rules.gametable import compile_book

pytestmark = [pytest.mark.xdist_group("quirks"), pytest.mark.timeout(900)]

PIN = 28
MS = 125_000
WIDTH, HEIGHT = 160, 120

PROGRAM = """
import time
time.sleep_ms(100)
import binascii, gc, machine
from dicewire import auth, cobs, codec
from dicewire import messages as wire
from controller.game import GameTable
pin = machine.Pin(28, machine.Pin.OUT, value=0)

def cost(name, call, *args):
    call(*args)
    gc.collect()
    free = gc.mem_free()
    pin.value(1)
    call(*args)
    pin.value(0)
    print('cost', name, free - gc.mem_free())

def nothing(*args):
    pass

data = bytes(range(256))
cost('empty call', nothing)
cost('crc32 of 64 bytes', binascii.crc32, data[:64])
key = auth.Key(data[:32])
cost('tag of 64 bytes', key.tag, 1, 2, data[:64])
frame = bytearray(300)
frame[1:65] = data[:64]
cost('COBS encode 64 bytes', cobs.encode, frame, 1, 65)
values = {VALUES}
body = bytearray(256)
cost('RESULT into bytes', codec.encode_into, wire.RESULT, values, body, 256)
commit = codec.encode(wire.COMMIT, {'spin': 7})
cost('COMMIT out of bytes', codec.decode, wire.COMMIT, commit)
with open('book.game', 'rb') as f:
    game = GameTable(f.read())
cost('game look-up', game.look_up, 0, bytes((2, 3, 5)))
cost('collection of garbage', gc.collect)
try:
    from controller.reader import scan
    picture = bytearray(WIDTH * HEIGHT)
    small = bytearray(WIDTH * HEIGHT // 4)
    cost('halve a picture', scan.halve, picture, WIDTH, HEIGHT, small)
    cost('count in a mask', scan.count, picture, WIDTH, 0, 0, WIDTH, HEIGHT)
except (ImportError, AttributeError) as error:
    print('without', error)
print('heap', gc.mem_free())
print('end')
"""

# most cycles, most bytes of heap
LIMITS = {
    "crc32 of 64 bytes": (0.3 * MS, 64),
    "tag of 64 bytes": (4 * MS, 1024),
    "COBS encode 64 bytes": (3 * MS, 256),
    "RESULT into bytes": (10 * MS, 2048),
    "COMMIT out of bytes": (3 * MS, 512),
    "game look-up": (1 * MS, 64),
    "collection of garbage": (40 * MS, 64),
    "halve a picture": (20 * MS, 256),
    "count in a mask": (20 * MS, 256),
}


def test_hot_paths_keep_to_their_cycles_and_their_heap(request: pytest.FixtureRequest, measure: Measurement) -> None:
    if request.config.getoption("--rig") != "emulated":
        pytest.skip("takes half a minute: --rig emulated (make hil-emulated)")
    try:
        uf2 = find_uf2()
    except NoUf2 as error:
        pytest.skip(f"no emulated controller: {error}")
    lines, counts = run(Chip(uf2))
    assert lines[-1] == "end", lines[-5:]
    costs = [line.removeprefix("cost ").rsplit(" ", 1) for line in lines if line.startswith("cost ")]
    assert len(costs) == len(counts)
    empty = counts[0]
    for (name, heap), cycles in zip(costs[1:], counts[1:], strict=True):
        most_cycles, most_heap = LIMITS[name]
        measure(f"{name}", cycles - empty, "cycles", high=most_cycles)
        measure(f"{name}: heap", int(heap), "bytes", high=most_heap)
    measured = {name for name, _ in costs[1:]}
    assert {"crc32 of 64 bytes", "tag of 64 bytes", "RESULT into bytes", "game look-up"} <= measured
    assert run(Chip(uf2))[1] == counts  # cycles are repeatable, or they are no measure


def run(chip: Chip) -> tuple[list[str], list[int]]:
    from rp2040py.gpio_pin import GPIOPinState

    files = {name: data for name, data in firmware_files().items() if name not in ("main.py", "boot.py")}
    source = PROGRAM.replace("WIDTH", str(WIDTH)).replace("HEIGHT", str(HEIGHT)).replace("{VALUES}", repr(result()))
    files["main.py"] = source.encode()
    files["book.game"] = compile_book("crown-melbourne-sicbo-a").data
    chip.files = littlefs(files)
    said = bytearray()
    chip.on_bytes = said.extend
    rises: list[int] = []
    counts: list[int] = []

    def edge(new: Any, old: Any) -> None:
        if new == GPIOPinState.HIGH:
            rises.append(chip.cycles)
        elif old == GPIOPinState.HIGH:
            counts.append(chip.cycles - rises[-1])

    chip.mcu.gpio[PIN].add_listener(edge)
    chip.power_on()
    while b"end\r\n" not in said and b"Error" not in said and chip.now_us < 10_000_000:
        chip.run(5_000)
    lines = said.decode(errors="replace").split("\r\n")
    return lines[: lines.index("end") + 1] if "end" in lines else lines, counts


def result() -> dict[str, Any]:
    """A RESULT as a controller sends it, all fields there."""
    from dicewire.declared.messages import MESSAGES

    message = next(one for one in MESSAGES if one.name == "RESULT")
    values: dict[str, Any] = {}
    for field in message.fields:
        values[field.name] = 0 if field.kind[0] in "ui" else b"\1\2\3"
    return values
