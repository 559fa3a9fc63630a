"""What the controller's hot paths cost on the RP2040, in cycles of its processor: counted by the emulator, the same each run.

125 000 cycles are a millisecond. With `--rig emulated` only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dicewire import codes
from dicewire import messages as wire
from tumbler.eye.calibrate import calibrate
from tumbler.rigs.emulated.cycles import MS, count
from tumbler.rigs.emulated.reader import read_spin
from tumbler.rigs.emulated.uf2 import NoUf2, Uf2, find_uf2
from tumbler.rigs.report import Measurement
from tumbler.rules.bookfile import book_ids
from tumbler.rules.gametable import compile_book
from tumbler.twin.camera import PRESETS, SETS, Lie, Pair, StagedThrow, pair, stage

pytestmark = [pytest.mark.xdist_group("quirks"), pytest.mark.timeout(900)]

SEED = 5
FRAME_MOST = 60  # million cycles, 0.48 s

PROGRAM = """
import binascii
from dicewire import cobs, handshake, messages

data = bytes(range(256))
cost('crc32 of 64 bytes', binascii.crc32, data[:64])
key = handshake.Key(data[:32])
cost('tag of 64 bytes', key.tag, 1, 2, data[:64])
frame = bytearray(300)
frame[1:65] = data[:64]
cost('COBS encode 64 bytes', cobs.encode, frame, 1, 65)
values = {values}
body = bytearray(256)
cost('RESULT into bytes', messages.encode_into, {result}, values, body, 256)
commit = messages.encode({commit}, {{'spin': 7}})
cost('COMMIT out of bytes', messages.decode, {commit}, commit)
cost('collection of garbage', gc.collect)
"""

# most cycles, most bytes of heap
LIMITS = {
    "crc32 of 64 bytes": (0.3 * MS, 64),
    "tag of 64 bytes": (4 * MS, 1024),
    "COBS encode 64 bytes": (3 * MS, 256),
    "RESULT into bytes": (10 * MS, 2048),
    "COMMIT out of bytes": (3 * MS, 512),
    "collection of garbage": (40 * MS, 64),
}

LOOK_UPS = """
from controller.game import GameTable

for name in {books}:
    with open(name + '.game', 'rb') as f:
        game = GameTable(f.read())
    faces = bytes((2, 3, 5))[: game.dice]
    for state in {{0, game.states - 1}}:
        cost(name, game.look_up, state, faces)
"""


@pytest.fixture
def uf2(request: pytest.FixtureRequest) -> Uf2:
    if request.config.getoption("--rig") != "emulated":
        pytest.skip("takes half a minute: --rig emulated (make hil-emulated)")
    try:
        return find_uf2()
    except NoUf2 as error:
        pytest.skip(f"no emulated controller: {error}")


def test_hot_paths_keep_to_their_cycles_and_their_heap(uf2: Uf2, measure: Measurement) -> None:
    program = PROGRAM.format(values=repr(result()), result=wire.RESULT, commit=wire.COMMIT)
    counted = count(uf2, program)
    assert {cost.what for cost in counted.costs} == set(LIMITS)
    for cost in counted.costs:
        most_cycles, most_heap = LIMITS[cost.what]
        measure(cost.what, cost.cycles, "cycles", high=most_cycles)
        measure(f"{cost.what}: heap", cost.heap, "bytes", high=most_heap)
    assert count(uf2, program) == counted  # cycles are repeatable, or they are no measure


def test_looking_up_a_result_takes_less_than_a_millisecond_in_every_book(uf2: Uf2, measure: Measurement) -> None:
    tables = {book: compile_book(book).data for book in book_ids()}
    counted = count(uf2, LOOK_UPS.format(books=tuple(tables)), {f"{book}.game": data for book, data in tables.items()})
    largest = max(tables, key=lambda book: len(tables[book]))
    worst: dict[str, int] = {}
    for cost in counted.costs:
        worst[cost.what] = max(worst.get(cost.what, 0), cost.cycles)
        assert cost.heap <= 64, cost
    assert set(worst) == set(tables)
    for book, cycles in worst.items():
        size = f"{len(tables[book])} bytes{', the largest' if book == largest else ''}"
        measure(f"look-up in {book} ({size})", cycles, "cycles", high=MS)


def test_a_reading_by_camera_is_made_on_the_chip_and_each_step_counted(uf2: Uf2, measure: Measurement) -> None:
    rng = np.random.default_rng(SEED)
    preset = PRESETS["normal"]
    fitting = preset.fit(rng)

    def seen(throw: StagedThrow) -> Pair:
        return pair(throw.poses, SETS["white"], preset.draw(rng, fitting), rng)

    eye = calibrate([seen(stage(Lie.FLAT, 3, rng)) for _ in range(10)]).eye
    throw = stage(Lie.FLAT, 3, rng)
    first, second = seen(throw)
    spin = read_spin(uf2, eye, (first.tobytes(), second.tobytes()), dice=3)
    measure.fact("frames' seed", SEED)
    assert (spin.cause, list(spin.faces)) == (codes.CAUSE_NONE, throw.faces)
    worst = max(spin.readings, key=lambda reading: reading.cycles / reading.frames)
    for step, cycles in worst.split().items():
        measure(f"reading by camera, {step}", cycles / 1e6, "million cycles")
    measure(f"reading by camera, {worst.frames} frames", worst.cycles / 1e6, "million cycles")
    measure("reading by camera, a frame of it", worst.cycles / worst.frames / 1e6, "million cycles", high=FRAME_MOST)
    measure("reading by camera, heap that the reader keeps", spin.heap_fixed, "bytes", high=64_000)


def result() -> dict[str, Any]:
    """A RESULT as a controller sends it, all fields there."""
    from dicewire.declared.messages import MESSAGES

    message = next(one for one in MESSAGES if one.name == "RESULT")
    values: dict[str, Any] = {}
    for field in message.fields:
        values[field.name] = 0 if field.kind[0] in "ui" else b"\1\2\3"
    return values
