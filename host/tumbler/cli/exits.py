"""How a command ends other than well: it raises one of these, main.py prints one line and picks the exit code.

Not for errors inside a room: those have classes of their own, and the command translates them.
"""

from __future__ import annotations


class CommandError(Exception):
    """One clear line for the person at the keyboard."""

    exit_code = 1


class BadInput(CommandError):
    """Wrong usage or a wrong file: names the file, the field and the value. Nothing has been done."""

    exit_code = 2


class WorkFailed(CommandError):
    """The input was right and the work failed: says what, where and what to do next."""
