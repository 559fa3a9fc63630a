"""`tumbler demo`: what `make run` starts."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("demo", help="a whole table on this machine: twin, firmware, broker, daemon, page")
    parser.add_argument("--spins", type=int, metavar="N", help="end after N spins; exit 0 only if all arrived on MQTT")
    parser.add_argument("--seed", type=int, default=None, help="of the physics (default: from the clock, shown)")
    parser.add_argument("--book", default="crown-melbourne-sicbo-a", help="rule book (default: %(default)s)")
    parser.add_argument(
        "--pace", choices=("human", "fast"), default="human", help="of the dealer (default: %(default)s)"
    )
    parser.add_argument(
        "--speed",
        type=float,
        default=None,
        help="table time against the clock (default: 1, 4 with --spins, or as fast as possible with --pace fast)",
    )
    parser.add_argument(
        "--reader",
        choices=("tags", "camera", "both"),
        default="tags",
        help="what reads the dice; both must agree (default: %(default)s)",
    )
    parser.add_argument(
        "--difficulty",
        choices=("easy", "normal", "hard"),
        default="normal",
        help="of the camera's picture (default: %(default)s)",
    )
    parser.add_argument("--listen", metavar="HOST:PORT", help="of the page (default: 127.0.0.1:8765 or a free port)")
    parser.add_argument("--folder", type=Path, help="for truth, journal and logs (default: run/<time>)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page")
    parser.set_defaults(func=run)


def _usual_speed(pace: str, spins: int | None) -> float:
    """Who waits for the end wants it soon, and still to see the dice."""
    if pace == "fast":
        return 0.0
    return 1.0 if spins is None else 4.0


def run(args: argparse.Namespace) -> int:
    from tumbler.config import book_id, host_and_port
    from tumbler.demo import Demo, DemoError, Plan, can_listen

    if args.spins is not None and args.spins < 1:
        print(f"tumbler demo: --spins {args.spins}: must be 1 or more", file=sys.stderr)
        return 2
    for option, value, check in (("--book", args.book, book_id), ("--listen", args.listen, host_and_port)):
        if value is not None and (wrong := check(value)):
            print(f"tumbler demo: {option}: {wrong}", file=sys.stderr)
            return 2
    if args.listen is not None and (wrong := can_listen(args.listen)):
        print(f"tumbler demo: --listen: {wrong}", file=sys.stderr)
        return 2
    folder: Path = args.folder or Path("run") / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    seed = args.seed if args.seed is not None else int(time.time())
    speed = args.speed if args.speed is not None else _usual_speed(args.pace, args.spins)
    try:
        folder.mkdir(parents=True, mode=0o700)
    except OSError as error:
        print(f"tumbler demo: --folder {folder}: {error.strerror}", file=sys.stderr)
        return 2
    print(f"Tumbler: {args.book}, seed {seed}; Ctrl-C ends it", flush=True)
    plan = Plan(
        folder.resolve(),
        args.book,
        args.spins,
        seed,
        args.pace,
        speed,
        args.listen,
        not args.no_browser,
        args.reader,
        args.difficulty,
    )

    def terminated(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, terminated)
    try:
        return Demo(plan).run()
    except DemoError as error:
        print(f"tumbler demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped", flush=True)
        return 0 if args.spins is None else 1
