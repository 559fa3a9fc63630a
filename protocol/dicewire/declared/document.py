"""Writes docs/protocol.md, the reference of the wire, from the declaration. Words that no table can hold: `prose`."""

from dicewire.declared.layout import CRC, HEAD, REST, TABLES, TAG, layout, schema_hash
from dicewire.declared.messages import (
    BULK_MESSAGES,
    CONTROLLER_MESSAGES,
    HOST_MESSAGES,
    LINK_MESSAGES,
    PROTO,
    Message,
)
from dicewire.declared.prose import INTRODUCTION
from dicewire.declared.runtime import MADE_BY
from dicewire.declared.table import Table

_GROUPS = (
    ("Link and session", LINK_MESSAGES),
    ("Bulk transfer and rejection", BULK_MESSAGES),
    ("Controller to host", CONTROLLER_MESSAGES),
    ("Host to controller", HOST_MESSAGES),
)
_FRAMING = HEAD + CRC + 2


def _message(message: Message) -> list[str]:
    made = layout(message)
    overhead = _FRAMING + (TAG if message.tagged else 0)
    facts = f"`{message.number:#04x}`, {message.way}, {message.priority}, {'tagged, ' if message.tagged else ''}"
    least = made.size + sum(v.kind != REST for v in made.variable)
    sizes = f"{least}" if made.largest == least else f"{least} to {made.largest}"
    out = [f"### {message.name}", "", f"{message.text} {facts}{sizes} bytes and {overhead} of framing.", ""]
    if message.fields:
        out += ["| field | kind | what |", "| --- | --- | --- |"]
        for field in message.fields:
            codes = f" ([{field.table.title}](#{_anchor(field.table)}))" if field.table else ""
            out.append(f"| `{field.name}` | {field.kind} | {field.text}{codes} |")
        out.append("")
    return out


def _anchor(table: Table) -> str:
    return table.title.replace(" ", "-")


def _table(table: Table) -> list[str]:
    has = {
        "rule": any(row.rule for row in table),
        "level": any(row.level for row in table),
        "kind": any(row.kind for row in table),
    }
    extra = [name for name, there in has.items() if there]
    head = ["bit" if table.bits else "number", "constant", "name", "text", *extra]
    out = [f"### {table.title}", "", table.about, "", f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for row in table:
        cells = [str(row.number), f"`{table.constant(row)}`", row.name, row.text]
        cells += [str(getattr(row, name)) for name in extra]
        out.append(f"| {' | '.join(cells)} |")
    return [*out, ""]


def protocol_page() -> str:
    out = [
        "# dicewire: the wire between controller and daemon",
        "",
        f"<!-- {MADE_BY} -->",
        "",
        f"Version {PROTO}, schema hash `{schema_hash().hex()}`. {MADE_BY}",
        "The same in JSON Schema: [`protocol/messages.schema.json`](../protocol/messages.schema.json).",
        "Why it is as it is: [decision 0001](decisions/0001-dicewire.md).",
        "",
        INTRODUCTION.strip(),
        "",
    ]
    for title, messages in _GROUPS:
        out += [f"## {title}", ""]
        for message in messages:
            out += _message(message)
    out += ["## Codes", ""]
    for table in TABLES:
        out += _table(table)
    return "\n".join(out).rstrip() + "\n"
