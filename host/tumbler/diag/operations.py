"""What a technician can ask of a controller: a table of requests, their arguments, and how each answer is read.

The controller's side is firmware/controller/service.py; numbers and texts are dicewire's. Only bytes and values here: who
carries them is line.py or through.py.
"""

from __future__ import annotations

import binascii
import hashlib
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dicewire import messages as wire
from dicewire.codec import decode
from dicewire.declared.codes import CAUSES, FAULTS, INPUTS, PHASES, SERVICE_OPS

from tumbler.table.spin import as_json

PULSES_A_TURN = 12
NOT_OF_THE_SET = 0xFF
UID_BYTES = 8
DICE_MAGIC = b"TDM1"
KEYS = {
    **{bit: str(bit + 1) for bit in range(6)},
    6: "confirm",
    7: "undo",
    8: "no_spin",
    9: "no_more_bets",
    10: "spin",
}
ALL_LAMPS = 0xFFFF

Values = dict[str, Any]


class AnswerUnreadable(Exception):
    """The controller's answer is not of the form that this version knows."""


class DiceMapError(Exception):
    """Not a map of dice tags; the message says why."""


@dataclass(frozen=True)
class Argument:
    name: str
    low: int
    high: int
    text: str
    default: int | None = None  # None: must be given
    named: bool = False  # given as --NAME
    bit: int = 0  # of the packed field, where its value begins


@dataclass(frozen=True)
class Operation:
    """`form` packs the arguments; `service`: only while the table is taken out of play."""

    op: str
    text: str
    read: Callable[[bytes], Values]
    form: str = ""
    arguments: tuple[Argument, ...] = ()
    service: bool = False
    bulk: str = ""  # the transfer that follows the answer

    @property
    def number(self) -> int:
        return SERVICE_OPS.number(self.op)

    def data(self, values: Mapping[str, int]) -> bytes:
        fields = (values[argument.name] << argument.bit for argument in self.arguments)
        return struct.pack(self.form, *fields) if self.form else b""


# --- answers ----------------------------------------------------------------------------------------------------------


def nothing(_data: bytes) -> Values:
    return {}


def lines(data: bytes) -> Values:
    """NAME=VALUE lines; whole numbers as such."""
    pairs = (line.partition("=") for line in data.decode("utf-8", "replace").splitlines())
    return {name: int(value) if value.lstrip("-").isdecimal() else value for name, _, value in pairs}


def fields(form: str, *names: str) -> Callable[[bytes], Values]:
    """Numbers at the start of the answer; an empty name is skipped."""

    def read(data: bytes) -> Values:
        numbers = zip(names, struct.unpack_from(form, data), strict=True)
        return {name: number for name, number in numbers if name}

    return read


def inputs(data: bytes) -> Values:
    switches, keys, phase = struct.unpack("<HHB", data)
    held = [KEYS.get(bit, f"bit {bit}") for bit in range(16) if keys >> bit & 1]
    return {"phase": PHASES.name(phase), "inputs": INPUTS.names_in(switches), "keys": held}


def currents(data: bytes) -> Values:
    motor, lamps, supply, tenths = struct.unpack("<HHHh", data)
    return {"motor_ma": motor, "lamp_ma": lamps, "supply_mv": supply, "temperature_c": tenths / 10}


def tags(data: bytes) -> Values:
    found = []
    for start in range(1, len(data) - UID_BYTES, UID_BYTES + 1):
        place = data[start + UID_BYTES]
        row: Values = {"uid": data[start : start + UID_BYTES].hex(), "of_the_set": place != NOT_OF_THE_SET}
        if place != NOT_OF_THE_SET:
            row |= {"die": (place >> 4) + 1, "behind": place & 0x0F}
        found.append(row)
    return {"count": data[0], "tags": found}


def recall(data: bytes) -> Values:
    number, values = data[0], decode(data[0], data[1:])
    kind = {wire.RESULT: "result", wire.NO_SPIN: "no_spin"}[number]
    cause = {"cause_name": CAUSES.name(values["cause"])} if kind == "no_spin" else {}
    return {"kind": kind, **as_json(values), **cause}


def self_test(data: bytes) -> Values:
    faults, ms = struct.unpack_from("<IH", data)
    return {"faults": FAULTS.names_in(faults), "ms": ms, "text": data[6:].decode("utf-8", "replace")}


def motor(data: bytes) -> Values:
    pulses, highest, ms = struct.unpack("<IHH", data)
    rpm = round(pulses / PULSES_A_TURN * 60_000 / ms) if ms else 0
    return {"rpm": rpm, "pulses": pulses, "highest_ma": highest, "ms": ms}


def lamps(data: bytes) -> Values:
    return {"lamps": data[0], "dead": list(data[2 : 2 + data[1]])}


def dice_map(data: bytes) -> Values:
    return {"dice": [{"uid": uid, "die": die, "behind": face} for uid, die, face in unpack_dice(data)]}


READERS = {1: "tags", 2: "camera", 3: "both"}  # firmware/controller/fitted.py
EYE_OF_SYMBOLS = struct.Struct("<4sBBHffffffHHHHfff6fHH")  # firmware/controller/reader/calibration.py
EYE_OF_PIPS = struct.Struct("<4sBBH44fHHHH")  # firmware/controller/reader/pip_table.py
TOP_MM = 150.0 - 16.0  # from the lens to a die's upper face


def readers(data: bytes) -> Values:
    if len(data) != 1 or data[0] not in READERS:
        raise AnswerUnreadable(f"readers: {data.hex()}")
    return {"reader": READERS[data[0]]}


def calibration(data: bytes) -> Values:
    if data[:4] == b"TEY4" and len(data) == EYE_OF_PIPS.size + 4:
        return _calibration_of_pips(data)
    if data[:4] != b"TEY5" or len(data) != EYE_OF_SYMBOLS.size + 4:
        raise AnswerUnreadable(f"a calibration of {len(data)} bytes")
    _, _, _, _, step, _, _, x, y, r, ground, bright, sharp, grain, _, *_ = EYE_OF_SYMBOLS.unpack_from(data)
    return {
        "hash": hashlib.sha256(data).hexdigest()[:16],
        "dice": "symbols",
        "step": round(step, 3),
        "plate": [round(x, 1), round(y, 1), round(r, 1)],
        "ground": ground,
        "bright": bright,
        "sharp": sharp,
        "grain": grain,
    }


def _calibration_of_pips(data: bytes) -> Values:
    _, _, inv, contrast, *rest = EYE_OF_PIPS.unpack_from(data)
    x, y, focal, bend, tilt_x, tilt_y, pitch, size = rest[:8]
    return {
        "hash": hashlib.sha256(data).hexdigest()[:16],
        "dice": "light pips" if inv else "dark pips",
        "step": round(pitch * focal / TOP_MM, 3),
        "radius": round(size * focal / TOP_MM, 3),
        "contrast": contrast,
        "axis": [round(x, 1), round(y, 1)],
        "bend": round(bend, 4),
        "tilt": [round(tilt_x, 4), round(tilt_y, 4)],
        "lamps": [[round(rest[9]), round(rest[10])], [round(rest[11]), round(rest[12])]],
        "ground": rest[44],
        "bright": rest[45],
        "sharp": rest[46],
    }


OPERATIONS: dict[str, Operation] = {
    "info": Operation("info", "versions, identity, memory and what is stored", lines),
    "settings": Operation("settings", "the settings in force", lines),
    "inputs": Operation("inputs", "switches and keys now", inputs),
    "current": Operation("current", "motor, lamp and supply readings now", currents),
    "accelerometer": Operation("accelerometer", "acceleration now, in mg", fields("<hhh", "x", "y", "z")),
    "tags": Operation(
        "tags",
        "every tag that answers the reader",
        tags,
        "<B",
        (Argument("power", 0, 1, "0: only a face that lies on the plate answers; 1: all", 1),),
    ),
    "recall": Operation(
        "recall",
        "the record of a spin from the controller's own ring",
        recall,
        "<I",
        (Argument("spin", 0, 0xFFFFFFFF, "its number; 0: the last", 0),),
    ),
    "dice": Operation("dice_map_read", "the map of the dice tags", dice_map),
    "readers": Operation("readers", "what reads the dice: tags, camera or both", readers),
    "fit-readers": Operation(
        "readers",
        "say what reads the dice; the controller starts anew",
        nothing,
        "<B",
        (Argument("readers", 1, 3, "1 tags, 2 camera, 3 both"),),
        service=True,
    ),
    "calibration": Operation("calibration_read", "what the camera was taught (tumbler calibrate)", calibration),
    "log": Operation("log", "the controller's log", nothing, bulk="log"),
    "frame": Operation(
        "frame",
        "a picture of the camera, where one is fitted",
        nothing,
        "<B",
        (Argument("lamp", 0, 1, "by which of its lamps", 0, named=True, bit=1),),
        bulk="frame",
    ),
    "self-test": Operation("self_test", "run the self-test", self_test, service=True),
    "motor": Operation(
        "motor",
        "turn the motor; the cover must be closed",
        motor,
        "<hH",
        (Argument("permille", -1000, 1000, "drive, below 0 backwards"), Argument("ms", 1, 5000, "how long")),
        service=True,
    ),
    "lamps": Operation("lamps", "test every lamp, one after the other", lamps, service=True),
    "light": Operation(
        "lamps",
        "light one lamp or all",
        nothing,
        "<HBBB",
        (
            Argument("lamp", 0, ALL_LAMPS, f"its number; {ALL_LAMPS}: all"),
            Argument("red", 0, 255, "0 to 255"),
            Argument("green", 0, 255, "0 to 255"),
            Argument("blue", 0, 255, "0 to 255"),
        ),
        service=True,
    ),
    "buzzer": Operation(
        "buzzer", "sound the buzzer", nothing, "<H", (Argument("ms", 1, 5000, "how long"),), service=True
    ),
    "enter": Operation("enter", "take the table out of play", nothing),
    "leave": Operation("leave", "give it back; it tests itself first", nothing),
    "reset": Operation("reset", "restart the controller", nothing),
    "bootloader": Operation("bootloader", "restart it into its bootloader, to be flashed", nothing, service=True),
    "format": Operation(
        "format", "empty the ring and begin a new epoch; refused while a record waits", nothing, service=True
    ),
}


def read_answer(name: str, data: bytes) -> Values:
    try:
        return OPERATIONS[name].read(data)
    except (struct.error, IndexError, KeyError, ValueError) as error:
        why = f"the controller's answer to {name} cannot be read ({data.hex() or 'empty'}); other firmware?"
        raise AnswerUnreadable(why) from error


# --- the map of the dice tags -----------------------------------------------------------------------------------------


def pack_dice(rows: list[tuple[str, int, int]]) -> bytes:
    """(uid, die from 1, face that the tag sits behind) -> the controller's file."""
    if len({uid.lower() for uid, _, _ in rows}) != len(rows):
        raise DiceMapError("a tag stands twice")
    body = DICE_MAGIC + bytes((len(rows),))
    for uid, die, face in rows:
        body += bytes.fromhex(uid) + bytes((die - 1, face))
    return body + struct.pack("<I", binascii.crc32(body))


def unpack_dice(data: bytes) -> list[tuple[str, int, int]]:
    if data[:4] != DICE_MAGIC or len(data) != 9 + 10 * data[4]:
        raise ValueError("not a map of dice tags")
    if binascii.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
        raise ValueError("its checksum is wrong")
    rows = (data[5 + 10 * i : 15 + 10 * i] for i in range(data[4]))
    return [(row[:UID_BYTES].hex(), row[8] + 1, row[9]) for row in rows]
