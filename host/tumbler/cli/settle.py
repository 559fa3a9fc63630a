"""`tumbler settle [FILE|-]`: play a script of wagers and rolls by a rule book and answer each event."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tumbler.cli.exits import BadInput
from tumbler.rules.script import ScriptError, read_script
from tumbler.rules.settle import Answer, settle

LARGEST_SCRIPT = 64 * 1024 * 1024


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "settle",
        help="settle wagers by a rule book",
        description="Play a script of wagers and rolls by a rule book; answers one object for each event.",
    )
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="the script (JSON), - for standard input")
    parser.add_argument("--json", action="store_true", help="print the answers as one JSON document")
    parser.set_defaults(func=run)


def run(options: argparse.Namespace) -> int:
    name = "standard input" if options.file == "-" else options.file
    try:
        answers = settle(read_script(_bytes(options.file)))["events"]
    except OSError as error:
        raise BadInput(f"{name}: cannot be read: {error.strerror or error}") from None
    except ScriptError as error:
        raise BadInput(f"{name}: {error}") from None
    if options.json:
        json.dump({"events": answers}, sys.stdout)
        print()
    else:
        for number, answer in enumerate(answers):
            print(f"{number:>4}  {_line(answer)}")
    return 0


def _bytes(file: str) -> bytes:
    if file == "-":
        data = sys.stdin.buffer.read(LARGEST_SCRIPT + 1)
    else:
        with Path(file).open("rb") as script:
            data = script.read(LARGEST_SCRIPT + 1)
    if len(data) > LARGEST_SCRIPT:
        raise ScriptError(f"the script has more than {LARGEST_SCRIPT} bytes")
    return data


def _line(answer: Answer) -> str:
    """One event for a person."""
    if not answer["ok"]:
        return f"refused: {answer['why']} (rule {answer['rule']})"
    if "total" in answer:
        point = f", point {answer['point_after']}" if answer["point_after"] else ""
        rows = [
            f"{row['id']} {row['outcome']}"
            + (f" pays {row['pays']}" if row["pays"] != "0" else "")
            + (f" back {row['back']}" if row["back"] != "0" else "")
            for row in answer["outcomes"]
        ]
        return f"rolled {answer['total']}{point}" + "".join(f"; {row}" for row in rows)
    words = [f"{key} {value}" for key, value in answer.items() if key != "ok" and value not in ("0", [])]
    return "done" + "".join(f"; {word}" for word in words)
