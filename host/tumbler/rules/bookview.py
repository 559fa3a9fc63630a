"""A rule book for reading: as one JSON document, and as lines for a person. Odds as printed, with the word "to"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from tumbler.rules.book import Book, Cap, ComeOut, GameKind, Of, SignSays, Wager
from tumbler.rules.money import written
from tumbler.rules.playeredge import player_edges

WORKS = {ComeOut.WORKS: True, ComeOut.OFF: False, ComeOut.ABSENT: None}
SIGN_SAYS = {
    SignSays.SETS: "the sign sets it",
    SignSays.LOWERS: "the sign may lower it",
    SignSays.RAISES: "the sign may raise it",
}


def as_json(book: Book) -> dict[str, Any]:
    """Everything in the book, with its rule numbers."""
    return {
        "id": book.id,
        "title": book.title,
        "house": book.house,
        "document": book.document,
        "source": book.source,
        "game": book.game.value,
        "dice": book.dice,
        "points": list(book.points),
        "faces": [{"symbol": symbol, "colour": colour} for symbol, colour in book.face_values],
        "wagers": [wager_as_json(book, wager) for wager in book.wagers],
        "no_rolls": [asdict(row) for row in book.no_rolls],
        "voids": [asdict(row) for row in book.voids],
        "duties": [asdict(row) for row in book.duties],
        "notices": [asdict(row) for row in book.notices],
        "authority": [asdict(row) for row in book.authority],
        "terms": [asdict(row) for row in book.terms],
        "rulings": [asdict(row) for row in book.rulings],
        "rounding": asdict(book.rounding),
        "limits": asdict(book.limits),
        "calls": asdict(book.calls) if book.calls else None,
        "betting_close": asdict(book.betting_close),
        "cancelled_point": asdict(book.cancelled_point) if book.cancelled_point else None,
        "bonus": asdict(book.bonus) if book.bonus else None,
        "warnings": [
            {"wager": row.wager.id, "player_edge": str(row.edge), "text": row.text} for row in player_edges(book.id)
        ],
    }


def wager_as_json(book: Book, wager: Wager) -> dict[str, Any]:
    return {
        "id": wager.id,
        "name": wager.name,
        "rule": wager.rule,
        "kind": wager.kind.value,
        "odds": list(_odds(wager)),
        "selections": list(wager.selections),
        "behind": wager.behind,
        "one_roll": wager.one_roll,
        "place": {"when": wager.place.when.value, "rule": wager.place.rule},
        "remove": {"until": wager.remove.until.value, "rule": wager.remove.rule},
        "come_out": {"does": wager.come_out.value, "rule": wager.come_out_rule},
        "works_on_come_out": WORKS[wager.come_out] if book.game is GameKind.CRAPS else None,
        "callable": wager.callable,
        "commission": _commission(wager),
        "cap": _cap(wager.cap),
        "limits": {
            "per": "wager",
            "over": {"does": "played to the maximum", "rule": book.limits.over_rule},
            "under": {"does": book.limits.under.value, "rule": book.limits.under_rule},
        },
        "win": list(wager.win),
        "lose": list(wager.lose),
        "bar": list(wager.bar),
        "numbers": list(wager.numbers),
        "clauses": asdict(wager.clauses),
        "where": wager.where,
        "rulings": list(wager.rulings),
    }


def _odds(wager: Wager) -> Iterator[dict[str, Any]]:
    for row in wager.odds:
        yield {
            "on": list(row.on),
            "totals": list(row.totals),
            "count": row.count,
            "list": row.list,
            "pays": row.printed,
            "rule": row.rule,
        }
    for part in wager.parts:
        share = f"{part.units}/{wager.units}"
        yield {"on": [], "totals": list(part.totals), "count": None, "list": None, "pays": part.printed} | {
            "rule": part.rule,
            "part": share,
        }


def _commission(wager: Wager) -> dict[str, Any] | None:
    terms = wager.commission
    if terms is None:
        return None
    return {
        "percent": written(terms.percent * 100),
        "of": "the wager" if terms.of is Of.STAKE else "the winnings",
        "on_removal": "returned" if terms.returned else "kept",
        "rule": terms.rule,
    }


def _cap(cap: Cap | None) -> dict[str, Any] | None:
    if cap is None:
        return None
    return {"of": cap.of.value, "multiple": cap.multiple, "sign": SIGN_SAYS[cap.sign], "rule": cap.rule}


def as_lines(book: Book) -> Iterator[str]:
    """The book for a person at a terminal."""
    yield f"{book.title}, {book.house} ({book.id})"
    yield from (f"WARNING: {row.text}" for row in player_edges(book.id))
    yield ""
    for wager in book.wagers:
        yield from _wager_lines(wager)
    for title, rows in (
        (
            "No roll",
            [(row.rule, f"{row.cause}: {row.text} [{_force(row.mandatory)}, {row.by}]") for row in book.no_rolls],
        ),
        (
            "Void",
            [(row.rule, f"{row.cause}: {row.text} [{row.by}; returned: {row.refund.value}]") for row in book.voids],
        ),
        ("Duties", [(row.rule, f"{row.role}: {row.text}") for row in book.duties]),
        ("Notices", [(row.rule, f"{row.about}: {row.text}") for row in book.notices]),
        ("Authority, lowest first", [(row.rule, f"{row.role}: {row.text}") for row in book.authority]),
        ("Terms", [(row.rule, f"{row.kind.value}: {row.text}") for row in book.terms]),
        ("Rulings", [(row.rule, row.text) for row in book.rulings]),
    ):
        if rows:
            yield ""
            yield title
            yield from (f"  {rule:<14} {text}" for rule, text in rows)


def _force(mandatory: bool) -> str:
    return "mandatory" if mandatory else "discretionary"


def _wager_lines(wager: Wager) -> Iterator[str]:
    where = f", {wager.where}" if wager.where else ""
    yield f"{wager.name} ({wager.id}), rule {wager.rule}{where}"
    yield f"    odds      {'; '.join(odds_lines(wager))}"
    if wager.selections:
        yield f"    on        {', '.join(map(str, wager.selections))}"
    yield f"    placed    {wager.place.when.value} ({wager.place.rule})"
    yield f"    removed   {wager.remove.until.value} ({wager.remove.rule})"
    if wager.come_out is not ComeOut.WORKS:
        yield f"    come-out  {wager.come_out.value} ({wager.come_out_rule})"
    commission, cap = _commission(wager), _cap(wager.cap)
    if commission:
        charge = f"{commission['percent']} % of {commission['of']}, {commission['on_removal']} on removal"
        yield f"    charge    {charge} ({commission['rule']})"
    if cap:
        multiple = f"at most {cap['multiple']} times the wager" if cap["multiple"] else "no cap of the document"
        yield f"    cap       {cap['of']}: {multiple}; {cap['sign']} ({cap['rule']})"
    yield from (f"    ruling    {ruling}" for ruling in wager.rulings)


def odds_lines(wager: Wager) -> Iterator[str]:
    """Each odds row in words: `9 to 5 on 4, 10`."""
    for row in _odds(wager):
        words = [row["pays"]]
        if row["on"]:
            words.append(f"on {', '.join(map(str, row['on']))}")
        if row["totals"]:
            words.append(f"for a total of {', '.join(map(str, row['totals']))}")
        if row["count"]:
            words.append(f"when {row['count']} show it")
        if row["list"]:
            words.append(f"by list {row['list']}")
        if row.get("part"):
            words.append(f"to {row['part']} of the wager")
        yield " ".join(words)
