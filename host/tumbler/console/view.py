"""What the page shows of one table: what stands, the last games, the last events; kept current by listening.

Everything comes from what the table says on MQTT anyway, so page and floor can't differ.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from tumbler.console.hub import Hub
from tumbler.console.layout import describe
from tumbler.journal import Journal, Kind
from tumbler.mqtt import MqttLink
from tumbler.table import payloads
from tumbler.table.table import Table

GAMES = 48  # eight columns of a road of six
EVENTS = 40

# leaves that are a game, and what the page calls it
GAME_LEAVES = {"result": "result", "event/no_spin": "no_spin", "event/refused": "refused"}


class TableView:
    def __init__(self, table: Table, broker: MqttLink, journal: Journal, hub: Hub, *, twin: bool) -> None:
        self.name = table.config.id
        self._table, self._broker, self._journal, self._hub, self._twin = table, broker, journal, hub, twin
        self._games: deque[dict[str, Any]] = deque(maxlen=GAMES)
        self._events: deque[dict[str, Any]] = deque(maxlen=EVENTS)
        self._recall()
        table.watch(self._heard)
        broker.on_change(lambda _: self._say("broker", self._broker_state()))

    def snapshot(self) -> dict[str, Any]:
        """The whole picture, for a page that was just opened."""
        table = self._table
        return {
            "id": self.name,
            **describe(table.rules, table.image.areas),
            "twin": self._twin,
            "standing": {**table.shown, "broker": self._broker_state()},
            "games": list(self._games),
            "events": list(self._events),
        }

    def _recall(self) -> None:
        voids = self._journal.last(self.name, GAMES, (Kind.VOID,))
        cause = {record.body["result_id"]: record.body["cause"] for record in voids}
        for record in self._journal.reader.games(self.name, GAMES):
            if record.result_id is None:
                continue
            told = payloads.spin_payload(record.body, self._table.identity, record.result_id, record.seq, record.at_ms)
            self._games.append({"kind": record.kind.value, **told, "void": cause.get(record.result_id)})

    def _heard(self, leaf: str, payload: Mapping[str, Any]) -> None:
        if leaf in GAME_LEAVES and payload.get("result_id"):
            self._games.append({"kind": GAME_LEAVES[leaf], **payload, "void": None})
        if leaf == "event/void":
            for game in self._games:
                if game["result_id"] == payload.get("result_id"):
                    game["void"] = payload.get("cause")
        if leaf.startswith("event/"):
            self._events.append({"kind": leaf.removeprefix("event/"), **payload})
        self._say(leaf, payload)

    def _say(self, leaf: str, payload: Mapping[str, Any]) -> None:
        self._hub.say({"kind": "say", "table": self.name, "leaf": leaf, "payload": payload})

    def _broker_state(self) -> dict[str, Any]:
        link = self._broker
        return {
            "state": link.state.value,
            "connected": link.connected,
            "detail": link.detail,
            "for_s": round(time.monotonic() - link.since, 1),
        }
