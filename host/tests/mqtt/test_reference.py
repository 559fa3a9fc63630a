"""Topics, schemas, documents and what the daemon really sends: one contract, held together."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from tumbler.bench.peer import ControllerPeer
from tumbler.bench.processes import Daemon, Mosquitto, Subscriber, write_config
from tumbler.mqtt.schemas import LINK_STATES
from tumbler.mqtt.topics import TOPICS, topic_of
from tumbler.mqttdocs import asyncapi, docs_folder, files
from tumbler.rules.gametable import compile_book
from tumbler.rules.tableplay import Play
from tumbler.table.session import LinkState

BOOK = "crown-melbourne-sicbo-a"
KEY = bytes(range(32))


def test_the_documents_are_what_the_tables_say() -> None:
    for path, text in files(docs_folder()).items():
        assert path.read_text("utf-8") == text, f"{path.name} is old: python -m tumbler.mqttdocs"


def test_the_design_of_topics_is_kept() -> None:
    """QoS and retained of DESIGN, which others have built upon."""
    rows = {topic.name: (topic.qos, topic.retained, topic.assured) for topic in TOPICS}
    assert rows == {
        "state": (1, True, False),
        "link": (1, True, False),
        "info": (1, True, False),
        "health": (1, True, False),
        "round": (1, True, False),
        "result": (1, False, True),
        "result/last": (1, True, False),
        "event/{kind}": (1, False, True),
        "cmd/{name}": (1, False, False),
        "rsp/{name}": (1, False, False),
        "diag/{what}": (0, False, False),
    }


def test_every_reference_in_the_asyncapi_document_leads_somewhere() -> None:
    document = asyncapi()
    found = re.findall(r'"\$ref": "([^"]+)"', json.dumps(document))
    assert len(found) > 30
    for reference in found:
        here: Any = document
        for step in reference.removeprefix("#/").split("/"):
            here = here[step]
    assert {operation["action"] for operation in document["operations"].values()} == {"send", "receive"}


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_every_schema_is_a_schema(topic: Any) -> None:
    Draft202012Validator.check_schema(topic.schema)


def test_a_payload_that_is_not_the_contract_is_refused() -> None:
    validator = Draft202012Validator(topic_of("round").schema)
    good = {"site": "demo", "table": "t1", "at": "2026-03-01T20:14:07.312Z", "round": "spinning", "spin": 1}
    validator.validate({**good, "something": "new"})
    for wrong in ({"round": "resting"}, {"spin": -1}, {"at": "today"}):
        with pytest.raises(ValidationError):
            validator.validate({**good, **wrong})


def test_the_states_of_the_link_are_all_in_the_reference() -> None:
    assert list(LINK_STATES) == [state.value for state in LinkState]


def test_everything_a_daemon_sends_keeps_its_schema(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    peer = ControllerPeer(tmp_path / "controller", KEY, Play(BOOK), compile_book(BOOK))
    floor = Subscriber(broker.port)
    daemon = Daemon(write_config(tmp_path, broker.port, port=tmp_path / "controller", key=KEY))
    try:
        floor.wait_for("t1/info", lambda info: info["game_table"] == "active")
        peer.spin(1, 2, 3)
        peer.no_spin(1)
        peer.spin(6, 6, 6, areas=bytes(7))  # not what the rules light
        peer.event(30)
        floor.wait_for("t1/event/refused")
        ask = {"by": "kim", "role": "tg_area_manager"}
        floor.publish("t1/cmd/release", {"id": 1, **ask, "args": {}})
        floor.wait_for("t1/rsp/release")
        floor.publish("t1/cmd/status", {"id": 2, **ask})
        floor.wait_for("t1/rsp/status")
        result = floor.wait_for("t1/result")
        void = {"result_id": result["result_id"], "cause": "disruption"}
        floor.publish("t1/cmd/void", {"id": 3, **ask, "args": void})
        floor.wait_for("t1/event/void")
        floor.wait_for("t1/event/tamper")
        floor.wait_for("t1/health", lambda told: told["link"]["state"] == "up")
        daemon.stop()
        floor.wait_for("t1/state", lambda state: state["state"] == "offline")
    finally:
        if daemon.alive:
            daemon.kill()
        peer.stop()
        floor.stop()
        broker.stop()
    seen = set()
    for leaf, payload, _ in floor.messages:
        name = leaf.removeprefix("t1/")
        seen.add(name)
        errors = [error.message for error in Draft202012Validator(topic_of(name).schema).iter_errors(payload)]
        assert errors == [], (name, payload)
        unnamed = set(payload) - set(topic_of(name).schema["properties"])
        assert unnamed == set(), (name, "is not in the reference")
    assert {"state", "link", "info", "health", "round", "result", "result/last", "rsp/status"} <= seen
    assert {"event/no_spin", "event/refused", "event/tamper", "event/access", "event/void"} <= seen
