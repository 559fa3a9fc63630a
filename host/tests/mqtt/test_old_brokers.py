"""Brokers that do not speak MQTT 5, or say why they hang up: played by a proxy in front of the real one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

CONNECT, VERSION_AT = 0x10, 8  # fixed header of two bytes, then "MQTT" with its length, then the version
REFUSED_IN_3_1_1 = bytes([0x20, 2, 0, 1])
REFUSED_IN_5 = bytes([0x20, 3, 0, 132, 0])
TAKEN_OVER = bytes([0xE0, 2, 142, 0])


class Proxy:
    """Looks at CONNECT; hands everything else to the broker and back."""

    def __init__(self, broker_port: int, to_five: bytes | None) -> None:
        self._broker_port, self._to_five = broker_port, to_five
        self.versions: list[int] = []
        self.downstream: asyncio.StreamWriter | None = None
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await self._serve(reader, writer)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.read(4096)
        if not first:
            return
        # The remaining length takes one byte below 128 and two above.
        version = first[VERSION_AT if first[1] < 128 else VERSION_AT + 1]
        self.versions.append(version)
        if version == 5 and self._to_five is not None:
            writer.write(self._to_five)
            await writer.drain()
            return
        self.downstream = writer
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._broker_port)
        up_writer.write(first)
        await asyncio.gather(pipe(reader, up_writer), pipe(up_reader, writer))


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(4096):
        writer.write(data)
        await writer.drain()
    writer.close()


@asynccontextmanager
async def proxy(floor: Any, to_five: bytes | None) -> AsyncIterator[Proxy]:
    between = Proxy(floor.broker.port, to_five)
    server = await asyncio.start_server(between.serve, "127.0.0.1", 0)
    between.port = server.sockets[0].getsockname()[1]
    try:
        yield between
    finally:
        server.close()


@pytest.mark.parametrize("answer", [REFUSED_IN_3_1_1, REFUSED_IN_5, b""], ids=["as 3.1.1", "as 5", "hangs up"])
def test_a_broker_without_mqtt_5_is_spoken_to_in_3_1_1(floor, answer: bytes):
    async def story():
        floor.result(1)
        async with (
            proxy(floor, answer) as between,
            floor.observer() as seen,
            floor.link(port=between.port) as link,
        ):
            await link.wait_connected()
            assert link.detail == "MQTT 3.1.1"
            assert between.versions == [5, 4]
            link.publish_retained("health", {"interval_s": 1}, expiry_s=2)  # no expiry there; it must not fail
            await seen.until(lambda _: seen.on("result") and seen.on("health"))

    asyncio.run(asyncio.wait_for(story(), 60))


def test_after_the_old_broker_went_the_new_one_is_asked_for_mqtt_5_again(floor):
    async def story():
        async with proxy(floor, REFUSED_IN_5) as between, floor.link(port=between.port) as link:
            await link.wait_connected()
            between._to_five = None
            link._connection.end("the broker is replaced")
            await floor.until(lambda: link.detail == "MQTT 5")

    asyncio.run(asyncio.wait_for(story(), 60))


def test_another_client_of_the_same_name_is_named_as_the_reason(floor):
    async def story():
        async with proxy(floor, None) as between, floor.link(port=between.port) as link:
            await link.wait_connected()
            between.downstream.write(TAKEN_OVER)
            await floor.until(lambda: not link.connected)
            assert "second daemon" in link.detail

    asyncio.run(asyncio.wait_for(story(), 60))
