"""Each sight that forbids to read, on the twin's pictures: its cause, its code, and the picture saved as evidence.

The firmware on MicroPython with the twin's camera chip; what the reader does inside is not looked at, so that it may be rebuilt.
"""

import dataclasses
import struct
from dataclasses import replace

import numpy as np
import pytest
from dicewire import codes
from dicewire import messages as wire
from micropython_table import MicropythonTable, lying
from tumbler.twin.camera import NORMAL, TROUBLES, Lie, stage
from tumbler.twin.chips.dice import DIE_EDGE_M
from tumbler.twin.chips.faults import ChipFault, break_chip, mend_chip

pytestmark = pytest.mark.xdist_group("sights")  # one table for all of them
FACES = (4, 5, 6)
HAND_OVER_THE_LENS = replace(NORMAL, name="hand", veil=(5.0, 6.0), exposure=(0.07, 0.08))
FILTHY = replace(TROUBLES["dirty"], name="filthy", smudges=(90.0, 120.0), dust=(700.0, 900.0))
HEAD = "<4sIHHHH"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    made = MicropythonTable(tmp_path_factory.mktemp("sights"), reader="camera")
    made.bring_game()
    settings = {"min_spin_ms": 2000, "min_tumbles": 8, "entry": 0, "auto_paid_ms": 0, "spin_ms": 2500, "spin_rpm": 700}
    made.host.send(wire.SETTINGS, made._wall(), **settings, still_reads=3, lock_after=20, brightness=160)
    made.until(lambda: made.host.events(codes.EVENT_SETTINGS_CHANGED), why="settings")
    yield made
    made.close()


def refused(table, *shown):
    """Plays a spin that must be refused; gives cause and sight, once its picture has come."""
    table.host.bulk_ends.clear()
    table.play(*shown)
    assert table.phase == codes.PHASE_NO_SPIN, table.host.last(wire.RESULT)
    values = table.host.last(wire.NO_SPIN)
    table.until(lambda: table.host.bulk_ends, why="the picture")
    magic, spin, width, height, cause, detail = struct.unpack_from(HEAD, table.host.received)
    assert (magic, spin, width, height) == (b"TEV1", values["spin"], 320, 240)
    assert (cause, detail) == (values["cause"], values["detail"])
    assert len(table.host.received) == struct.calcsize(HEAD) + 320 * 240
    return values["cause"], values["detail"] - 256


@pytest.mark.parametrize(
    ("trouble", "sights"),
    [
        (TROUBLES["dark"], {codes.SIGHT_DARK}),
        (TROUBLES["blown"], {codes.SIGHT_BLOWN_OUT}),
        (TROUBLES["defocused"], {codes.SIGHT_OUT_OF_FOCUS}),
        (TROUBLES["shaken"], {codes.SIGHT_OUT_OF_FOCUS, codes.SIGHT_MOVING}),
        (TROUBLES["covered"], {codes.SIGHT_COVERED, codes.SIGHT_DARK}),  # opaque, and no light beneath
        (HAND_OVER_THE_LENS, {codes.SIGHT_COVERED}),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_picture_that_nobody_should_read_has_its_own_code_and_is_saved(table, trouble, sights):
    table.scene.suffer(trouble)
    try:
        cause, sight = refused(table, *FACES)
    finally:
        table.scene.suffer(None)
    assert cause == codes.CAUSE_UNREADABLE
    assert sight in sights


def test_a_dirty_dome_is_called_dirty_and_never_read_wrongly(table):
    """Smears may hide a die's face or soften all of the picture before they are seen for what they are."""
    seen = []
    try:
        for _ in range(4):
            table.scene.suffer(FILTHY)
            seen.append(refused(table, *FACES))
    finally:
        table.scene.suffer(None)
    assert seen.count((codes.CAUSE_UNREADABLE, codes.SIGHT_DIRTY)) >= 2, seen


@pytest.mark.parametrize(
    ("fault", "sight"),
    [
        (ChipFault.CAMERA_FROZEN, codes.SIGHT_FROZEN),
        (ChipFault.CAMERA_TORN, codes.SIGHT_TORN),
        (ChipFault.CAMERA_DARK, codes.SIGHT_DARK),
    ],
)
def test_a_camera_that_fails_has_its_own_code_and_its_last_picture_is_saved(table, fault, sight):
    break_chip(table.chips, fault)
    try:
        assert refused(table, *FACES) == (codes.CAUSE_UNREADABLE, sight)
    finally:
        mend_chip(table.chips, fault)


NOT_FLAT = {codes.SIGHT_COCKED, codes.SIGHT_LEANING, codes.SIGHT_STACKED}
NOT_READ = {codes.SIGHT_UNEXPLAINED, codes.SIGHT_UNREAD, codes.SIGHT_NO_DICE, codes.SIGHT_OFF_CENTRE}


def check_posture(cause, sight):
    """Called by its posture where the reader can tell, and else as not to be read: never a result."""
    if cause == codes.CAUSE_NOT_FLAT:
        assert sight in NOT_FLAT
    else:
        assert (cause, sight in NOT_READ | {codes.SIGHT_MISSING}) in (
            (codes.CAUSE_UNREADABLE, True),
            (codes.CAUSE_MISSING, True),
        )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_die_that_leans_is_called_not_flat_or_not_read_and_is_saved(table, seed):
    rng = np.random.default_rng(seed)
    throw = stage(Lie.LEANING, 3, rng)
    while max(throw.tilts) < 12:  # smaller tilts are the tags' to see
        throw = stage(Lie.LEANING, 3, rng)
    table.world.dice = list(throw.poses)
    check_posture(*refused(table))


@pytest.mark.parametrize("aside", [0.0, 0.003])
def test_a_die_on_another_is_called_not_flat_or_not_read_and_is_saved(table, aside):
    upper = dataclasses.replace(lying(6, 0.01), position=(aside, aside, 1.5 * DIE_EDGE_M))
    table.world.dice = [lying(4, 0.0), lying(5, 0.028), upper]
    check_posture(*refused(table))


def test_after_every_trouble_the_table_reads_as_before(table):
    table.scene.suffer(None)
    table.play(*FACES)
    if table.phase == codes.PHASE_NO_SPIN:  # flat dice may be refused now and then, not twice
        table.play(*FACES)
    assert table.phase == codes.PHASE_RESULT
    assert tuple(table.host.last(wire.RESULT)["faces"]) == FACES
