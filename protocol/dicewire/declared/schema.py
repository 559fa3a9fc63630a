"""JSON Schema of the messages in JSON: bytes are lower-case hex."""

import json
from typing import Any

from dicewire.declared.layout import STRING, bounds, fixed_bytes, is_integer, layout, schema_hash, variable
from dicewire.declared.messages import MESSAGES, PROTO, Field, Message
from dicewire.declared.runtime import MADE_BY


def _field(field: Field, room: int) -> dict[str, Any]:
    about: dict[str, Any] = {"description": field.text}
    if is_integer(field):
        low, high = bounds(field)
        about |= {"type": "integer", "minimum": low, "maximum": high}
        if field.table is not None:
            about["x-codes"] = {row.name: field.table.value(row) for row in field.table}
    elif fixed_bytes(field):
        about |= {"type": "string", "pattern": f"^([0-9a-f]{{2}}){{{fixed_bytes(field)}}}$"}
    else:
        made = variable(field, room)
        if made.kind == STRING:
            about |= {"type": "string", "maxLength": made.limit}
        else:
            about |= {"type": "string", "pattern": f"^([0-9a-f]{{2}}){{0,{made.limit}}}$"}
    return about


def _message(message: Message) -> dict[str, Any]:
    rest = {v.name: v.limit for v in layout(message).variable}
    return {
        "title": message.name,
        "description": message.text,
        "x-number": message.number,
        "x-direction": message.way,
        "x-tagged": message.tagged,
        "type": "object",
        "properties": {f.name: _field(f, rest.get(f.name, 0)) for f in message.fields},
        "required": [f.name for f in message.fields],
        "additionalProperties": False,
    }


def schema() -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "dicewire messages",
        "description": f"Values of each message in JSON; bytes are hex. {MADE_BY}",
        "x-proto": PROTO,
        "x-schema-hash": schema_hash().hex(),
        "$defs": {m.name: _message(m) for m in MESSAGES},
    }


def schema_file() -> str:
    return json.dumps(schema(), indent=1) + "\n"
