"""Craps money: commission, rounding, limits, split wagers, calls and refunds, each by the rule that says so."""

import pytest
from craps_cases import last, outcome

MELBOURNE, MINI = "crown-melbourne-craps", "crown-melbourne-mini-craps"
ADELAIDE, NSW, PERTH = "skycity-adelaide-craps", "nsw-craps", "crown-perth-crapless"

COMMISSION = [
    # 5 % of the wager to buy, of the winnings to lay; returned on removal in Adelaide and Perth
    (MELBOURNE, "3.6.10", "a buy:4 20", {"commission": "1"}),
    (MELBOURNE, "3.6.10", "a buy:4 20; remove a", {"back": "20", "commission_back": "0"}),
    (MELBOURNE, "3.6.12", "a lay:4 20", {"commission": "0.5"}),
    (MELBOURNE, "3.6.12", "a lay:5 10", {"commission": "1/3"}),
    (ADELAIDE, "7(a)", "a buy:6 25", {"commission": "1.25"}),
    (ADELAIDE, "7(a)", "a lay:6 24", {"commission": "1"}),
    (ADELAIDE, "7(c)", "a buy:6 25; remove a", {"back": "25", "commission_back": "1.25"}),
    (ADELAIDE, "7(c)", "a lay:6 24; change a 12", {"back": "12", "commission_back": "0.5"}),
    (ADELAIDE, "7(c)", "a lay:6 24; change a 12; remove a", {"back": "12", "commission_back": "0.5"}),
    (ADELAIDE, "7(a)", "a buy:6 20; change a 40", {"back": "0", "commission_back": "0", "commission": "1"}),
    (NSW, "6.1.24", "a buy:5 20; remove a", {"back": "20", "commission_back": "0"}),
    (NSW, "6.1.25", "a lay:10 20", {"commission": "0.5"}),
    (PERTH, "4.11", "a buy:2 20", {"commission": "1"}),
    (PERTH, "8.2", "a buy:2 20; remove a", {"back": "20", "commission_back": "1"}),
    (PERTH, "8.3", "a place_win:2 20", {"commission": "0"}),
    # a flat wager removed takes its odds down; reduced, they stand
    (MELBOURNE, "3.4", "a dont_pass 10; roll 6; b dont_pass_odds 12 behind a; remove a", {"back": "22"}),
    (MELBOURNE, "3.4", "a dont_pass 10; roll 6; b dont_pass_odds 12 behind a; change a 5", {"back": "5"}),
]


@pytest.mark.parametrize(("book", "rule", "script", "wanted"), COMMISSION)
def test_commission_and_what_comes_back(book: str, rule: str, script: str, wanted: dict[str, str]) -> None:
    answer = last(book, script)
    assert {key: answer.get(key) for key in wanted} == wanted, rule


OUTCOMES = [
    # rounding, each by its document: up, up unless the sign says multiples only, up, and refused
    (MELBOURNE, "4.2.3", {"chip": "1"}, "roll 6; a place_win:8 10; roll 8", "a", "win 12 10"),
    (MELBOURNE, "4.2.3", {"chip": "0.50"}, "roll 6; a place_win:8 10; roll 8", "a", "win 12 10"),
    (MELBOURNE, "4.2.3", {}, "roll 6; a place_win:8 10; roll 8", "a", "win 35/3 10"),
    (MELBOURNE, "4.2.3", {"chip": "1", "multiples_only": True}, "roll 6; a place_win:8 10; roll 8", "a", "win 12 10"),
    (ADELAIDE, "6(d)", {"chip": "1"}, "roll 6; a place_win:8 10; roll 8", "a", "win 12 10"),
    (ADELAIDE, "14(h)", {"chip": "1", "multiples_only": True}, "roll 6; a place_win:8 10; roll 8", "a", "win 11 10"),
    (NSW, "6.7", {"chip": "2.50"}, "roll 6; a place_win:8 10; roll 8", "a", "win 12.5 10"),
    (NSW, "6.7", {"chip": "0.50"}, "a hardway:6 5; on a; roll 3+3", "a", "win 47.5 5"),
    # limits: over the maximum is played to the maximum, the excess comes back
    (MELBOURNE, "4.2.2", {"max": "100"}, "a pass 150; roll 7", "a", "win 100 150"),
    (MELBOURNE, "4.2.2", {"max": "100"}, "a pass 150; roll 2", "a", "lose 0 50"),
    (NSW, "7.3", {"max": "100"}, "a any_craps 150; roll 2", "a", "win 750 150"),
    (ADELAIDE, "14(g)", {"max": "4"}, "a horn 8; roll 2", "a", "win 32 5"),
    (PERTH, "5.7", {"max": "10"}, "a craps_two 12; roll 3", "a", "lose 0 2"),
    # under the minimum: the first is played, the second returned; in New South Wales it is valid
    (MELBOURNE, "4.2.1", {"min": "5"}, "a pass 2; roll 7", "a", "win 2 2"),
    (MELBOURNE, "4.2.1", {"min": "5"}, "a pass 2; b pass 2; roll 7", "b", "returned 0 2"),
    (MELBOURNE, "4.2.1", {"min": "5"}, "a pass 2; roll 7; b pass 2; roll 7", "b", "returned 0 2"),
    (MELBOURNE, "4.2.1", {"min": "5"}, "a pass 2; b pass 2 by 2; roll 7", "b", "win 2 2"),
    (MELBOURNE, "4.2.1", {"min": "5"}, "a pass 2; b pass 2; change b 5; roll 7", "b", "win 5 5"),
    (MELBOURNE, "4.2.1", {"min": "5"}, "a pass 2; b place_win:6 2; no_roll cocked; roll 4", "b", "returned 0 2"),
    (ADELAIDE, "14(g)", {"min": "5"}, "a pass 2; b pass 2; roll 2", "b", "returned 0 2"),
    (NSW, "7.2", {"min": "5"}, "a pass 2; b pass 2; roll 7", "b", "win 2 2"),
    (PERTH, "5.6", {"min": "5"}, "a field 2; b field 2; roll 7", "b", "returned 0 2"),
    # split wagers: the winning part is paid and comes back, the other parts lose
    (MELBOURNE, "6.1", {}, "a horn 4; roll 12", "a", "win 33 1"),
    (MELBOURNE, "6.1", {}, "a horn 4; roll 11", "a", "win 16 1"),
    (MELBOURNE, "6.1", {}, "a horn 4; roll 7", "a", "lose 0 0"),
    (MELBOURNE, "6.1", {}, "a horn_high:12 5; roll 12", "a", "win 66 2"),
    (MELBOURNE, "6.1", {}, "a horn_high:12 5; roll 2", "a", "win 33 1"),
    (MELBOURNE, "6.1", {}, "a horn_high:3 5; roll 3", "a", "win 32 2"),
    (ADELAIDE, "6(c)", {}, "a world 5; roll 7", "a", "win 4 1"),
    (ADELAIDE, "6(c)", {}, "a world 5; roll 2", "a", "win 32 1"),
    (ADELAIDE, "6(c)", {}, "a c_and_e 2; roll 3", "a", "win 7 1"),
    (ADELAIDE, "6(c)", {}, "a c_and_e 2; roll 11", "a", "win 15 1"),
    (NSW, "8.1", {}, "a c_and_e 2; roll 12", "a", "win 7.5 1"),
    (NSW, "8.1", {}, "a horn_high:11 5; roll 11", "a", "win 32 2"),
    (PERTH, "8.4", {}, "a horn 4; roll 3", "a", "win 15 1"),
    (MELBOURNE, "6.1", {}, "a horn 1; roll 12", "a", "win 8.25 0.25"),
    # calls: that player's wagers of the same name, later ones too; in New South Wales that wager alone
    (MELBOURNE, "3.5.1(b)", {}, "a place_win:6 12; b place_win:8 12; on a; roll 8", "b", "win 14 12"),
    (MELBOURNE, "3.5.1(b)", {}, "a place_win:6 12; on a; b place_win:8 12; roll 8", "b", "win 14 12"),
    (MELBOURNE, "3.5.1(b)", {}, "a place_win:6 12; on a; b place_win:8 12 by 2; roll 8", "b", "off 0 0"),
    (MELBOURNE, "3.5.1(b)", {}, "a place_win:6 12; on a; b buy:8 10; roll 8", "b", "off 0 0"),
    (MELBOURNE, "3.5.2(b)", {}, "roll 4; a place_win:6 12; off a; b place_win:8 12; roll 8", "b", "off 0 0"),
    (ADELAIDE, "5(e)", {}, "a hardway:6 10; b hardway:8 10; on a; roll 4+4", "b", "win 90 10"),
    (NSW, "6.6.1", {}, "a place_win:6 12; b place_win:8 12; on a; roll 8", "b", "off 0 0"),
    (NSW, "6.6.1", {}, "a place_win:8 12; on a; roll 8", "a", "win 14 12"),
    (PERTH, "4.7", {}, "a place_win:2 5; b place_win:12 5; on a; roll 12", "b", "win 25 5"),
    # come odds are off on the come-out, and come back when their come wager is decided there
    (
        MELBOURNE,
        "3.5.1",
        {},
        "roll 4; a come 10; roll 6; b come_odds 10 behind a; roll 4; roll 7",
        "b",
        "returned 0 10",
    ),
    (
        MELBOURNE,
        "3.5.1",
        {},
        "roll 4; a come 10; roll 6; b come_odds 10 behind a; roll 4; on b; roll 6",
        "b",
        "win 12 10",
    ),
    (NSW, "6.6.2", {}, "roll 4; a come 10; roll 6; b come_odds 10 behind a; off b; roll 6", "b", "returned 0 10"),
    # a come wager that moves onto a number on which another is won
    (MELBOURNE, "3.6.5", {}, "roll 8; a come 10; roll 6; b come 20; roll 6", "a", "win 10 10"),
    (MELBOURNE, "3.6.5", {}, "roll 8; a come 10; roll 6; b come 20; roll 6", "b", "none 0 0"),
    (MELBOURNE, "3.6.5", {}, "roll 8; a come 10; roll 6; b come 20; roll 6; roll 6", "b", "win 20 20"),
    # bonus bets keep their numbers until they are won or 7 comes
    (PERTH, "4.27", {}, "a all_small 1; roll 2; roll 3; roll 9; roll 4; roll 2; roll 5; roll 6", "a", "win 30 1"),
    (PERTH, "4.27", {}, "a all_small 1; roll 2; roll 3; roll 4; roll 5", "a", "none 0 0"),
    (PERTH, "4.28", {"bonus_list": 5}, "a all_tall 1; roll 8; roll 9; roll 10; roll 11; roll 12", "a", "win 34 1"),
    (PERTH, "4.29", {}, "a make_em_all 1; roll 2; roll 3; roll 7", "a", "lose 0 0"),
    # void: the one-roll wagers come back, the others stand
    (MELBOURNE, "9.4", {}, "a field 10; void disruption tg_area_manager", "a", "returned 0 10"),
    (NSW, "9.5", {}, "a pass 10; b horn 4; roll 6; c horn 4; void fraud boxperson", "c", "returned 0 4"),
    # a cancelled point returns the odds that stood on it
    (MELBOURNE, "5.2.2(b)", {}, "a pass 10; roll 6; b pass_odds 10 behind a; cancel_point", "b", "returned 0 10"),
    (MELBOURNE, "5.2.2(b)", {}, "a pass 10; roll 6; cancel_point; roll 7", "a", "win 10 10"),
    (PERTH, "6.12", {}, "a pass 10; roll 6; b place_win:6 6; cancel_point; roll 6", "b", "off 0 0"),
]


@pytest.mark.parametrize(("book", "rule", "sign", "script", "id", "wanted"), OUTCOMES)
def test_what_a_wager_gets(book: str, rule: str, sign: dict[str, object], script: str, id: str, wanted: str) -> None:
    assert outcome(last(book, script, **sign), id) == wanted, rule


ADVICE = [(MELBOURNE, "4.2.1"), (MINI, "4.2.1"), (ADELAIDE, "14(g)"), (NSW, "7.2"), (PERTH, "5.6")]


@pytest.mark.parametrize(("book", "rule"), ADVICE)
def test_a_wager_under_the_minimum_is_accepted_with_advice(book: str, rule: str) -> None:
    answer = last(book, "a field 4", min="5")
    assert answer["ok"]
    assert rule in answer["advice"]
    assert "advice" not in last(book, "a field 5", min="5")


UNPAYABLE = [
    # Crown Perth 8.5: no wager is accepted that cannot be paid at its odds in chips
    ("roll 4; a place_win:6 10", "1", False),
    ("roll 4; a place_win:6 12", "1", True),
    ("a pass 10; roll 6; b pass_odds 4 behind a", "1", False),
    ("a pass 10; roll 6; b pass_odds 5 behind a", "1", True),
    ("a place_win:6 12; change a 13", "1", False),
    ("a place_win:6 12; change a 7", "1", False),
    ("a place_win:6 12; change a 6", "1", True),
    ("a pass 0.75", "0.50", False),
    ("a all_small 0.50", "1", True),
    ("a place_win:3 5", "1", True),
    ("a place_win:3 6", "1", False),
]


@pytest.mark.parametrize(("script", "chip", "accepted"), UNPAYABLE)
def test_crapless_8_5_what_cannot_be_paid_in_chips_is_refused(script: str, chip: str, accepted: bool) -> None:
    answer = last(PERTH, script, chip=chip)
    assert answer["ok"] == accepted
    assert accepted or answer["rule"] == "8.5"


SPLITS = [(MELBOURNE, "horn", 4), (MELBOURNE, "horn_high:2", 5), (ADELAIDE, "world", 5), (ADELAIDE, "c_and_e", 2)]
SPLITS += [(NSW, "horn_high:11", 5), (NSW, "c_and_e", 2), (PERTH, "horn", 4)]


@pytest.mark.parametrize(("book", "wager", "parts"), SPLITS)
def test_a_split_wager_splits_into_chips_or_is_refused(book: str, wager: str, parts: int) -> None:
    assert last(book, f"a {wager} {parts}", chip="1")["ok"]
    assert not last(book, f"a {wager} {parts + 1}", chip="1")["ok"]
    assert not last(book, f"a {wager} {parts}; change a {2 * parts - 1}", chip="1")["ok"]
    assert not last(book, f"a {wager} {2 * parts}; change a {2 * parts - 1}", chip="1")["ok"]
    assert last(book, f"a {wager} {parts + 1}")["ok"]  # without a chip any stake splits


@pytest.mark.parametrize("book", [MELBOURNE, MINI, ADELAIDE, NSW, PERTH])
def test_a_void_leaves_the_point_and_a_no_roll_leaves_everything(book: str) -> None:
    by = {ADELAIDE: "house", NSW: "boxperson", PERTH: "table_games_management"}.get(book, "tg_area_manager")
    after = last(book, f"a pass 10; roll 6; b field 5; no_roll stacked; void disruption {by}; roll 6")
    assert after["point_before"] == 6
    assert [row["id"] for row in after["outcomes"]] == ["a"]
    assert outcome(after, "a") == "win 10 10"
