"""Spins that never came: which, whom to ask, and what the answer brings. No network, no clock of its own.

A gap is given a moment first, because shared subscriptions deliver out of order. One request a table at a time, at most
MAX_RECALL games; a longer gap is filled from its end, one request after the other. What a daemon cannot give (its journal
forgot it) is asked less and less often, and stays visible as a gap.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tumbler.mqtt.topics import full_name
from tumbler.recorder.game import Game, Gap, NotAGame, game_of
from tumbler.table.access import sign
from tumbler.table.commands import MAX_RECALL
from tumbler.table.spin import result_id

LOOK_EVERY_S = 2.0
PATIENCE_S = 3.0  # a gap younger than this is only disorder
MARGIN = 20  # games that the table has played since our newest
FIRST_AGAIN_S, LONGEST_AGAIN_S = 10.0, 3600.0


@dataclass
class Asked:
    site: str
    table: str


@dataclass
class Watch:
    """One gap since it was seen."""

    since: float
    ask_at: float
    again_s: float = FIRST_AGAIN_S


class Missing:
    def __init__(self, by: str, role: str, key: bytes | None) -> None:
        self._by, self._role, self._key = by, role, key
        self._look_at = 0.0
        self._watched: dict[tuple[str, str, str, int, int], Watch] = {}
        self._asked: dict[str, Asked] = {}  # request id -> table

    def due(self, now: float) -> bool:
        return now >= self._look_at

    def requests(self, gaps: Sequence[Gap], now: float) -> Iterator[tuple[str, bytes]]:
        """(topic, payload) of each request to send now."""
        self._look_at = now + LOOK_EVERY_S
        standing = {}
        tables: set[tuple[str, str]] = set()
        for gap in gaps:
            name = (gap.site, gap.table, gap.epoch, gap.first, gap.last)  # one that became shorter is a new one
            watch = standing[name] = self._watched.get(name) or Watch(now, now + PATIENCE_S)
            if now < watch.ask_at or (gap.site, gap.table) in tables:
                continue
            tables.add((gap.site, gap.table))
            watch.ask_at, watch.again_s = now + watch.again_s, min(2 * watch.again_s, LONGEST_AGAIN_S)
            yield self._request(gap)
        self._watched = standing

    def _request(self, gap: Gap) -> tuple[str, bytes]:
        topic = full_name(gap.site, gap.table, "cmd/recall")
        number = secrets.token_hex(8)
        self._asked[number] = Asked(gap.site, gap.table)
        while len(self._asked) > 1000:
            self._asked.pop(next(iter(self._asked)))
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        command = {"id": number, "by": self._by, "role": self._role, "at": at, "args": _arguments(gap)}
        if self._key is not None:
            command["sig"] = sign(topic, command, self._key)
        return topic, json.dumps(command).encode()

    def answered(self, payload: bytes) -> list[Game]:
        """The games of a daemon's answer; NotAGame when it is none of ours, or a refusal."""
        try:
            answer = json.loads(payload)
            asked = self._asked.pop(str(answer["id"]))
            if not answer["ok"]:
                raise NotAGame(f"{asked.site}/{asked.table} refused to recall: {answer['code']}: {answer['text']}")
            return [game_of(asked.site, asked.table, str(told["kind"]), told) for told in answer["data"]]
        except (ValueError, KeyError, TypeError) as error:
            raise NotAGame(f"an answer that was not asked for or cannot be read ({error})") from error


def _arguments(gap: Gap) -> dict[str, Any]:
    """The newest games bring every gap of a table at once; one that lies further back is asked for by itself."""
    n = gap.newest - gap.first + 1 + MARGIN
    if n <= MAX_RECALL:
        return {"n": n}
    return {"n": min(MAX_RECALL, gap.last - gap.first + 1), "before": result_id(bytes.fromhex(gap.epoch), gap.last + 1)}
