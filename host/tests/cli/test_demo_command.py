"""`tumbler demo`: what a person mistypes is one line at once; what a table says of itself is shown, the worst above all."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import pytest
from tumbler.cli.main import main
from tumbler.demo import LOCKED_SECONDS, Demo, DemoError, Part, Plan


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--book", "zork"], "--book: there is no book 'zork'; one of crown-melbourne-sicbo-a, "),
        (["--listen", "zork"], "--listen: 'zork' is not ADDRESS:PORT"),
        (["--listen", "127.0.0.1:99999"], "--listen: '127.0.0.1:99999' is not ADDRESS:PORT"),
        (["--listen", "192.0.2.1:8765"], "--listen: '192.0.2.1:8765': cannot listen there: "),
        (["--listen", "nowhere.invalid:8765"], "--listen: 'nowhere.invalid:8765': cannot listen there: "),
        (["--spins", "0"], "--spins 0: must be 1 or more"),
    ],
)
def test_a_mistyped_option_is_one_line_and_starts_nothing(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert main(["demo", *words, "--folder", str(folder)]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith(f"tumbler demo: {told}")
    assert not folder.exists()


def test_a_port_that_another_program_holds_is_said_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        where = f"127.0.0.1:{other.getsockname()[1]}"
        assert main(["demo", "--listen", where, "--folder", str(tmp_path / "run")]) == 2
    assert f"--listen: '{where}': cannot listen there: Address already in use" in capsys.readouterr().err


@pytest.fixture
def demo(tmp_path: Path) -> Demo:
    return Demo(Plan(tmp_path, "nsw-craps", 1, 1, "fast", 0.0, "127.0.0.1:0", browser=False))


def test_port_0_is_shown_as_the_port_that_was_taken(demo: Demo) -> None:
    assert int(demo.listen.rpartition(":")[2]) > 0


@pytest.mark.parametrize(
    ("severity", "shown"), [("critical", True), ("error", True), ("warning", True), ("info", False)]
)
def test_what_a_person_must_know_is_shown(
    demo: Demo, severity: str, shown: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    demo.show("event/fault", {"severity": severity, "text": "table locked"})
    assert ("fault: table locked" in capsys.readouterr().out) is shown


def test_a_table_that_stays_locked_ends_a_run_that_was_to_end_by_itself(
    demo: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    demo.show("round", {"round": "locked", "lock": "motor"})
    now[0] += LOCKED_SECONDS - 1
    assert demo.locked_for_good() is None
    demo.show("round", {"round": "self_test", "lock": "motor"})  # somebody tried to unlock it, in vain
    demo.show("round", {"round": "locked", "lock": "motor"})
    now[0] += 2
    assert "locked for 60 s (motor): See the motor's faults" in str(demo.locked_for_good())
    demo.show("round", {"round": "betting_open", "lock": "none"})
    assert demo.locked_for_good() is None


def test_a_run_without_an_end_waits_for_whoever_unlocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    demo = Demo(Plan(tmp_path, "nsw-craps", None, 1, "fast", 0.0, "127.0.0.1:0", browser=False))
    demo.show("round", {"round": "locked", "lock": "motor"})
    monkeypatch.setattr("tumbler.demo.LOCKED_SECONDS", 0.0)
    assert demo.locked_for_good() is None


def test_a_part_that_was_given_bad_input_is_not_started_again(demo: Demo, tmp_path: Path) -> None:
    class Ended:
        returncode = 2

    ended: Any = Ended()
    with pytest.raises(DemoError, match="daemon ended with 2"):
        demo.look_after(Part("daemon", ["false"], ended, tmp_path / "log"), "daemon ended with 2")
