"""Commands: who may, what is refused and why, and what reaches the controller."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from dicewire.declared.codes import COMMAND_CODES, COMMANDS
from tumbler.rules.bookfile import book_ids, load_book
from tumbler.table.access import Access, PeopleFileError, Sender, load_people, sign
from tumbler.table.authority import Duty, NoAuthority, demand, least_role, wire_role
from tumbler.table.commands import ORDERS, Commands
from tumbler.table.requests import NoAnswer

NOW = 1_760_000_000.0
TOPIC = "tumbler/v1/demo/t1/cmd/"


class Hands:
    """A table that notes what it was told to do."""

    rules = load_book("crown-melbourne-sicbo-a")

    def __init__(self) -> None:
        self.done: list[Any] = []
        self.noted: list[tuple[str, str, bool]] = []
        self.code = "done"

    async def command(self, op: int, arg: int, role: str, timeout_s: float, *, again: bool) -> int:
        if self.code == "gone":
            raise NoAnswer("the controller is not connected")
        self.done.append((COMMANDS.name(op), arg, role))
        return COMMAND_CODES.number(self.code)

    async def service(self, op: int, data: bytes, timeout_s: float) -> tuple[bool, bytes]:
        self.done.append(("service", op, data))
        return True, b"\x07"

    async def release(self, sender: Sender, rule: str) -> dict[str, Any]:
        self.done.append(("release", sender.by, rule))
        return {}

    async def hold(self, sender: Sender, rule: str) -> dict[str, Any]:
        self.done.append(("hold", sender.by, rule))
        return {}

    async def void(self, sender: Sender, rule: str, result_id: str, cause: str) -> dict[str, Any]:
        self.done.append(("void", result_id, cause, rule))
        return {}

    def recall(self, n: int, before: str) -> list[dict[str, Any]]:
        return [{"n": n, "before": before}]

    def status(self) -> dict[str, Any]:
        return {"round": "betting_open"}

    def game_started(self) -> None:
        self.done.append("game_started")

    def ordered(self, name: str, sender: Sender, args: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        self.noted.append((name, sender.role, bool(answer["ok"])))


@pytest.fixture
def hands() -> Hands:
    return Hands()


async def order(hands: Hands, name: str, role: str, retained: bool = False, **args: Any) -> dict[str, Any]:
    commands = Commands(hands, Access(None, lambda: NOW))
    payload = json.dumps({"id": "q1", "by": "anna", "role": role, "args": args}).encode()
    answer = await commands.receive(name, TOPIC + name, payload, retained)
    assert answer["id"] == (None if retained else "q1")
    return answer


async def test_a_dealer_closes_the_bets(hands: Hands) -> None:
    answer = await order(hands, "no_more_bets", "dealer")
    assert answer["ok"]
    assert hands.done == [("no_more_bets", 0, "dealer")]
    assert hands.noted == [("no_more_bets", "dealer", True)]


async def test_arguments_become_the_number_of_the_wire(hands: Hands) -> None:
    await order(hands, "no_spin", "dealer", cause="disturbed")
    await order(hands, "close_table", "tg_higher_duties_dealer", spins=5)
    await order(hands, "supervisor_rule", "tg_area_manager", ruling="no_spin")
    assert [done[:2] for done in hands.done] == [("no_spin", 9), ("close_table", 5), ("supervisor_rule", 2)]


@pytest.mark.parametrize(
    ("name", "role", "args", "rule"),
    [
        ("unlock", "dealer", {}, "D5 7.4"),
        ("unlock", "tg_higher_duties_dealer", {}, "D5 7.4"),
        ("release", "inspector", {}, "D5 7.4"),
        ("close_table", "dealer", {}, "D5 9.8"),
        ("void", "tg_higher_duties_dealer", {"result_id": "a", "cause": "fraud"}, "D5 9.3"),
        ("void", "dealer", {"result_id": "a", "cause": "disruption"}, "D5 9.4"),
        ("no_spin", "technician", {}, "D5 7.1"),
        ("service", "tg_assistant_casino_manager", {"op": "info"}, ""),
        ("spin", "boxman", {}, ""),
    ],
)
async def test_a_role_without_the_authority_is_refused_by_rule(
    name: str, role: str, args: dict[str, Any], rule: str, hands: Hands
) -> None:
    answer = await order(hands, name, role, **args)
    assert (answer["ok"], answer["code"], answer["rule"]) == (False, "no_authority", rule)
    assert hands.done == []
    assert hands.noted == [(name, role, False)]


async def test_void_needs_another_role_for_fraud_than_for_disruption(hands: Hands) -> None:
    assert (await order(hands, "void", "tg_higher_duties_dealer", result_id="a", cause="disruption"))[
        "rule"
    ] == "D5 9.4"
    assert (await order(hands, "void", "tg_assistant_casino_manager", result_id="b", cause="fraud"))["rule"] == "D5 9.3"
    assert [done[1:3] for done in hands.done] == [("a", "disruption"), ("b", "fraud")]


async def test_inspector_reads_and_reading_leaves_no_record(hands: Hands) -> None:
    assert (await order(hands, "recall", "inspector", n=3))["data"] == [{"n": 3, "before": ""}]
    assert (await order(hands, "status", "inspector"))["data"] == {"round": "betting_open"}
    assert hands.noted == []


async def test_retained_command_is_refused(hands: Hands) -> None:
    answer = await order(hands, "unlock", "tg_area_manager", retained=True)
    assert (answer["ok"], answer["code"]) == (False, "retained")
    assert hands.done == []


@pytest.mark.parametrize(
    ("name", "args", "code"),
    [
        ("close_table", {"spins": 2}, "bad_argument"),
        ("close_table", {"spins": "5"}, "bad_argument"),
        ("close_table", {"spins": True}, "bad_argument"),
        ("close_table", {"spans": 5}, "bad_argument"),
        ("void", {"cause": "disruption"}, "bad_argument"),
        ("no_spin", {"cause": "boredom"}, "bad_argument"),
        ("explode", {}, "unknown_command"),
    ],
)
async def test_bad_arguments_change_nothing(name: str, args: dict[str, Any], code: str, hands: Hands) -> None:
    answer = await order(hands, name, "tg_assistant_casino_manager", **args)
    assert (answer["ok"], answer["code"]) == (False, code)
    assert hands.done == []


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b'{"by": "a"}', b'{"id": 1, "args": []}', b" " * 5000, b"\xff"])
async def test_garbage_is_answered_as_bad_request(payload: bytes, hands: Hands) -> None:
    answer = await Commands(hands, Access(None, lambda: NOW)).receive("spin", TOPIC + "spin", payload, False)
    assert (answer["ok"], answer["code"]) == (False, "bad_request")


async def test_the_controllers_own_refusal_is_passed_on(hands: Hands) -> None:
    hands.code = "fault_stays"
    answer = await order(hands, "unlock", "tg_area_manager")
    assert (answer["ok"], answer["code"], answer["rule"]) == (False, "fault_stays", "D5 7.4")
    hands.code = "gone"
    assert (await order(hands, "unlock", "tg_area_manager"))["code"] == "no_answer"


async def test_technician_serves_the_machine(hands: Hands) -> None:
    assert (await order(hands, "service", "technician", op="tags", data="01"))["data"] == {"data": "07"}
    assert (await order(hands, "service", "technician", op="tags", data="zz"))["code"] == "bad_argument"


def test_every_order_of_the_wire_is_one_the_controller_knows() -> None:
    for name, one in ORDERS.items():
        if one.op:
            assert COMMANDS.number(one.op), name


@pytest.mark.parametrize("book_id", book_ids())
def test_every_book_says_who_holds_each_duty(book_id: str) -> None:
    book = load_book(book_id)
    roles = [level.role for level in book.authority]
    for duty in Duty:
        if duty in (Duty.READ, Duty.SERVICE):
            continue
        least, _ = least_role(book, duty)
        demand(book, roles[-1], duty)
        demand(book, least, duty)
        for role in roles[: roles.index(least)]:
            with pytest.raises(NoAuthority):
                demand(book, role, duty)
    for role in roles:
        assert wire_role(role)


# --- signatures ----------------------------------------------------------------------------------------------------


PEOPLE = {"anna": ("tg_area_manager", b"k" * 32), "ben": ("dealer", b"b" * 32)}


def signed(by: str = "anna", key: bytes = b"k" * 32, age_s: float = 0, **changes: Any) -> bytes:
    at = datetime.fromtimestamp(NOW - age_s, UTC).isoformat()
    command = {"id": "q1", "by": by, "role": PEOPLE.get(by, PEOPLE["anna"])[0], "args": {}, "at": at}
    command["sig"] = sign(TOPIC + "unlock", command, key)
    return json.dumps({**command, **changes}).encode()


async def unlock(commands: Commands, payload: bytes, name: str = "unlock") -> tuple[bool, str]:
    answer = await commands.receive(name, TOPIC + name, payload, False)
    return answer["ok"], answer["code"]


async def test_a_signed_command_is_done_once(hands: Hands) -> None:
    commands = Commands(hands, Access(PEOPLE, lambda: NOW))
    assert await unlock(commands, signed()) == (True, "done")
    assert await unlock(commands, signed()) == (False, "access")
    assert len(hands.done) == 1


@pytest.mark.parametrize(
    "payload",
    [
        signed(key=b"x" * 32),
        signed(sig=""),
        signed(sig=7),
        signed(args={"spins": 1}),
        signed("ben", b"b" * 32, role="tg_area_manager"),
        signed(age_s=31),
        signed(age_s=-31),
        signed(at="noon"),
        signed(by="nobody"),
    ],
)
async def test_a_command_that_is_not_proven_is_refused_and_noted(payload: bytes, hands: Hands) -> None:
    assert await unlock(Commands(hands, Access(PEOPLE, lambda: NOW)), payload) == (False, "access")
    assert hands.done == []
    assert hands.noted == [("unlock", "unproven", False)]


async def test_a_signature_is_good_for_one_topic_only(hands: Hands) -> None:
    assert await unlock(Commands(hands, Access(PEOPLE, lambda: NOW)), signed(), "release") == (False, "access")


async def test_without_people_no_one_commands_by_key(hands: Hands) -> None:
    assert await unlock(Commands(hands, Access({}, lambda: NOW)), signed()) == (False, "access")


def test_people_are_read_from_a_private_file(tmp_path: Path) -> None:
    file = tmp_path / "people.toml"
    file.write_text(f'[anna]\nrole = "tg_area_manager"\nkey = "{"6b" * 32}"\n')
    file.chmod(0o600)
    assert load_people(file)["anna"] == ("tg_area_manager", b"k" * 32)
    file.chmod(0o644)
    with pytest.raises(PeopleFileError, match="chmod 600"):
        load_people(file)


@pytest.mark.parametrize(
    "text", ["[anna", "anna = 1", '[anna]\nrole = "dealer"', '[anna]\nrole = "dealer"\nkey = "zz"']
)
def test_a_wrong_people_file_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "people.toml"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(PeopleFileError, match=r"people\.toml"):
        load_people(file)
