"""The shipped firmware on an emulated RP2040 with official MicroPython: boot, self-test, rounds, lamps, watchdog, power, line.

One table for the whole file, booted once. The first tests run always; those that take longer need `--rig emulated`
(`make hil-emulated`). All waiting is in emulated time. Skipped, saying so, where there is no UF2.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pytest
from dicewire import codes
from dicewire import messages as wire
from tumbler.rigs.emulated.image import firmware_hash, read_back
from tumbler.rigs.emulated.peer import Peer
from tumbler.rigs.emulated.rounds import deal, game_table, lit_by, truth
from tumbler.rigs.emulated.table import EmulatedTable
from tumbler.rigs.emulated.uf2 import NoUf2, find_uf2
from tumbler.rigs.report import Measurement
from tumbler.rules.gametable import GameImage, compile_book
from tumbler.twin.dealer import Slip
from tumbler.twin.line import Noise
from tumbler.twin.twin import Plan

pytestmark = [pytest.mark.xdist_group("emulated"), pytest.mark.timeout(1800)]

SEED = 1
KEY = bytes(range(32))
BOOK = "crown-melbourne-sicbo-a"
BOOT_S, SELF_TEST_S, ROUND_S = 6, 6, 40
HEAP_LEAST = 120_000  # free at its lowest, with tags
FRAMES = 1000
LESS_THAN_A_WRITE = 1000  # bytes: littlefs programs more for any file that changes


@pytest.fixture(scope="module")
def game() -> GameImage:
    return compile_book(BOOK)


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory, game: GameImage) -> Iterator[Peer]:
    try:
        uf2 = find_uf2()
    except NoUf2 as error:
        pytest.skip(f"no emulated controller: {error}")
    folder = tmp_path_factory.mktemp("emulated")
    plan = Plan(
        link=folder / "controller",
        truth=folder / "truth.jsonl",
        folder=folder,
        key=KEY,
        dice=3,
        seed=SEED,
        auto=True,
        game=game,
    )
    table = EmulatedTable(plan, uf2)
    assert table.dealer is not None
    table.dealer.paused = True
    made = Peer(table, KEY)
    table.start()
    yield made
    made.close()
    table.close()


@pytest.fixture
def long(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rig") != "emulated":
        pytest.skip("takes minutes: --rig emulated (make hil-emulated)")


@pytest.fixture
def open_table(peer: Peer) -> Peer:
    """Betting is open, whatever the test before left."""
    if not peer.ups:
        peer.until(lambda: peer.ups, BOOT_S, "HELLO")
    dealer = peer.table.dealer
    if (
        peer.phase == codes.PHASE_NO_SPIN and dealer is not None
    ):  # physics lets a die lean now and then: the dealer goes on
        dealer.paused = False
    peer.until(lambda: peer.phase == codes.PHASE_BETTING_OPEN, SELF_TEST_S, "betting open")
    if dealer is not None:
        dealer.paused = True
    return peer


def boots_again(peer: Peer, sessions: int, seconds: float = BOOT_S) -> dict[str, Any]:
    peer.until(lambda: len(peer.ups) > sessions, seconds, "a new session")
    return peer.ups[-1]


# --- always ---------------------------------------------------------------------------------------------------------------


def test_it_boots_to_hello_and_says_who_it_is(peer: Peer, game: GameImage, measure: Measurement) -> None:
    table = peer.table
    measure.fact("MicroPython", table.chip.uf2.version)
    measure.fact("UF2 sha256", table.chip.uf2.sha256)
    measure.fact("firmware sha256", firmware_hash())
    measure.fact("game table", f"{BOOK} {game.hash.hex()}")
    measure.fact("seed", SEED)
    peer.until(lambda: peer.ups, BOOT_S, "HELLO")
    hello = peer.ups[0]
    assert hello["board"] == "pico"
    assert hello["uid"] == table.chip.uid.hex()
    assert hello["reset_cause"] == codes.RESET_POWER_ON
    assert bytes(hello["game_hash"]) == game.hash
    assert hello["dice"] == 3
    measure("power on to HELLO", table.chip.now_us / 1e6, "s", high=4.0)


def test_its_self_test_passes_with_every_chip_used_by_the_book(peer: Peer, measure: Measurement) -> None:
    def passed() -> list[dict[str, Any]]:
        return [event for event in peer.all(wire.EVENT) if event["code"] == codes.EVENT_SELF_TEST_PASSED]

    peer.until(lambda: peer.phase == codes.PHASE_BETTING_OPEN, SELF_TEST_S, "betting open after the self-test")
    peer.until(passed, SELF_TEST_S, "its event")
    assert peer.state is not None
    assert peer.state["faults"] == 0
    assert peer.table.chips.wrong_use == []
    assert peer.table.lamp_wire.frame_count > 50  # each lamp was tried alone, over the real waveform
    # By its own clock: when a host hears of it depends on the line, and on how busy this machine is.
    measure("self-test with every lamp", passed()[0]["a"] / 1000, "s", high=4.0)


def test_a_round_gives_the_result_that_the_physics_knows(
    open_table: Peer, game: GameImage, measure: Measurement
) -> None:
    peer = open_table
    cycles, began = peer.table.chip.cycles, peer.table.chip.now_us
    number, values = deal(peer, ROUND_S)
    assert number == wire.RESULT, values
    row = truth(peer)[-1]
    assert row["flat"]
    assert row["boot"] == bytes(peer.ups[-1]["boot_id"]).hex()
    assert sorted(face for face in values["faces"] if face) == row["faces"]
    assert lit_by(game, values) == bytes(values["areas"]).ljust(32, b"\0")
    assert peer.table.chips.wrong_use == []
    busy = (peer.table.chip.cycles - cycles) / 125 / (peer.table.chip.now_us - began)
    measure("share of the processor that a round takes", busy * 100, "%", high=90)


# --- with --rig emulated --------------------------------------------------------------------------------------------------


def test_dice_shown_before_no_more_bets_are_a_no_spin(open_table: Peer, long: None) -> None:
    peer = open_table
    dealer = peer.table.dealer
    assert dealer is not None
    results = len(peer.all(wire.RESULT))
    dealer.slip = lambda: Slip.EXPOSED_EARLY
    number, values = deal(peer, ROUND_S)
    dealer.slip = lambda: None
    assert number == wire.NO_SPIN
    assert values["cause"] == codes.CAUSE_EXPOSED_EARLY
    assert len(peer.all(wire.RESULT)) == results
    assert truth(peer)[-1]["why_not"] == "exposed_early"
    number, _ = deal(peer, ROUND_S)  # wagers stand: the next spin counts
    assert number in (wire.RESULT, wire.NO_SPIN)


def test_every_lamp_of_every_area_lights_alone_on_the_wire(
    open_table: Peer, long: None, game: GameImage, measure: Measurement
) -> None:
    peer = open_table
    assert peer.ask(codes.SERVICE_ENTER)["ok"]
    table = game_table(game)
    shown = peer.table.chips.lamps
    dark = peer.table.chips.lamps.amps()
    least = 1000.0
    for area in range(table.areas):
        first, count = table.area_pixels(area)
        assert count, f"area {game.areas[area]} has no lamp"
        for pixel in range(first, first + count):
            assert peer.ask(codes.SERVICE_LAMPS, struct.pack("<HBBB", 0xFFFF, 0, 0, 0))["ok"]
            assert peer.ask(codes.SERVICE_LAMPS, struct.pack("<HBBB", pixel, 255, 0, 85))["ok"]
            assert {at: colour for at, colour in enumerate(shown.pixels) if any(colour)} == {pixel: (255, 0, 85)}
            least = min(least, (shown.amps() - dark) * 1000)
    measure("least current of a lamp over dark", least, "mA", low=10)
    assert peer.ask(codes.SERVICE_LEAVE)["ok"]


def test_the_heap_keeps_room_at_its_lowest(open_table: Peer, long: None, measure: Measurement) -> None:
    peer = open_table
    seen = len(peer.all(wire.HEALTH))
    peer.until(lambda: len(peer.all(wire.HEALTH)) > seen, 15, "HEALTH")
    health = peer.all(wire.HEALTH)[-1]
    measure("heap free after collection", health["heap_free"], "bytes", low=HEAP_LEAST)
    measure("heap free at its lowest", health["heap_low"], "bytes", low=HEAP_LEAST)
    measure("longest turn of the loop", health["loop_max_ms"], "ms", high=500)
    measure("supply", health["supply_mv"], "mV", low=23_000, high=25_000)
    measure("temperature", health["temperature"] / 10, "°C", low=20, high=35)


def test_a_bad_line_costs_time_and_never_a_message(open_table: Peer, long: None, measure: Measurement) -> None:
    peer = open_table
    line, counters = peer.table.line, peer.session.counters
    before = {name: counters[name] for name in ("frames_in", "frames_out", "crc_errors", "retransmits")}
    sessions = len(peer.ups)
    for way in (line.to_host, line.from_host):
        way.noise = Noise(flip=0.0001, drop=0.0002, insert=0.0002, double=0.0001, burst=0.00005)
    began, asked = peer.table.chip.now_us, 0
    try:
        while counters["frames_in"] + counters["frames_out"] - before["frames_in"] - before["frames_out"] < FRAMES:
            answer = peer.ask(codes.SERVICE_INPUTS, seconds=30)
            assert answer["ok"]
            assert answer["data"][4] == codes.PHASE_BETTING_OPEN
            asked += 1
    finally:
        for way in (line.to_host, line.from_host):
            way.noise = Noise()
    spoilt = sum(
        getattr(way.counts, name)
        for way in (line.to_host, line.from_host)
        for name in ("flips", "drops", "inserts", "doubles", "bursts")
    )
    assert spoilt > 10
    assert counters["retransmits"] > before["retransmits"]
    answers = [values["req"] for values in peer.all(wire.SERVICE_RSP)][-asked:]
    assert answers == sorted(set(answers))
    measure("frames on the bad line", FRAMES, "frames", low=FRAMES)
    measure("places at which the line was spoilt", spoilt, "places", low=10)
    measure("sessions lost on it", len(peer.ups) - sessions, "sessions", high=2)
    measure("a request and its answer on it", (peer.table.chip.now_us - began) / asked / 1000, "ms", high=500)


def test_a_hung_program_is_bitten_and_the_table_opens_again(open_table: Peer, long: None, measure: Measurement) -> None:
    peer = open_table
    board, sessions = peer.table.board, len(peer.ups)
    bites, spins = board.watchdog_bites, peer.state["spin"] if peer.state else 0
    began = peer.table.chip.now_us
    board.crash()
    hello = boots_again(peer, sessions, 20)
    assert board.watchdog_bites == bites + 1
    assert hello["reset_cause"] == codes.RESET_WATCHDOG
    measure("hung to HELLO", (peer.table.chip.now_us - began) / 1e6, "s", low=2, high=12)
    peer.heard.append((wire.STATE, {"phase": -1, "spin": spins}))
    peer.until(lambda: peer.phase == codes.PHASE_BETTING_OPEN, SELF_TEST_S, "betting open after the bite")
    assert peer.state is not None
    assert peer.state["spin"] == spins


def test_the_flash_outlives_a_power_cycle(open_table: Peer, long: None) -> None:
    peer = open_table
    before, spins, sessions = peer.ups[-1], peer.state["spin"] if peer.state else 0, len(peer.ups)
    peer.table.board.cut_power(300)
    after = boots_again(peer, sessions, 8)
    assert after["epoch"] == before["epoch"]
    assert after["boot_id"] != before["boot_id"]
    assert after["reset_cause"] == codes.RESET_POWER_ON
    peer.until(lambda: peer.phase == codes.PHASE_BETTING_OPEN, SELF_TEST_S, "betting open")
    _, values = deal(peer, ROUND_S)
    assert values["spin"] == spins + 1


@pytest.mark.parametrize("byte", [1, 200, 700, 5000])
def test_power_that_fails_inside_a_flash_write_leaves_old_or_new(open_table: Peer, long: None, byte: int) -> None:
    peer = open_table
    table, sessions = peer.table, len(peer.ups)
    cuts = table.board.power_cuts
    old = settings_of(peer)
    new = {**old, "brightness": 100 + byte % 100}
    table.flash.cut_after(byte, byte)
    peer.send(wire.SETTINGS, **new)
    peer.until(lambda: table.board.power_cuts > cuts or settings_written(table, new), 5, "the settings written")
    if table.board.power_cuts == cuts:
        assert byte > LESS_THAN_A_WRITE, "the power did not fail although so much was written"
        table.flash.cut_after(None)
        table.board.cut_power(200)
    boots_again(peer, sessions, 8)
    assert peer.ups[-1]["epoch"] == peer.ups[0]["epoch"]
    unsound = [event for event in peer.all(wire.EVENT) if event["code"] == codes.EVENT_RECORD_UNSOUND]
    assert unsound == []
    peer.until(lambda: peer.phase == codes.PHASE_BETTING_OPEN, SELF_TEST_S, "betting open")
    assert settings_of(peer) in (old, new)


def settings_of(peer: Peer) -> dict[str, int]:
    answer = peer.ask(codes.SERVICE_SETTINGS)
    assert answer["ok"]
    rows = dict(line.split("=") for line in answer["data"].decode().split() if "=" in line)
    return {name: int(value) for name, value in rows.items()}


def settings_written(table: EmulatedTable, new: dict[str, int]) -> bool:
    try:
        return bytes((new["brightness"],)) in read_back(table.chip.files, "state/settings.bin")
    except OSError:
        return False


def test_a_host_that_speaks_while_it_boots_does_not_stop_it(open_table: Peer, long: None) -> None:
    """Byte 3 is Ctrl-C to MicroPython until the firmware says otherwise, and every key and nonce may hold one."""
    peer = open_table
    sessions, began = len(peer.ups), peer.table.chip.now_us
    peer.table.board.cut_power(100)
    while peer.table.chip.now_us - began < 1_500_000:
        peer.turn()
        if peer.table.chip.connected and peer.table.chip.room > 16 and peer.table.chip.now_us - began > 300_000:
            peer.table.chip.send(b"\x03")
    boots_again(peer, sessions, 8)
