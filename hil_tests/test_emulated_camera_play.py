"""A table that reads by camera, whole, on an emulated RP2040 with the official MicroPython: rounds, a no spin, what memory is left.

The shipped program on the shipped board, run in place (docs/decisions/0008); the dice as the physics laid them, seen through the
shipped drivers. One table for the whole file. With `--rig emulated`. Its reader alone: test_emulated_camera.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from dicewire import codes
from dicewire import messages as wire
from tumbler.rigs.emulated.peer import Peer
from tumbler.rigs.emulated.rounds import RECORDS, deal, game_table, lit_by, truth
from tumbler.rigs.emulated.table import EmulatedTable
from tumbler.rigs.emulated.uf2 import NoUf2, find_uf2
from tumbler.rigs.report import Measurement
from tumbler.rules.gametable import GameImage, compile_book
from tumbler.twin.faults import PlayFault
from tumbler.twin.twin import Plan

pytestmark = [pytest.mark.xdist_group("emulated"), pytest.mark.timeout(1800)]

SEED = 1
KEY = bytes(range(32))
BOOT_S, SELF_TEST_S, ROUND_S, EVIDENCE_S, HEALTH_S = 8, 12, 40, 40, 15
RESULTS = 2
MOST_ROUNDS = 8  # a die that leans on the dome is refused now and then
HEAP_LEAST = 25_000
SEEN = 256  # NO_SPIN.detail is this plus what was seen


@pytest.fixture(scope="module")
def game() -> GameImage:
    return compile_book("crown-melbourne-sicbo-a")


@pytest.fixture(scope="module")
def peer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, game: GameImage) -> Iterator[Peer]:
    if request.config.getoption("--rig") != "emulated":
        pytest.skip("takes minutes: --rig emulated (make hil-emulated)")
    try:
        uf2 = find_uf2()
    except NoUf2 as error:
        pytest.skip(f"no emulated controller: {error}")
    folder = tmp_path_factory.mktemp("play")
    link, facts = folder / "controller", folder / "truth.jsonl"
    table = EmulatedTable(Plan(link, facts, folder, KEY, 3, SEED, reader="camera", auto=True, game=game), uf2)
    assert table.dealer is not None
    table.dealer.paused = True
    made = Peer(table, KEY)
    table.start()
    yield made
    made.close()
    table.close()


def test_it_starts_with_its_camera_and_passes_its_self_test(peer: Peer, measure: Measurement) -> None:
    measure.fact("seed of the table with a camera", SEED)
    peer.until(lambda: peer.ups, BOOT_S, "HELLO")
    measure("power on to HELLO with a camera", peer.table.chip.now_us / 1e6, "s", high=5)
    peer.until(lambda: peer.phase == codes.PHASE_BETTING_OPEN, SELF_TEST_S, "betting open after the self-test")
    assert peer.state is not None
    assert peer.state["faults"] == 0


def test_rounds_by_camera_give_what_the_physics_knows(peer: Peer, game: GameImage, measure: Measurement) -> None:
    results = 0
    for _ in range(MOST_ROUNDS):
        number, values = deal(peer, ROUND_S)
        row = truth(peer)[-1]
        assert values["spin"] == row["spin"]
        if number == wire.NO_SPIN:
            assert values["detail"] > SEEN, values
            continue
        results += 1
        assert row["flat"]
        assert sorted(face for face in values["faces"] if face) == row["faces"]
        assert values["opinions"] == codes.READER_PIPS | codes.READER_LATTICE
        assert lit_by(game, values) == bytes(values["areas"]).ljust(32, b"\0")
        measure("dice shown to a result by camera", (values["read_ms"] - values["exposed_ms"]) / 1000, "s", high=10)
        if results == RESULTS:
            break
    assert results == RESULTS, "the reader refused nearly all that it saw"
    assert peer.table.chips.wrong_use == []
    peer.until(lambda: peer.state is not None and not peer.state["pending"], 5, "every record committed")


def test_the_winning_areas_of_a_round_by_camera_are_lit(peer: Peer, game: GameImage) -> None:
    """Seen on the lamps' wire while the result stands."""
    dealer, table = peer.table.dealer, game_table(game)
    assert dealer is not None
    for _ in range(MOST_ROUNDS):
        seen = len(peer.heard)
        dealer.paused = False
        peer.until(lambda: peer.table.spins.current is not None, ROUND_S, "a spin")
        dealer.paused = True
        peer.until(
            lambda seen=seen: any(row[0] in RECORDS for row in peer.heard[seen:]),
            ROUND_S,
            "a record",
        )
        number, values = next(row for row in peer.heard[seen:] if row[0] in RECORDS)
        lit = {pixel for pixel, colour in enumerate(peer.table.chips.lamps.pixels) if any(colour)}
        rounds = dealer.rounds
        peer.until(lambda rounds=rounds: dealer.rounds > rounds, ROUND_S, "the end of the round")
        if number == wire.RESULT:
            areas = bytes(values["areas"])
            won = [area for area in range(table.areas) if areas[area // 8 :][:1] and areas[area // 8] >> area % 8 & 1]
            assert won
            for area in won:
                first, count = table.area_pixels(area)
                assert set(range(first, first + count)) <= lit
            return
    pytest.fail("no result to be lit")


@pytest.mark.parametrize(
    ("fault", "causes"),
    [
        (PlayFault.COCKED, {codes.CAUSE_NOT_FLAT, codes.CAUSE_UNREADABLE, codes.CAUSE_FOREIGN_OBJECT}),
        (PlayFault.MISSING, {codes.CAUSE_MISSING}),
    ],
)
def test_dice_that_lie_badly_are_a_no_spin_with_its_reason_and_picture(
    peer: Peer, fault: PlayFault, causes: set[int]
) -> None:
    results, pictures = len(peer.all(wire.RESULT)), len(peer.bulk_ends)
    peer.table.faults.next.add(fault)
    number, values = deal(peer, ROUND_S)
    assert number == wire.NO_SPIN
    assert values["cause"] in causes
    assert values["detail"] > SEEN
    assert truth(peer)[-1]["why_not"] == fault.value
    assert len(peer.all(wire.RESULT)) == results
    peer.until(lambda: len(peer.bulk_ends) > pictures, EVIDENCE_S, "the picture of the refused dice")
    assert peer.bulk_ends[-1][1]


def test_after_it_all_there_is_room_in_the_heap(peer: Peer, measure: Measurement) -> None:
    seen = len(peer.all(wire.HEALTH))
    peer.until(lambda: len(peer.all(wire.HEALTH)) > seen, HEALTH_S, "HEALTH")
    health = peer.all(wire.HEALTH)[-1]
    measure("heap free after rounds by camera", health["heap_free"], "bytes", low=HEAP_LEAST)
    measure("heap free at its lowest between them", health["heap_low"], "bytes", low=HEAP_LEAST)
    measure("longest turn of the loop with a camera", health["loop_max_ms"], "ms", high=1500)
    failed = [event for event in peer.all(wire.EVENT) if event["code"] == codes.EVENT_PROGRAM_FAILED]
    assert failed == []
    assert len(peer.ups) == 1
