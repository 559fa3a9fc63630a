"""`tumbler config check FILE` and `tumbler config example`."""

from __future__ import annotations

import argparse
import json
from typing import Any

from tumbler.cli.exits import BadInput


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser("config", help="check a configuration file, or print an example")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="check FILE as the daemon does at start")
    check.add_argument("file", metavar="FILE")
    check.add_argument("--json", action="store_true", help="print what was understood as JSON")
    check.set_defaults(func=run_check)
    example = actions.add_parser("example", help="print a file with every key")
    example.set_defaults(func=run_example)


def run_check(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from tumbler.config import ConfigError, check_journal_folder, load

    try:
        config = load(options.file)
        check_journal_folder(config, options.file)
    except ConfigError as error:
        raise BadInput(str(error)) from error
    if options.json:
        print(json.dumps(asdict(config), default=str))
    else:
        names = ", ".join(f"{table.id} ({table.book})" for table in config.tables)
        print(f"{options.file}: good; site {config.site}, {len(config.tables)} table(s): {names}")
    return 0


def run_example(options: argparse.Namespace) -> int:
    from tumbler.config_example import example

    print(example(), end="")
    return 0
