"""Sic Bo under any script: money is conserved, a refusal changes nothing, a wager is settled once and by every throw."""

import json
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tumbler.rules.bookfile import load_book
from tumbler.rules.play import Outcome
from tumbler.rules.script import read_script
from tumbler.rules.settle import settle
from tumbler.rules.sicbo import SicBo

BOOKS = ("crown-melbourne-sicbo-a", "crown-melbourne-sicbo-b")
ROLES = ("dealer", "tg_higher_duties_dealer", "tg_area_manager", "tg_assistant_casino_manager", "inspector")
CAUSES = ("not_flat", "malfunction", "exposed_early", "cocked")

amounts = (
    st.integers(1, 40_000).map(lambda cents: f"{cents // 100}.{cents % 100:02}").filter(lambda text: text != "0.00")
)
names = st.sampled_from([f"w{number}" for number in range(12)])


def places(book: str) -> st.SearchStrategy[dict[str, Any]]:
    spots = [(wager.id, on) for wager in load_book(book).wagers for on in wager.selections or (None,)]
    spots += [("pass", None), ("big", 4), ("total", 3)]
    return st.tuples(st.sampled_from(spots), st.sampled_from("123"), amounts).map(
        lambda drawn: {"do": "place", "wager": drawn[0][0], "on": drawn[0][1], "player": drawn[1], "amount": drawn[2]}
    )


def events(book: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    die = st.integers(1, 6)
    one = st.one_of(
        places(book),
        places(book),
        st.tuples(die, die, die).map(lambda dice: {"do": "roll", "dice": list(dice)}),
        st.tuples(names, amounts).map(lambda drawn: {"do": "change", "id": drawn[0], "amount": drawn[1]}),
        names.map(lambda id: {"do": "remove", "id": id}),
        st.just({"do": "no_more_bets"}),
        st.sampled_from(CAUSES).map(lambda cause: {"do": "no_roll", "cause": cause}),
        st.tuples(st.sampled_from(("fraud", "disruption")), st.sampled_from(ROLES)).map(
            lambda drawn: {"do": "void", "cause": drawn[0], "by": drawn[1]}
        ),
    )
    return st.lists(one, max_size=30).map(_named)


def _named(script: list[dict[str, Any]]) -> list[dict[str, Any]]:
    placed = 0
    for number, event in enumerate(script):
        if event["do"] == "place":
            script[number] = event | {"id": f"w{placed}"}
            placed += 1
    return script


scripts = st.sampled_from(BOOKS).flatmap(
    lambda book: st.fixed_dictionaries(
        {
            "book": st.just(book),
            "sign": st.fixed_dictionaries(
                {},
                optional={"min": st.just("5"), "max": st.just("100"), "chip": st.sampled_from(("0.01", "0.50", "5"))},
            ),
            "option_b_exact": st.booleans(),
            "events": events(book),
        }
    )
)


def play(script: dict[str, Any]) -> list[dict[str, Any]]:
    return settle(read_script(json.dumps(script).encode()))["events"]


@settings(max_examples=150, deadline=None)
@given(scripts)
def test_no_stake_is_lost_or_made_and_none_is_settled_twice(script: dict[str, Any]) -> None:
    standing: dict[str, Fraction] = {}
    most = Fraction(script["sign"].get("max", "1000000"))
    for event, answer in zip(script["events"], play(script), strict=True):
        if not answer["ok"]:
            assert answer["rule"]
            assert answer["why"]
            continue
        if event["do"] == "place":
            standing[event["id"]] = Fraction(event["amount"])
        elif event["do"] == "change":
            before, after = standing[event["id"]], Fraction(event["amount"])
            assert Fraction(answer["back"]) == max(before - after, 0)
            standing[event["id"]] = after
        elif event["do"] == "remove":
            assert Fraction(answer["back"]) == standing.pop(event["id"])
        for row in answer.get("outcomes", ()):
            amount = standing.pop(row["id"])  # a KeyError here is a wager settled that did not stand
            pays, back = Fraction(row["pays"]), Fraction(row["back"])
            kept = {"win": amount, "returned": amount, "lose": max(amount - most, 0)}[row["outcome"]]
            assert back == kept
            assert (pays > 0) == (row["outcome"] == "win")
        if event["do"] == "roll":
            assert not standing  # every spin decides every wager


@settings(max_examples=100, deadline=None)
@given(scripts)
def test_a_refused_event_changes_nothing_that_follows(script: dict[str, Any]) -> None:
    answers = play(script)
    kept = [event for event, answer in zip(script["events"], answers, strict=True) if answer["ok"]]
    assert play(script | {"events": kept}) == [answer for answer in answers if answer["ok"]]


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("exact", [False, True])
def test_every_combination_gives_each_wager_exactly_one_outcome_in_any_order_of_dice(book: str, exact: bool) -> None:
    game = SicBo(load_book(book), option_b_exact=exact)
    for spot in game.spots:
        for a, b, c in combinations_with_replacement(range(1, 7), 3):
            verdicts = {game.verdict(spot, None, dice) for dice in ((a, b, c), (c, a, b), (b, c, a), (c, b, a))}
            assert len(verdicts) == 1
            (verdict,) = verdicts
            assert verdict.outcome in (Outcome.WIN, Outcome.LOSE)
            assert (verdict.to > 0) == (verdict.outcome is Outcome.WIN)
