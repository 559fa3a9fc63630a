"""Layout of a declared message on the wire: struct format, sizes, variable fields; and the schema hash.

Also checks the declaration itself: a message that could not fit a full frame is an error here, not at play.
"""

import hashlib
from typing import NamedTuple

from dicewire.declared import codes, eventcodes, linkcodes
from dicewire.declared.messages import BOTH, C2H, H2C, MESSAGES, PROTO, UNSEQUENCED, Field, Message
from dicewire.declared.table import Table

TABLES: tuple[Table, ...] = codes.TABLES + eventcodes.TABLES + linkcodes.TABLES

HEAD, TAG, CRC, FULL_FRAME = 5, 8, 4, 254
_INTEGERS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i16": "h", "i32": "i"}
_WIDTHS = {"B": 1, "H": 2, "I": 4, "Q": 8, "h": 2, "i": 4}
BYTES, STRING, REST = 0, 1, 2
WAYS = {H2C: 1, C2H: 2, BOTH: 3}
PRIORITIES = {"result": 0, "command": 1, "bulk": 2, UNSEQUENCED: 3}


class Variable(NamedTuple):
    name: str
    limit: int
    kind: int


class Layout(NamedTuple):
    format: str
    size: int
    names: tuple[str, ...]
    variable: tuple[Variable, ...]
    largest: int


def bounds(field: Field) -> tuple[int, int]:
    """Smallest and largest value of an integer field."""
    bits = int(field.kind[1:])
    return (0, (1 << bits) - 1) if field.kind[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def is_integer(field: Field) -> bool:
    return field.kind in _INTEGERS


def fixed_bytes(field: Field) -> int:
    """Length of a field of kind b<N>, else 0."""
    return int(field.kind[1:]) if field.kind[0] == "b" and field.kind[1:].isdigit() else 0


def variable(field: Field, room: int) -> Variable:
    if field.kind == "rest":
        return Variable(field.name, room, REST)
    for word, kind in (("str", STRING), ("bytes", BYTES)):
        if field.kind.startswith(word):
            return Variable(field.name, int(field.kind[len(word) :]), kind)
    raise ValueError(f"field {field.name}: no kind {field.kind!r}")


def layout(message: Message) -> Layout:
    """The layout of a message. ValueError where the declaration is wrong."""
    text, size, names, variables = "<", 0, [], []
    for field in message.fields:
        if is_integer(field):
            code = _INTEGERS[field.kind]
            text, size = text + code, size + _WIDTHS[code]
        elif fixed_bytes(field):
            text, size = f"{text}{fixed_bytes(field)}s", size + fixed_bytes(field)
        else:
            continue
        names.append(field.name)
    room = FULL_FRAME - HEAD - CRC - (TAG if message.tagged else 0)
    for field in message.fields:
        if field.name not in names:
            variables.append(variable(field, room - size))
    largest = size + sum(v.limit + (v.kind != REST) for v in variables)
    if largest > room:
        raise ValueError(f"{message.name} may take {largest} bytes, a frame has room for {room}")
    if len({f.name for f in message.fields}) != len(message.fields):
        raise ValueError(f"{message.name} has two fields of one name")
    return Layout(text, size, tuple(names), tuple(variables), largest)


def canonical() -> str:
    """What the two sides must agree on, as text: layouts and the numbers of codes, without explanations."""
    lines = [f"dicewire {PROTO}"]
    for m in sorted(MESSAGES):
        fields = " ".join(f"{f.name}:{f.kind}" for f in m.fields)
        lines.append(f"{m.number} {m.name} {m.way} {m.priority} {int(m.tagged)} {fields}")
    for table in TABLES:
        lines.append(f"{table.prefix} " + " ".join(f"{row.number}={row.name}" for row in table))
    return "\n".join(lines) + "\n"


def schema_hash() -> bytes:
    return hashlib.sha256(canonical().encode()).digest()[:8]
