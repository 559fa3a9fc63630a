"""The technician's requests: every one that the wire has can be asked, and every answer is read or refused."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from dicewire import messages as wire
from dicewire.codec import encode
from dicewire.declared.codes import SERVICE_OPS
from tumbler.diag.operations import OPERATIONS, AnswerUnreadable, DiceMapError, pack_dice, read_answer, unpack_dice

# Written by other tools: the map by `tumbler provision dice`, the eye by `tumbler calibrate`, an update by the updater.
ELSEWHERE = {"dice_map", "calibration", "update_apply", "symbols", "symbols_read", "zones", "zones_read"}


def test_every_request_of_the_wire_can_be_asked() -> None:
    assert {operation.op for operation in OPERATIONS.values()} | ELSEWHERE == {row.name for row in SERVICE_OPS}


NO_SPIN = {"spin": 7, "cause": 1, "detail": 2, "by": 0, "wall_ms": 5, "uptime_ms": 6, "evidence": b"\x01"}
UID = bytes.fromhex("e004015012345678")

ANSWERS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "info": (b"firmware=1.2.3\nspins=40\nbook=", {"firmware": "1.2.3", "spins": 40, "book": ""}),
    "inputs": (
        struct.pack("<HHB", 0b11, 1 << 10 | 1, 2),
        {"phase": "betting_open", "inputs": ["cover_closed", "door_closed"], "keys": ["1", "spin"]},
    ),
    "current": (
        struct.pack("<HHHh", 12, 40, 24100, -25),
        {"motor_ma": 12, "lamp_ma": 40, "supply_mv": 24100, "temperature_c": -2.5},
    ),
    "accelerometer": (struct.pack("<hhh", -3, 4, 998), {"x": -3, "y": 4, "z": 998}),
    "tags": (
        b"\x02" + UID + b"\x13" + UID[::-1] + b"\xff",
        {
            "count": 2,
            "tags": [
                {"uid": UID.hex(), "of_the_set": True, "die": 2, "behind": 3},
                {"uid": UID[::-1].hex(), "of_the_set": False},
            ],
        },
    ),
    "recall": (
        bytes((wire.NO_SPIN,)) + encode(wire.NO_SPIN, NO_SPIN),
        {"kind": "no_spin", **NO_SPIN, "evidence": "01", "cause_name": "not_flat"},
    ),
    "self-test": (
        struct.pack("<IH", 1 << 4, 900) + b"no answer",
        {"faults": ["tag_reader"], "ms": 900, "text": "no answer"},
    ),
    "motor": (struct.pack("<IHH", 90, 800, 1500), {"rpm": 300, "pulses": 90, "highest_ma": 800, "ms": 1500}),
    "lamps": (bytes((120, 2, 7, 119)), {"lamps": 120, "dead": [7, 119]}),
    "dice": (pack_dice([(UID.hex(), 1, 6)]), {"dice": [{"uid": UID.hex(), "die": 1, "behind": 6}]}),
    "enter": (b"", {}),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answer_is_read(name: str) -> None:
    data, values = ANSWERS[name]
    assert read_answer(name, data) == values


@pytest.mark.parametrize("name", ["inputs", "current", "tags", "recall", "self-test", "motor", "lamps", "dice"])
def test_answer_of_another_firmware_is_refused_and_not_guessed(name: str) -> None:
    with pytest.raises(AnswerUnreadable, match=f"answer to {name}"):
        read_answer(name, b"")


def test_arguments_are_packed_as_the_firmware_unpacks_them() -> None:
    assert OPERATIONS["motor"].data({"permille": -500, "ms": 1500}) == struct.pack("<hH", -500, 1500)
    assert OPERATIONS["light"].data({"lamp": 65535, "red": 1, "green": 2, "blue": 3}) == b"\xff\xff\x01\x02\x03"
    assert [OPERATIONS["frame"].data({"lamp": lamp}) for lamp in (0, 1)] == [b"\x00", b"\x02"]


def test_map_of_the_dice_is_read_back_and_a_tag_stands_once() -> None:
    rows = [(f"{i:016x}", 1 + i // 6, 1 + i % 6) for i in range(18)]
    packed = pack_dice(rows)
    assert len(packed) <= 200
    assert unpack_dice(packed) == rows
    with pytest.raises(DiceMapError, match="twice"):
        pack_dice([*rows, rows[0]])
    with pytest.raises(ValueError, match="checksum"):
        unpack_dice(packed[:-1] + bytes((packed[-1] ^ 1,)))
