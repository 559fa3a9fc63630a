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
FREE_LEAST = 90_000  # with tags, ready to play
PIECE_LEAST = 64_000


@pytest.fixture(scope="module")
def by_tags(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> MemoryMap:
    if request.config.getoption("--rig") != "emulated":
        pytest.skip("takes a minute: --rig emulated (make hil-emulated)")
    try:
        uf2 = find_uf2()
    except NoUf2 as error:
        pytest.skip(f"no emulated controller: {error}")
    return memory_map(uf2, plan(tmp_path_factory.mktemp("memory"), "tags"))


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
    assert {"drivers.pn5180", "controller.reader.tags"} <= by_tags.modules.keys()
    loaded = by_tags.modules.keys()
    for unused in (
        "drivers.arducam",
        "controller.reader.camera",
        "controller.looking",
        "dicewire.codes",
        "dicewire.opener",
    ):
        assert unused not in loaded
