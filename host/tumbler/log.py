"""Structured logs: every line is one event with named fields, as JSON for machines or as text for people.

Goes to stderr, which systemd hands to its journal. Not the record of the game: that is tumbler.journal.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
FORMATS = ("text", "json")


class Log:
    """A named logger with fields that every line of it carries: `log.bind(table="sb-01").info("link up", rtt_ms=3)`."""

    def __init__(self, name: str, **fields: Any) -> None:
        self._logger = logging.getLogger(name)
        self._fields = fields

    def bind(self, **fields: Any) -> Log:
        return Log(self._logger.name, **{**self._fields, **fields})

    def debug(self, message: str, **fields: Any) -> None:
        self._write(logging.DEBUG, message, fields)

    def info(self, message: str, **fields: Any) -> None:
        self._write(logging.INFO, message, fields)

    def warning(self, message: str, **fields: Any) -> None:
        self._write(logging.WARNING, message, fields)

    def error(self, message: str, **fields: Any) -> None:
        self._write(logging.ERROR, message, fields)

    def _write(self, level: int, message: str, fields: dict[str, Any]) -> None:
        if self._logger.isEnabledFor(level):
            self._logger.log(level, "%s", message, extra={"fields": {**self._fields, **fields}})


def _fields_of(record: logging.LogRecord) -> dict[str, Any]:
    fields = dict(getattr(record, "fields", {}))
    if record.exc_info and record.exc_info[1] is not None:
        fields["error"] = f"{type(record.exc_info[1]).__name__}: {record.exc_info[1]}"
    return fields


def _stamp(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class JsonFormat(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {"at": _stamp(record), "level": record.levelname.lower(), "room": record.name}
        return json.dumps({**line, "message": record.getMessage(), **_fields_of(record)}, default=str)


class TextFormat(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={_quoted(value)}" for name, value in _fields_of(record).items())
        line = f"{_stamp(record)} {record.levelname.lower():<7} {record.getMessage()}{fields}"
        return line.replace("\n", " ")


def _quoted(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return json.dumps(text) if isinstance(value, str) and (" " in text or not text) else text


def start(level: str = "info", form: str = "text", stream: TextIO | None = None) -> None:
    """Send every log of the process to one stream. Called once, by the command."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormat() if form == "json" else TextFormat())
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(LEVELS[level])
    logging.getLogger("asyncio").setLevel(logging.WARNING)
