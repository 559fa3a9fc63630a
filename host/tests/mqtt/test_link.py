"""The link against a real Mosquitto: liveness, order, outages, refusals, commands."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from tumbler.mqtt import LinkState

Story = Callable[[], Coroutine[Any, Any, None]]


@pytest.fixture
def play() -> Callable[[Story], None]:
    return lambda story: asyncio.run(asyncio.wait_for(story(), 60))


def spins(observer: Any) -> list[int]:
    """As a consumer sees them: a repeated result_id is dropped."""
    first: dict[str, int] = {}
    for result in observer.on("result"):
        first.setdefault(result["result_id"], result["spin"])
    return list(first.values())


def test_a_daemon_is_online_and_offline_when_it_stops(floor, play):
    async def story():
        async with floor.observer() as seen:
            async with floor.link() as link:
                await seen.until(lambda _: seen.on("state"))
                assert seen.on("state")[-1]["state"] == "online"
                assert seen.on("state")[-1]["version"] == "1.2.3"
                assert link.detail == "MQTT 5"
            await seen.until(lambda _: seen.on("state")[-1]["state"] == "offline")
            assert seen.on("state")[-1]["reason"] == "stopped"

    play(story)


def test_the_last_will_speaks_when_the_daemon_is_killed(floor, play):
    async def story():
        async with floor.observer() as seen, floor.link() as link:
            await link.wait_connected()
            link._connection.end("as kill -9 would")
            await seen.until(lambda _: {"offline", "online"} <= {state["state"] for state in seen.on("state")})
            lost = next(state for state in seen.on("state") if state["state"] == "offline")
            assert lost["reason"] == "lost"
            await seen.until(lambda _: seen.on("state")[-1]["state"] == "online")

    play(story)


def test_results_recorded_before_the_first_connect_arrive_in_order(floor, play):
    async def story():
        for spin in range(1, 101):
            floor.result(spin)
        async with floor.observer() as seen, floor.link() as link:
            await seen.until(lambda _: len(seen.on("result")) >= 100)
            assert [result["spin"] for result in seen.on("result")] == list(range(1, 101))
            await floor.until(lambda: floor.journal.outbox.depth("t1") == 0)
            assert link.counters.acknowledged == 100

    play(story)


def test_a_result_arrives_without_anyone_asking(floor, play):
    async def story():
        async with floor.observer() as seen, floor.link() as link:
            await link.wait_connected()
            await asyncio.to_thread(floor.result, 1)  # from another thread, as group commit does
            await seen.until(lambda _: spins(seen) == [1])

    play(story)


def test_retained_topics_come_again_after_the_broker_forgot_them(floor, play):
    async def story():
        async with floor.link() as link:
            link.publish_retained("round", {"round": "spinning"})
            link.publish_retained("result/last", {"result_id": "x"})
            await link.wait_connected()
            floor.broker.stop()
            floor.broker.forget()
            await floor.until(lambda: not link.connected)
            floor.broker.start()
            await link.wait_connected()
            async with floor.observer() as early:  # may still see them being published
                await early.until(lambda _: early.on("state") and early.on("round") and early.on("result/last"))
            async with floor.observer() as late:
                await late.until(lambda _: late.on("state") and late.on("round") and late.on("result/last"))
                assert all(seen.retained for seen in late.everything)
                assert late.on("round") == [{"round": "spinning"}]

    play(story)


def test_state_is_told_last_so_that_the_rest_is_there_already(floor, play):
    async def story():
        async with floor.observer() as seen, floor.link() as link:
            link.publish_retained("round", {"round": "paid"})
            link.publish_retained("link", {"state": "up"})
            await seen.until(lambda _: seen.on("state"))
            assert [message.topic.rsplit("/", 1)[1] for message in seen.everything] == ["link", "round", "state"]

    play(story)


def test_nothing_is_lost_or_out_of_order_while_the_broker_restarts(floor, play):
    async def story():
        async with floor.observer() as seen, floor.link() as link:
            for spin in range(1, 61):
                floor.result(spin)
                if spin % 20 == 10:
                    await link.wait_connected()
                    floor.broker.stop()
                    floor.result(1000 + spin)
                    floor.broker.start()
                await asyncio.sleep(0)
            await floor.until(lambda: floor.journal.outbox.depth("t1") == 0)
            assert link.counters.connects == 4
            # The observer's own session dies with the broker; it must see the end, and never an order reversed.
            await seen.until(lambda _: spins(seen) and spins(seen)[-1] == 60)
            order = [*range(1, 11), 1010, *range(11, 31), 1030, *range(31, 51), 1050, *range(51, 61)]
            assert spins(seen) == [spin for spin in order if spin in set(spins(seen))]

    play(story)


def test_an_outage_longer_than_the_keep_alive_is_noticed_and_survived(floor, play):
    async def story():
        async with floor.observer() as seen, floor.link(keepalive=2) as link:
            await link.wait_connected()
            floor.result(1)
            await seen.until(lambda _: spins(seen) == [1])
            floor.broker.freeze(signal.SIGSTOP)  # the socket stays open and says nothing
            floor.result(2)
            await floor.until(lambda: link.state is LinkState.WAITING)
            floor.broker.freeze(signal.SIGCONT)
            await seen.until(lambda _: spins(seen) == [1, 2])
            await floor.until(lambda: floor.journal.outbox.depth("t1") == 0)

    play(story)


def test_health_expires_and_an_old_one_is_not_told_as_news(floor, play):
    async def story():
        async with floor.observer() as seen, floor.link() as link:
            await link.wait_connected()
            link.publish_retained("health", {"interval_s": 10}, expiry_s=20)
            await seen.until(lambda _: seen.on("health"))
            health = next(message for message in seen.everything if message.topic.endswith("health"))
            assert health.expiry_s is not None
            assert 15 <= health.expiry_s <= 20
            link._retained._standing["health"].since -= 30
            link._connection.end("a new connection")
            await seen.until(lambda _: len(seen.on("state")) == 3)
            assert len(seen.on("health")) == 1

    play(story)


def test_wrong_credentials_are_one_clear_reason_and_are_tried_again(floor, play, tmp_path: Path):
    passwords = tmp_path / "passwords"
    passwords.write_text("")
    secret = tmp_path / "mqtt.password"
    secret.write_text("wrong\n")

    async def story():
        floor.broker.stop()
        floor.broker._lines = ("allow_anonymous false", f"password_file {passwords}")
        floor.broker.start()
        floor.result(1)
        async with floor.link(username="tumbler", password_file=secret) as link:
            await floor.until(lambda: link.counters.failed_connects >= 2)
            assert "ot authori" in link.detail
            assert "mqtt.password_file" in link.detail
            assert floor.journal.outbox.depth("t1") == 1
            floor.broker.stop()
            floor.broker._lines = ()
            floor.broker.start()
            await link.wait_connected()
            await floor.until(lambda: floor.journal.outbox.depth("t1") == 0)

    play(story)


def test_a_message_that_the_broker_refuses_stays_and_keeps_its_place(floor, play, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("tumbler.mqtt.sender.RETRY_FIRST_S", 0.05)
    rights = tmp_path / "rights"
    rights.write_text("topic readwrite #\ntopic deny tumbler/v1/demo/t1/result\n")

    async def story():
        floor.broker.stop()
        floor.broker._lines = ("allow_anonymous true", f"acl_file {rights}")
        floor.broker.start()
        async with floor.link() as link:
            await link.wait_connected()
            floor.result(1)
            floor.result(2)
            await floor.until(lambda: link.counters.refused >= 2)
            assert link.counters.acknowledged == 0
            assert floor.journal.outbox.depth("t1") == 2
            rights.write_text("topic readwrite #\n")
            floor.broker.freeze(signal.SIGHUP)
            async with floor.observer() as seen:
                await seen.until(lambda _: spins(seen) == [1, 2])
            await floor.until(lambda: floor.journal.outbox.depth("t1") == 0)

    play(story)


def test_each_table_has_its_own_link_and_its_own_state(floor, play):
    async def story():
        async with floor.observer() as seen, floor.link(table="t1"), floor.link(table="t2"):
            floor.result(1)
            floor.result(1, table="t2")
            wanted = {f"tumbler/v1/demo/{table}/{leaf}" for table in ("t1", "t2") for leaf in ("state", "result")}
            await seen.until(lambda everything: {message.topic for message in everything} == wanted)

    play(story)


def test_stopping_leaves_the_rest_in_the_outbox_and_takes_no_time(floor, play):
    async def story():
        async with floor.link() as link:
            await link.wait_connected()
            floor.broker.freeze(signal.SIGSTOP)
            floor.result(1)
            began = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - began < 5
        assert floor.journal.outbox.depth("t1") == 1
        floor.broker.freeze(signal.SIGCONT)

    play(story)
