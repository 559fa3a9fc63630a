"""What a spin ended in, as the controller reported it: a result or a no spin, with typed fields and its identity.

Made from a decoded message and nothing else; `wire` is what goes into the journal as evidence and is compared when
the same spin is reported again. Not for judging it: validator.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dicewire.declared.codes import RESULT_FLAGS

MAX_DICE = 3


def result_id(epoch: bytes, spin: int) -> str:
    """The one identity of a spin from dice to floor; the daemon never makes another."""
    return f"{epoch.hex()}-{spin:08d}"


def as_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """A decoded message as JSON can hold it: bytes as hexadecimal."""
    return {
        name: bytes(value).hex() if isinstance(value, (bytes, bytearray, memoryview)) else value
        for name, value in values.items()
    }


def iso_time(wall_ms: int) -> str | None:
    """UTC, to the millisecond; None for 0, the controller's word for "not known"."""
    if wall_ms == 0:
        return None
    try:
        stamp = datetime.fromtimestamp(wall_ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return stamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, kw_only=True)
class Spin:
    """What results and no spins have in common."""

    result_id: str
    epoch: str
    spin: int
    wall_ms: int
    uptime_ms: int
    wire: dict[str, Any]


# Set when a record is read back after a restart: the one thing that may differ when a spin is reported again.
RESTORED = 1 << RESULT_FLAGS.number("restored")


def same_content(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two `wire`s tell of the same spin in the same words."""

    def settled(wire: Mapping[str, Any]) -> dict[str, Any]:
        return {**wire, "flags": wire.get("flags", 0) & ~RESTORED}

    return settled(one) == settled(other)


@dataclass(frozen=True, kw_only=True)
class Result(Spin):
    faces: tuple[int, ...]
    dice: int
    state_before: int
    state_after: int
    puck: int
    areas: bytes
    opinions: int
    reads: int
    spin_ms: int
    tumbles: int
    peak_rpm: int
    nmb_ms: int
    exposed_ms: int
    read_ms: int
    flags: int
    collected: int

    @property
    def total(self) -> int:
        return sum(self.faces)


@dataclass(frozen=True, kw_only=True)
class NoSpin(Spin):
    cause: int
    detail: int
    by: int
    evidence: bytes


def result_from(values: Mapping[str, Any], epoch: bytes) -> Result:
    """The typed form of a decoded RESULT; a face of 0 is a die that is not there."""
    raw = bytes(values["faces"])
    own = ("faces", "areas")
    plain = {name: int(value) for name, value in values.items() if name not in own}
    return Result(
        result_id=result_id(epoch, plain["spin"]),
        epoch=epoch.hex(),
        faces=tuple(face for face in raw[:MAX_DICE] if face),
        areas=bytes(values["areas"]),
        wire=as_json(values),
        **plain,
    )


def no_spin_from(values: Mapping[str, Any], epoch: bytes) -> NoSpin:
    plain = {name: int(value) for name, value in values.items() if name != "evidence"}
    return NoSpin(
        result_id=result_id(epoch, plain["spin"]),
        epoch=epoch.hex(),
        evidence=bytes(values["evidence"]),
        wire=as_json(values),
        **plain,
    )
