"""The JSON Schema of each topic's payload (draft 2020-12): the contract with whoever subscribes.

Open to new members, strict about those that are named: a consumer may rely on what stands here, and ignores the rest.
Who makes the payloads is tumbler.table; the tests hold the two together.
"""

from __future__ import annotations

from typing import Any

from dicewire.declared.codes import PHASES
from dicewire.declared.eventcodes import SEVERITIES as SEVERITY_CODES

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
NAMES: Schema = {"type": "array", "items": TEXT}
PART: Schema = {"type": "object"}
HASH: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
TIME: Schema = {
    "type": "string",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
    "description": "ISO 8601, UTC, milliseconds",
}
RESULT_ID: Schema = {
    "type": "string",
    "pattern": "^[0-9a-f]{8}-[0-9]{8,10}$",
    "description": "epoch-spin; never used twice",
}
STAMP: Schema = {
    "site": {**TEXT, "description": "the site of the topic"},
    "table": {**TEXT, "description": "the table of the topic"},
    "at": {**TIME, "description": "when the daemon wrote this, ISO 8601, UTC"},
}


def maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def words(*allowed: str) -> Schema:
    return {"type": "string", "enum": list(allowed)}


def payload(title: str, required: Schema, optional: Schema | None = None) -> Schema:
    """An object with the stamp that every payload of the daemon carries."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": {**STAMP, **required, **(optional or {})},
        "required": [*STAMP, *required],
    }


LINK_STATES = ("absent", "closed", "opening", "up", "down", "silent", "foreign", "refused")  # table.session.LinkState
ROUNDS = tuple(row.name for row in PHASES)
SEVERITIES = tuple(row.name for row in SEVERITY_CODES)

STATE = payload(
    "state",
    {"state": words("online", "offline")},
    {
        "reason": {**words("stopped", "lost"), "description": "of offline: stopped in order, or the will spoke"},
        "version": TEXT,
        "since": {**TIME, "description": "when the daemon started"},
    },
)

LINK = payload(
    "link",
    {"state": {**words("up", "down"), "description": "whether the controller answers"}},
    {
        "link": {**words(*LINK_STATES), "description": "how far the connection has come"},
        "code": {**TEXT, "description": "the same in one word, as in error-codes.md"},
        "reason": maybe({**TEXT, "description": "of down: what is wrong with it"}),
        "port": {**TEXT, "description": "where the controller is, or is looked for"},
    },
)

INFO = payload(
    "info",
    {"version": TEXT, "book": TEXT, "game_hash": HASH},
    {
        "controller": maybe(
            {
                "type": "object",
                "properties": {"firmware": TEXT, "board": TEXT, "uid": TEXT, "boot_id": TEXT, "epoch": TEXT},
            }
        ),
        "dice": {**COUNT, "description": "how many dice the book plays with"},
        "areas": {**NAMES, "description": "every area of the layout, in the order of its lamps"},
        "game_table": {**TEXT, "description": "whether the controller plays by this game table"},
    },
)

HEALTH = payload(
    "health",
    {"interval_s": {"type": "integer", "minimum": 1}},
    {
        "warnings": {**NAMES, "description": "gauges beyond their threshold"},
        "link": {**PART, "description": "the cable: frames, errors, retransmits, round trip"},
        "broker": {**PART, "description": "this connection: whether it stands, counters, time to PUBACK"},
        "outbox": {**PART, "description": "messages that wait for the broker, and since when"},
        "controller": {
            **PART,
            "description": "its own health: heap, loop time, flash, drift of its camera in thousandths",
        },
        "daemon": {**PART, "description": "memory, processor time and age of the process"},
        "pending": {**COUNT, "description": "results that the controller still keeps"},
        "holds": {**NAMES, "description": "why the daemon allows no new spin"},
        "waiting": {**COUNT, "description": "spins and events that are not in the journal yet"},
        "recorded_ms": {**NUMBER, "description": "longest time from the wire to the disk since the last `health`"},
        "refused_results": {**COUNT, "description": "since the daemon started"},
        "refused_commands": {**COUNT, "description": "since the daemon started"},
        "dropped_events": {**COUNT, "description": "events lost while the journal could not be written"},
        "limits": {**PART, "description": "each gauge that has a limit: `now`, `limit`, `unit`, `beyond`"},
        "journal": {
            "type": "object",
            "properties": {"seq": COUNT, "hash": HASH},
            "description": "the chain's end; kept elsewhere, it proves later that nothing was cut",
        },
    },
)

ROUND = payload(
    "round",
    {"round": words(*ROUNDS), "spin": COUNT},
    {
        "game_state": COUNT,
        "puck": COUNT,
        "collected": COUNT,
        "lock": TEXT,
        "hold": TEXT,
        "faults": NAMES,
        "inputs": NAMES,
        "pending": {**COUNT, "description": "results the controller has that are not committed yet"},
    },
)

RESULT = payload(
    "result",
    {
        "result_id": RESULT_ID,
        "book": TEXT,
        "game_hash": {**HASH, "description": "the game table that was played"},
        "spin": COUNT,
        "faces": {
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": 6},
            "minItems": 2,
            "maxItems": 3,
            "description": "sorted",
        },
        "total": {"type": "integer", "minimum": 2, "maximum": 18},
        "state_before": COUNT,
        "state_after": COUNT,
        "puck": COUNT,
        "winning_areas": {**NAMES, "uniqueItems": True, "description": "sorted as strings"},
        "opinions": {**NAMES, "description": "the readers that agreed"},
        "times": {
            "type": "object",
            "description": "the controller's own times in ms from the start of the spin",
            "properties": {
                "spin_ms": COUNT,
                "nmb_ms": COUNT,
                "exposed_ms": COUNT,
                "read_ms": COUNT,
                "uptime_ms": COUNT,
            },
            "required": ["spin_ms", "nmb_ms", "exposed_ms", "read_ms"],
        },
        "spun_at": maybe(TIME),
        "seq": {**COUNT, "description": "its record in the table's journal"},
    },
    {"epoch": TEXT, "collected": COUNT, "flags": NAMES, "notes": {"type": "array"}},
)

EVENT = payload(
    "event",
    {"severity": words(*SEVERITIES)},
    {
        "text": TEXT,
        "code": TEXT,
        "number": COUNT,
        "rule": {**TEXT, "description": "number of the clause in the book's document"},
        "cause": {**TEXT, "description": "of a no spin or a void"},
        "result_id": RESULT_ID,
        "spin": COUNT,
        "by": TEXT,
        "role": TEXT,
        "source": words("controller", "daemon"),
        "seq": {**maybe(COUNT), "description": "its record in the journal; null where it could not be written"},
        # of the controller's own events
        "a": {"type": "integer", "description": "the controller's numbers to its event, see error-codes.md"},
        "b": {"type": "integer", "description": "the second of them"},
        "words": {**TEXT, "description": "the controller's words to it"},
        "controller_at": {**maybe(TIME), "description": "when it happened by the controller's clock"},
        "uptime_ms": {**COUNT, "description": "of the controller, when it happened"},
        # of a no spin or a refused spin
        "book": TEXT,
        "game_hash": HASH,
        "epoch": TEXT,
        "detail": {**COUNT, "description": "of a no spin, see error-codes.md"},
        "sight": {**maybe(TEXT), "description": "what the camera saw amiss"},
        "evidence": {"description": "what speaks for it: of a no spin hexadecimal, of a finding an object"},
        "spun_at": maybe(TIME),
        "notes": {"type": "array", "description": "checks that were not met and don't spoil it"},
        "findings": {"type": "array", "description": "the checks that a refused spin did not meet"},
        "consequence": {**TEXT, "description": "what follows from the refusal"},
        # of an order
        "command": {**TEXT, "description": "the name of `cmd/{name}`"},
        "args": {"type": "object"},
        "answer": {**TEXT, "description": "the code that it was answered with"},
        "contested": {**NAMES, "description": "of a release: spins that had been told with two contents"},
        # of a kept picture, of a limit
        "file": {**TEXT, "description": "where the picture is"},
        "sha256": HASH,
        "now": {**NUMBER, "description": "of a limit of `health`: the gauge"},
        "limit": NUMBER,
        "unit": TEXT,
        "beyond": FLAG,
    },
)

COMMAND: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "command",
    "type": "object",
    "properties": {
        "id": {"type": ["string", "integer"], "description": "chosen by the sender, comes back in the answer"},
        "by": {**TEXT, "description": "who asks"},
        "role": {**TEXT, "description": "the authority claimed"},
        "args": {"type": "object"},
        "at": {"description": "when it was asked"},
        "sig": {**TEXT, "description": "signature of the person's key"},
    },
    "required": ["id"],
}

RESPONSE: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "response",
    "type": "object",
    "properties": {
        "id": {"type": ["string", "integer", "null"], "description": "of the command; null when it had none"},
        "ok": FLAG,
        "code": {**TEXT, "description": "`done`, or why not"},
        "text": TEXT,
        "rule": TEXT,
        "data": {"description": "what was asked for"},
    },
    "required": ["id", "ok", "code", "text"],
}

DIAG = payload("diag", {}, {"line": TEXT, "frame": {**TEXT, "description": "base64"}})
