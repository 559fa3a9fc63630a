"""`tumbler simulate BOOK`: play a book by the million and hold what the house kept against the exact edge."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tumbler.cli.books import named_book
from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.rules.book import Book
from tumbler.rules.edge import find_stake, stakes
from tumbler.rules.edgechain import Chain, NoSuchWager, Stake
from tumbler.rules.edgeview import label, percent
from tumbler.rules.rolltable import roll_table

if TYPE_CHECKING:
    from tumbler.rules.simulate import Simulation

MOST_ROLLS, MOST_TABLES, MOST_ODDS, MOST_SEED = 10**12, 10**6, 1000, 2**63
DEFAULT_ROLLS = 10_000_000
BAR = 30
REDRAW_S = 0.1


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "simulate",
        help="play a rule book by the million",
        description="Play every wager of a book on thousands of tables at once: hold and variance with confidence bounds, "
        "checked against the exact edge. Ends with 1 when a wager does not fit its edge.",
    )
    parser.add_argument("book", metavar="BOOK")
    parser.add_argument(
        "--rolls", type=int, default=DEFAULT_ROLLS, metavar="N", help="rolls in all (default 10 million)"
    )
    parser.add_argument("--wager", action="append", metavar="WAGER[:ON]", help="only this wager (may be repeated)")
    parser.add_argument("--odds", type=int, default=0, metavar="N", help="with --wager: N times odds behind it")
    parser.add_argument("--list", type=int, default=1, metavar="N", help="payout list of the bonus bets (default 1)")
    parser.add_argument("--tables", type=int, default=8192, metavar="N", help="tables side by side (default 8192)")
    parser.add_argument("--seed", type=int, metavar="N", help="the same seed gives the same rolls (default: any)")
    parser.add_argument("--confidence", type=float, default=0.99, metavar="P", help="of the bounds (default 0.99)")
    parser.add_argument("--option-b-exact", action="store_true", help="the other reading of option B's colours")
    parser.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, help="a bar on stderr (default: on a terminal)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(func=run)


def run(options: argparse.Namespace) -> int:
    _check(options)
    book = named_book(options.book)
    chosen = _stakes(book, options)
    try:
        from tumbler.rules.simulate import simulate
    except ImportError as error:
        raise WorkFailed(f"numpy is missing ({error}); install tumbler[twin]") from None
    bar = ProgressBar(options.rolls, sys.stderr.isatty() if options.progress is None else options.progress)
    try:
        played = simulate(
            book.id,
            chosen,
            options.rolls,
            seed=secrets.randbelow(MOST_SEED) if options.seed is None else options.seed,
            tables=options.tables,
            option_b_exact=options.option_b_exact,
            progress=bar.show,
        )
    finally:
        bar.end()
    if options.json:
        print(json.dumps(_document(played, options.confidence)))
    else:
        for line in _lines(played, options.confidence):
            print(line)
    off = [label(sample.edge.stake) for sample in played.samples if sample.agrees is False]
    if off:
        raise WorkFailed(f"these rolls do not fit the exact edge of {', '.join(off)}; seed {played.seed} repeats them")
    return 0


class ProgressBar:
    """How far a run is and how fast, on one line of stderr that is wiped at the end."""

    def __init__(self, rolls: int, shown: bool) -> None:
        self._rolls, self._shown = rolls, shown
        self._begun = self._drawn = time.monotonic()

    def show(self, done: int) -> None:
        now = time.monotonic()
        if not self._shown or (now - self._drawn < REDRAW_S and done < self._rolls):
            return
        self._drawn = now
        part = min(1.0, done / self._rolls)
        full = int(part * BAR)
        rate = done / max(now - self._begun, 1e-9)
        left = max(0.0, (self._rolls - done) / rate)
        text = f"[{'#' * full}{'.' * (BAR - full)}] {part:4.0%}  {rate / 1e6:.1f} million rolls/s  {left:.0f} s left"
        print(f"\r{text:<78}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._shown:
            print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)


def _check(options: argparse.Namespace) -> None:
    for name, least, most in (
        ("rolls", 1, MOST_ROLLS),
        ("tables", 1, MOST_TABLES),
        ("odds", 0, MOST_ODDS),
        ("seed", 0, MOST_SEED),
    ):
        value = getattr(options, name)
        if value is not None and not least <= value <= most:
            raise BadInput(f"--{name} must be a number from {least} to {most}, not {value}")
    if not 0.5 <= options.confidence < 1:
        raise BadInput(f"--confidence must be a number from 0.5 to below 1, not {options.confidence}")
    if options.odds and not options.wager:
        raise BadInput("--odds needs --wager, the flat wager that they stand behind")


def _stakes(book: Book, options: argparse.Namespace) -> list[Stake]:
    if book.bonus is not None and options.list not in book.bonus.lists:
        raise BadInput(
            f"--list: {book.id} has payout lists {', '.join(map(str, book.bonus.lists))}, not {options.list}"
        )
    if not options.wager:
        return list(stakes(book, options.list))
    try:
        chosen = [find_stake(book, text, payout_list=options.list, odds=options.odds) for text in options.wager]
        for stake in chosen:
            Chain(roll_table(book.id), stake)  # odds that no wager takes are found here, before any roll
        return chosen
    except NoSuchWager as error:
        raise BadInput(f"--wager: {error}") from None


def _document(played: Simulation, confidence: float) -> dict[str, Any]:
    rows = []
    for sample in played.samples:
        stake, hold, spread = sample.edge.stake, sample.hold_bounds(confidence), sample.variance_bounds(confidence)
        exact = sample.edge.variance
        row: dict[str, Any] = {"wager": stake.wager.id, "on": stake.on, "list": stake.list, "odds": stake.odds}
        row |= {"decided": sample.decided, "edge": str(sample.edge.edge), "hold": hold.value}
        row |= {"hold_low": hold.low, "hold_high": hold.high, "variance": spread.value}
        row |= {"variance_low": spread.low, "variance_high": spread.high}
        row |= {"exact_variance": None if exact is None else str(exact)}
        rows.append(row | {"standard_errors": sample.distance, "agrees": sample.agrees})
    return {
        "book": played.book,
        "rolls": played.rolls,
        "tables": played.tables,
        "seed": played.seed,
        "seconds": round(played.seconds, 3),
        "rolls_per_second": round(played.rolls / played.seconds),
        "confidence": confidence,
        "rows": rows,
    }


def _lines(played: Simulation, confidence: float) -> Iterator[str]:
    rate = played.rolls / played.seconds / 1e6
    yield (
        f"{played.book}: {played.rolls:,} rolls on {played.tables} tables in {played.seconds:.2f} s "
        f"({rate:.1f} million rolls/s), seed {played.seed}"
    )
    yield (
        f"  {'wager':<30} {'decided':>12} {'hold':>9}  {f'{confidence:.4g} bounds':<21} {'exact edge':>10} "
        f"{'variance':>9} {'exact':>9} {'off by':>7}"
    )
    for sample in played.samples:
        hold, exact, distance = sample.hold_bounds(confidence), sample.edge.variance, sample.distance
        bounds = f"{100 * hold.low:8.3f} to {100 * hold.high:7.3f} %"
        verdict = {True: "", False: "  DOES NOT FIT", None: "  too few to tell"}[sample.agrees]
        yield (
            f"  {label(sample.edge.stake):<30} {sample.decided:>12,} {100 * hold.value:8.3f}%  {bounds:<21} "
            f"{percent(sample.edge.edge):>9}% {sample.variance:9.3f} "
            f"{'' if exact is None else f'{float(exact):.3f}':>9} "
            f"{'' if distance is None else f'{distance:+.1f} se':>7}{verdict}"
        )
