"""The page's server without a browser: who is told, who is not, and what it costs when nobody reads."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from tumbler.bench.processes import Daemon
from tumbler.console.hub import MOST_WAITING, FellBehind, Hub


def get(url: str, **headers: str) -> Any:
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10)


def refusal(url: str, **headers: str) -> int:
    with pytest.raises(urllib.error.HTTPError) as refused:
        get(url, **headers)
    with refused.value as answer:
        assert "Traceback" not in answer.read().decode()
        return int(answer.code)


def test_scripts_get_the_whole_picture_as_json(rig: Any) -> None:
    url = rig.start()
    rig.spin(6, 6, 6)
    rig.floor.wait_for("t1/result")
    with get(url + "api/state") as answer:
        picture = json.load(answer)
    (table,) = picture["tables"]
    assert (picture["site"], table["id"], table["book"]) == ("test", "t1", "crown-melbourne-sicbo-a")
    assert table["games"][0]["faces"] == [6, 6, 6]
    assert {area["id"] for area in table["areas"]} >= set(table["games"][0]["winning_areas"])
    assert picture["words"]["lock"]["motor"]


def test_one_page_is_served_and_said_once(make_rig: Callable[..., Any], port: int) -> None:
    rig = make_rig(console=f'listen = "127.0.0.1:{port}"')
    assert rig.start() == f"http://127.0.0.1:{port}/"
    rig.spin(1, 2, 3)
    rig.floor.wait_for("t1/result")
    assert "no console" not in rig.daemons[0].said()


def test_strangers_are_told_nothing(rig: Any) -> None:
    url = rig.start()
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    key = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    assert refusal(url + "ws", Origin="http://elsewhere.example", **upgrade, **key) == 403
    assert refusal(url + "api/state", Host="elsewhere.example") == 421
    assert refusal(url + "static/../../config.py") == 404
    assert refusal(url + "static/%2e%2e/server.py") in (403, 404)
    assert refusal(url + "nothing") == 404


def test_the_page_may_load_only_its_own(rig: Any) -> None:
    url = rig.start()
    for path, kind in (("", "text/html"), ("static/js/main.js", "javascript"), ("static/css/felt.css", "text/css")):
        with get(url + path) as answer:
            assert kind in answer.headers["Content-Type"]
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["Cache-Control"] == "no-cache"


def test_a_port_that_is_taken_does_not_stop_the_game_and_is_tried_again(make_rig: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        rig = make_rig(console=f'listen = "127.0.0.1:{taken.getsockname()[1]}"')
        daemon = Daemon(rig.config)
        rig.daemons.append(daemon)
        rig.spin(1, 2, 3)
        rig.floor.wait_for("t1/result")
        said = [line for line in daemon.said().splitlines() if "no console" in line]
        assert len(said) == 1
        assert "already in use" in said[0]
        assert daemon.alive
    rig.wait_until_served(daemon)


async def test_nobody_looking_costs_nothing() -> None:
    hub = Hub()
    hub.say({"kind": "say", "payload": object()})  # would fail if it were encoded
    assert len(hub) == 0


async def test_a_viewer_that_does_not_read_is_let_go_and_costs_no_memory() -> None:
    hub = Hub()
    viewer = hub.join()
    for n in range(10 * MOST_WAITING):
        hub.say({"n": n})
    assert len(viewer._lines) == MOST_WAITING + 1
    with pytest.raises(FellBehind):
        await viewer.next_lines()


async def test_lines_come_in_order_and_only_the_newest_pose() -> None:
    hub = Hub()
    viewer = hub.join()
    hub.show_poses({"pose": 1})
    hub.say({"n": 1})
    hub.show_poses({"pose": 2})
    hub.say({"n": 2})
    assert await viewer.next_lines() == ['{"n":1}', '{"n":2}', '{"pose":2}']
    hub.leave(viewer)
    assert len(hub) == 0
