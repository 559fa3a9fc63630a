"""Zones of a craps table's picture, from a TOML file to the bytes that the controller keeps (firmware/controller/reader/zones.py).

[[zone]]
cause = "on_rail"            # on_rail, in_bowl, in_float or off_table
circle = [160, 120, 118]     # pixels of a picture 320 x 240: x, y, radius; with `inner = R` a ring
[[zone]]
cause = "in_bowl"
box = [20, 150, 90, 230]     # left, top, right, bottom; or outside = [x, y, radius]
"""

from __future__ import annotations

import struct
import tomllib
import zlib
from pathlib import Path
from typing import Any

from dicewire.declared.codes import CAUSES

ZONE_CAUSES = ("on_rail", "in_bowl", "in_float", "off_table")
SHAPES = {"circle": (0, 3), "box": (1, 4), "outside": (2, 3)}  # number on the wire, how many numbers it takes
MOST = 16
FARTHEST = 1000  # pixels
MAGIC = b"TZN1"
ROW = struct.Struct("<BBhhhh")


class BadZones(Exception):
    """The file can't be used; the message names file, zone and key."""


def read(path: Path) -> bytes:
    try:
        table = tomllib.loads(path.read_text())
    except OSError as error:
        raise BadZones(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadZones(f"{path}: not TOML: {error}") from None
    unknown = sorted(set(table) - {"zone"})
    zones = table.get("zone", [])
    if unknown or not isinstance(zones, list) or len(zones) > MOST:
        raise BadZones(f"{path}: {unknown[0] if unknown else 'zone'}: only [[zone]], at most {MOST}")
    rows = b"".join(_row(f"{path}: zone {number}", zone) for number, zone in enumerate(zones, start=1))
    body = MAGIC + bytes((len(zones),)) + rows
    return body + struct.pack("<I", zlib.crc32(body))


def _row(where: str, zone: Any) -> bytes:
    if not isinstance(zone, dict):
        raise BadZones(f"{where}: not a table: [[zone]]")
    shapes = [name for name in SHAPES if name in zone]
    if len(shapes) != 1:
        raise BadZones(f"{where}: needs one of {', '.join(SHAPES)}")
    shape = shapes[0]
    number, count = SHAPES[shape]
    allowed = {"cause", shape} | ({"inner"} if shape == "circle" else set())
    for key in zone:
        if key not in allowed:
            raise BadZones(f"{where}: {key}: unknown; there are {', '.join(sorted(allowed))}")
    if zone.get("cause") not in ZONE_CAUSES:
        raise BadZones(f"{where}: cause {zone.get('cause')!r}: must be one of {', '.join(ZONE_CAUSES)}")
    values = zone[shape]
    if not isinstance(values, list) or len(values) != count or not all(_pixel(value) for value in values):
        raise BadZones(f"{where}: {shape} {values!r}: must be {count} whole numbers up to {FARTHEST}")
    inner = zone.get("inner", 0)
    if not _pixel(inner) or inner < 0:
        raise BadZones(f"{where}: inner {inner!r}: must be a whole number from 0 to {FARTHEST}")
    return ROW.pack(CAUSES.number(zone["cause"]), number, *values, *([inner] if count < 4 else []))


def _pixel(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -FARTHEST <= value <= FARTHEST


def words(data: bytes) -> list[str]:
    """A stored file, for people."""
    names = {number: name for name, (number, _) in SHAPES.items()}
    rows = [ROW.unpack_from(data, 5 + k * ROW.size) for k in range(data[4])]
    return [f"{CAUSES.name(cause):<10} {names[shape]} {' '.join(map(str, numbers))}" for cause, shape, *numbers in rows]
