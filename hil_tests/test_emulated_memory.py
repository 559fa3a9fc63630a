"""The memory map of the controller: what each module takes of the RP2040's heap as shipped, and what is left for play.

With `--rig emulated` only; the report has a row for every module. `tumbler.rigs.emulated.memory` does the weighing.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from dicewire import codes
from tumbler.rigs.emulated.memory import BOOTED, TESTED, MemoryMap, memory_map
from tumbler.rigs.emulated.uf2 import NoUf2, find_uf2
from tumbler.rigs.report import Measurement
from tumbler.rules.gametable import compile_book
from tumbler.twin.twin import Plan

pytestmark = [pytest.mark.xdist_group("quirks"), pytest.mark.timeout(900)]

BOOK = "crown-melbourne-sicbo-a"
FREE_LEAST = 120_000  # with tags, ready to play
PIECE_LEAST = 100_000
CAMERA_LEAST = 25_000  # with a camera, at its lowest: in the middle of a reading


@pytest.fixture(scope="module")
def by_tags(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> MemoryMap:
    return weighed(request, tmp_path_factory, "tags")


@pytest.fixture(scope="module")
def by_camera(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> MemoryMap:
    return weighed(request, tmp_path_factory, "camera")


def weighed(request: pytest.FixtureRequest, folders: pytest.TempPathFactory, reader: str) -> MemoryMap:
    if request.config.getoption("--rig") != "emulated":
        pytest.skip("takes a minute: --rig emulated (make hil-emulated)")
    try:
        uf2 = find_uf2()
    except NoUf2 as error:
        pytest.skip(f"no emulated controller: {error}")
    return memory_map(uf2, plan(folders.mktemp("memory"), reader))


def plan(folder: Path, reader: str) -> Plan:
    game = compile_book(BOOK)
    return Plan(folder / "controller", folder / "truth.jsonl", folder, bytes(range(32)), 3, 1, reader=reader, game=game)


def test_the_memory_map_of_a_table_that_reads_by_tags(by_tags: MemoryMap, measure: Measurement) -> None:
    assert by_tags.phase == codes.PHASE_BETTING_OPEN
    for module, size in sorted(by_tags.modules.items(), key=lambda row: -row[1]):
        measure(f"heap, module {module}", size, "bytes")
    measure("heap, all modules", sum(by_tags.modules.values()), "bytes")
    booted, ready = by_tags.marks[BOOTED], by_tags.marks[TESTED]
    measure("heap, names", ready.name_bytes, "bytes")
    measure("heap free at power-on", booted.free, "bytes")
    measure("heap free when ready to play by tags", ready.free, "bytes", low=FREE_LEAST)
    measure("largest piece of it", ready.largest, "bytes", low=PIECE_LEAST)


def test_a_table_loads_only_what_it_reads_by_and_forgets_what_it_tested_with(by_tags: MemoryMap) -> None:
    assert {"drivers.iso15693", "controller.reader.tags"} <= by_tags.modules.keys()
    loaded = by_tags.modules.keys()
    for unused in (
        "drivers.arducam",
        "controller.reader.camera",
        "controller.looking",
        "dicewire.codes",
        "dicewire.opener",
    ):
        assert unused not in loaded


def test_the_memory_map_of_a_table_that_reads_by_camera(by_camera: MemoryMap, measure: Measurement) -> None:
    assert by_camera.phase == codes.PHASE_BETTING_OPEN
    assert {"drivers.arducam", "controller.reader.pip_reader"} <= by_camera.modules.keys()
    assert not {"drivers.iso15693", "controller.reader.tags", "controller.reader.symbols"} & by_camera.modules.keys()
    ready = by_camera.marks[TESTED]
    measure("heap, all modules with a camera", sum(by_camera.modules.values()), "bytes")
    measure("heap free when ready to play by camera", ready.free, "bytes", low=CAMERA_LEAST)
    measure("largest piece of it, with a camera", ready.largest, "bytes")
    assert by_camera.lowest is not None
    measure("heap free at its lowest in a reading by camera", by_camera.lowest, "bytes", low=CAMERA_LEAST)
