"""`tumbler diag`: what the technician wants to know of a table, and may do to it. docs/technician.md is its guide.

Speaks to the controller over its cable; where a daemon holds the port, through that daemon. Decides nothing about play.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tumbler.cli.exits import BadInput, WorkFailed

if TYPE_CHECKING:
    from tumbler.config import Config, TableConfig
    from tumbler.diag.line import Line
    from tumbler.diag.operations import Operation
    from tumbler.diag.through import ThroughDaemon

STAYS = ("light", "bootloader", "format", "reset")  # after these the table is not given back at once


def add(subparsers: Any) -> None:
    from tumbler.diag.operations import OPERATIONS

    parser = subparsers.add_parser("diag", help="what the technician wants to know of a table")
    what = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    _options(what.add_parser("test", help="measure everything, each reading with its limits")).set_defaults(
        func=run_test
    )
    _options(what.add_parser("status", help="what the daemon last told of the table")).set_defaults(func=run_status)
    _options(what.add_parser("link", help="counters of the line, after some round trips")).set_defaults(func=run_link)
    for name, operation in OPERATIONS.items():
        one = _options(what.add_parser(name, help=operation.text))
        for argument in operation.arguments:
            word = argument.name.upper()
            if argument.default is None:
                one.add_argument(argument.name, type=int, metavar=word, help=argument.text)
            else:
                one.add_argument(
                    argument.name, type=int, metavar=word, help=argument.text, nargs="?", default=argument.default
                )
        if operation.bulk:
            one.add_argument("--out", metavar="FILE", type=Path, help="write it there (default: stdout)")
        one.set_defaults(func=run_operation)


def _options(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--config", metavar="FILE", type=Path, help="the daemon's configuration: port, key and broker")
    parser.add_argument("--table", metavar="ID", help="which of its tables (default: the only one)")
    parser.add_argument("--port", metavar="PORT", help='without --config: a path, "usb:SERIAL" or "auto"')
    parser.add_argument("--key", metavar="FILE", type=Path, help="without --config: the table's key")
    parser.add_argument(
        "--via",
        choices=("auto", "cable", "daemon"),
        default="auto",
        help="over the cable, through the daemon, or (default) through the daemon where it holds the cable",
    )
    parser.add_argument("--by", metavar="NAME", default=os.environ.get("USER", ""), help="who asks, for the record")
    parser.add_argument(
        "--people", metavar="FILE", type=Path, help="file with NAME's key (default: commands.keys_file)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


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

    return _run(options, work)


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

    return _run(options, work)


def run_link(options: argparse.Namespace) -> int:
    async def work(line: Line) -> int:
        from tumbler.diag.checks import slowest_round_trip

        slowest = await slowest_round_trip(line)
        return _show(options, {**line.identity(), **line.counters(), "slowest_round_trip_ms": round(slowest, 3)}, b"")

    return _run(options, work)


def run_status(options: argparse.Namespace) -> int:
    if options.config is None:
        raise BadInput("status: --config is needed: it is the daemon that tells")

    async def work() -> int:
        config, table = _configured(options)
        line = await _through(options, config, table)
        try:
            standing = await line.standing()
        finally:
            await line.close()
        if options.json:
            print(json.dumps(standing))
            return 0
        for leaf, body in standing.items():
            print(f"{leaf:<8} {_in_a_line(leaf, body)}")
        return 0

    return _guarded(work)


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
        "health": lambda: f"warnings: {', '.join(body['warnings']) or 'none'}",
    }
    return f"{told[leaf]()} (at {body['at']})"


# --- the way to the controller ----------------------------------------------------------------------------------------


def _run(options: argparse.Namespace, work: Callable[[Line], Awaitable[int]]) -> int:
    async def session() -> int:
        line = await _line(options)
        try:
            return await work(line)
        finally:
            await line.close()

    return _guarded(session)


def _guarded(work: Callable[[], Awaitable[int]]) -> int:
    from tumbler import log
    from tumbler.diag.line import LineDown, RequestRefused
    from tumbler.diag.operations import AnswerUnreadable

    log.start("error")  # what the link has to say is said by the one line of this command

    async def run() -> int:
        return await work()

    try:
        return asyncio.run(run())
    except (LineDown, RequestRefused, AnswerUnreadable) as error:
        raise WorkFailed(str(error)) from error


async def _line(options: argparse.Namespace) -> Line:
    from tumbler.config import KeyFileError, read_key
    from tumbler.diag.line import Cable, LineDown

    if options.config is not None:
        config, table = _configured(options)
        if options.via == "daemon":
            return await _through(options, config, table)
        port, key_file = table.port, table.key_file
    elif options.port is None or options.key is None or options.via == "daemon":
        raise BadInput("name a table: --config FILE, or --port PORT and --key FILE for its cable")
    else:
        port, key_file = options.port, options.key
    try:
        key = read_key(key_file)
    except KeyFileError as error:
        raise BadInput(str(error)) from error
    cable = Cable(port, key, lambda event: print(f"event: {event['text']}", file=sys.stderr))
    try:
        await cable.open()
    except LineDown as error:
        await cable.close()
        if error.code == "in_use" and options.config is not None and options.via == "auto":
            return await _through(options, config, table)
        raise
    return cable


def _configured(options: argparse.Namespace) -> tuple[Config, TableConfig]:
    from tumbler.config import ConfigError, load

    try:
        config = load(options.config)
    except ConfigError as error:
        raise BadInput(str(error)) from error
    names = [table.id for table in config.tables]
    wanted = options.table or (names[0] if len(names) == 1 else None)
    if wanted not in names:
        given = f"there is no table {wanted!r}" if wanted else "it has more than one table"
        raise BadInput(f"{options.config}: {given}; --table is one of {', '.join(names)}")
    return config, config.tables[names.index(wanted)]


async def _through(options: argparse.Namespace, config: Config, table: TableConfig) -> ThroughDaemon:
    from tumbler.diag.through import ThroughDaemon
    from tumbler.table.access import PeopleFileError, load_people

    key: bytes | None = None
    people = options.people or config.commands.keys_file
    if config.commands.trust == "keys" and options.what != "status":
        if people is None:
            raise BadInput(
                f"{options.config}: the daemon takes signed commands only: --people FILE with {options.by}'s key"
            )
        try:
            known = load_people(people)
        except PeopleFileError as error:
            raise BadInput(str(error)) from error
        if options.by not in known:
            raise BadInput(f"{people}: has no {options.by!r}; --by is one of {', '.join(known)}")
        key = known[options.by][1]
    line = ThroughDaemon(config, table.id, options.by or "technician", key)
    await line.open()
    return line
