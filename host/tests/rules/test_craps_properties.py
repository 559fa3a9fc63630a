"""What holds of every script: money is conserved, a refused event changes nothing, a wager is settled once."""

import json
from fractions import Fraction
from typing import Any

import pytest
from craps_scripts import BOOKS, scripts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tumbler.rules.script import read_script
from tumbler.rules.settle import Settlement

DECIDED = ("win", "lose", "returned")
EVERY_SCRIPT = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def played(script: dict[str, Any]) -> tuple[Settlement, list[tuple[dict[str, Any], dict[str, Any]]]]:
    settlement = Settlement(read_script(json.dumps(script).encode()))
    return settlement, list(zip(script["events"], settlement.play(), strict=True))


@pytest.mark.parametrize("book", BOOKS)
@EVERY_SCRIPT
@given(data=st.data())
def test_money_is_conserved(book: str, data: st.DataObject) -> None:
    """Every stake is on the layout, was given back, or was lost; nothing else is."""
    settlement, pairs = played(data.draw(scripts(book)))
    stakes: dict[str, Fraction] = {}  # what a wager has put up and not had back
    for event, answer in pairs:
        if not answer["ok"]:
            continue
        if event["do"] == "place":
            stakes[event["id"]] = Fraction(event["amount"])
        elif event["do"] == "change":
            back = Fraction(answer["back"])
            assert back == max(stakes[event["id"]] - Fraction(event["amount"]), 0)
            stakes[event["id"]] = Fraction(event["amount"])
        elif event["do"] == "remove":
            down = [event["id"], *answer.get("odds_down", ())]
            assert Fraction(answer["back"]) == sum(stakes.pop(id) for id in down)
        for row in answer.get("outcomes", ()):
            back = Fraction(row["back"])
            assert 0 <= back <= stakes[row["id"]]
            assert Fraction(row["pays"]) >= 0
            assert row["outcome"] == "win" or row["pays"] == "0"
            assert row["outcome"] != "returned" or back == stakes[row["id"]]
            if row["outcome"] in DECIDED:
                del stakes[row["id"]]
            else:
                assert row["back"] == "0"
    standing = {wager.id: settlement.table.exact(wager.amount) for wager in settlement.table.standing.values()}
    assert standing == stakes


@pytest.mark.parametrize("book", BOOKS)
@EVERY_SCRIPT
@given(data=st.data())
def test_a_wager_is_settled_once_and_has_a_row_for_every_roll_until_then(book: str, data: st.DataObject) -> None:
    _, pairs = played(data.draw(scripts(book)))
    up: list[str] = []
    for event, answer in pairs:
        if not answer["ok"]:
            continue
        if event["do"] == "place":
            up.append(event["id"])
        elif event["do"] == "remove":
            up = [id for id in up if id not in (event["id"], *answer.get("odds_down", ()))]
        elif event["do"] == "roll":
            assert [row["id"] for row in answer["outcomes"]] == up
        gone = {row["id"] for row in answer.get("outcomes", ()) if row["outcome"] in DECIDED}
        assert gone <= set(up)
        up = [id for id in up if id not in gone]


@pytest.mark.parametrize("book", BOOKS)
@EVERY_SCRIPT
@given(data=st.data())
def test_a_refused_event_changes_nothing(book: str, data: st.DataObject) -> None:
    """Without its refused events a script has the same answers to the others."""
    script = data.draw(scripts(book))
    _, pairs = played(script)
    accepted = [(event, answer) for event, answer in pairs if answer["ok"]]
    _, again = played(script | {"events": [event for event, _ in accepted]})
    assert again == accepted


@pytest.mark.parametrize("book", BOOKS)
@EVERY_SCRIPT
@given(data=st.data())
def test_a_no_roll_changes_nothing(book: str, data: st.DataObject) -> None:
    script = data.draw(scripts(book))
    _, pairs = played(script)
    events = [event for pair in script["events"] for event in ({"do": "no_roll", "cause": "stacked"}, pair)]
    _, again = played(script | {"events": events})
    assert again[1::2] == pairs


@pytest.mark.parametrize("book", BOOKS)
@EVERY_SCRIPT
@given(data=st.data())
def test_players_do_not_touch_each_others_money(book: str, data: st.DataObject) -> None:
    """But for the bonus bets, which one player's established bet closes to another."""
    script = data.draw(scripts(book))
    bonus = ("all_small", "all_tall", "make_em_all")
    events = [event for event in script["events"] if event.get("wager") not in bonus]
    owners = {event["id"]: event["player"] for event in events if event["do"] == "place"}
    alone = [event for event in events if owners.get(event.get("id"), "1") == "1"]
    _, together = played(script | {"events": events})
    _, apart = played(script | {"events": alone})
    mine = [own(answer, owners) for event, answer in together if event in alone]
    assert mine == [own(answer, owners) for _, answer in apart]


def own(answer: dict[str, Any], owners: dict[str, str]) -> dict[str, Any]:
    if "outcomes" not in answer:
        return answer
    return answer | {"outcomes": [row for row in answer["outcomes"] if owners[row["id"]] == "1"]}
