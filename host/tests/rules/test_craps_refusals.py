"""What the craps documents do not let a player or dealer do, each with its rule; and what they do let, beside it."""

import pytest
from craps_cases import last

MELBOURNE, MINI = "crown-melbourne-craps", "crown-melbourne-mini-craps"
ADELAIDE, NSW, PERTH = "skycity-adelaide-craps", "nsw-craps", "crown-perth-crapless"

REFUSED = [
    # line wagers are placed immediately prior to the come-out roll
    (MELBOURNE, "3.6.1", "roll 6; a pass 10"),
    (MELBOURNE, "3.6.3", "roll 6; a dont_pass 10"),
    (ADELAIDE, "4(a)", "roll 6; a pass 10"),
    (ADELAIDE, "4(b)", "roll 6; a dont_pass 10"),
    (NSW, "6.1.1", "roll 6; a pass 10"),
    (NSW, "6.1.2", "roll 6; a dont_pass 10"),
    (PERTH, "4.8", "roll 2; a pass 10"),
    # come wagers at any time after it
    (MELBOURNE, "3.6.5", "a come 10"),
    (MELBOURNE, "3.6.7", "a dont_come 10"),
    (ADELAIDE, "4(d)", "a come 10"),
    (ADELAIDE, "4(e)", "roll 6; roll 6; a dont_come 10"),
    (NSW, "6.1.3", "roll 7; a come 10"),
    (NSW, "6.1.4", "a dont_come 10"),
    (PERTH, "4.9", "a come 10"),
    # odds when a flat wager of that player has its point
    (MELBOURNE, "3.6.2", "a pass 10; b pass_odds 10 behind a"),
    (MELBOURNE, "3.6.2", "a pass 10; roll 6; b pass_odds 10"),
    (MELBOURNE, "3.6.2", "a pass 10; roll 6; b pass_odds 10 behind z"),
    (MELBOURNE, "3.6.2", "a pass 10; roll 6; b pass_odds 10 behind a by 2"),
    (MELBOURNE, "3.6.4", "a pass 10; roll 6; b dont_pass_odds 10 behind a"),
    (MELBOURNE, "3.6.6", "roll 6; a come 10; b come_odds 10 behind a"),
    (MELBOURNE, "3.6.9", "a pass 10; roll 6; b place_win:6 12 behind a"),
    (NSW, "6.1.7", "roll 6; a come 10; b come_odds 10 behind a"),
    (ADELAIDE, "8(d)", "roll 6; a dont_come 10; b dont_come_odds 10 behind a"),
    # pass and come are contract wagers once they have their point: neither reduced nor increased
    (MELBOURNE, "3.4.1", "a pass 10; roll 6; remove a"),
    (MELBOURNE, "3.4.1", "a pass 10; roll 6; change a 5"),
    (MELBOURNE, "3.4.1", "a pass 10; roll 6; change a 15"),
    (MELBOURNE, "3.4.2", "roll 8; a come 10; roll 6; remove a"),
    (MELBOURNE, "3.4.2", "roll 8; a come 10; roll 6; change a 5"),
    (MELBOURNE, "3.4.2", "roll 8; a come 10; roll 6; roll 8; remove a"),
    (ADELAIDE, "5(c)", "a pass 10; roll 6; remove a"),
    (ADELAIDE, "5(c)", "roll 8; a come 10; roll 6; change a 20"),
    (NSW, "6.4", "a pass 10; roll 6; change a 5"),
    (NSW, "6.4", "roll 8; a come 10; roll 6; remove a"),
    (PERTH, "4.5(a)", "a pass 10; roll 11; remove a"),
    (PERTH, "4.5(a)", "roll 8; a come 10; roll 2; remove a"),
    # a don't wager goes down and not up; taken back once its point stands, it stays away until that is decided
    (MELBOURNE, "3.4.3", "a dont_pass 10; roll 6; change a 15"),
    (MELBOURNE, "3.4.3", "a dont_pass 10; roll 6; change a 5; change a 10"),
    (MELBOURNE, "3.6.3", "a dont_pass 10; roll 6; remove a; b dont_pass 10"),
    (MELBOURNE, "3.4.3", "roll 8; a dont_come 10; roll 6; remove a; b dont_come 10"),
    (MELBOURNE, "3.4.3", "roll 8; a dont_come 10; roll 6; change a 5; b dont_come 10"),
    (MELBOURNE, "3.4.3", "roll 8; a dont_come 10; roll 6; remove a; roll 8; roll 9; b dont_come 10"),
    (MELBOURNE, "3.4.3", "roll 8; a dont_come 10; b dont_come 10; roll 6; c dont_come 5; remove a; change c 10"),
    (ADELAIDE, "5(d)", "a dont_pass 10; roll 6; change a 15"),
    (ADELAIDE, "5(d)", "roll 8; a dont_come 10; roll 6; remove a; b dont_come 10"),
    (NSW, "6.5", "a dont_pass 10; roll 6; change a 15"),
    (NSW, "6.5", "roll 8; a dont_come 10; roll 6; change a 5; b dont_come 10"),
    # calls on and off, of what the document lists
    (MELBOURNE, "3.5", "a pass 10; on a"),
    (MELBOURNE, "3.5", "a place_lose:6 10; off a"),
    (MELBOURNE, "3.5", "a big6 10; off a"),
    (ADELAIDE, "5(e)", "a lay:6 10; off a"),
    (NSW, "6.6", "a field 10; off a"),
    (PERTH, "4.6", "a hardway:6 10; off a"),
    (PERTH, "4.6", "a any_hard 10; on a"),
    # bonus bets
    (PERTH, "4.5(b)", "a all_small 10; remove a"),
    (PERTH, "4.5(b)", "a all_tall 10; change a 5"),
    (PERTH, "4.4, 4.27", "a all_small 10; roll 2; b all_small 10 by 2"),
    (PERTH, "4.4, 4.27", "a all_small 10; roll 2; change a 20"),
    (PERTH, "4.4, 4.29", "a make_em_all 10; roll 12; b make_em_all 10"),
    # what the book has not
    (MELBOURNE, "3.6", "a world 10"),
    (MELBOURNE, "3.6", "a c_and_e 10"),
    (MELBOURNE, "3.6", "a all_small 10"),
    (ADELAIDE, "4", "a horn_high:2 10"),
    (NSW, "6.1", "a world 10"),
    (PERTH, "4", "a dont_pass 10"),
    (PERTH, "4", "a place_lose:6 10"),
    (PERTH, "4", "a lay:6 10"),
    (MELBOURNE, "3.6.9", "a place_win:7 10"),
    (MELBOURNE, "3.6.9", "a place_win:2 10"),
    (MELBOURNE, "3.6.9", "a place_win 10"),
    (MELBOURNE, "3.6.1", "a pass:6 10"),
    (MELBOURNE, "3.6.20", "a horn_high:7 10"),
    (ADELAIDE, "4(i)", "a hardway:5 10"),
    # what has left the layout or never was there
    (MELBOURNE, "3.4", "a field 10; roll 7; remove a"),
    (ADELAIDE, "5(c)", "change a 10"),
    (NSW, "6.4", "a pass 10; roll 7; change a 10"),
    (PERTH, "4.5", "a horn 4; roll 7; remove a"),
    (MELBOURNE, "3.4", "a place_win:6 12; remove a; on a"),
    # no rolls and voids: the causes of each document, and who may call them
    (ADELAIDE, "11", "no_roll cocked"),
    (PERTH, "6.13", "no_roll cocked"),
    (MELBOURNE, "5.2.1", "no_roll out_of_view"),
    (MELBOURNE, "5.2.1", "no_roll wrong_shooter"),
    (NSW, "5", "no_roll face_dispute"),
    (ADELAIDE, "11", "no_roll face_undeterminable"),
    (MELBOURNE, "5.2.1", "no_roll not_flat"),
    (NSW, "5.3.1", "no_roll off_table dealer"),
    (ADELAIDE, "12(a)", "no_roll face_dispute stickman"),
    (PERTH, "7.1(f)", "no_roll face_undeterminable stickperson"),
    (MELBOURNE, "9.3.1", "void disruption tg_higher_duties_dealer"),
    (MELBOURNE, "9.3.2", "void fraud inspector"),
    (MELBOURNE, "9.3", "void boredom tg_area_manager"),
    (ADELAIDE, "14(a)(i)", "void disruption boxman"),
    (NSW, "9.4.2", "void fraud stickperson"),
    (PERTH, "9.3(a)", "void disruption boxperson"),
    # Mini Craps: nothing after no more bets until a decision
    (MINI, "7.4.1", "no_more_bets; a pass 10"),
    (MINI, "7.4.1", "a pass 10; no_more_bets; change a 20"),
    (MINI, "7.4.1", "a pass 10; no_more_bets; remove a"),
    (MINI, "7.4.1", "a hardway:6 10; no_more_bets; on a"),
    (MINI, "7.4.1", "no_more_bets; no_roll cocked; a pass 10"),
    # a point is cancelled in Melbourne and Perth only, and only if there is one
    (MELBOURNE, "5.2.2(b)", "a pass 10; cancel_point"),
    (MELBOURNE, "3.4.2", "roll 8; a come 10; roll 6; cancel_point; roll 5; remove a"),  # the opportunity has passed
    (ADELAIDE, "13(b)", "a pass 10; roll 6; cancel_point"),
    (NSW, "3.8", "a pass 10; roll 6; cancel_point"),
    (PERTH, "6.12", "roll 6; roll 6; cancel_point"),
]

ALLOWED = [
    (MELBOURNE, "3.4", "a pass 10; remove a"),
    (MELBOURNE, "3.4", "roll 8; a come 10; change a 5"),
    (MELBOURNE, "3.4", "a pass 10; roll 6; b pass_odds 10 behind a; remove b"),
    (MELBOURNE, "3.4.3", "a dont_pass 10; roll 6; remove a"),
    (MELBOURNE, "3.4.3", "a dont_pass 10; roll 2; remove a; b dont_pass 20"),  # no point stands: no ban
    (MELBOURNE, "3.4.3", "a dont_pass 10; roll 6; remove a; roll 6; b dont_pass 10"),
    (MELBOURNE, "3.4.3", "roll 8; a dont_come 10; roll 6; remove a; roll 6; b dont_come 10"),
    (MELBOURNE, "3.4.3", "roll 8; a dont_come 10; roll 6; remove a; b dont_come 10 by 2"),  # that player's ban
    (MELBOURNE, "3.4.3", "roll 8; a dont_come 10; remove a; b dont_come 10"),  # it had no point
    (ADELAIDE, "4(c)", "a dont_pass 10; roll 12; remove a"),
    (ADELAIDE, "5(d)", "a dont_pass 10; roll 6; change a 5"),
    (NSW, "6.1.2.3", "a dont_pass 10; roll 2; change a 20"),
    (NSW, "6.5", "roll 8; a dont_come 10; roll 6; remove a; roll 7; roll 8; b dont_come 10"),
    (PERTH, "4.5(a)", "roll 8; a come 10; remove a"),
    (PERTH, "4.5(a)", "roll 8; a come 10; roll 2; roll 8; remove a"),  # its round of play has ended
    (PERTH, "4.5(a)", "roll 8; a come 10; roll 2; roll 8; roll 5; change a 5"),
    (MELBOURNE, "3.6.10", "a place_win:6 12; b buy:6 10"),
    (MELBOURNE, "3.2", "no_more_bets; a pass 10"),  # binds in Mini Craps only
    (ADELAIDE, "5(a)", "no_more_bets; a pass 10"),
    (MINI, "7.4.1", "no_more_bets; roll 7; a pass 10"),
    (MINI, "7.4.1", "no_more_bets; void disruption tg_area_manager; a pass 10"),
    (MINI, "5.2.2(b)", "a pass 10; roll 6; no_more_bets; cancel_point; remove a"),
    (MELBOURNE, "5.2.2(b)", "a pass 10; roll 6; cancel_point; remove a"),
    (MELBOURNE, "5.1.1(c)(i)", "roll 8; a come 10; roll 6; cancel_point; change a 5"),
    (PERTH, "6.12", "a pass 10; roll 12; cancel_point; remove a"),
    (PERTH, "6.12", "roll 8; a come 10; roll 2; cancel_point; roll 5; remove a"),  # its round of play has ended
    (PERTH, "4.27(a)", "a all_small 10; roll 8; b all_small 10 by 2"),  # none of its numbers has come
    (PERTH, "4.27(a)", "a all_small 10; roll 8; change a 20"),
    (PERTH, "4.27(a)", "a all_small 10; roll 2; roll 7; b all_small 10"),
    (PERTH, "4.28(a)", "a all_small 10; roll 2; b all_tall 10"),  # layout 1: each by itself
    (MELBOURNE, "5.2.1(a)(vi)", "no_roll cocked dealer"),
    (ADELAIDE, "11(b)(iv)", "no_roll out_of_view"),
    (ADELAIDE, "12(a)", "no_roll face_dispute boxman"),
    (NSW, "5.3.6", "no_roll wrong_shooter"),
    (NSW, "5.3.5", "no_roll cocked stickperson"),
    (PERTH, "7.1(f)", "no_roll face_undeterminable boxperson"),
    (MELBOURNE, "9.3", "void fraud tg_assistant_casino_manager"),
    (ADELAIDE, "14(a)", "void disruption house"),
    (NSW, "9.4", "void fraud boxperson"),
    (PERTH, "9.3", "void fraud table_games_management"),
]


def sentence(value: str) -> str:
    return value


@pytest.mark.parametrize(("book", "rule", "script"), REFUSED, ids=sentence)
def test_refused(book: str, rule: str, script: str) -> None:
    answer = last(book, script)
    assert (answer["ok"], answer.get("rule")) == (False, rule), answer
    assert answer["why"].strip()


@pytest.mark.parametrize(("book", "rule", "script"), ALLOWED, ids=sentence)
def test_allowed(book: str, rule: str, script: str) -> None:
    assert last(book, script)["ok"], rule


@pytest.mark.parametrize(("layout", "together"), [(1, False), (2, True), (3, False), (4, True), (5, False)])
def test_crapless_4_27_to_4_29_layouts_2_and_4_close_all_three_bonus_bets_together(layout: int, together: bool) -> None:
    for other in ("b all_tall 10", "b make_em_all 10"):
        assert last(PERTH, f"a all_small 10; roll 2; {other}", layout=layout)["ok"] != together
    # Settled, all are open again.
    assert last(PERTH, "a all_small 10; roll 2; roll 7; b all_tall 10", layout=layout)["ok"]
    # All Small is won while Make 'Em All still collects.
    won = "a all_small 10; z make_em_all 10; roll 2; roll 3; roll 4; roll 5; roll 6; b all_small 10"
    assert last(PERTH, won, layout=layout)["ok"] != together


CAPS = [
    # book, sign's multiple, flat wager and point, odds at the cap
    (NSW, None, "pass", 6, "20"),
    (NSW, 5, "pass", 6, "20"),
    (NSW, 1, "pass", 6, "10"),
    (ADELAIDE, None, "pass", 6, "100"),
    (ADELAIDE, 20, "pass", 6, "100"),
    (ADELAIDE, 3, "pass", 6, "30"),
    (MELBOURNE, 3, "pass", 6, "30"),
    (MELBOURNE, 20, "pass", 6, "200"),
    (PERTH, None, "pass", 6, "10"),
    (PERTH, 5, "pass", 6, "50"),
    # lay odds: winnings at most the multiple of the flat wager
    (NSW, None, "dont_pass", 4, "40"),
    (NSW, None, "dont_pass", 5, "30"),
    (NSW, None, "dont_pass", 6, "24"),
    (ADELAIDE, None, "dont_pass", 10, "200"),
    (ADELAIDE, 2, "dont_pass", 9, "30"),
    (MELBOURNE, 3, "dont_pass", 8, "36"),
]


@pytest.mark.parametrize(("book", "multiple", "flat", "point", "most"), CAPS)
def test_odds_are_capped_all_behind_one_wager_together(
    book: str, multiple: int, flat: str, point: int, most: str
) -> None:
    sign = {} if multiple is None else {"odds_multiple": multiple}
    line = f"a {flat} 10; roll {point}; b {flat}_odds"
    assert last(book, f"{line} {most} behind a", **sign)["ok"]
    assert last(book, f"{line} {most}.01 behind a", **sign)["rule"] == rule_of_cap(book, flat)
    assert not last(book, f"{line} {most} behind a; c {flat}_odds 0.01 behind a", **sign)["ok"]
    assert not last(book, f"{line} {most} behind a; change b {most}.01", **sign)["ok"]


def rule_of_cap(book: str, flat: str) -> str:
    rules = {
        MELBOURNE: ("3.6.2", "3.6.4"),
        ADELAIDE: ("8(a)", "8(b)"),
        NSW: ("6.1.5.1", "6.1.6.1"),
        PERTH: ("4.30", ""),
    }
    return rules[book][flat == "dont_pass"]


def test_melbourne_3_6_2_without_a_multiple_on_the_sign_odds_are_not_capped() -> None:
    assert last(MELBOURNE, "a pass 1; roll 6; b pass_odds 1000 behind a")["ok"]
    assert last(MELBOURNE, "a dont_pass 1; roll 6; b dont_pass_odds 1000 behind a")["ok"]
