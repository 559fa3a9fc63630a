"""Commands over a real broker: answered once, carried out once, never from a retained message."""

from __future__ import annotations

import asyncio
import json

CMD = "tumbler/v1/demo/t1/cmd/lock"
RSP = "tumbler/v1/demo/t1/rsp/lock"


def run(story) -> None:
    asyncio.run(asyncio.wait_for(story(), 60))


def test_a_command_is_answered_with_its_id_and_correlation(floor):
    async def story():
        async with floor.observer() as seen, floor.link():
            await seen.until(lambda _: seen.on("state"))
            seen.send(CMD, b'{"id": 7}', CorrelationData=b"abc")
            await seen.until(lambda _: seen.on("rsp/lock"))
            assert seen.on("rsp/lock")[0] == {"id": 7, "ok": True, "code": "done", "text": "lock"}
            assert next(m for m in seen.everything if m.topic == RSP).correlation == b"abc"

    run(story)


def test_the_answer_goes_where_the_request_wants_it(floor):
    async def story():
        async with floor.observer() as seen, floor.link():
            await seen.until(lambda _: seen.on("state"))
            seen.send(CMD, b'{"id": 1}', ResponseTopic="pit/answers/1")
            answer = await seen.until(lambda all_: [m for m in all_ if m.topic == "pit/answers/1"])
            assert answer[0].payload["id"] == 1

    run(story)


def test_an_answer_cannot_be_aimed_at_a_topic_that_the_floor_trusts(floor):
    async def story():
        async with floor.observer() as seen, floor.link():
            await seen.until(lambda _: seen.on("state"))
            for topic in ("tumbler/v1/demo/t1/result", "tumbler/v1/demo/t2/rsp/lock"):
                seen.send(CMD, json.dumps({"id": topic}).encode(), ResponseTopic=topic)
            await seen.until(lambda _: len(seen.on("rsp/lock")) == 2)
            assert not seen.on("result")

    run(story)


def test_the_same_command_twice_is_carried_out_once_and_answered_twice(floor):
    async def story():
        async with floor.observer() as seen, floor.link() as link:
            await seen.until(lambda _: seen.on("state"))
            seen.send(CMD, b'{"id": 1}')
            await seen.until(lambda _: len(seen.on("rsp/lock")) == 1)
            seen.send(CMD, b'{"id": 1}')
            await seen.until(lambda _: len(seen.on("rsp/lock")) == 2)
            assert len(floor.commands) == 1
            assert link.counters.commands_repeated == 1

    run(story)


def test_a_retained_command_reaches_the_table_marked_as_one_and_is_refused(floor):
    async def story():
        async with floor.observer() as seen:
            seen.send(CMD, b'{"id": 1}', retain=True)
            await seen.until(lambda all_: [m for m in all_ if m.topic == CMD])
            async with floor.link() as link:
                await seen.until(lambda _: seen.on("rsp/lock"))
                assert seen.on("rsp/lock")[0]["code"] == "retained"
                assert floor.commands == [("lock", b'{"id": 1}', True)]
                assert link.counters.commands_refused == 1

    run(story)


def test_a_command_sent_while_the_daemon_was_away_is_not_carried_out_later(floor):
    async def story():
        async with floor.observer() as seen:
            async with floor.link():
                await seen.until(lambda _: seen.on("state"))
            await seen.until(lambda _: seen.on("state")[-1]["state"] == "offline")
            seen.send(CMD, b'{"id": "stale"}')
            await seen.until(lambda all_: [m for m in all_ if m.topic == CMD])
            async with floor.link():
                await seen.until(lambda _: seen.on("state")[-1]["state"] == "online")
                seen.send(CMD, b'{"id": "fresh"}')
                await seen.until(lambda _: seen.on("rsp/lock"))
            assert [json.loads(payload)["id"] for _, payload, _ in floor.commands] == ["fresh"]

    run(story)


def test_a_command_that_breaks_the_daemon_is_answered_and_the_link_lives(floor):
    async def story():
        async with floor.observer() as seen, floor.link() as link:
            await seen.until(lambda _: seen.on("state"))
            seen.send("tumbler/v1/demo/t1/cmd/break", b'{"id": 3}')
            await seen.until(lambda _: seen.on("rsp/break"))
            assert seen.on("rsp/break")[0]["id"] == 3
            assert seen.on("rsp/break")[0]["code"] == "failed"
            assert link.connected

    run(story)


def test_commands_beyond_the_limit_are_told_to_come_again(floor, monkeypatch):
    monkeypatch.setattr("tumbler.mqtt.inbox.MAX_BYTES", 64)

    async def story():
        async with floor.observer() as seen, floor.link():
            await seen.until(lambda _: seen.on("state"))
            seen.send(CMD, json.dumps({"id": "x" * 100}).encode())
            await seen.until(lambda _: seen.on("rsp/lock"))
            assert seen.on("rsp/lock")[0]["code"] == "busy"
            assert not floor.commands

    run(story)
