"""A die that rests in a zone of the picture is a no roll with the zone's cause; elsewhere it counts. Sic Bo knows no zones."""

import struct
import zlib

import pytest
from controller.reader import zones
from dicewire import codes
from dicewire import messages as wire
from micropython_table import MicropythonTable, lying

CRAPS = "crown-melbourne-craps"
BOWL = (codes.CAUSE_IN_BOWL, zones.BOX, 200, 90, 265, 150)
RAIL = (codes.CAUSE_ON_RAIL, zones.CIRCLE, 160, 120, 118, 60)
OFF = (codes.CAUSE_OFF_TABLE, zones.OUTSIDE, 160, 120, 118, 0)


def packed(*rows):
    body = b"TZN1" + bytes((len(rows),)) + b"".join(struct.pack("<BBhhhh", *row) for row in rows)
    return body + struct.pack("<I", zlib.crc32(body))


def test_a_zone_is_a_disc_a_ring_a_box_or_all_beyond():
    assert [zones.holds(BOWL, *at) for at in ((200, 90), (230, 120), (199, 120), (230, 151))] == [
        True,
        True,
        False,
        False,
    ]
    assert [zones.holds(RAIL, *at) for at in ((160, 120), (160, 190), (270, 120), (300, 120))] == [
        False,
        True,
        True,
        False,
    ]
    assert [zones.holds(OFF, *at) for at in ((160, 120), (300, 120))] == [False, True]


def test_a_file_that_is_damaged_or_none_is_refused():
    good = packed(BOWL, OFF)
    assert zones.unpack(good) == [BOWL, OFF]
    for bad in (
        b"",
        good[:-1],
        good[:6] + b"\x09" + good[7:],
        packed((0, zones.BOX, 1, 2, 3, 4)),
        packed((35, 9, 1, 2, 3, 4)),
    ):
        with pytest.raises(zones.BadZones, match=r"zones\.bin"):
            zones.unpack(bad)


class Reader:
    """Has read these dice: face, x / 2, y / 2."""

    done = True
    cause, detail, reads, opinions = 0, 0, 3, codes.READER_PIPS

    def __init__(self, *dice):
        self.evidence = bytes(value for die in dice for value in die)
        self.faces = bytes(sorted(die[0] for die in dice))

    def begin(self, now, dice):
        pass

    def step(self, now):
        pass


class Flash:
    def __init__(self, data):
        self._data = data

    def load(self, name):
        return self._data if name == zones.FILE else None


def verdict(data, dice, *seen):
    zoned = zones.Zoned(Reader(*seen), Flash(data))
    zoned.begin(0, dice)
    assert zoned.done
    return zoned.cause, zoned.detail, zoned.faces


def test_the_first_zone_that_holds_a_die_gives_the_cause():
    in_bowl, free = (5, 115, 60), (2, 80, 60)
    refused = (codes.CAUSE_IN_BOWL, 256 + codes.SIGHT_IN_ZONE, b"")
    assert verdict(packed(BOWL, RAIL), 2, free, in_bowl) == refused
    assert verdict(packed(RAIL, BOWL), 2, free, in_bowl)[0] == codes.CAUSE_ON_RAIL
    assert verdict(packed(BOWL), 2, free, (5, 80, 90)) == (0, 0, bytes((2, 5)))


def test_sic_bo_has_no_zones_and_damaged_ones_forbid_a_roll():
    in_bowl, free = (5, 115, 60), (2, 80, 60)
    assert verdict(packed(BOWL), 3, free, in_bowl, free)[0] == 0
    assert verdict(packed(BOWL)[:-1], 2, free, free)[:2] == (
        codes.CAUSE_UNREADABLE, 256 + codes.SIGHT_NOT_CALIBRATED,
    )  # fmt: skip


def test_a_table_calls_a_die_in_the_bowl_by_its_cause_and_plays_on(tmp_path):
    table = MicropythonTable(tmp_path, book=CRAPS, reader="camera", more={zones.FILE: packed(BOWL)})
    try:
        table.bring_game()
        table.world.dice = [lying(4, 0.0, 0.0), lying(6, 0.025, 0.0)]
        table.play()
        assert table.phase == codes.PHASE_NO_SPIN
        values = table.host.last(wire.NO_SPIN)
        assert (values["cause"], values["detail"] - 256) == (codes.CAUSE_IN_BOWL, codes.SIGHT_IN_ZONE)
        table.until(lambda: (codes.BULK_EVIDENCE, True) in table.host.bulk_ends, why="the picture")
        table.world.dice = [lying(4, 0.0, 0.012), lying(6, -0.025, 0.0)]
        table.play()
        assert table.phase == codes.PHASE_RESULT, table.host.last(wire.NO_SPIN)
        assert tuple(table.host.last(wire.RESULT)["faces"])[:2] == (4, 6)
    finally:
        table.close()
