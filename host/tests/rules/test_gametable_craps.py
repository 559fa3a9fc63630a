"""Craps tables: puck, seven-out and lit areas in every state, against a second reading of the documents and `tumbler settle`.

The second reading (`lit`) is written from the documents alone, book by book, and shares nothing with the engine.
"""

import json
from itertools import product

import pytest
from tumbler.rules.gametable import compile_book
from tumbler.rules.script import read_script
from tumbler.rules.settle import settle
from tumbler.rules.tableplay import Play

THROWS = list(product(range(1, 7), repeat=2))
POINTS = (4, 5, 6, 8, 9, 10)
MELBOURNE = "crown-melbourne-craps"
MINI = "crown-melbourne-mini-craps"
ADELAIDE = "skycity-adelaide-craps"
NSW = "nsw-craps"
PERTH = "crown-perth-crapless"
BOOKS = (MELBOURNE, MINI, ADELAIDE, NSW, PERTH)
THREE_DICE = ("crown-melbourne-sicbo-a", "crown-melbourne-sicbo-b")

# The totals on which a don't wager wins at once: D1 3.6.3(a)(i), D2 4(b)(i), D3 6.1.2.1.1. Crapless craps has none.
DONT_WINS = {MELBOURNE: {3, 12}, MINI: {3, 12}, ADELAIDE: {2, 3}, NSW: {3, 12}}
HORN_HIGH = {MELBOURNE, MINI, NSW}
CRAPS_ELEVEN = {ADELAIDE, NSW}


def lit(book: str, point: int | None, dice: tuple[int, int]) -> set[str]:
    total, hard = sum(dice), dice[0] == dice[1]
    come_out = point is None
    crapless = book == PERTH
    points = tuple(n for n in range(2, 13) if n != 7) if crapless else POINTS
    naturals = {7} if crapless else {7, 11}
    areas = set()
    if (come_out and total in naturals) or (not come_out and total == point):
        areas.add("pass")
    if not come_out:
        if total == point:
            areas.add("pass_odds")
        if total in naturals:
            areas.add("come")
    if total in points:
        areas.add(f"come:{total}")
        if not come_out:  # place bets, buy bets and come odds are off on the come-out in every document
            areas |= {f"come_odds:{total}", f"place_win:{total}", f"buy:{total}"}
    if not crapless:
        if total in DONT_WINS[book]:
            areas.add("dont_pass" if come_out else "dont_come")
        if total == 7:
            if not come_out:
                areas |= {"dont_pass", "dont_pass_odds"}
            for n in points:  # these always work
                areas |= {f"dont_come:{n}", f"dont_come_odds:{n}", f"place_lose:{n}", f"lay:{n}"}
    if hard and total in (4, 6, 8, 10) and (crapless or not come_out):
        areas.add(f"hardway:{total}")
        if crapless:
            areas.add("any_hard")
    one_roll = {"any_craps": {2, 3, 12}, "craps_two": {2}, "craps_three": {3}, "craps_twelve": {12}, "eleven": {11}}
    one_roll |= {"any_seven": {7}, "field": {2, 3, 4, 9, 10, 11, 12}, "horn": {2, 3, 11, 12}}
    if book in HORN_HIGH:
        one_roll |= {f"horn_high:{n}": {2, 3, 11, 12} for n in (2, 3, 11, 12)}
    if book in CRAPS_ELEVEN:
        one_roll["c_and_e"] = {2, 3, 11, 12}
    if book == ADELAIDE:
        one_roll["world"] = {2, 3, 7, 11, 12}
    areas |= {name for name, totals in one_roll.items() if total in totals}
    return areas | {f"big{n}" for n in (6, 8) if total == n}


def states_of(book: str) -> list[int | None]:
    return [None, *(range(2, 7) if book == PERTH else range(4, 7)), *(range(8, 13) if book == PERTH else range(8, 11))]


def throw_of(total: int) -> list[int]:
    return [total // 2, total - total // 2]


@pytest.mark.parametrize("book", BOOKS)
def test_every_state_and_throw_lights_what_the_document_says(book: str) -> None:
    play = Play(book)
    for state, point in enumerate(states_of(book)):
        for throw in THROWS:
            assert set(play.roll(state, throw)[2]) == lit(book, point, throw), (point, throw)


@pytest.mark.parametrize("book", BOOKS)
def test_every_area_of_the_layout_lights_at_least_once(book: str) -> None:
    lights = {area for point in states_of(book) for throw in THROWS for area in lit(book, point, throw)}
    assert lights == set(Play(book).areas)


@pytest.mark.parametrize("book", BOOKS)
def test_the_puck_goes_on_with_a_point_and_off_with_the_point_or_a_seven(book: str) -> None:
    play = Play(book)
    points = states_of(book)
    assert list(play.pucks) == [0, *points[1:]]
    for state, point in enumerate(points):
        for throw in THROWS:
            total = sum(throw)
            stands = {None: total if total in points else 0}.get(point, 0 if total in (point, 7) else point)
            after, puck, _ = play.roll(state, throw)
            assert puck == stands, (point, throw)
            assert play.pucks[after] == stands


@pytest.mark.parametrize("book", BOOKS + THREE_DICE)
def test_the_table_and_tumbler_settle_light_the_same_areas_in_every_state(book: str) -> None:
    play = Play(book)
    events: list[dict[str, object]] = []
    wanted = []
    for state, puck in enumerate(play.pucks):
        for throw in product(range(1, 7), repeat=play.dice):
            if puck:
                events.append({"do": "roll", "dice": throw_of(puck)})
                wanted.append(None)
            events.append({"do": "roll", "dice": list(throw)})
            after, after_puck, areas = play.roll(state, throw)
            wanted.append((puck or None, after_puck or None, areas))
            if after_puck:
                events.append({"do": "roll", "dice": [3, 4]})
                wanted.append(None)
            assert play.pucks[after] == after_puck
    answers = settle(read_script(json.dumps({"book": book, "events": events}).encode()))["events"]
    for event, answer, want in zip(events, answers, wanted, strict=True):
        if want is not None:
            assert (answer["point_before"], answer["point_after"], answer["winning_areas"]) == want, event


@pytest.mark.parametrize("book", BOOKS)
def test_a_table_is_far_under_eight_kilobytes(book: str) -> None:
    assert len(compile_book(book).data) < 2048


@pytest.mark.parametrize(("layout", "together"), [(1, False), (2, True), (3, False), (4, True), (5, False)])
def test_crapless_rules_4_27_to_4_29_bonus_bets_go_by_themselves_or_together_by_layout(
    layout: int, together: bool
) -> None:
    play = Play(PERTH, layout=layout)
    assert play.bonus_bets == ("all_small", "all_tall", "make_em_all")
    assert play.bonus_sets == ((2, 3, 4, 5, 6), (8, 9, 10, 11, 12), (2, 3, 4, 5, 6, 8, 9, 10, 11, 12))
    collected = 0
    for total in (2, 3, 4, 5, 6):
        collected = play.collect(collected, throw_of(total))
    small = 0b11111
    assert collected & small == (small if together else 0)  # All Small is won: its own numbers start again
    assert collected >> 10 == small  # Make 'Em All has five of its ten
    assert play.collect(collected, (3, 4)) == 0
    for total in (8, 9, 10, 11, 12):
        collected = play.collect(collected, throw_of(total))
    assert collected == 0


def test_make_em_all_and_a_new_all_small_keep_numbers_of_their_own() -> None:
    play = Play(PERTH, layout=1)
    collected = 0
    for total in (2, 3, 4, 5, 6, 2, 3, 8, 9, 10, 11, 12):
        collected = play.collect(collected, throw_of(total))
    # Make 'Em All and All Tall are won and start again; All Small, won before, has 2 and 3 anew.
    assert collected == 0b00011
