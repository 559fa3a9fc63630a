"""`tumbler record`: the games of many tables into one database."""

from __future__ import annotations

import argparse
import re
import signal
import socket
import threading
from pathlib import Path
from typing import Any

from tumbler.cli.exits import BadInput, WorkFailed


def add(subparsers: Any) -> None:
    text = "the games of many tables into one database, SQLite or PostgreSQL"
    parser = subparsers.add_parser("record", help=text, description=text)
    parser.add_argument(
        "--database", metavar="WHERE", required=True, help="a file for SQLite, or postgresql://user@host/database"
    )
    parser.add_argument("--broker", metavar="HOST[:PORT]", default="127.0.0.1:1883", help="default: %(default)s")
    parser.add_argument("--group", metavar="NAME", default="recorder", help="instances of one group share the work")
    parser.add_argument("--name", metavar="NAME", help="of this instance (default: recorder- and the host's name)")
    parser.add_argument("--username", metavar="NAME", help="at the broker")
    parser.add_argument("--password-file", metavar="FILE", type=Path, help="its first line is the password")
    parser.add_argument("--ca-file", metavar="FILE", type=Path, help="speak TLS and trust these certificates")
    parser.add_argument("--by", metavar="NAME", default="recorder", help="who asks a table for missed games")
    parser.add_argument("--role", metavar="ROLE", default="inspector", help="default: %(default)s")
    parser.add_argument("--key-file", metavar="FILE", type=Path, help="the key that signs such requests")
    parser.set_defaults(func=run)


def run(options: argparse.Namespace) -> int:
    from tumbler import log
    from tumbler.config import KeyFileError, MqttConfig, read_key
    from tumbler.mqtt.settings import BrokerUnusable
    from tumbler.recorder.recorder import Plan, Recorder
    from tumbler.recorder.store import StoreFailed, open_store

    address = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^:\s]+)(?::([0-9]{1,5}))?", options.broker)
    if address is None or not 0 < int(address[2] or 1883) < 65536:
        raise BadInput(f"--broker {options.broker!r} is not HOST or HOST:PORT")
    name = options.name or f"recorder-{socket.gethostname()}"
    for flag, word in (("--group", options.group), ("--name", name)):
        if not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", word):
            raise BadInput(f"{flag} {word!r} is not a name of letters, digits, dot, dash and underscore")
    try:
        key = read_key(options.key_file) if options.key_file else None
    except KeyFileError as error:
        raise BadInput(f"--key-file: {error}") from error
    broker = MqttConfig(
        host=address[1].strip("[]"),
        port=int(address[2] or 1883),
        username=options.username,
        password_file=options.password_file,
        tls=options.ca_file is not None,
        ca_file=options.ca_file,
    )
    log.start("info", "text")
    try:
        store = open_store(options.database)
    except StoreFailed as error:
        raise BadInput(f"--database: {error}") from error
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        Recorder(store, broker, Plan(options.group, name, options.by, options.role, key)).run(stop)
    except BrokerUnusable as error:
        raise WorkFailed(str(error)) from error
    finally:
        store.close()
    return 0
