"""What the floor reads: the JSON of each topic, and the journal's body of each record, made from the same facts.

Numbers of the wire become names here and nowhere else. No sending, no deciding.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dicewire.declared.codes import (
    CAUSES,
    FAULTS,
    HOLDS,
    INPUTS,
    LOCKS,
    PHASES,
    READERS,
    RESET_CAUSES,
    RESULT_FLAGS,
    ROLES,
)
from dicewire.declared.eventcodes import EVENTS, SEVERITIES
from dicewire.declared.linkcodes import DOWNS
from dicewire.declared.table import Code

from tumbler.table.evidence import sight_of
from tumbler.table.spin import NoSpin, Result, Spin, iso_time
from tumbler.table.validator import Consequence, Finding, worst

TIMES = ("spin_ms", "nmb_ms", "exposed_ms", "read_ms", "uptime_ms")


@dataclass(frozen=True)
class Identity:
    """Which table speaks."""

    site: str
    table: str
    book: str
    game_hash: str

    def topic(self, leaf: str) -> str:
        return f"tumbler/v1/{self.site}/{self.table}/{leaf}"

    def stamp(self, at_ms: int) -> dict[str, Any]:
        return {"site": self.site, "table": self.table, "at": iso_time(at_ms)}


def encode(payload: Mapping[str, Any]) -> bytes:
    return json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()


# --- spins ------------------------------------------------------------------------------------------------------------


def result_body(
    result: Result, areas: Sequence[str], identity: Identity, findings: Sequence[Finding]
) -> dict[str, Any]:
    """The journal's body of a valid result; what is published is made from it."""
    return {
        "book": identity.book,
        "game_hash": identity.game_hash,
        "epoch": result.epoch,
        "spin": result.spin,
        "faces": list(result.faces),
        "total": result.total,
        "winning_areas": list(areas),
        "state_before": result.state_before,
        "state_after": result.state_after,
        "puck": result.puck,
        "collected": result.collected,
        "opinions": READERS.names_in(result.opinions),
        "flags": RESULT_FLAGS.names_in(result.flags),
        "times": {name: getattr(result, name) for name in TIMES},
        "spun_at": iso_time(result.wall_ms),
        "notes": [finding.as_json() for finding in findings],
        "wire": result.wire,
    }


def no_spin_body(spin: NoSpin, identity: Identity, findings: Sequence[Finding]) -> dict[str, Any]:
    cause = CAUSES.get(spin.cause)
    return {
        "book": identity.book,
        "epoch": spin.epoch,
        "spin": spin.spin,
        "cause": cause.name,
        "rule": cause.rule,
        "text": cause.text,
        "by": ROLES.name(spin.by),
        "detail": spin.detail,
        "sight": sight_of(spin.detail),
        "evidence": spin.evidence.hex(),
        "spun_at": iso_time(spin.wall_ms),
        "notes": [finding.as_json() for finding in findings],
        "wire": spin.wire,
    }


def refused_body(spin: Spin, identity: Identity, findings: Sequence[Finding]) -> dict[str, Any]:
    consequence = worst(list(findings)) or Consequence.NOTE
    leading = max(findings, key=lambda finding: finding.check.consequence).check
    return {
        "book": identity.book,
        "game_hash": identity.game_hash,
        "epoch": spin.epoch,
        "spin": spin.spin,
        "code": leading.name,
        "number": leading.code,
        "rule": leading.rule,
        "text": f"spin {spin.spin} refused: {leading.text}",
        "consequence": consequence.name.lower(),
        "findings": [finding.as_json() for finding in findings],
        "spun_at": iso_time(spin.wall_ms),
        "wire": spin.wire,
    }


def spin_payload(body: Mapping[str, Any], identity: Identity, result_id: str, seq: int, at_ms: int) -> dict[str, Any]:
    """What is published of a result or a no spin: its body without the raw message, with its place in the journal."""
    told = {name: value for name, value in body.items() if name != "wire"}
    return {"result_id": result_id, **identity.stamp(at_ms), **told, "seq": seq}


# --- events -----------------------------------------------------------------------------------------------------------


# Whose numbers an event's `a` is: a person reads "hold reason 5 (no_game_table)"
_NUMBERS_OF_A = {
    "boot": RESET_CAUSES,
    "self_test_failed": FAULTS,
    "fault_set": FAULTS,
    "fault_cleared": FAULTS,
    "locked": LOCKS,
    "unlocked": ROLES,
    "hold": HOLDS,
    "spin_refused": CAUSES,
    "host_down": DOWNS,
}


def _said(row: Code, values: Mapping[str, Any], words: str) -> str:
    numbers = _NUMBERS_OF_A.get(row.name)
    a = f"{values['a']} ({numbers.name(int(values['a']))})" if numbers is not None else values["a"]
    return row.text.format(a=a, b=values["b"], text=words).removesuffix(": ")


def controller_event(values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """(kind, body) of an EVENT of the controller."""
    row = EVENTS.get(int(values["code"]))
    words = str(values["text"])
    body = {
        "source": "controller",
        "code": row.name,
        "number": row.number,
        "severity": SEVERITIES.name(int(values["severity"])),
        "text": _said(row, values, words),
        "a": values["a"],
        "b": values["b"],
        "words": words,
        "controller_at": iso_time(int(values["wall_ms"])),
        "uptime_ms": values["uptime_ms"],
    }
    return row.kind or "fault", body


def event_payload(body: Mapping[str, Any], identity: Identity, at_ms: int, seq: int | None = None) -> dict[str, Any]:
    """`seq` is None for an event that could not be journalled: it is told all the same."""
    return {**identity.stamp(at_ms), **{name: value for name, value in body.items() if name != "wire"}, "seq": seq}


# --- what stands ------------------------------------------------------------------------------------------------------


def round_payload(values: Mapping[str, Any], identity: Identity, at_ms: int) -> dict[str, Any]:
    """Where the round stands, from STATE."""
    return {
        **identity.stamp(at_ms),
        "round": PHASES.name(int(values["phase"])),
        "spin": values["spin"],
        "game_state": values["game_state"],
        "puck": values["puck"],
        "collected": values["collected"],
        "lock": LOCKS.name(int(values["lock"])),
        "hold": HOLDS.name(int(values["hold"])),
        "faults": FAULTS.names_in(int(values["faults"])),
        "inputs": INPUTS.names_in(int(values["inputs"])),
        "pending": values["pending"],
    }


def controller_identity(hello: Mapping[str, Any]) -> dict[str, Any]:
    """Who answered on the port."""
    return {
        "firmware": hello["firmware"],
        "board": hello["board"],
        "uid": hello["uid"],
        "boot_id": bytes(hello["boot_id"]).hex(),
        "epoch": bytes(hello["epoch"]).hex(),
        "reset_cause": RESET_CAUSES.name(int(hello["reset_cause"])),
        "proto": hello["proto"],
        "schema_hash": bytes(hello["schema_hash"]).hex(),
        "max_frame": hello["max_frame"],
        "window": hello["window"],
        "game_hash": bytes(hello["game_hash"]).hex(),
        "dice": hello["dice"],
    }
