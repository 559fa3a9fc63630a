"""`tumbler diag`: what the technician wants to know of a table, and may do to it. docs/technician.md is its guide.

Speaks to the controller over its cable; where a daemon holds the port, through that daemon. Decides nothing about play.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.diag import reach

if TYPE_CHECKING:
    from tumbler.diag.line import Line
    from tumbler.diag.operations import Operation

STAYS = ("light", "bootloader", "format", "reset", "fit-readers")  # after these the table is not given back at once


def add(subparsers: Any) -> None:
    from tumbler.diag.operations import OPERATIONS

    parser = subparsers.add_parser("diag", help="what the technician wants to know of a table")
    what = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    reach.options_for(what.add_parser("test", help="measure everything, each reading with its limits")).set_defaults(
        func=run_test
    )
    reach.options_for(what.add_parser("status", help="what the daemon last told of the table")).set_defaults(
        func=run_status
    )
    reach.options_for(what.add_parser("link", help="counters of the line, after some round trips")).set_defaults(
        func=run_link
    )
    for name, operation in OPERATIONS.items():
        one = reach.options_for(what.add_parser(name, help=operation.text))
        for argument in operation.arguments:
            word = argument.name.upper()
            if argument.named:
                one.add_argument(
                    f"--{argument.name}", type=int, metavar="N", help=argument.text, default=argument.default
                )
            elif argument.default is None:
                one.add_argument(argument.name, type=int, metavar=word, help=argument.text)
            else:
                one.add_argument(
                    argument.name, type=int, metavar=word, help=argument.text, nargs="?", default=argument.default
                )
        if operation.bulk:
            one.add_argument("--out", metavar="FILE", type=Path, help="write it there (default: stdout)")
        one.set_defaults(func=run_operation)


# --- what is asked ----------------------------------------------------------------------------------------------------


def run_operation(options: argparse.Namespace) -> int:
    from tumbler.diag.operations import OPERATIONS, read_answer

    operation = OPERATIONS[options.what]
    data = operation.data(_arguments(operation, options))

    async def work(line: Line) -> int:
        from tumbler.diag.checks import out_of_play

        if not operation.service:
            return _show(options, *await asked(line))
        async with out_of_play(line, stay=options.what in STAYS):
            answer = await asked(line)
        return _show(options, *answer)

    async def asked(line: Line) -> tuple[dict[str, Any], bytes]:
        answer = read_answer(options.what, await line.ask(operation.op, operation.number, data))
        return answer, await line.transfer(operation.bulk) if operation.bulk else b""

    return reach.run(options, work)


def _arguments(operation: Operation, options: argparse.Namespace) -> dict[str, int]:
    values = {}
    for argument in operation.arguments:
        value = int(getattr(options, argument.name))
        if not argument.low <= value <= argument.high:
            raise BadInput(f"{options.what}: {argument.name} {value} is not between {argument.low} and {argument.high}")
        values[argument.name] = value
    return values


def _show(options: argparse.Namespace, answer: Mapping[str, Any], bulk: bytes) -> int:
    if getattr(options, "out", None) is not None:
        try:
            options.out.write_bytes(bulk)
        except OSError as error:
            raise WorkFailed(f"{options.out}: cannot be written: {error.strerror}") from error
        answer = {"file": str(options.out), "bytes": len(bulk)}
    elif bulk:
        answer = {"text": bulk.decode("utf-8", "replace")}
        if not options.json:
            print(answer["text"], end="")
            return 0
    if options.json:
        print(json.dumps(answer))
        return 0
    for name, value in answer.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            print(f"{name}:")
            for row in value:
                print("  " + "  ".join(f"{key} {one}" for key, one in row.items()))
        else:
            print(f"{name:<14} {', '.join(map(str, value)) if isinstance(value, list) else value}")
    if not answer:
        print("done")
    return 0


def run_test(options: argparse.Namespace) -> int:
    async def work(line: Line) -> int:
        from tumbler.diag.checks import examine, report_json

        report = await examine(line)
        if options.json:
            print(json.dumps(report_json(line, report)))
        else:
            for row in (*report.measurements, *report.notes):
                print(row)
            print("all within their limits" if report.passed else "not all within their limits")
        return 0 if report.passed else 1

    return reach.run(options, work)


def run_link(options: argparse.Namespace) -> int:
    async def work(line: Line) -> int:
        from tumbler.diag.checks import slowest_round_trip

        slowest = await slowest_round_trip(line)
        counters = await line.counters()
        return _show(options, {**line.identity(), **counters, "slowest_round_trip_ms": round(slowest, 3)}, b"")

    return reach.run(options, work)


def run_status(options: argparse.Namespace) -> int:
    if options.config is None:
        raise BadInput("status: --config is needed: it is the daemon that tells")

    async def work() -> int:
        config, table = reach.configured(options)
        line = await reach.through(options, config, table)
        try:
            standing = await line.standing()
        finally:
            await line.close()
        if options.json:
            print(json.dumps(standing))
            return 0
        print("\n".join(standing_lines(standing)))
        return 0

    return reach.guarded(work)


def standing_lines(standing: Mapping[str, Any]) -> list[str]:
    """One line a topic. What a daemon that is away said last stays at the broker: it must not be read as today's."""
    away = (standing["state"] or {}).get("state") != "online"
    return [
        f"{leaf:<8} {'as the daemon left it: ' if away and body and leaf != 'state' else ''}{_in_a_line(leaf, body)}"
        for leaf, body in standing.items()
    ]


def _drift(controller: Mapping[str, Any]) -> str:
    what = controller.get("drift", "none")
    return "" if what == "none" else f"; camera: {what} {controller['drift_by'] / 10:+.0f} % since calibration"


def _in_a_line(leaf: str, body: Mapping[str, Any] | None) -> str:
    if body is None:
        return "nothing"
    told: dict[str, Callable[[], str]] = {
        "state": lambda: f"{body['state']}, version {body.get('version')}",
        "link": lambda: f"{body['state']} on {body.get('port')} {body.get('reason') or ''}",
        "round": lambda: f"{body['round']}, spin {body['spin']}, lock {body['lock']}, hold {body['hold']}",
        "info": lambda: (
            f"{body['book']}, game table {body['game_table']}, {(body['controller'] or {}).get('firmware')}"
        ),
        "health": lambda: f"warnings: {', '.join(body['warnings']) or 'none'}{_drift(body.get('controller') or {})}",
    }
    return f"{told[leaf]()} (at {body['at']})"
