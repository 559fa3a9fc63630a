"""The camera in play: the whole firmware on MicroPython with the device's heap, rendered pictures through the camera's FIFO."""

import dataclasses
import math
import struct

import pytest
from controller import panel
from controller.reader import symbols
from dicewire import codes
from dicewire import messages as wire
from micropython_table import MicropythonTable, Pose, lying
from tumbler.twin.chips.dice import DIE_EDGE_M
from tumbler.twin.chips.faults import ChipFault, break_chip, mend_chip

CAMERA = codes.READER_PIPS | codes.READER_LATTICE
HEAP_LEAST = 36 * 1024  # of 384 KB on a 64-bit machine, with every buffer of the camera taken
HEAP_LEAST_IN_COLOUR = 26 * 1024


@pytest.fixture
def make_table(tmp_path):
    tables = []

    def made(**options):
        table = MicropythonTable(tmp_path, **options)
        tables.append(table)
        table.bring_game()
        return table

    yield made
    for table in tables:
        table.close()


def last_no_spin(table):
    values = table.host.last(wire.NO_SPIN)
    return values["cause"], values["detail"] - 256


def last_spin(table):
    return table.host.last(wire.NO_SPIN)["spin"]


def tipped(die, degrees):
    """The same die, turned about the table's x axis and resting on its edge."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    rows = die.rotation
    turned = (
        rows[0],
        tuple(c * a - s * b for a, b in zip(rows[1], rows[2], strict=True)),
        tuple(s * a + c * b for a, b in zip(rows[1], rows[2], strict=True)),
    )
    x, y, _ = die.position
    return Pose((x, y, DIE_EDGE_M / 2 * (c + s)), turned)


def test_rounds_are_read_by_the_camera_and_there_is_room_in_the_heap(make_table):
    table = make_table(reader="camera")
    throws = [(1, 2, 3), (4, 4, 4), (1, 5, 6), (2, 3, 6)]
    free = []
    for faces in throws:
        table.play(*faces)
        assert table.phase == codes.PHASE_RESULT, last_no_spin(table)
        table.pay()
        free.append(table.heap_free())
    results = table.host.all(wire.RESULT)
    assert [tuple(r["faces"]) for r in results] == throws
    assert {r["opinions"] for r in results} == {CAMERA}
    assert {r["reads"] for r in results} == {3}
    assert table.chips.wrong_use == []
    assert min(free) >= HEAP_LEAST
    assert free[1] - free[-1] < 2048


def test_what_the_camera_refuses_is_a_no_spin_with_its_reason_and_its_picture(make_table):
    table = make_table(reader="camera")
    flat = [lying(2, 0.0), lying(5, 0.025), lying(4, -0.025)]
    stacked = [flat[0], flat[1], dataclasses.replace(flat[2], position=(0.004, 0.003, 1.5 * DIE_EDGE_M))]
    for number, (dice, causes, sights) in enumerate(
        (
            (flat[:2], {codes.CAUSE_MISSING}, {codes.SIGHT_MISSING}),
            ([*flat, lying(1, 0.0, 0.026)], {codes.CAUSE_TOO_MANY}, {codes.SIGHT_TOO_MANY}),
            (
                [flat[0], tipped(flat[1], 20), flat[2]],
                {codes.CAUSE_NOT_FLAT, codes.CAUSE_UNREADABLE, codes.CAUSE_MISSING},
                {
                    codes.SIGHT_COCKED,
                    codes.SIGHT_LEANING,
                    codes.SIGHT_NO_DICE,
                    codes.SIGHT_UNEXPLAINED,
                    codes.SIGHT_MISSING,
                },
            ),
            (
                stacked,
                {codes.CAUSE_NOT_FLAT, codes.CAUSE_UNREADABLE, codes.CAUSE_MISSING},
                {codes.SIGHT_STACKED, codes.SIGHT_UNEXPLAINED, codes.SIGHT_NO_DICE, codes.SIGHT_UNREAD},
            ),
        ),
        start=1,
    ):
        table.world.dice = dice
        table.host.bulk_ends.clear()
        table.play()
        assert table.phase == codes.PHASE_NO_SPIN, f"throw {number}"
        cause, sight = last_no_spin(table)
        assert cause in causes, f"throw {number}: {cause} {sight}"
        assert sight in sights, f"throw {number}: {cause} {sight}"
        table.until(lambda: table.host.bulk_ends, why="the picture")
        magic, spin, width, height, why, detail = struct.unpack_from("<4sIHHHH", table.host.received)
        assert (magic, spin, width, height, why, detail) == (b"TEV1", last_spin(table), 320, 240, cause, sight + 256)
        assert len(table.host.received) == 16 + 320 * 240
        pixels = table.host.received[16:]
        assert max(pixels) - min(pixels) > 100  # dice are to be seen in it
        # the table forgives: three of a kind would lock it
        table.world.dice = flat
        table.play(2, 5, 4)
        assert table.phase == codes.PHASE_RESULT
        table.pay()


def test_pictures_that_nobody_should_read_are_refused_by_name(make_table):
    table = make_table(reader="camera")
    for fault, sight in (
        (ChipFault.CAMERA_DARK, codes.SIGHT_DARK),
        (ChipFault.CAMERA_FROZEN, codes.SIGHT_FROZEN),
        (ChipFault.CAMERA_TORN, codes.SIGHT_TORN),
        (ChipFault.CAMERA_HUNG, codes.SIGHT_NO_ANSWER),
    ):
        break_chip(table.chips, fault)
        table.play(1, 2, 3)
        assert table.phase == codes.PHASE_NO_SPIN, fault
        assert last_no_spin(table) == (codes.CAUSE_UNREADABLE, sight), fault
        mend_chip(table.chips, fault)
        table.play(1, 2, 3)
        assert table.phase == codes.PHASE_RESULT, last_no_spin(table)
        table.pay()


def test_a_cover_that_is_closed_over_the_dice_again_is_no_result(make_table):
    table = make_table(reader="camera")
    table.world.dice = [lying(face, x) for face, x in ((1, 0.0), (2, 0.025), (3, -0.025))]
    table.press(panel.SPIN)
    table.until_phase(codes.PHASE_SPINNING)
    table.press(panel.NO_MORE_BETS)
    table.run(7000)
    table.world.cover_closed = False
    table.run(60)
    table.world.cover_closed = True
    table.until_phase(codes.PHASE_NO_SPIN, codes.PHASE_RESULT)
    assert last_no_spin(table) == (codes.CAUSE_UNREADABLE, codes.SIGHT_COVER_CLOSED)


def test_tags_and_camera_must_agree_and_neither_outvotes_the_other(make_table):
    table = make_table(reader="both")
    table.play(4, 5, 6)
    assert table.host.last(wire.RESULT)["opinions"] == codes.READER_TAGS | CAMERA
    table.pay()
    # the reader under the plate meets other dice than the camera sees
    others = [lying(face, x) for face, x in ((4, 0.0), (5, 0.025), (5, -0.025))]
    table.chips.reader._tags = lambda drive: list(table.chips.dice_set.in_reach(others, drive))
    table.play(4, 5, 6)
    assert table.phase == codes.PHASE_NO_SPIN
    values = table.host.last(wire.NO_SPIN)
    assert values["cause"] == codes.CAUSE_DISAGREE, values
    assert values["detail"] == codes.READER_TAGS | CAMERA
    assert values["evidence"] == bytes((4, 5, 5, 4, 5, 6))  # what each of them said
    assert len(table.host.all(wire.RESULT)) == 1


def test_the_dealers_entry_is_a_third_opinion_and_only_the_supervisor_settles_a_difference(make_table):
    table = make_table(reader="camera")
    settings = {"min_spin_ms": 2000, "min_tumbles": 8, "entry": 1, "auto_paid_ms": 0, "spin_ms": 2500, "spin_rpm": 700}
    table.host.send(wire.SETTINGS, table._wall(), **settings, still_reads=3, lock_after=3, brightness=160)
    table.until(lambda: table.host.events(codes.EVENT_SETTINGS_CHANGED), why="settings")
    table.play_until(codes.PHASE_READING, 4, 5, 6)
    table.run(2000)
    for face in (6, 4, 5):
        table.press(face - 1)
    table.press(panel.CONFIRM)
    table.until_phase(codes.PHASE_RESULT)
    assert table.host.last(wire.RESULT)["opinions"] == CAMERA | codes.READER_DEALER
    table.pay()
    table.play_until(codes.PHASE_READING, 4, 5, 6)
    table.run(2000)
    for _ in range(2):
        for face in (4, 5, 5):
            table.press(face - 1)
        table.press(panel.CONFIRM)
    assert len(table.host.events(codes.EVENT_ENTRY_DIFFERS)) == 2
    assert table.phase == codes.PHASE_READING  # no opinion outvotes another
    req = table.host.next_req()
    rule = {"op": codes.COMMAND_SUPERVISOR_RULE, "arg": 2, "role": codes.ROLE_TG_AREA_MANAGER}
    table.host.send(wire.COMMAND, table._wall(), req=req, **rule)
    table.until_phase(codes.PHASE_NO_SPIN)
    assert table.host.last(wire.NO_SPIN)["cause"] == codes.CAUSE_ENTRY_DIFFERS
    assert table.host.last(wire.NO_SPIN)["by"] == codes.ROLE_TG_AREA_MANAGER


def test_option_bs_symbols_are_read_by_shape_and_colour_as_they_were_taught(make_table):
    table = make_table(book="crown-melbourne-sicbo-b", reader="camera", die_set="symbols")
    throws = [(1, 2, 3), (4, 5, 6), (1, 6, 6), (2, 5, 5), (3, 3, 4)]
    for faces in throws:
        table.play(*faces)
        if table.phase == codes.PHASE_RESULT:
            table.pay()
    shown = {r["spin"]: tuple(r["faces"]) for r in table.host.all(wire.RESULT)}
    assert all(faces == throws[spin - 1] for spin, faces in shown.items())  # never another face
    assert len(shown) >= 3, [last_no_spin(table)]
    assert {r["opinions"] for r in table.host.all(wire.RESULT)} == {codes.READER_SYMBOLS}
    assert table.heap_free() >= HEAP_LEAST_IN_COLOUR


def test_a_symbol_in_another_colour_has_no_name():
    faces = []
    for face in range(6):
        shape = bytes((k * (face + 3) * 7) % 200 for k in range(symbols.RINGS * symbols.ANGLES))
        colour = ((-14, 48), (-14, -28), (42, -14))[min(face, 5 - face)]
        faces.append((400 + 20 * face, *colour, shape))
    taught = symbols.Taught(symbols.pack(faces))
    seen = symbols.Symbol()
    for face in range(6):
        seen.area, seen.u, seen.v, shape = faces[face]
        seen.shape = symbols.turned(shape, 5)
        assert taught.name(seen) == (face + 1, 0)
        seen.u, seen.v = next(row[1:3] for row in faces if row[1:3] != faces[face][1:3])
        assert taught.name(seen) == (0, codes.SIGHT_COLOUR_DIFFERS)
