"""Dice as they lie in a twin at this moment, read from its control socket while someone looks at the page.

One line asks, `{"do": "poses", "hz": 30}`; then a line comes for each picture: `{"t": seconds, "cover": closed, "rpm": x,
"dice": [{"p": [x, y, z] in metres, "q": [w, x, y, z]}]}`. A real table has no such socket, and the page draws its dice
from the results. Never for results: those come from the controller alone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tumbler.console.hub import Hub
from tumbler.log import Log

HZ = 30
RETRY_S = 1.0
ASK = json.dumps({"do": "poses", "hz": HZ}).encode() + b"\n"
SILENCE_S = 10.0  # a twin that is stopped in a debugger; ask anew

log = Log("tumbler.console")


async def follow_poses(socket: Path, table: str, hub: Hub) -> None:
    """For ever: nothing is read while nobody looks, and a twin that is gone is tried again."""
    said = False
    while True:
        await hub.wait_for_someone()
        try:
            await _read(socket, table, hub)
            said = False
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError) as error:
            if not said:
                log.info("no poses from the twin; the page draws from results", socket=str(socket), why=str(error))
                said = True
        hub.show_poses({"kind": "poses", "table": table, "dice": None})
        await asyncio.sleep(RETRY_S)


async def _read(socket: Path, table: str, hub: Hub) -> None:
    reader, writer = await asyncio.open_unix_connection(socket)
    try:
        writer.write(ASK)
        await writer.drain()
        while len(hub):
            async with asyncio.timeout(SILENCE_S):
                line = await reader.readuntil(b"\n")
            told = json.loads(line)
            if isinstance(told, Mapping) and isinstance(told.get("dice"), list):
                hub.show_poses({"kind": "poses", "table": table, **_picture(told)})
            elif isinstance(told, Mapping) and told.get("ok") is False:
                raise ValueError(f"the twin refused: {told.get('why') or told}")
    finally:
        writer.close()


def _picture(told: Mapping[str, Any]) -> dict[str, Any]:
    return {name: told.get(name) for name in ("t", "cover", "rpm", "dice")}
