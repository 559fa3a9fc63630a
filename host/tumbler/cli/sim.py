"""`tumbler sim`: the whole chain in one process and virtual time, with every fault; a seed repeats it exactly."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections import Counter
from typing import Any

from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.sim.faults import BY_NAME
from tumbler.sim.shrink import shrink, story
from tumbler.sim.simulation import DEFAULT_STEPS, Outcome, Setup, simulate

MOST_SEED, MOST_STEPS, MOST_RUNS = 2**63, 10**9, 10**6
FRESH, FRESH_STEPS = 6, 60_000
# The run that every change has to pass: seed, steps. In the last two the host is away until the ring of 100 is full.
FIXED = (*((seed, 60_000) for seed in (1, 2, 3, 8, 13, 21, 34, 55)), (4, 180_000), (5, 180_000))


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "sim",
        help="the whole chain in virtual time, with every fault",
        description="Dice, controller, cable, daemon, disk and broker in one process and in virtual time, with every fault; "
        "what must hold is looked at after every step. Ends with 1 when something does not hold, and tells a short story "
        "of it. Without --seed: a fixed set of seeds and fresh ones.",
    )
    parser.add_argument("--seed", type=int, metavar="S", help="the same seed gives the same steps, to the last one")
    parser.add_argument("--steps", type=int, metavar="N", help=f"of each run (default {DEFAULT_STEPS:,})")
    parser.add_argument("--runs", type=int, metavar="N", help="with --seed: so many seeds from S on; else: fresh seeds")
    parser.add_argument("--only", metavar="N,N", help="with --seed: only these faults of its plan, or none")
    parser.add_argument("--kinds", metavar="NAME,NAME", help="only faults of these kinds (docs/reliability.md)")
    parser.add_argument("--calm", action="store_true", help="dealer and dice do nothing wrong")
    parser.add_argument("--story", action="store_true", help="tell what happened, also when all is well")
    parser.add_argument(
        "--shrink", type=float, default=60.0, metavar="S", help="seconds to shorten a failure (default 60)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(func=run)


def run(options: argparse.Namespace) -> int:
    setups = _setups(options)
    outcomes: list[Outcome] = []
    if options.seed is None and not options.json:
        fixed = {seed for seed, _ in FIXED}
        fresh = [setup for setup in setups if setup.seed not in fixed]
        again = f"tumbler sim --seed S --steps {fresh[0].steps}"
        print(f"fresh seeds, each again by `{again}`: {', '.join(str(setup.seed) for setup in fresh)}", flush=True)
    began = time.process_time()
    for setup in setups:
        outcomes.append(simulate(setup))
        if not options.json:
            print(_line(outcomes[-1]), flush=True)
            if options.story:
                print("\n".join(f"    {line}" for line in outcomes[-1].story))
    failed = [outcome for outcome in outcomes if outcome.violation is not None]
    shortest = [shrink(outcome, options.shrink) for outcome in failed[:1]]
    if options.json:
        print(json.dumps(_document(outcomes, shortest, time.process_time() - began)))
    else:
        for line in _totals(outcomes, time.process_time() - began):
            print(line)
        for outcome in shortest:
            print("\n".join(story(outcome)), file=sys.stderr)
    if failed:
        seeds = ", ".join(str(outcome.setup.seed) for outcome in failed)
        raise WorkFailed(f"{len(failed)} of {len(outcomes)} seeds failed: {seeds}")
    return 0


def _setups(options: argparse.Namespace) -> list[Setup]:
    for name, least, most in (("seed", 0, MOST_SEED), ("steps", 1, MOST_STEPS), ("runs", 1, MOST_RUNS)):
        value = getattr(options, name)
        if value is not None and not least <= value <= most:
            raise BadInput(f"--{name} must be a number from {least} to {most}, not {value}")
    if options.only is not None and options.seed is None:
        raise BadInput("--only needs --seed: it names faults of that seed's plan")
    only = _numbers(options.only) if options.only is not None else None
    kinds = _kinds(options.kinds) if options.kinds is not None else None
    if options.seed is not None:
        seeds = range(options.seed, options.seed + (options.runs or 1))
        return [Setup(seed, options.steps or DEFAULT_STEPS, only, options.calm, kinds) for seed in seeds]
    if options.runs is not None:
        fresh = [secrets.randbits(32) for _ in range(options.runs)]
        return [Setup(seed, options.steps or DEFAULT_STEPS, None, options.calm, kinds) for seed in fresh]
    chosen = [*FIXED, *((secrets.randbits(32), FRESH_STEPS) for _ in range(FRESH))]
    return [Setup(seed, options.steps or steps, None, options.calm, kinds) for seed, steps in chosen]


def _numbers(text: str) -> frozenset[int]:
    try:
        return frozenset(int(word) for word in text.split(",")) if text != "none" else frozenset()
    except ValueError:
        raise BadInput(f"--only must be numbers with commas between, or none; not {text!r}") from None


def _kinds(text: str) -> frozenset[str]:
    names = frozenset(text.split(","))
    if strange := sorted(names - set(BY_NAME)):
        raise BadInput(f"--kinds: there is no fault {strange[0]!r}; there are: {', '.join(BY_NAME)}")
    return names


def _line(outcome: Outcome) -> str:
    counts, book = outcome.counts, outcome.book.removeprefix("crown-")
    told = (
        f"seed {outcome.setup.seed:<11} {book:<18} {outcome.steps:>9,} steps {outcome.virtual_s / 60:6.1f} min "
        f"{sum(outcome.faults.values()):4} faults {counts['results']:4} results {counts['no_spins']:4} no spins "
        f"{counts['kills']:3} kills {counts['power_cuts']:3} cuts  trace {outcome.trace}"
    )
    return told if outcome.violation is None else f"{told}  VIOLATED: {outcome.violation.invariant.value}"


def _sums(outcomes: list[Outcome]) -> tuple[Counter[str], Counter[str]]:
    faults: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        faults.update(outcome.faults)
        counts.update(outcome.counts)
    counts["waited_most"] = max(outcome.counts["waited_most"] for outcome in outcomes)
    return faults, counts


def _totals(outcomes: list[Outcome], seconds: float) -> list[str]:
    faults, counts = _sums(outcomes)
    steps, virtual = sum(outcome.steps for outcome in outcomes), sum(outcome.virtual_s for outcome in outcomes)
    rate = steps / seconds * 60 / 1e6
    lines = [
        f"{len(outcomes)} runs, {steps:,} steps in {seconds:.1f} s of one core ({rate:.2f} million a minute), "
        f"{virtual / 3600:.2f} hours of table time"
    ]
    lines.append("faults: " + ", ".join(f"{name} {n}" for name, n in sorted(faults.items())))
    lines.append("counts: " + ", ".join(f"{name} {n}" for name, n in counts.items()))
    return lines


def _document(outcomes: list[Outcome], shortest: list[Outcome], seconds: float) -> dict[str, Any]:
    faults, counts = _sums(outcomes)
    steps = sum(outcome.steps for outcome in outcomes)
    return {
        "ok": not shortest,
        "steps": steps,
        "seconds": round(seconds, 3),
        "steps_per_minute": round(steps / seconds * 60),
        "virtual_s": round(sum(outcome.virtual_s for outcome in outcomes), 1),
        "faults": dict(sorted(faults.items())),
        "counts": dict(counts),
        "runs": [_run_document(outcome) for outcome in outcomes],
        "stories": [story(outcome) for outcome in shortest],
    }


def _run_document(outcome: Outcome) -> dict[str, Any]:
    broken = outcome.violation
    return {
        "seed": outcome.setup.seed,
        "book": outcome.book,
        "steps": outcome.steps,
        "virtual_s": round(outcome.virtual_s, 3),
        "trace": outcome.trace,
        "faults": outcome.faults,
        "counts": outcome.counts,
        "violation": None if broken is None else {"invariant": broken.invariant.value, "what": broken.what},
    }
