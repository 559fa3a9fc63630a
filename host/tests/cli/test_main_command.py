"""`tumbler` itself: help is quick, bad usage is one line, every command of the list exists."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from typing import Any

import pytest
import tumbler.cli
from tumbler.cli.main import COMMANDS, main


def test_help_lists_every_command(tumbler: Any) -> None:
    done = tumbler("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: tumbler [-h] [--version] COMMAND ...\n")
    for name in COMMANDS:
        assert f"\n  {name}" in done.stdout


NO_COMMANDS = ("__init__", "main", "exits", "books")
MODULES = [found.name for found in pkgutil.iter_modules(tumbler.cli.__path__) if found.name not in NO_COMMANDS]


@pytest.mark.parametrize("name", MODULES)
def test_every_command_is_listed_and_has_help(name: str, tumbler: Any) -> None:
    assert name in COMMANDS
    done = tumbler(name, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: tumbler {name} [-h]")


@pytest.mark.parametrize(
    "words", [(), ("nonsense",), ("config",), ("config", "nonsense"), ("run",), ("run", "--nonsense")]
)
def test_bad_usage_is_one_line_and_exit_2(words: tuple[str, ...], tumbler: Any) -> None:
    done = tumbler(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


HEAVY = "mujoco numpy aiohttp paho"


def test_help_does_not_load_what_it_does_not_need() -> None:
    code = "import sys, tumbler.cli.main as m; m.build_parser(None); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(HEAVY.split()) & set(done.stdout.split())


def test_the_kinds_of_faults_are_listed_without_a_table(tumbler: Any) -> None:
    done = tumbler("twin", "--fault", "?:1")
    assert done.returncode == 2
    assert "there are: cocked, leaning, stacked," in done.stderr


@pytest.mark.parametrize(
    ("module", "said"),
    [("numpy", "numpy is not installed: pip install 'tumbler[twin]'"), ("zork", "a defect of the program")],
)
def test_what_an_installation_without_extras_lacks_is_said_with_its_name(
    module: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(_options: object) -> int:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    monkeypatch.setattr("tumbler.cli.config.run_example", absent)
    assert main(["config", "example"]) == 1
    assert said in capsys.readouterr().err
