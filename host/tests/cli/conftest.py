"""Running `tumbler` as a person does, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Tumbler = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def tumbler(tmp_path: Path) -> Tumbler:
    def run(*words: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tumbler", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, input=stdin, timeout=60)

    return run


@pytest.fixture
def config_file(tmp_path: Path) -> Path:
    """A configuration that is right, with its key."""
    key = tmp_path / "t1.key"
    key.write_text("5a" * 32 + "\n")
    key.chmod(0o600)
    file = tmp_path / "tumbler.toml"
    file.write_text(
        'site = "demo"\n\n[journal]\npath = "journal.db"\n\n[mqtt]\nport = 1883\n\n'
        '[[table]]\nid = "t1"\nbook = "crown-melbourne-sicbo-a"\nport = "/dev/ttyACM0"\nkey_file = "t1.key"\n'
    )
    return file
