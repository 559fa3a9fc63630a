"""`tumbler rules list|show|sign`: what a book holds, for a program and for a person; a table's sign; wrong books."""

import json
from pathlib import Path
from typing import Any

import pytest
from tumbler.cli.main import main
from tumbler.rules.book import BookError
from tumbler.rules.bookfile import book_ids, read_book

# How many wagers each document defines, and how many causes of a no roll or no spin it names.
WAGERS = {
    "crown-melbourne-sicbo-a": 11,
    "crown-melbourne-sicbo-b": 10,
    "crown-melbourne-craps": 24,
    "crown-melbourne-mini-craps": 24,
    "skycity-adelaide-craps": 28,
    "nsw-craps": 25,
    "crown-perth-crapless": 24,
}
CAUSES = {
    "crown-melbourne-craps": 11,
    "crown-melbourne-mini-craps": 11,
    "skycity-adelaide-craps": 12,
    "nsw-craps": 12,
    "crown-perth-crapless": 11,
}


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_list_has_the_seven_books(capsys: pytest.CaptureFixture[str]) -> None:
    books = printed(capsys, "rules", "list")["books"]
    assert {book["id"]: book["wagers"] for book in books} == WAGERS
    assert main(["rules", "list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(WAGERS)


@pytest.mark.parametrize("book", WAGERS)
def test_show_has_every_wager_with_its_rule_odds_and_terms(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "rules", "show", book)
    assert len(shown["wagers"]) == WAGERS[book]
    assert "Craps" in shown["source"] or "Sic Bo" in shown["source"]  # the document as people know it, not a file
    assert not shown["source"].endswith(".txt")
    for wager in shown["wagers"]:
        assert wager["name"]
        assert wager["rule"]
        assert wager["odds"]
        for row in wager["odds"]:
            assert " to " in row["pays"]
            assert row["rule"]
        assert wager["place"]["when"]
        assert wager["remove"]["until"]
        assert wager["works_on_come_out"] in (True, False, None)
        assert {"commission", "limits", "selections", "cap"} <= set(wager)
    for part in ("no_rolls", "voids", "duties", "notices", "authority", "rulings"):
        assert shown[part], part
        assert all(row["rule"] for row in shown[part])
    assert len(shown["no_rolls"]) == CAUSES.get(book, len(shown["no_rolls"]))
    assert all(duty["role"] for duty in shown["duties"])


@pytest.mark.parametrize("book", WAGERS)
def test_show_for_a_person_names_every_wager(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = [wager["name"] for wager in printed(capsys, "rules", "show", book)["wagers"]]
    assert main(["rules", "show", book]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in names)
    assert " for 1" not in text  # odds are stated with "to", never with "for" (Adelaide 6(a))


SHOWN = [
    (
        "crown-melbourne-craps",
        "buy",
        "commission",
        {"percent": "5", "of": "the wager", "on_removal": "kept", "rule": "3.6.10"},
    ),
    (
        "crown-melbourne-craps",
        "lay",
        "commission",
        {"percent": "5", "of": "the winnings", "on_removal": "kept", "rule": "3.6.12"},
    ),
    ("crown-perth-crapless", "buy", "commission", {"percent": "5", "of": "the wager", "on_removal": "returned"}),
    ("crown-melbourne-craps", "pass_odds", "cap", {"of": "stake", "multiple": None, "sign": "the sign sets it"}),
    (
        "skycity-adelaide-craps",
        "dont_pass_odds",
        "cap",
        {"of": "winnings", "multiple": 10, "sign": "the sign may lower it"},
    ),
    ("nsw-craps", "come_odds", "cap", {"of": "stake", "multiple": 2, "sign": "the sign may lower it"}),
    ("crown-perth-crapless", "pass_odds", "cap", {"of": "stake", "multiple": 1, "sign": "the sign may raise it"}),
]


@pytest.mark.parametrize(("book", "wager", "field", "wanted"), SHOWN)
def test_show_tells_commission_and_caps(
    book: str, wager: str, field: str, wanted: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    row = next(row for row in printed(capsys, "rules", "show", book)["wagers"] if row["id"] == wager)
    assert {key: row[field][key] for key in wanted} == wanted


@pytest.mark.parametrize("book", WAGERS)
def test_show_warns_of_wagers_on_which_the_player_has_the_edge(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    warned = {row["wager"]: row["player_edge"] for row in printed(capsys, "rules", "show", book)["warnings"]}
    option_b = {"single_colour": "11/27", "specific_colour_double": "1/27"}
    assert warned == (option_b if book == "crown-melbourne-sicbo-b" else {})
    assert main(["rules", "show", book]) == 0
    assert capsys.readouterr().out.count("WARNING: ") == len(warned)


OFF = {"place_win", "buy", "come_odds", "hardway"}


@pytest.mark.parametrize("book", [book for book in WAGERS if "sicbo" not in book])
def test_show_tells_what_is_off_on_the_come_out(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "rules", "show", book)["wagers"]
    off = {wager["id"] for wager in shown if wager["works_on_come_out"] is False}
    assert off == (OFF - {"hardway"} if book == "crown-perth-crapless" else OFF)


SIGNS = [
    (
        ["crown-melbourne-craps", "--min", "5", "--max", "5000"],
        ["Minimum wager $5", "Maximum wager $5000", "any multiple"],
    ),
    (["crown-melbourne-craps", "--odds-multiple", "3"], ["up to 3 times"]),
    (
        ["skycity-adelaide-craps", "--odds-multiple", "20", "--multiples-only"],
        ["up to 10 times", "multiples of the minimum"],
    ),
    (["nsw-craps"], ["up to 2 times"]),
    (["crown-perth-crapless", "--bonus-list", "4"], ["payout list 4", "All Small 33 to 1", "Make 'Em All 170 to 1"]),
]


@pytest.mark.parametrize(("words", "wanted"), SIGNS)
def test_the_sign_of_a_table(words: list[str], wanted: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "sign", *words]) == 0
    text = capsys.readouterr().out
    assert all(line in text for line in wanted), text
    board = printed(capsys, "rules", "sign", *words)["odds"]
    assert all(" to " in odds for wager in board for odds in wager["odds"])


@pytest.mark.parametrize(
    "words",
    [
        ["show", "roulette"],
        ["sign", "roulette"],
        ["sign", "nsw-craps", "--min", "-5"],
        ["sign", "nsw-craps", "--min", "10", "--max", "5"],
        ["sign", "nsw-craps", "--bonus-list", "9"],
    ],
)
def test_bad_input_is_one_line_and_exit_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", *words]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1


GOOD = Path(__file__).parents[2] / "tumbler" / "rules" / "books" / "nsw-craps.toml"
WRONG = [
    # what is changed in a sound book, into what, and how the refusal names it
    ('pays = "9 to 5"', 'pays = "9 for 5"', "odds[0]"),
    ('pays = "9 to 5"', 'pays = "0 to 5"', "odds[0]"),
    ('kind = "hardway"', 'kind = "hard"', "kind"),
    ("win = [7, 11]", "win = [7, 13, 99]", "win"),
    ("win = [7, 11]", "win = [7, 11, 2]", "win"),
    ("lose = [2, 3, 12]", "loses = [2, 3, 12]", "loses"),
    ("selections = [4, 6, 8, 10]", "selections = [4, 4]", "selections"),
    ("selections = [4, 6, 8, 10]", "selections = [4, 6, 8, 10, 11]", "odds"),
    ('behind = "pass"', 'behind = "field"', "behind"),
    ("percent = 5", "percent = 500", "percent"),
    ('game = "craps"', 'game = "sicbo"', "dice"),
    ("points = [4, 5, 6, 8, 9, 10]", "points = [4, 5, 6, 7, 8]", "points"),
    ('id = "horn_high"', 'id = "horn"', "ruling"),
    ("extends = ", "base = ", "base"),
    ("dice = 2", "dice = true", "dice"),
    ("[rounding]", "[rounding", "cannot be read"),
    ('wagers = ["hardway"]', 'wagers = ["easyway"]', "ruling"),
    ("allowed = false", 'allowed = "no"', "cancelled_point"),
]


@pytest.mark.parametrize(("old", "new", "field"), WRONG)
def test_a_wrong_book_is_refused_by_file_and_field(old: str, new: str, field: str, tmp_path: Path) -> None:
    text = GOOD.read_text()
    assert old in text
    file = tmp_path / "wrong.toml"
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(BookError) as refusal:
        read_book(file)
    assert str(refusal.value).startswith("wrong.toml: ")
    assert field in str(refusal.value)


def test_every_book_is_tested_here() -> None:
    assert set(book_ids()) == set(WAGERS)
