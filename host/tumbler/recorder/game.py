"""A game as it comes over MQTT, as a row of the database. No storage, no network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KINDS = {"result": "result", "event/no_spin": "no_spin", "event/refused": "refused"}  # leaf -> kind
VOID_LEAF = "event/void"
LEAVES = (*KINDS, VOID_LEAF)


class NotAGame(Exception):
    """A message that is not what the topic's contract says; it is counted and left."""


@dataclass(frozen=True)
class Game:
    """What one spin ended in. (site, table, result_id) is its identity, everywhere and for ever."""

    site: str
    table: str
    result_id: str
    kind: str
    epoch: str
    spin: int
    at: str | None
    total: int | None
    faces: str | None  # "3 4 5"
    body: str  # the whole payload as JSON

    def same_outcome(self, kind: str, faces: str | None) -> bool:
        return (self.kind, self.faces) == (kind, faces)


@dataclass(frozen=True)
class Void:
    """A result that was declared void. May come before its result: shared subscriptions keep no order."""

    site: str
    table: str
    result_id: str
    cause: str
    at: str | None


@dataclass(frozen=True)
class Gap:
    """Spins of one table that are missing between two that are there."""

    site: str
    table: str
    epoch: str
    first: int
    last: int
    newest: int  # the highest spin of that epoch that is there


def place_of(topic: str) -> tuple[str, str, str]:
    """(site, table, leaf) of a full topic."""
    parts = topic.split("/", 4)
    if len(parts) != 5 or parts[:2] != ["tumbler", "v1"]:
        raise NotAGame(f"{topic} is not a topic of a table")
    return parts[2], parts[3], parts[4]


def read(topic: str, payload: bytes) -> Game | Void:
    site, table, leaf = place_of(topic)
    try:
        told = json.loads(payload)
        if leaf == VOID_LEAF:
            return Void(site, table, _text(told["result_id"]), _text(told["cause"]), told.get("at"))
        return game_of(site, table, KINDS[leaf], told)
    except (ValueError, KeyError, TypeError) as error:
        raise NotAGame(f"{topic}: {type(error).__name__}: {error}") from error


def game_of(site: str, table: str, kind: str, told: Mapping[str, Any]) -> Game:
    """Of a payload, or of a game that a daemon recalled; KeyError, TypeError or ValueError when it is neither."""
    result_id = _text(told["result_id"])
    epoch, _, spin = result_id.rpartition("-")
    faces = " ".join(str(int(face)) for face in told["faces"]) if kind == "result" else None
    body = {name: value for name, value in told.items() if name != "wire"}
    total = int(told["total"]) if kind == "result" else None
    at = told.get("at") or told.get("spun_at")
    return Game(site, table, result_id, kind, epoch, int(spin), at, total, faces, json.dumps(body, sort_keys=True))


def _text(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= 64:
        raise ValueError(f"{value!r} is not a short text")
    return value
