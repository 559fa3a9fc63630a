"""From the command line to a controller: which table is meant, over its cable or through the daemon that holds it.

For `tumbler diag` and `tumbler provision`, which ask the controller something. Imports nothing heavy before it is used.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tumbler.cli.exits import BadInput, WorkFailed

if TYPE_CHECKING:
    from tumbler.config import Config, TableConfig
    from tumbler.diag.line import Line
    from tumbler.diag.through import ThroughDaemon


def options_for(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
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


def run(options: argparse.Namespace, work: Callable[[Line], Awaitable[int]]) -> int:
    async def session() -> int:
        line = await _line(options)
        try:
            return await work(line)
        finally:
            await line.close()

    return guarded(session)


def guarded(work: Callable[[], Awaitable[int]]) -> int:
    from tumbler import log
    from tumbler.diag.line import LineDown, RequestRefused
    from tumbler.diag.operations import AnswerUnreadable

    log.start("error")  # what the link has to say is said by the one line of this command

    async def awaited() -> int:
        return await work()

    try:
        return asyncio.run(awaited())
    except (LineDown, RequestRefused, AnswerUnreadable) as error:
        raise WorkFailed(str(error)) from error


async def _line(options: argparse.Namespace) -> Line:
    from tumbler.config import KeyFileError, read_key
    from tumbler.diag.line import Cable, LineDown

    if options.config is not None:
        config, table = configured(options)
        if options.via == "daemon":
            return await through(options, config, table)
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
            return await through(options, config, table)
        raise
    return cable


def configured(options: argparse.Namespace) -> tuple[Config, TableConfig]:
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


async def through(options: argparse.Namespace, config: Config, table: TableConfig) -> ThroughDaemon:
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
            given = f"{people}: has no {options.by!r}" if options.by else "the daemon wants to know who asks"
            raise BadInput(f"{given}; --by is one of {', '.join(known)}")
        key = known[options.by][1]
    line = ThroughDaemon(config, table.id, options.by or "technician", key)
    await line.open()
    return line
