"""`tumbler run --config FILE`: the daemon."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from tumbler.cli.exits import BadInput, WorkFailed


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser("run", help="the daemon: one or more tables, from the controller to MQTT")
    parser.add_argument("--config", metavar="FILE", required=True, help="configuration (see `tumbler config example`)")
    parser.set_defaults(func=run)


def run(options: argparse.Namespace) -> int:
    from tumbler import log
    from tumbler.cli.main import version
    from tumbler.config import ConfigError, load

    try:
        config = load(options.config)
    except ConfigError as error:
        raise BadInput(str(error)) from error
    log.start(config.log.level, config.log.format)
    from tumbler.daemon import CannotStart, serve

    try:
        return asyncio.run(serve(config, version()))
    except CannotStart as error:
        raise WorkFailed(str(error)) from error
