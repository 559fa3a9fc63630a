"""docs/mqtt.md (its tables) and docs/asyncapi.yaml, made from their declarations: `python -m tumbler.mqttdocs`.

The words around the tables in mqtt.md are written by hand; what stands between its two marks is made here. A test fails
when a file is not what this would write.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tumbler.mqtt.schemas import Schema
from tumbler.mqtt.topics import PREFIX, TOPICS, Direction, Topic
from tumbler.table.commands import ORDERS, Argument

BEGIN, END = "<!-- made by python -m tumbler.mqttdocs: begin -->", "<!-- made: end -->"
HEAD = "# Made by `python -m tumbler.mqttdocs` from tumbler/mqtt/topics.py and schemas.py; don't edit.\n"
ADDRESS = PREFIX + "/{site}/{table}/"


def docs_folder() -> Path:
    return Path(__file__).parents[2] / "docs"


# --- Markdown ---------------------------------------------------------------------------------------------------------


def markdown() -> str:
    """The part of mqtt.md between the marks."""
    return "\n".join([*_topic_table(), "", *_payloads(), *_command_table()])


def _topic_table() -> Iterator[str]:
    yield "| topic | QoS | retained | assured | what |"
    yield "| --- | --- | --- | --- | --- |"
    for topic in TOPICS:
        retained = "yes" if topic.retained else "never" if topic.direction is Direction.IN else "no"
        assured = "outbox" if topic.assured else "no"
        yield f"| `{topic.name}` | {topic.qos} | {retained} | {assured} | {topic.text} |"


def _payloads() -> Iterator[str]:
    shown: set[str] = set()
    for topic in TOPICS:
        title = str(topic.schema["title"])
        if title in shown:
            continue
        shown.add(title)
        names = ", ".join(f"`{other.name}`" for other in TOPICS if other.schema is topic.schema)
        yield f"### {names}"
        yield ""
        yield "| member | type | always | what |"
        yield "| --- | --- | --- | --- |"
        required = topic.schema.get("required", [])
        for name, schema in topic.schema["properties"].items():
            always = "yes" if name in required else ""
            yield f"| `{name}` | {kind_of(schema)} | {always} | {text_of(schema)} |"
        yield ""


def _command_table() -> Iterator[str]:
    yield "### Commands"
    yield ""
    yield "| `cmd/` | duty it needs | arguments | what |"
    yield "| --- | --- | --- | --- |"
    for name, order in ORDERS.items():
        arguments = ", ".join(_argument(argument) for argument in order.arguments)
        yield f"| `{name}` | {order.duty.value.replace('_', ' ')} | {arguments} | {order.text} |"


def _argument(argument: Argument) -> str:
    words = "one of the service operations" if argument.name == "op" else "one of the causes of the protocol reference"
    if argument.words and len(argument.words) <= 3:
        words = " or ".join(f"`{word}`" for word in argument.words)
    elif not argument.words:
        words = f"{argument.low} to {argument.high}" if argument.kind is int else "text"
    default = "" if argument.default is None else f", else {json.dumps(argument.default)}"
    return f"`{argument.name}` ({words}{default})"


def kind_of(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(kind_of(one) for one in schema["anyOf"])
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array" and "items" in schema:
        return f"array of {kind_of(schema['items'])}"
    if "minimum" in schema and "maximum" in schema:
        return f"{kind} {schema['minimum']} to {schema['maximum']}"
    return str(kind)


def text_of(schema: Mapping[str, Any]) -> str:
    """Its description, or that of what it may be; and the members of an object that has some."""
    texts = [str(schema["description"])] if "description" in schema else []
    texts += [text for one in schema.get("anyOf", ()) if (text := text_of(one))]
    if "properties" in schema:
        texts.append("members " + ", ".join(f"`{name}`" for name in schema["properties"]))
    return "; ".join(texts)


def with_tables(text: str) -> str:
    """mqtt.md with its tables made anew."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n\n{markdown()}\n\n{END}{after}"


# --- AsyncAPI ---------------------------------------------------------------------------------------------------------


def asyncapi() -> dict[str, Any]:
    schemas = {str(topic.schema["title"]): _without_dialect(topic.schema) for topic in TOPICS}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Tumbler",
            "version": "1.0.0",
            "description": "What a table tells the floor over MQTT, and what may be asked of it. See mqtt.md.",
        },
        "defaultContentType": "application/json",
        "servers": {
            "broker": {
                "host": "{host}:{port}",
                "protocol": "mqtt",
                "protocolVersion": "5",
                "description": "MQTT 5; 3.1.1 where the broker has no better.",
                "variables": {"host": {"default": "127.0.0.1"}, "port": {"default": "1883"}},
            }
        },
        "channels": {_id(topic): _channel(topic) for topic in TOPICS},
        "operations": {f"{_action(topic)}_{_id(topic)}": _operation(topic) for topic in TOPICS},
        "components": {
            "schemas": schemas,
            "messages": {
                title: {"name": title, "payload": {"$ref": f"#/components/schemas/{title}"}} for title in schemas
            },
        },
    }


def _without_dialect(schema: Schema) -> Schema:
    return {name: value for name, value in schema.items() if name != "$schema"}


def _id(topic: Topic) -> str:
    return topic.name.replace("/", "_").replace("{", "").replace("}", "")


def _action(topic: Topic) -> str:
    return "receive" if topic.direction is Direction.IN else "send"  # as the daemon sees it


def _channel(topic: Topic) -> dict[str, Any]:
    title = str(topic.schema["title"])
    words = [part.strip("{}") for part in topic.name.split("/") if part.startswith("{")]
    parameters = {"site": "the site of the configuration", "table": "the table of the configuration"}
    parameters |= dict.fromkeys(words, topic.text)
    return {
        "address": ADDRESS + topic.name,
        "description": topic.text,
        "parameters": {name: {"description": text} for name, text in parameters.items()},
        "messages": {title: {"$ref": f"#/components/messages/{title}"}},
    }


def _operation(topic: Topic) -> dict[str, Any]:
    mqtt: dict[str, Any] = {"qos": topic.qos, "retain": topic.retained}
    if topic.expiry_s is not None:
        mqtt["messageExpiryInterval"] = topic.expiry_s
    return {
        "action": _action(topic),
        "channel": {"$ref": f"#/channels/{_id(topic)}"},
        "summary": topic.text,
        "bindings": {"mqtt": mqtt},
    }


def yaml(value: Any, depth: int = 0) -> str:
    """Block style for what has members, JSON for the rest: JSON's scalars are YAML's."""
    pad = "  " * depth
    if isinstance(value, Mapping) and value:
        return "".join(f"{pad}{_key(name)}:{_after(member, depth)}" for name, member in value.items())
    if isinstance(value, list) and value and any(isinstance(member, (Mapping, list)) for member in value):
        return "".join(f"{pad}-{_after(member, depth)}" for member in value)
    return f"{pad}{json.dumps(value, ensure_ascii=False)}\n"


def _after(member: Any, depth: int) -> str:
    nested = isinstance(member, Mapping) or (
        isinstance(member, list) and any(isinstance(one, (Mapping, list)) for one in member)
    )
    if nested and member:
        return "\n" + yaml(member, depth + 1)
    return " " + json.dumps(member, ensure_ascii=False) + "\n"


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


def files(folder: Path) -> dict[Path, str]:
    """Every file that is made here, with what it must hold."""
    reference = folder / "mqtt.md"
    return {
        reference: with_tables(reference.read_text("utf-8")),
        folder / "asyncapi.yaml": HEAD + yaml(asyncapi()),
    }


def main() -> int:
    for path, text in files(docs_folder()).items():
        path.write_text(text, "utf-8")
        print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
