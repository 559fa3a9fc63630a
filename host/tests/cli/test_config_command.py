"""`tumbler config`: a wrong file is refused with one line that names file and key."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tumbler.config import ConfigError, check_journal_folder, load


def test_good_file_is_good(tumbler: Any, config_file: Path) -> None:
    done = tumbler("config", "check", config_file)
    assert done.returncode == 0
    assert "t1 (crown-melbourne-sicbo-a)" in done.stdout
    assert done.stderr == ""


def test_json_shows_what_was_understood_with_paths_beside_the_file(tumbler: Any, config_file: Path) -> None:
    done = tumbler("config", "check", config_file, "--json")
    understood = json.loads(done.stdout)
    assert understood["journal"]["path"] == str(config_file.parent / "journal.db")
    assert understood["mqtt"]["keepalive"] == 15
    assert understood["table"][0]["settings"]["entry"] is False


WRONG = {
    "not TOML": ('site = "demo"', "site = demo", "is not TOML"),
    "missing key": ('site = "demo"', "", "site: is missing"),
    "missing section": ('[journal]\npath = "journal.db"', "", "journal: is missing"),
    "unknown key with a hint": (
        'id = "t1"',
        'id = "t1"\nkeyfile = "x"',
        "table[1].keyfile: is not a key of this section; did you mean 'key_file'?",
    ),
    "unknown section": ("[mqtt]", "[broker]", "broker: is not a key of this section"),
    "wrong type": ("port = 1883", 'port = "1883"', "mqtt.port: '1883' must be a whole number"),
    "true is not a number": ("port = 1883", "port = true", "mqtt.port: True must be a whole number"),
    "out of range": ("port = 1883", "port = 70000", "mqtt.port: 70000 is not between 1 and 65535"),
    "unknown book": ("crown-melbourne-sicbo-a", "crown-sydney", "table[1].book:"),
    "wildcard in a topic": ('id = "t1"', 'id = "t/#"', "table[1].id: 't/#'"),
    "port that is none": ("/dev/ttyACM0", "COM3", "table[1].port: 'COM3' is not a path"),
    "key that is missing": ("t1.key", "t2.key", "table[1].key_file:"),
    "one table instead of a list": ("[[table]]", "[table]", "table: must be one or more [[table]] sections"),
    "empty text": ('site = "demo"', 'site = ""', "site: must not be empty"),
    "certificate without its key": ("port = 1883", 'cert_file = "a.pem"', "mqtt.private_key_file: cert_file and"),
    "a spin that can never be long enough": (
        'key_file = "t1.key"',
        'key_file = "t1.key"\n[table.settings]\nmin_spin_ms = 9000',
        "table[1].settings.min_spin_ms: 9000 is more than spin_ms, 2500",
    ),
    "play stops before the warning": (
        'path = "journal.db"',
        'path = "journal.db"\nhold_mb = 500',
        "journal.hold_mb: 500 is more than free_mb",
    ),
    "bad console address": (
        "[mqtt]",
        '[console]\nlisten = "8080"\n[mqtt]',
        "console.listen: '8080' is not ADDRESS:PORT",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_file_is_one_line_with_file_and_key(case: str, tumbler: Any, config_file: Path) -> None:
    good, bad, said = WRONG[case]
    config_file.write_text(config_file.read_text().replace(good, bad))
    for command in (("config", "check", config_file), ("run", "--config", config_file)):
        done = tumbler(*command)
        assert done.returncode == 2
        assert done.stdout == ""
        (line,) = done.stderr.splitlines()
        assert str(config_file) in line
        assert said in line


def test_two_tables_may_not_share_a_port(tumbler: Any, config_file: Path) -> None:
    text = config_file.read_text()
    config_file.write_text(text + text[text.index("[[table]]") :].replace('id = "t1"', 'id = "t2"'))
    done = tumbler("config", "check", config_file)
    assert "table[2].port: '/dev/ttyACM0' is table[1]'s already" in done.stderr


@pytest.mark.parametrize(
    ("mode", "text", "said"), [(0o644, "5a" * 32, "chmod 600"), (0o600, "hello", "hexadecimal digits")]
)
def test_key_file_must_be_private_and_a_key(mode: int, text: str, said: str, tumbler: Any, config_file: Path) -> None:
    key = config_file.with_name("t1.key")
    key.write_text(text)
    key.chmod(mode)
    done = tumbler("config", "check", config_file)
    assert done.returncode == 2
    assert said in done.stderr


def test_example_passes_its_own_check_once_the_key_is_there(tumbler: Any, tmp_path: Path) -> None:
    file = tmp_path / "example.toml"
    file.write_text(tumbler("config", "example").stdout.replace("/var/lib/tumbler", str(tmp_path)))
    made = tumbler("provision", "key", tmp_path / "sicbo-01.key")
    assert made.returncode == 0
    assert tumbler("config", "check", file).returncode == 0


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere/journal.db", "journal.path: there is no folder {here}/nowhere; make it"),
        (".", "journal.path: {here} is a folder"),
        ("t1.key/journal.db", "journal.path: there is no folder {here}/t1.key"),
    ],
)
def test_a_journal_that_could_not_be_written_is_found_before_the_daemon_starts(
    path: str, said: str, tumbler: Any, config_file: Path
) -> None:
    config_file.write_text(config_file.read_text().replace("journal.db", path))
    done = tumbler("config", "check", config_file)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert said.format(here=config_file.parent) in line


def test_a_folder_of_somebody_else_is_found_too(config_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write everywhere, so the question to the system is what is held here."""
    config = load(config_file)
    monkeypatch.setattr(os, "access", lambda path, mode: path != config_file.parent)
    with pytest.raises(ConfigError, match="cannot be written by this user"):
        check_journal_folder(config, config_file)


def test_missing_file_is_said_so(tumbler: Any) -> None:
    done = tumbler("config", "check", "nowhere.toml")
    assert done.returncode == 2
    assert done.stderr == "tumbler config: nowhere.toml: cannot be read: No such file or directory\n"
