"""`tumbler update`: packs the controller's program, shows an image, brings one to a table and waits for what becomes of it."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.diag import reach

if TYPE_CHECKING:
    from tumbler.diag.line import Line
    from tumbler.update.image import Image
    from tumbler.update.sending import Standing

BOARDS = ("pico", "twin")


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser("update", help="pack the controller's program, bring it to a table")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    pack = actions.add_parser("pack", help="make one file of the firmware that this tumbler ships")
    pack.add_argument("--board", choices=BOARDS, default="pico", help="for which board (default: pico)")
    pack.add_argument("--out", metavar="FILE", type=Path, help="default: tumbler-VERSION-BOARD.update")
    pack.add_argument("--key", metavar="FILE", type=Path, help="sign it for the one table that has this key")
    pack.add_argument("--json", action="store_true", help="print one JSON document")
    pack.set_defaults(func=run_pack)
    show = actions.add_parser("show", help="check an image and say what is in it")
    show.add_argument("file", metavar="FILE", type=Path)
    show.add_argument("--json", action="store_true", help="print one JSON document")
    show.set_defaults(func=run_show)
    send = reach.options_for(actions.add_parser("send", help="bring an image to a table and try it out there"))
    send.add_argument("file", metavar="FILE", type=Path)
    send.add_argument(
        "--join", metavar="SECONDS", type=int, default=120, help="how long the new program waits for its daemon (120)"
    )
    send.add_argument(
        "--other-schema", action="store_true", help="a daemon of the image's version will be started in that time"
    )
    send.set_defaults(func=run_send, what="update")


def run_pack(options: argparse.Namespace) -> int:
    from tumbler.config import KeyFileError, read_key
    from tumbler.update import build, image

    try:
        version = build.version()
        data = image.pack(build.program_files(options.board), options.board, version)
        if options.key is not None:
            data = image.signed(data, read_key(options.key))
    except KeyFileError as error:
        raise BadInput(str(error)) from error
    except (build.BuildFailed, image.ImageError) as error:
        raise WorkFailed(str(error)) from error
    out = options.out or Path(f"tumbler-{version}-{options.board}.update")
    try:
        out.write_bytes(data)
    except OSError as error:
        raise WorkFailed(f"{out}: cannot be written: {error.strerror}") from error
    return _describe(options, out, image.read(data), len(data))


def _read(file: Path) -> tuple[bytes, Image]:
    from tumbler.update import image

    try:
        data = file.read_bytes()
        return data, image.read(data)
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from error
    except image.ImageError as error:
        raise BadInput(f"{file}: {error}") from error


def run_show(options: argparse.Namespace) -> int:
    data, found = _read(options.file)
    return _describe(options, options.file, found, len(data))


def _describe(options: argparse.Namespace, file: Path, found: Image, size: int) -> int:
    head = found.head
    told = {"file": str(file), "version": head.version, "board": head.board, "schema": head.schema.hex()}
    more = {"files": head.count, "bytes": size, "sha256": head.sha256.hex(), "signed": found.signed}
    if options.json:
        print(json.dumps(told | more))
    else:
        print(f"{file}: firmware {head.version} for {head.board}, {head.count} files, {size} bytes")
        print(f"wire {head.schema.hex()}, content {head.sha256.hex()[:16]}, {'' if found.signed else 'not '}signed")
    return 0


def run_send(options: argparse.Namespace) -> int:
    from tumbler.update.sending import Plan, Stage

    data, _ = _read(options.file)
    if not 1 <= options.join <= 3600:
        raise BadInput(f"--join {options.join} is not between 1 and 3600 seconds")
    progress = Progress()

    async def work(line: Line) -> int:
        end = await line.update(data, Plan(options.join, options.other_schema), progress.show)
        if options.json:
            print(json.dumps(asdict(end)))
        elif end.stage == Stage.APPLIED:
            print(f"applied: {end.text}")
        if end.stage != Stage.APPLIED:
            raise WorkFailed(f"{end.stage.replace('_', ' ')}: {end.text}")
        return 0

    return reach.run(options, work)


class Progress:
    """One line for each stage and each tenth of the transfer, on stderr."""

    def __init__(self) -> None:
        self._last = ""

    def show(self, now: Standing) -> None:
        part = f" {10 * now.done // now.size * 10} %" if now.stage == "sending" and now.size else ""
        line = f"{now.stage.replace('_', ' ')}{part}"
        if line != self._last:
            self._last = line
            print(line, file=sys.stderr, flush=True)
