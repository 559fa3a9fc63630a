"""What may be asked of a table over MQTT or from the console: a table of orders, the duty each needs, its arguments.

`cmd/{name}` carries {"id", "by", "role", "args", "at", "sig"}; the answer on `rsp/{name}` carries the same id. A
refusal changes nothing and says why. Not for who may: authority.py; nor for who it is: access.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from dicewire.declared.codes import CAUSES, COMMAND_CODES, COMMANDS, SERVICE_OPS

from tumbler.rules.book import Book
from tumbler.table.access import Access, AccessRefused, Sender
from tumbler.table.authority import VOID_CAUSES, Duty, NoAuthority, demand
from tumbler.table.requests import NoAnswer
from tumbler.table.updates import UpdateRefused, Updates

MAX_PAYLOAD = 4096
MAX_RECALL = 200
ANSWER_S = 20.0  # unlocking runs the self-test of the fault first: motor, lamps, reader
SELF_TEST_S = 60.0  # turns the motor and tries every lamp before there is an answer
MIN_CLOSING_SPINS = 3  # D5 9.8


class Refusal(StrEnum):
    """`code` of an answer that is not ok, beside those of the controller (dicewire command answers)."""

    RETAINED = "retained"
    BAD_REQUEST = "bad_request"
    UNKNOWN = "unknown_command"
    ACCESS = "access"
    NO_AUTHORITY = "no_authority"
    BAD_ARGUMENT = "bad_argument"
    NO_ANSWER = "no_answer"
    NOT_FOUND = "not_found"
    FAILED = "failed"


class OrderRefused(Exception):
    def __init__(self, code: Refusal | str, text: str, rule: str = "") -> None:
        super().__init__(text)
        self.code, self.rule = str(code), rule


@dataclass(frozen=True)
class Argument:
    name: str
    kind: type
    default: Any = None  # None: must be given
    low: int = 0
    high: int = 0xFFFFFFFF
    words: tuple[str, ...] = ()

    def take(self, args: Mapping[str, Any]) -> Any:
        value = args.get(self.name, self.default)
        if value is None:
            raise OrderRefused(Refusal.BAD_ARGUMENT, f"argument {self.name} is missing")
        if type(value) is not self.kind:
            raise OrderRefused(Refusal.BAD_ARGUMENT, f"argument {self.name} is {value!r}, not {self.kind.__name__}")
        if self.words and value not in self.words:
            raise OrderRefused(Refusal.BAD_ARGUMENT, f"{self.name} {value!r} is not one of {', '.join(self.words)}")
        if isinstance(value, int) and self.kind is int and not self.low <= value <= self.high:
            raise OrderRefused(Refusal.BAD_ARGUMENT, f"{self.name} {value} is not between {self.low} and {self.high}")
        return value


@dataclass(frozen=True)
class Order:
    """One command. `op` is the controller's name for it; without one the daemon does it itself."""

    duty: Duty
    text: str
    arguments: tuple[Argument, ...] = ()
    op: str = ""
    answer_s: float = ANSWER_S
    again: bool = False  # twice does no more than once, and it may come late: a controller that restarts is waited for
    recorded: bool = True  # an order that changes something is an `access` event in the journal


CALLABLE_CAUSES = tuple(row.name for row in CAUSES if row.name != "none")
UPDATING = ("update_piece", "update", "update_status")
RULINGS = {"dice_stand": 1, "no_spin": 2}
VOID_DUTIES = {cause: duty for duty, cause in VOID_CAUSES.items()}

ORDERS: dict[str, Order] = {
    "no_more_bets": Order(Duty.DEAL, "close the bets", op="no_more_bets"),
    "no_spin": Order(
        Duty.CALL_NO_SPIN, "call a no spin", (Argument("cause", str, "called", words=CALLABLE_CAUSES),), "no_spin"
    ),
    "spin": Order(Duty.DEAL, "activate the tumbler; the cover must be closed", op="spin"),
    "paid": Order(Duty.DEAL, "all wagers are taken and paid", op="paid"),
    "spin_empty": Order(
        Duty.DIRECT, "spin without wagers (D5 5.1.7)", (Argument("spins", int, 1, 1, 1000),), "spin_empty"
    ),
    "lock": Order(Duty.RELEASE, "lock the table", op="lock", again=True),
    "unlock": Order(Duty.RELEASE, "unlock it once the fault is gone", op="unlock", answer_s=SELF_TEST_S, again=True),
    "close_table": Order(
        Duty.CLOSE_TABLE,
        "close after this many spins",
        (Argument("spins", int, 3, MIN_CLOSING_SPINS, 200),),
        "close_table",
    ),
    "open_table": Order(Duty.CLOSE_TABLE, "take a closing back", op="open_table", again=True),
    "game_start": Order(Duty.RELEASE, "start at the first state of the game", op="game_start"),
    "supervisor_rule": Order(
        Duty.RELEASE, "decide a disputed entry", (Argument("ruling", str, words=tuple(RULINGS)),), "supervisor_rule"
    ),
    "hold": Order(Duty.RELEASE, "no new spin until `release`"),
    "release": Order(Duty.RELEASE, "go on after a refused result or a hold"),
    "void": Order(
        Duty.VOID_DISRUPTION,
        "declare the outcome of a spin void; wagers are refunded",
        (Argument("result_id", str), Argument("cause", str, words=tuple(VOID_DUTIES))),
    ),
    "recall": Order(
        Duty.READ,
        "the last n spins with their evidence, or the n before the result_id `before`",
        (Argument("n", int, 10, 1, MAX_RECALL), Argument("before", str, "")),
        recorded=False,
    ),
    "status": Order(Duty.READ, "where the table stands", recorded=False),
    "service": Order(
        Duty.SERVICE,
        "a technician's request to the controller",
        (Argument("op", str, words=tuple(row.name for row in SERVICE_OPS)), Argument("data", str, "")),
    ),
    "update_piece": Order(
        Duty.SERVICE,
        "a piece of the controller's new program, base64, for `update`",
        (Argument("sha256", str), Argument("size", int), Argument("offset", int), Argument("data", str)),
        recorded=False,
    ),
    "update": Order(
        Duty.SERVICE,
        "send the program that was brought to the controller, and try it out",
        (Argument("sha256", str), Argument("join_s", int, 120, 1, 3600), Argument("other_schema", bool, False)),
    ),
    "update_status": Order(Duty.READ, "how far the last update has come", recorded=False),
}


class Hands(Protocol):
    """What an order can move: the table."""

    @property
    def rules(self) -> Book: ...

    async def command(self, op: int, arg: int, role: str, timeout_s: float, *, again: bool) -> int:
        """COMMAND to the controller; the code of its answer. `again` as in Requests.ask."""

    async def service(self, op: int, data: bytes, timeout_s: float) -> tuple[bool, bytes]: ...

    async def release(self, sender: Sender, rule: str) -> dict[str, Any]: ...

    async def hold(self, sender: Sender, rule: str) -> dict[str, Any]: ...

    async def void(self, sender: Sender, rule: str, result_id: str, cause: str) -> dict[str, Any]: ...

    def recall(self, n: int, before: str) -> list[dict[str, Any]]: ...

    def status(self) -> dict[str, Any]: ...

    @property
    def updates(self) -> Updates: ...

    def game_started(self) -> None: ...

    def ordered(self, name: str, sender: Sender, args: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """An order that changes something was given and answered, or refused for want of access or authority."""


def argument_of(name: str, args: Mapping[str, Any]) -> int:
    """The one number that a COMMAND carries."""
    if name == "no_spin":
        return CAUSES.number(args["cause"])
    if name == "supervisor_rule":
        return RULINGS[args["ruling"]]
    return int(args.get("spins", 0))


def parse(payload: bytes) -> dict[str, Any]:
    try:
        command = json.loads(payload) if len(payload) <= MAX_PAYLOAD else None
    except ValueError:
        command = None
    if not isinstance(command, dict) or not isinstance(command.get("id"), (str, int)):
        raise OrderRefused(Refusal.BAD_REQUEST, f"a command is a JSON object with an id, at most {MAX_PAYLOAD} bytes")
    if not isinstance(command.get("args", {}), dict):
        raise OrderRefused(Refusal.BAD_REQUEST, "args must be an object")
    return command


class Commands:
    def __init__(self, hands: Hands, access: Access) -> None:
        self._hands, self._access = hands, access

    async def receive(self, name: str, topic: str, payload: bytes, retained: bool) -> dict[str, Any]:
        """A message on `cmd/{name}`; the answer for `rsp/{name}`."""
        command: dict[str, Any] = {}
        try:
            if retained:
                raise OrderRefused(Refusal.RETAINED, "a retained command would be executed again at every start")
            command = parse(payload)
            sender = self._access.sender(topic, command)
        except (OrderRefused, AccessRefused) as error:
            code = error.code if isinstance(error, OrderRefused) else Refusal.ACCESS
            answer = {"ok": False, "code": str(code), "text": str(error)}
            if code == Refusal.ACCESS:
                self._hands.ordered(name, Sender(str(command.get("by"))[:64], "unproven"), {}, answer)
            return {"id": command.get("id"), **answer}
        return {"id": command["id"], **await self.order(name, sender, command.get("args", {}))}

    async def order(self, name: str, sender: Sender, given: Mapping[str, Any]) -> dict[str, Any]:
        """An order of someone who is known; also the console's way in."""
        order = ORDERS.get(name)
        try:
            if order is None:
                raise OrderRefused(Refusal.UNKNOWN, f"there is no command {name!r}; one of {', '.join(ORDERS)}")
            rule = self._authority(order, sender, given)
            unknown = set(given) - {argument.name for argument in order.arguments}
            if unknown:
                raise OrderRefused(Refusal.BAD_ARGUMENT, f"{name} has no argument {', '.join(sorted(unknown))}")
            args = {argument.name: argument.take(given) for argument in order.arguments}
            data = await self._carry_out(name, order, sender, args, rule)
            answer: dict[str, Any] = {"ok": True, "code": "done", "text": order.text, "rule": rule, "data": data}
        except OrderRefused as error:
            answer = {"ok": False, "code": error.code, "text": str(error), "rule": error.rule}
        except NoAnswer as error:
            answer = {"ok": False, "code": str(Refusal.NO_ANSWER), "text": str(error)}
        if order is not None and (order.recorded or answer.get("code") == Refusal.NO_AUTHORITY):
            self._hands.ordered(name, sender, given, answer)
        return answer

    def _authority(self, order: Order, sender: Sender, given: Mapping[str, Any]) -> str:
        duty = order.duty
        if duty is Duty.VOID_DISRUPTION:
            duty = VOID_DUTIES.get(str(given.get("cause")), duty)
        try:
            return demand(self._hands.rules, sender.role, duty)
        except NoAuthority as error:
            raise OrderRefused(Refusal.NO_AUTHORITY, str(error), error.rule) from error

    async def _carry_out(self, name: str, order: Order, sender: Sender, args: dict[str, Any], rule: str) -> Any:
        hands = self._hands
        if order.op:
            arg = argument_of(name, args)
            code = await hands.command(COMMANDS.number(order.op), arg, sender.role, order.answer_s, again=order.again)
            row = COMMAND_CODES.get(code)
            if row.name != "done":
                raise OrderRefused(row.name, row.text, rule)
            if name == "game_start":
                hands.game_started()
            return None
        if name == "service":
            return await self._service(args)
        if name == "recall":
            return hands.recall(args["n"], args["before"])
        if name == "status":
            return hands.status()
        if name in UPDATING:
            return self._update(name, sender, args)
        if name == "void":
            return await hands.void(sender, rule, args["result_id"], args["cause"])
        return await (hands.release if name == "release" else hands.hold)(sender, rule)

    def _update(self, name: str, sender: Sender, args: dict[str, Any]) -> dict[str, Any]:
        updates = self._hands.updates
        try:
            if name == "update_piece":
                return updates.bring(**args)
            return updates.start(sender.by, **args) if name == "update" else updates.standing()
        except UpdateRefused as error:
            raise OrderRefused(Refusal.FAILED, str(error)) from error

    async def _service(self, args: dict[str, Any]) -> dict[str, Any]:
        try:
            data = bytes.fromhex(args["data"])
        except ValueError as error:
            raise OrderRefused(Refusal.BAD_ARGUMENT, "data must be hexadecimal") from error
        done, answer = await self._hands.service(SERVICE_OPS.number(args["op"]), data, SELF_TEST_S)
        if not done:
            raise OrderRefused(Refusal.FAILED, answer.decode("utf-8", "replace") or "the controller refused")
        return {"data": answer.hex()}
