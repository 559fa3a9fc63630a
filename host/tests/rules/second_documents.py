"""The figures of the craps documents, read a second time for `second_reading`: nothing here comes from tumbler.rules."""

from fractions import Fraction as F
from typing import Any

SIX, TEN = (4, 5, 6, 8, 9, 10), (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
TRUE = {2: F(6), 3: F(3), 4: F(2), 5: F(3, 2), 6: F(6, 5), 8: F(6, 5), 9: F(3, 2), 10: F(2), 11: F(3), 12: F(6)}
PLACE = {2: F(5), 3: F(13, 5), 4: F(9, 5), 5: F(7, 5), 6: F(7, 6), 8: F(7, 6), 9: F(7, 5), 10: F(9, 5)}
PLACE |= {11: F(13, 5), 12: F(5)}
AGAINST = {4: F(5, 11), 5: F(5, 8), 6: F(4, 5), 8: F(4, 5), 9: F(5, 8), 10: F(5, 11)}
FOUR_CORNERS = (2, 3, 11, 12)

BOTH_WAYS = [
    "pass",
    "come",
    "place_win",
    "buy",
    "hardway",
    "any_craps",
    "craps_two",
    "craps_three",
    "craps_twelve",
    "eleven",
    "field",
    "any_seven",
    "big6",
    "big8",
    "horn",
]
BOTH_WAYS += ["pass_odds", "come_odds"]
DONTS = ["dont_pass", "dont_come", "dont_pass_odds", "dont_come_odds", "place_lose", "lay"]

MELBOURNE: dict[str, Any] = {
    "wagers": {*BOTH_WAYS, *DONTS, "horn_high"},
    "points": SIX,
    "line": ((7, 11), (2, 3, 12)),
    "dont": ((3, 12), (7, 11), (2,)),
    "hard": {4: F(15, 2), 6: F(19, 2), 8: F(19, 2), 10: F(15, 2)},
    "two": F(33),
    "three": F(16),
    "craps": F(15, 2),
    "field": {2: 2, 12: 2},
    "off": ("place_win", "buy", "come_odds", "hardway"),
    "call_covers": "player",
    "commission_back": False,
    "cap": (None, "sets"),
    "under": "second",
    "close": False,
    "cancels": True,
    "void_by": ("tg_area_manager", "tg_assistant_casino_manager"),
}
DOCUMENTS: dict[str, dict[str, Any]] = {
    "crown-melbourne-craps": MELBOURNE,
    "crown-melbourne-mini-craps": MELBOURNE | {"close": True},
    "skycity-adelaide-craps": MELBOURNE
    | {
        "wagers": {*BOTH_WAYS, *DONTS, "c_and_e", "world"},
        "dont": ((2, 3), (7, 11), (12,)),
        "hard": {4: F(7), 6: F(9), 8: F(9), 10: F(7)},
        "two": F(32),
        "three": F(15),
        "craps": F(7),
        "commission_back": True,
        "cap": (10, "lowers"),
        "cancels": False,
        "void_by": ("house",),
    },
    "nsw-craps": MELBOURNE
    | {
        "wagers": {*BOTH_WAYS, *DONTS, "horn_high", "c_and_e"},
        "call_covers": "wager",
        "cap": (2, "lowers"),
        "under": "valid",
        "cancels": False,
        "void_by": ("boxperson", "gaming_supervisor", "assistant_gaming_manager", "gaming_manager"),
    },
    "crown-perth-crapless": MELBOURNE
    | {
        "wagers": {*BOTH_WAYS, "any_hard", "all_small", "all_tall", "make_em_all"},
        "points": TEN,
        "line": ((7,), ()),
        "hard": {4: F(7), 6: F(9), 8: F(9), 10: F(7)},
        "two": F(30),
        "three": F(15),
        "craps": F(7),
        "field": {2: 2, 12: 3},
        "off": ("place_win", "buy", "come_odds"),
        "commission_back": True,
        "cap": (1, "raises"),
        "void_by": ("table_games_management",),
    },
}
BONUS = {"all_small": (2, 3, 4, 5, 6), "all_tall": (8, 9, 10, 11, 12), "make_em_all": TEN}
LISTS = {"all_small": (30, 31, 32, 33, 34), "all_tall": (30, 31, 32, 33, 34), "make_em_all": (150, 160, 165, 170, 175)}
ONE_ROLL = [
    "any_craps",
    "craps_two",
    "craps_three",
    "craps_twelve",
    "eleven",
    "field",
    "any_seven",
    "horn",
    "horn_high",
    "c_and_e",
    "world",
]
FLAT_OF = {"pass_odds": "pass", "come_odds": "come", "dont_pass_odds": "dont_pass", "dont_come_odds": "dont_come"}
