"""`tumbler settle` as a person or a program types it: answers, and what is wrong with a script in one line and exit 2."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tumbler.cli.main import main
from tumbler.rules.script import ScriptError, read_script
from tumbler.rules.settle import settle

CONTRACT = {
    "book": "crown-melbourne-craps",
    "sign": {
        **{"min": "5", "max": "5000", "chip": "0.50", "odds_multiple": 3},
        **{"multiples_only": False, "bonus_list": 1, "layout": 1},
    },
    "events": [
        {"do": "place", "id": "a", "player": "1", "wager": "pass", "amount": "10"},
        {"do": "place", "id": "b", "player": "1", "wager": "place_win", "on": 6, "amount": "12"},
        {"do": "roll", "dice": [2, 2]},
        {"do": "place", "id": "c", "player": "1", "wager": "pass_odds", "behind": "a", "amount": "20"},
        {"do": "call", "id": "b", "working": True},
        {"do": "change", "id": "b", "amount": "6"},
        {"do": "remove", "id": "b"},
        {"do": "no_roll", "cause": "cocked"},
        {"do": "void", "cause": "disruption", "by": "tg_area_manager"},
        {"do": "no_more_bets"},
    ],
}


def tumbler(words: list[str], script: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "tumbler.cli.main", *words], input=script, capture_output=True, timeout=60
    )


def test_the_script_of_the_contract_is_settled_event_by_event() -> None:
    done = tumbler(["settle", "-", "--json"], json.dumps(CONTRACT).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    answers = json.loads(done.stdout)["events"]
    assert [answer["ok"] for answer in answers] == [True] * 10
    assert answers[0]["commission"] == "0"
    rolled = answers[2]
    assert (rolled["total"], rolled["point_before"], rolled["point_after"]) == (4, None, 4)
    assert rolled["winning_areas"] == ["come:4", "field"]
    assert [(row["id"], row["outcome"], row["pays"], row["back"]) for row in rolled["outcomes"]] == [
        ("a", "none", "0", "0"),
        ("b", "none", "0", "0"),
    ]
    assert (answers[5]["back"], answers[5]["commission_back"]) == ("6", "0")
    assert answers[6]["back"] == "6"
    assert answers[8]["outcomes"] == []


def test_a_file_is_read_and_told_to_a_person_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "script.json"
    file.write_text(json.dumps(CONTRACT))
    assert main(["settle", str(file)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 10
    assert "rolled 4, point 4" in told[2]


@pytest.mark.parametrize("name", ["nowhere.json", "."])
def test_a_file_that_cannot_be_read_is_one_line_and_exit_2(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["settle", str(tmp_path / name), "--json"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1


PLACE = {"do": "place", "id": "a", "player": "1", "wager": "pass", "amount": "10"}


def with_event(**changes: Any) -> dict[str, Any]:
    event = {key: value for key, value in (PLACE | changes).items() if value is not ...}
    return {"book": "nsw-craps", "events": [event]}


def with_sign(**sign: Any) -> dict[str, Any]:
    return {"book": "nsw-craps", "sign": sign, "events": []}


MALFORMED: list[tuple[str, Any]] = [
    ("book", {"events": []}),
    ("events", {"book": "nsw-craps"}),
    ("book", {"book": "roulette", "events": []}),
    ("book", {"book": 7, "events": []}),
    ("event", {"book": "nsw-craps", "events": [], "event": []}),
    ("events", {"book": "nsw-craps", "events": {}}),
    ("events[0]", {"book": "nsw-craps", "events": [7]}),
    ("option_b_exact", {"book": "nsw-craps", "events": [], "option_b_exact": "yes"}),
    ("events[0].do", {"book": "nsw-craps", "events": [{}]}),
    ("events[0].do", with_event(do="spin")),
    ("events[0].do", with_event(do=["place"])),
    ("events[0].id", with_event(id=...)),
    ("events[0].id", with_event(id=7)),
    ("events[0].id", with_event(id="")),
    ("events[0].player", with_event(player=...)),
    ("events[0].wager", with_event(wager=...)),
    ("events[0].amount", with_event(amount=...)),
    ("events[0].stake", with_event(stake="10")),
    ("events[0].on", with_event(on=6.5)),
    ("events[0].on", with_event(on=True)),
    ("events[0].on", with_event(on=[6])),
    ("events[0].behind", with_event(behind=7)),
    *[
        ("events[0].amount", with_event(amount=amount))
        for amount in (
            "0",
            "0.00",
            "-5",
            "+5",
            "NaN",
            "Infinity",
            "1e3",
            "5/3",
            "ten",
            "",
            " 5",
            "5 ",
            "1,000",
            "٥",
            "5.",
            ".5",
        )
    ],
    ("events[0].amount", with_event(amount="0.0000001")),
    ("events[0].amount", with_event(amount="9" * 400)),
    ("events[0].amount", with_event(amount=10)),
    ("events[0].amount", with_event(amount=10.5)),
    ("events[0].amount", with_event(amount=None)),
    ("events[1].id", {"book": "nsw-craps", "events": [PLACE, PLACE]}),
    *[
        ("events[0].dice", {"book": "nsw-craps", "events": [{"do": "roll", "dice": dice}]})
        for dice in ([1], [1, 2, 3], [0, 1], [1, 7], [-1, 3], ["1", "2"], [1.0, 2.0], [True, 2], "12", None, {})
    ],
    ("events[0].dice", {"book": "nsw-craps", "events": [{"do": "roll"}]}),
    ("events[0].dice", {"book": "crown-melbourne-sicbo-a", "events": [{"do": "roll", "dice": [1, 2]}]}),
    ("events[0].working", {"book": "nsw-craps", "events": [{"do": "call", "id": "a", "working": 1}]}),
    ("events[0].cause", {"book": "nsw-craps", "events": [{"do": "no_roll"}]}),
    ("events[0].by", {"book": "nsw-craps", "events": [{"do": "void", "cause": "fraud"}]}),
    ("events[0].dice", {"book": "nsw-craps", "events": [{"do": "no_more_bets", "dice": [1, 2]}]}),
    ("sign", {"book": "nsw-craps", "sign": [], "events": []}),
    ("sign.minimum", with_sign(minimum="5")),
    ("sign.min", with_sign(min=5)),
    ("sign.max", with_sign(max="-1")),
    ("sign.min", with_sign(min="10", max="5")),
    ("sign.chip", with_sign(chip="0")),
    ("sign.odds_multiple", with_sign(odds_multiple="3")),
    ("sign.odds_multiple", with_sign(odds_multiple=0)),
    ("sign.odds_multiple", with_sign(odds_multiple=2.5)),
    ("sign.multiples_only", with_sign(multiples_only=1)),
    ("sign.bonus_list", with_sign(bonus_list=6)),
    ("sign.layout", with_sign(layout=0)),
]


@pytest.mark.parametrize(("field", "script"), MALFORMED)
def test_a_script_that_is_not_well_formed_is_refused_by_its_field(field: str, script: Any) -> None:
    with pytest.raises(ScriptError) as refusal:
        read_script(json.dumps(script).encode())
    assert str(refusal.value).startswith(f"{field}: ")
    assert "\n" not in str(refusal.value)


BYTES = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"7",
    b'{"book": "nsw-craps", "events": []} []',
    b'{"book": "nsw-craps", "book": "nsw-craps", "events": []}',
    b'{"book": "nsw-craps", "events": [NaN]}',
    b"\xff\xfe{",
    b"[" * 100_000,
    b'{"book": "nsw-craps", "events": [' + b"9" * 10_000 + b"]}",
    b'{"book": "nsw-craps\\ud800", "events": []}',
    b'{"book": "nsw-craps", "events": [], "\\n\\n": 1}',
]


def test_a_number_of_thousands_of_digits_is_said_in_words_for_a_person() -> None:
    with pytest.raises(ScriptError, match=r"^the script has a number of thousands of digits$"):
        read_script(b'{"book": ' + b"9" * 6000 + b"}")


@pytest.mark.parametrize("data", BYTES, ids=lambda data: repr(data[:40]))
def test_bytes_that_are_no_script_are_one_line_and_exit_2(data: bytes) -> None:
    done = tumbler(["settle", "--json"], data)
    assert (done.returncode, done.stdout) == (2, b"")
    assert len(done.stderr.splitlines()) == 1
    assert b"Traceback" not in done.stderr


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["a", "pass", "10", "roll"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
FIELD = st.sampled_from(
    [
        "do",
        "id",
        "player",
        "wager",
        "amount",
        "on",
        "behind",
        "dice",
        "working",
        "cause",
        "by",
        "book",
        "sign",
        "events",
    ]
)


def answers_or_refusal(data: bytes) -> list[dict[str, Any]] | str:
    try:
        return settle(read_script(data))["events"]
    except ScriptError as refusal:
        return str(refusal)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_change_to_a_script_is_settled_or_refused_and_never_a_defect(data: st.DataObject) -> None:
    script: dict[str, Any] = json.loads(json.dumps(CONTRACT))
    for _ in range(data.draw(st.integers(1, 4))):
        event = data.draw(st.sampled_from([script, script.get("sign"), *(script.get("events") or [])]))
        if isinstance(event, dict):
            event[data.draw(FIELD | st.sampled_from(["min", "max", "chip", "layout"]))] = data.draw(JSON)
        if not isinstance(script.get("events"), list | tuple):
            break
    answers = answers_or_refusal(json.dumps(script).encode())
    if isinstance(answers, str):
        assert len(answers.splitlines()) == 1
        return
    assert len(answers) == len(script["events"])
    for answer in answers:
        assert answer["ok"] or (answer["rule"] and answer["why"])


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_settled_or_refused(data: bytes) -> None:
    answers = answers_or_refusal(data)
    assert isinstance(answers, list) or len(answers.splitlines()) == 1
