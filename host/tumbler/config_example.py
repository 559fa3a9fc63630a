"""The configuration explained: the example file and the page docs/configuration.md, both made from tumbler.config.

Nothing of this runs in the daemon.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, Field
from typing import Any, get_args, get_origin

from tumbler.config import Config, Key, keys_of

VALUES = {"str": "text", "int": "number", "bool": "true/false", "Path": "path"}
INTRODUCTION = (
    "# Tumbler's daemon. `tumbler config check FILE` checks this file. A key commented out shows its default."
)


def sections(section: type = Config, header: str = "") -> Iterator[tuple[str, type]]:
    """(header, section) in the order of the file: ("[journal]", JournalConfig) ..."""
    yield header, section
    for one, kind, key in keys_of(section):
        path = f"{header.strip('[]')}.{one.name}".lstrip(".")
        if get_origin(kind) is tuple:
            yield from sections(get_args(kind)[0], f"[[{path}]]")
        elif key is None:
            yield from sections(kind, f"[{path}]")


def plain_keys(section: type) -> Iterator[tuple[Field[Any], Any, Key]]:
    """The keys of a section that are values, not sections of their own."""
    return ((one, kind, key) for one, kind, key in keys_of(section) if key is not None)


def toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else '"' + str(value).replace('"', '\\"') + '"'


def example() -> str:
    """A file with every key: needed ones with an example, the others commented out with their default."""
    lines = [INTRODUCTION]
    for header, section in sections():
        if header:
            lines += ["", f"# {(section.__doc__ or '').strip()}", header]
        for one, _, key in plain_keys(section):
            needed = one.default is MISSING
            assignment = f"{one.name} = {toml_value(key.example if needed or one.default is None else one.default)}"
            lines += [f"# {key.text}", assignment if needed else f"#{assignment}"]
    return "\n".join(lines) + "\n"


def reference() -> str:
    """The tables of docs/configuration.md."""
    lines = []
    for header, section in sections():
        lines += ["", f"### {f'`{header}`' if header else 'At the top'}", "", f"{(section.__doc__ or '').strip()}", ""]
        lines += ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
        for one, kind, key in plain_keys(section):
            shown = {MISSING: "needed", None: "none"}.get(one.default) or f"`{toml_value(one.default)}`"
            lines.append(f"| `{one.name}` | {VALUES[kind.__name__]} | {shown} | {key.text.replace('|', '/')} |")
    return "\n".join(lines).strip() + "\n"
