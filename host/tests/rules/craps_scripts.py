"""Scripts of every kind for Hypothesis: wagers that make sense, wagers that do not, and all that may be asked of them."""

from typing import Any

from hypothesis import strategies as st

BOOKS = (
    "crown-melbourne-craps",
    "crown-melbourne-mini-craps",
    "skycity-adelaide-craps",
    "nsw-craps",
    "crown-perth-crapless",
)
WAGERS = [
    "pass",
    "dont_pass",
    "come",
    "dont_come",
    "pass_odds",
    "dont_pass_odds",
    "come_odds",
    "dont_come_odds",
    "place_win",
    "place_lose",
    "buy",
    "lay",
    "hardway",
    "any_hard",
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
    "horn_high",
    "c_and_e",
    "world",
    "all_small",
    "all_tall",
    "make_em_all",
]
SELECTIONS = {
    **dict.fromkeys(("place_win", "place_lose", "buy", "lay"), (4, 5, 6, 8, 9, 10, 2, 3, 11, 12)),
    "hardway": (4, 6, 8, 10),
    "horn_high": (2, 3, 11, 12),
}
BEHIND = ("pass_odds", "dont_pass_odds", "come_odds", "dont_come_odds")
FLAT = ("pass", "dont_pass", "come", "dont_come")
ROLES = ("dealer", "boxperson", "tg_area_manager", "house", "table_games_management", "inspector")
AMOUNTS = ("1", "2", "4", "5", "10", "20", "60", "0.5", "12.5", "33", "100", "7.25", "250")


def signs() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "min": st.sampled_from(("2", "5", "10")),
            "max": st.sampled_from(("10", "50", "75", "200")),
            "chip": st.sampled_from(("0.5", "1", "2.50", "0.25")),
            "odds_multiple": st.integers(1, 12),
            "multiples_only": st.booleans(),
            "bonus_list": st.integers(1, 5),
            "layout": st.integers(1, 5),
        },
    )


@st.composite
def scripts(draw: st.DrawFn, book: str, most: int = 60) -> dict[str, Any]:
    """A script in which odds mostly stand behind something and changes mostly mean a wager that was placed."""
    placed: list[tuple[str, str, str]] = []  # id, player, wager
    players = st.sampled_from(("1", "1", "2"))
    kinds = st.sampled_from(
        ("place",) * 6 + ("roll",) * 6 + ("change", "remove", "call", "odds", "odds", "odds", "rare")
    )
    favourites = draw(st.lists(st.sampled_from(WAGERS), min_size=2, max_size=8)) + list(FLAT)

    def place(wager: str, player: str, behind: str | None) -> dict[str, Any]:
        event = {"do": "place", "id": f"w{len(placed)}", "player": player, "wager": wager}
        event["amount"] = draw(st.sampled_from(AMOUNTS))
        if wager in SELECTIONS:
            event["on"] = draw(st.sampled_from(SELECTIONS[wager]))
        if behind is not None:
            event["behind"] = behind
        placed.append((event["id"], player, wager))
        return event

    def event(kind: str) -> dict[str, Any]:
        if kind == "roll":
            return {"do": "roll", "dice": [draw(st.integers(1, 6)), draw(st.integers(1, 6))]}
        if kind == "odds":
            flats = [row for row in placed if row[2] in FLAT]
            if not flats:
                kind = "place"
            else:
                behind, player, wager = draw(st.sampled_from(flats[-4:]))
                return place(f"{wager}_odds", player, behind)
        if kind == "place" or not placed:
            return place(draw(st.sampled_from(favourites)), draw(players), None)
        if kind == "rare":
            return draw(
                st.sampled_from(
                    (
                        {"do": "no_more_bets"},
                        {"do": "cancel_point"},
                        {"do": "no_roll", "cause": "cocked"},
                        *({"do": "void", "cause": "disruption", "by": role} for role in ROLES),
                    )
                )
            )
        id = draw(st.sampled_from(placed[-6:]))[0]
        if kind == "change":
            return {"do": "change", "id": id, "amount": draw(st.sampled_from(AMOUNTS))}
        return {"do": kind, "id": id} | ({"working": draw(st.booleans())} if kind == "call" else {})

    events = [event(kind) for kind in draw(st.lists(kinds, min_size=20, max_size=most))]
    return {"book": book, "sign": draw(signs()), "events": events}
