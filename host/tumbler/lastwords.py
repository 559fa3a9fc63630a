"""What a daemon says that cannot start: one event for each of its tables, told to the broker without a journal.

Best effort and short: the reason stands on stderr in any case. Not for a daemon that runs: its events are journalled.
"""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import paho.mqtt.client as paho

from tumbler.config import Config
from tumbler.mqtt import BrokerUnusable, full_name
from tumbler.mqtt.connection import Connection, Will

PATIENCE_S = 3.0


async def say(config: Config, code: str, text: str) -> bool:
    """True when the broker has it."""
    acknowledged = asyncio.Event()
    waiting: set[int] = set()

    def acked(mid: int, _refused: str | None) -> None:
        waiting.discard(mid)
        if not waiting:
            acknowledged.set()

    # A name of its own: a daemon that serves these tables already must not lose its connection to this message.
    name = f"tumbler-{config.site}-cannot-start"
    will = Will(full_name(config.site, config.tables[0].id, "event/fault"), b"")
    connection = Connection(config.mqtt, name, paho.MQTTv5, will, lambda _message: None, acked)
    try:
        async with asyncio.timeout(PATIENCE_S):
            await connection.open()
            at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            for table in config.tables:
                body = {"site": config.site, "table": table.id, "at": at, "source": "daemon", "severity": "critical"}
                event = json.dumps({**body, "code": code, "text": text, "seq": None}).encode()
                topic = full_name(config.site, table.id, "event/fault")
                waiting.add(connection.publish(topic, event, qos=1, retain=False))
            await acknowledged.wait()
            await connection.close()
    except (TimeoutError, BrokerUnusable):
        connection.end("given up")
        return False
    return True
