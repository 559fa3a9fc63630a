"""`tumbler journal`: exit 0 in order, 1 a fault, 2 wrong input; one line on stderr, one document on stdout."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tumbler.journal import Journal

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def tumbler(tmp_path: Path) -> Run:
    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tumbler", "journal", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)

    return run


def test_verify_of_a_good_journal(tumbler: Run, written: Path) -> None:
    done = tumbler("verify", written)
    assert (done.returncode, done.stderr) == (0, "")
    assert "12 records in order, chain, seals and signatures; head 12:" in done.stdout
    report = json.loads(tumbler("verify", written, "--json").stdout)
    assert (report["ok"], report["records"], report["finding"]) == (True, 12, None)
    with_head = tumbler("verify", written, "--head", f"12:{report['hash']}")
    assert with_head.returncode == 0
    assert tumbler("verify", written, "--head", f"14:{report['hash']}").returncode == 1


def test_verify_names_the_first_record_that_is_not_as_written(tumbler: Run, tamper: Any) -> None:
    tamper.sql("""UPDATE record SET text = replace(text, '"total":', '"total":1') WHERE seq >= 7 AND kind = 'result'""")
    done = tumbler("verify", tamper.path)
    assert done.returncode == 1
    assert "record 7 changed: its text does not give its hash" in done.stdout
    report = json.loads(tumbler("verify", tamper.path, "--json").stdout)
    assert (report["finding"]["fault"], report["finding"]["seq"]) == ("changed", 7)


def test_verify_without_the_key_says_what_it_could_not_check(tumbler: Run, written: Path) -> None:
    written.with_name("journal.db.key").unlink()
    done = tumbler("verify", written)
    assert done.returncode == 0
    assert "seals were not checked" in done.stdout


def test_export_gives_results_in_order_with_their_voids(tumbler: Run, path: Path, games: Any) -> None:
    with Journal.open(path) as journal:
        games(journal, 1, 3)
        games(journal, 1, 2, "t2")
        journal.append("no_spin", "t1", {"spin": 4}, result_id="0badcafe-00000004")
        journal.append("void", "t1", {"result_id": "0badcafe-00000002", "cause": "fraud"})
        running = tumbler("export", path, "--json")  # while the daemon has it
    rows = json.loads(running.stdout)["results"]
    assert [(row["table"], row["spin"], row["void"]) for row in rows] == [
        ("t1", 1, None),
        ("t1", 2, "fraud"),
        ("t1", 3, None),
        ("t2", 1, None),
        ("t2", 2, None),
    ]
    assert [row["seq"] for row in rows] == sorted(row["seq"] for row in rows)
    only = json.loads(tumbler("export", path, "--json", "--table", "t1", "--after", rows[0]["seq"]).stdout)["results"]
    assert [row["spin"] for row in only] == [2, 3]
    assert len(tumbler("export", path).stdout.splitlines()) == 5
    assert json.loads(tumbler("export", path, "--json", "--table", "none").stdout) == {"results": []}


def test_recall_gives_the_last_games_with_evidence(tumbler: Run, path: Path) -> None:
    with Journal.open(path) as journal:
        for n in range(1, 21):
            body = {"spin": n, "faces": [1, 2, 3], "total": 6, "opinions": ["tags"], "wire": {"reads": 3}}
            journal.append("result", "t1", body, result_id=f"e-{n:08d}")
        journal.append(
            "no_spin", "t1", {"spin": 21, "text": "a die is missing", "evidence": "ab"}, result_id="e-00000021"
        )
    rows = json.loads(tumbler("recall", path, "-n", "3", "--json").stdout)["games"]
    assert [(row["kind"], row["spin"]) for row in rows] == [("result", 19), ("result", 20), ("no_spin", 21)]
    assert rows[0]["wire"] == {"reads": 3}
    assert rows[2]["evidence"] == "ab"
    text = tumbler("recall", path).stdout
    assert text.count("spin ") == 10
    assert "a die is missing" in text


def test_show_gives_every_record(tumbler: Run, written: Path) -> None:
    rows = json.loads(tumbler("show", written, "--json", "--after", "3", "--upto", "5").stdout)["records"]
    assert [row["seq"] for row in rows] == [4, 5]
    assert rows[1]["prev"] == rows[0]["hash"]
    assert len(tumbler("show", written, "--kind", "checkpoint").stdout.splitlines()) == 2


def test_backup_beside_a_running_daemon(tumbler: Run, path: Path, tmp_path: Path, games: Any) -> None:
    with Journal.open(path) as journal:
        games(journal, 1, 5)
        done = tumbler("backup", path, "copy.db", "--json")
        assert done.returncode == 0
        assert json.loads(done.stdout)["records"] == 6
    assert tumbler("verify", "copy.db", "--key", path.with_name("journal.db.key")).returncode == 0
    again = tumbler("backup", path, "copy.db")
    assert again.returncode == 2
    assert "never written over" in again.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("verify", "nowhere.db"), "nowhere.db: there is no such file"),
        (("export", "nowhere.db"), "nowhere.db: there is no such file"),
        (("verify", "notes.txt"), "notes.txt"),
        (("verify", "nowhere.toml"), "nowhere.toml: cannot be read"),
        (("verify", "journal.db", "--key", "nowhere.key"), "nowhere.key cannot be read"),
        (("verify", "journal.db", "--head", "12"), "--head '12' is not SEQ:HASH"),
        (("recall", "journal.db", "-n", "0"), "'0' is not a number of games"),
        (("recall", "journal.db", "-n", "many"), "'many' is not a number of games"),
        (("show", "journal.db", "--after", "-1"), "--after"),
        (("show", "journal.db", "--kind", "gossip"), "gossip"),
        (("burn", "journal.db"), "burn"),
        (("verify",), "name the journal's file"),
        (("verify", "journal.db", "--config", "tumbler.toml"), "one of the two"),
        (("verify", "."), "is not a file"),
        ((), "required"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(
    tumbler: Run, written: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "notes.txt").write_text("only some notes, long enough to look like a page\n" * 100)
    done = tumbler(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert said in line


def test_nonsense_in_what_the_journal_says_of_itself_is_exit_1_and_one_line(tumbler: Run, tamper: Any) -> None:
    tamper.sql("UPDATE meta SET value = 'nonsense'")
    done = tumbler("verify", tamper.path)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert "keep the file as evidence" in line


def test_a_damaged_file_is_exit_1_and_one_line(tumbler: Run, written: Path) -> None:
    data = bytearray(written.read_bytes())
    for at in range(4096, len(data), 4096):
        data[at : at + 64] = b"\xff" * 64
    written.write_bytes(data)
    done = tumbler("verify", written, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["ok"] is False
    assert len(done.stderr.splitlines()) == 1
    assert "keep the file as evidence" in done.stderr


def test_a_configuration_names_its_journal(tumbler: Run, written: Path, tmp_path: Path) -> None:
    key = tmp_path / "t1.key"
    key.write_text("5a" * 32)
    key.chmod(0o600)
    (tmp_path / "tumbler.toml").write_text(
        'site = "demo"\n[journal]\npath = "journal.db"\n[[table]]\nid = "t1"\nbook = "crown-melbourne-sicbo-a"\n'
        'port = "/dev/ttyACM0"\nkey_file = "t1.key"\n'
    )
    assert tumbler("verify", "tumbler.toml").returncode == 0
    assert tumbler("verify", "--config", "tumbler.toml").returncode == 0


@pytest.mark.parametrize("action", ["export", "recall", "show"])
@pytest.mark.parametrize("text", ["""replace(text, '"total":', '"total":1')""", "x'00ff'", "'{'"])
def test_a_changed_record_is_never_handed_on(tumbler: Run, tamper: Any, action: str, text: str) -> None:
    tamper.sql(f"UPDATE record SET text = {text} WHERE seq = 7")
    done = tumbler(action, tamper.path)
    assert done.returncode == 1
    assert "record 7 is not as it was written" in done.stderr
    assert done.stderr.count("\n") == 1
