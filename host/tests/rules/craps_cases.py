"""A few words for a settlement script, so that a table of cases reads as sentences of the trade.

    a pass 10; roll 6; b pass_odds 20 behind a; roll 3+3; remove b

Steps are parted by semicolons: `ID WAGER[:ON] AMOUNT [behind ID] [by PLAYER]`, `roll TOTAL` or `roll DIE+DIE`, `change ID AMOUNT`,
`remove ID`, `on ID`, `off ID`, `no_roll CAUSE [ROLE]`, `void CAUSE ROLE`, `no_more_bets`, `cancel_point`.
"""

from typing import Any

from craps_situations import Event, answers, roll, roll_total


def events(script: str) -> list[Event]:
    return [_event(step.split()) for step in script.split(";")]


def last(book: str, script: str, **sign: Any) -> dict[str, Any]:
    """The answer to the last step; the steps before it must not be refused."""
    *lead, answer = answers(book, *events(script), **sign)
    refused = [(step, before) for step, before in zip(script.split(";"), lead, strict=False) if not before["ok"]]
    assert not refused, refused
    return answer


def outcome(answer: dict[str, Any], id: str) -> str:
    """`win 6 10`: the outcome, what it pays and what comes back."""
    row = next(row for row in answer["outcomes"] if row["id"] == id)
    return f"{row['outcome']} {row['pays']} {row['back']}"


def _event(words: list[str]) -> Event:
    match words:
        case ["roll", throw]:
            return roll(*map(int, throw.split("+"))) if "+" in throw else roll_total(int(throw))
        case ["change", id, amount]:
            return {"do": "change", "id": id, "amount": amount}
        case ["remove", id]:
            return {"do": "remove", "id": id}
        case ["on" | "off" as call, id]:
            return {"do": "call", "id": id, "working": call == "on"}
        case ["no_roll", cause]:
            return {"do": "no_roll", "cause": cause}
        case ["no_roll" | "void" as do, cause, role]:
            return {"do": do, "cause": cause, "by": role}
        case ["no_more_bets" | "cancel_point" as do]:
            return {"do": do}
    id, wager, amount, *more = words
    name, _, on = wager.partition(":")
    event: Event = {"do": "place", "id": id, "player": "1", "wager": name, "amount": amount}
    if on:
        event["on"] = int(on)
    for word, value in zip(more[::2], more[1::2], strict=True):
        event[{"behind": "behind", "by": "player"}[word]] = value
    return event
