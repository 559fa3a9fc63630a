"""Exact edges: values worked out by hand, the shape that other programs rely on, what is flagged, and docs that do not drift."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tumbler.cli.main import main
from tumbler.rules.bookfile import book_ids, load_book
from tumbler.rules.edge import Edge, edge_of, edges, find_stake
from tumbler.rules.edgechain import NoSuchWager
from tumbler.rules.edgedoc import document, picture
from tumbler.rules.edgepublished import Published, published
from tumbler.rules.edgeview import label, percent

DOCS = Path(__file__).resolve().parents[3] / "docs"
A, B = "crown-melbourne-sicbo-a", "crown-melbourne-sicbo-b"
MELBOURNE, MINI = "crown-melbourne-craps", "crown-melbourne-mini-craps"
ADELAIDE, NSW, PERTH = "skycity-adelaide-craps", "nsw-craps", "crown-perth-crapless"
COUNTED = {A: 56, B: 39, MELBOURNE: 70, MINI: 70, ADELAIDE: 68, NSW: 71, PERTH: 72}

# By hand: (chance of a loss - odds x chance of a win) for one unit. Two dice: 36 throws, three dice: 216.
BY_HAND = [
    (MELBOURNE, "pass", "7/495"),
    (MELBOURNE, "dont_pass", "3/220"),
    (MELBOURNE, "come", "7/495"),
    (MELBOURNE, "dont_come", "3/220"),
    (MELBOURNE, "pass_odds:6", "0"),
    (MELBOURNE, "dont_come_odds:4", "0"),
    (MELBOURNE, "place_win:4", "1/15"),  # (2 - 9/5) / 3
    (MELBOURNE, "place_win:9", "1/25"),  # (3 - 2 x 7/5) / 5
    (MELBOURNE, "place_win:8", "1/66"),  # (6 - 5 x 7/6) / 11
    (MELBOURNE, "place_lose:10", "1/33"),  # (1 - 2 x 5/11) / 3
    (MELBOURNE, "place_lose:5", "1/40"),  # (2 - 3 x 5/8) / 5
    (MELBOURNE, "place_lose:6", "1/55"),  # (5 - 6 x 4/5) / 11
    (MELBOURNE, "buy:4", "1/21"),  # 0.05 of 1.05
    (MELBOURNE, "lay:4", "1/41"),  # 0.025 of 1.025
    (MELBOURNE, "lay:9", "1/31"),  # 0.1/3 of 1 + 0.1/3
    (MELBOURNE, "lay:6", "1/25"),  # 0.25/6 of 1 + 0.25/6
    (MELBOURNE, "hardway:4", "1/18"),  # (8 - 7.5) / 9
    (MELBOURNE, "hardway:8", "1/22"),  # (10 - 9.5) / 11
    (MELBOURNE, "any_craps", "1/18"),  # (32 - 4 x 7.5) / 36
    (MELBOURNE, "craps_two", "1/18"),
    (MELBOURNE, "eleven", "1/18"),
    (MELBOURNE, "horn_high:12", "1/18"),
    (MELBOURNE, "field", "1/18"),
    (MELBOURNE, "any_seven", "1/6"),
    (MELBOURNE, "big6", "1/11"),
    (ADELAIDE, "craps_twelve", "1/12"),  # (35 - 32) / 36
    (ADELAIDE, "horn", "7/72"),
    (ADELAIDE, "world", "1/9"),
    (ADELAIDE, "c_and_e", "1/9"),
    (ADELAIDE, "hardway:10", "1/9"),
    (ADELAIDE, "dont_pass", "3/220"),
    (NSW, "c_and_e", "1/18"),
    (PERTH, "pass", "373/6930"),
    (PERTH, "place_win:2", "1/7"),  # (6 - 5) / 7
    (PERTH, "place_win:11", "1/10"),  # (3 - 13/5) / 4
    (PERTH, "buy:12", "1/21"),
    (PERTH, "any_hard", "1/11"),  # 4 ways to win 4, 18 to lose 1
    (PERTH, "field", "1/36"),
    (PERTH, "horn", "1/8"),
    (PERTH, "all_small", "139241/760760"),
    (A, "big", "1/36"),
    (A, "specific_triple:1", "35/216"),
    (A, "specific_double:1", "1/9"),
    (A, "total:4", "1/8"),
    (A, "total:6", "13/108"),
    (A, "total:7", "7/72"),
    (A, "total:9", "2/27"),
    (A, "pair:2&5", "1/36"),
    (A, "single:3", "1/27"),
    (A, "three_of_four:6532", "1/9"),
    (B, "single_colour:red", "-11/27"),
    (B, "specific_colour_double:blue", "-1/27"),
    (B, "specific_colour_triple:green", "1/9"),
    (B, "any_colour_triple", "1/9"),
]


def one(book: str, text: str, **options: Any) -> Edge:
    return edge_of(book, find_stake(load_book(book), text, **options))


def document_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["edge", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(("book", "wager", "edge"), BY_HAND)
def test_an_edge_is_what_it_is_by_hand(book: str, wager: str, edge: str) -> None:
    assert one(book, wager).edge == Fraction(edge)


@pytest.mark.parametrize(("times", "edge"), [(1, "7/825"), (2, "1/165"), (3, "7/1485")])
def test_odds_behind_a_pass_wager_thin_its_edge_out(times: int, edge: str) -> None:
    # The loss is 7/495 still; put up is 1 and, on two of three come-outs, the odds.
    assert one(MELBOURNE, "pass", odds=times).edge == Fraction(edge)
    assert one(MELBOURNE, "pass", odds=times).edge == Fraction(7, 495) / (1 + Fraction(2, 3) * times)


@pytest.mark.parametrize(
    ("book", "wager", "most"),
    [
        (NSW, "pass", 2),
        (NSW, "dont_pass", 2),
        (ADELAIDE, "pass", 10),
        (ADELAIDE, "come", 10),
        (ADELAIDE, "dont_come", 12),
    ],
)
def test_more_odds_than_the_document_allows_are_no_wager(book: str, wager: str, most: int) -> None:
    # Lay odds are capped by what they win, at most 5 to 6: 12 times the stake wins 10 times, 2 times it wins 5/3.
    assert one(book, wager, odds=most).edge > 0
    with pytest.raises(NoSuchWager, match="at most"):
        one(book, wager, odds=most + 1)


@pytest.mark.parametrize("book", book_ids())
def test_every_wager_selection_point_and_list_has_one_row(book: str) -> None:
    rows = [(edge.stake.wager.id, edge.stake.on, edge.stake.list) for edge in edges(book)]
    assert len(rows) == len(set(rows)) == COUNTED[book]
    points = {PERTH: 10}.get(book, 6)
    for wager in load_book(book).wagers:
        mine = [row for row in rows if row[0] == wager.id]
        if wager.behind:
            assert len(mine) == points, wager.id
        for on in wager.selections:
            assert (wager.id, on, None) in mine


@pytest.mark.parametrize("book", book_ids())
def test_the_chances_of_a_wager_add_up_to_one_and_its_stake_is_what_was_put_up(book: str) -> None:
    for edge in edges(book):
        assert sum(chance for _, chance in edge.chances) == 1, label(edge.stake)
        assert edge.staked >= 1
        assert edge.rolls >= 1


def test_mini_craps_has_the_edges_of_craps() -> None:
    assert [edge.edge for edge in edges(MINI)] == [edge.edge for edge in edges(MELBOURNE)]


def test_only_option_b_by_its_words_gives_the_player_an_edge() -> None:
    flagged = {book: {edge.stake.wager.id for edge in edges(book) if edge.player_has_it} for book in book_ids()}
    assert flagged.pop(B) == {"single_colour", "specific_colour_double"}
    assert not any(flagged.values())
    assert {edge.edge for edge in edges(B, True) if "colour" in edge.stake.wager.id} == {Fraction(1, 9)}


def test_the_published_values_agree_but_for_three_that_are_misprinted() -> None:
    differ = set()
    for book in book_ids():
        rows = [*edges(book)]
        if load_book(book).points:
            rows += [one(book, "pass", odds=times) for times in (1, 2, *([] if book == NSW else [3]))]
        for edge in rows:
            for said in published(book, edge.stake):
                if not said.agrees(edge.edge):
                    differ.add((book, label(edge.stake), said.percent))
    # Three and eleven at 15 to 1 are 2/18, and crapless double odds 2.018: two digits changed places.
    assert differ == {
        (PERTH, "craps_three", "11.9"),
        (PERTH, "eleven", "11.9"),
        (PERTH, "pass with 2 times odds", "2.081"),
    }


@pytest.mark.parametrize(
    ("printed", "edge", "agrees"),
    [
        ("1.41", "7/495", True),
        ("1.40", "7/495", False),
        ("6.67", "1/15", True),
        ("12", "1/8", True),
        ("14", "1/8", False),
    ],
)
def test_a_published_value_agrees_when_the_exact_one_rounds_to_it(printed: str, edge: str, agrees: bool) -> None:
    assert Published(printed, "a source", "its page").agrees(Fraction(edge)) is agrees


@pytest.mark.parametrize(
    ("value", "text"),
    [("7/495", "1.414"), ("-11/27", "-40.741"), ("0", "0.000"), ("1/2000", "0.050"), ("-1/1000000", "0.000")],
)
def test_percent_is_rounded_from_the_exact_value(value: str, text: str) -> None:
    assert percent(Fraction(value)) == text


def test_the_json_has_the_contracts_rows(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document_of(capsys, MELBOURNE)["wagers"]
    first = rows[0]
    assert {key: first[key] for key in ("wager", "on", "edge")} == {"wager": "pass", "on": None, "edge": "7/495"}
    assert "list" not in first
    bonus = [row for row in document_of(capsys, PERTH)["wagers"] if row["wager"] == "make_em_all"]
    assert [(row["on"], row["list"]) for row in bonus] == [(None, number) for number in range(1, 6)]


def test_several_books_are_one_document_and_none_named_is_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert [book["book"] for book in document_of(capsys, A, B)["books"]] == [A, B]
    assert [book["book"] for book in document_of(capsys)["books"]] == list(book_ids())


def test_the_operator_is_warned_of_a_player_edge(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["edge", B]) == 0
    assert "WARNING: the player has the edge on specific_colour_double:red" in capsys.readouterr().out
    assert main(["edge", B, "--option-b-exact"]) == 0
    assert "WARNING" not in capsys.readouterr().out
    assert document_of(capsys, B)["player_has_the_edge"][-1] == "single_colour:blue"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["no-such-book"], "no-such-book"),
        ([A, "--wager", "pass"], "'pass' is no wager"),
        ([MELBOURNE, "--wager", "place_win:7"], "not on '7'"),
        ([MELBOURNE, "--wager", "field", "--odds", "2"], "field takes no odds"),
        ([MELBOURNE, "--wager", "pass", "--odds", "-1"], "--odds"),
        ([MELBOURNE, "--odds", "2"], "--odds needs --wager"),
        ([MELBOURNE, "--list", "2"], "payout lists none"),
        ([PERTH, "--list", "6"], "not 6"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["edge", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err
    assert captured.err.count("\n") == 1


def test_a_selection_is_written_as_the_area_is_named() -> None:
    book = load_book(A)
    assert find_stake(book, "pair:1&2").on == "1&2"
    assert find_stake(book, "total:9").on == 9
    with pytest.raises(NoSuchWager, match="placed on no selection, not on '11'"):
        find_stake(book, "big:11")


def test_the_page_and_the_picture_in_docs_are_those_of_today() -> None:
    again = "make them again: tumbler edge --docs docs"
    assert (DOCS / "edges.md").read_text("utf-8") == document(), again
    assert (DOCS / "images" / "edges.svg").read_text("utf-8") == picture(), again


def test_docs_are_written_into_a_folder_that_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["edge", "--docs", str(tmp_path)]) == 0
    assert (tmp_path / "edges.md").read_text("utf-8") == document()
    (tmp_path / "file").write_text("")
    for name in ("new/deep", "file"):
        assert main(["edge", "--docs", str(tmp_path / name)]) == 2
        assert f"--docs: {tmp_path / name} is not a folder that is there" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_docs_that_cannot_be_written_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "edges.md").mkdir()
    assert main(["edge", "--docs", str(tmp_path)]) == 1
    assert "edges.md: cannot be written" in capsys.readouterr().err
