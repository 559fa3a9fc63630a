"""`tumbler` itself: help is quick, bad usage is one line, every command of the list exists."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from tumbler.cli.main import COMMANDS


def test_help_lists_every_command(tumbler: Any) -> None:
    done = tumbler("--help")
    assert done.returncode == 0
    for name in COMMANDS:
        assert f"\n  {name}" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_exists_and_has_help(name: str, tumbler: Any) -> None:
    assert callable(importlib.import_module(f"tumbler.cli.{name}").add)
    assert tumbler(name, "--help").returncode == 0


@pytest.mark.parametrize(
    "words", [(), ("nonsense",), ("config",), ("config", "nonsense"), ("run",), ("run", "--nonsense")]
)
def test_bad_usage_is_one_line_and_exit_2(words: tuple[str, ...], tumbler: Any) -> None:
    done = tumbler(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_help_does_not_load_what_it_does_not_need(tumbler: Any) -> None:
    import subprocess
    import sys

    code = "import sys, tumbler.cli.main as m; m.build_parser(None); print([n for n in ('mujoco','numpy','aiohttp','paho') if n in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
