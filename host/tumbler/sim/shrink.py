"""From a failing seed to a short story: the fewest faults of its plan that still break the same invariant.

Delta debugging over the faults that had fallen, then over seeds with few kinds of fault. Chance comes in named streams, so
what is left mostly goes on as before.
"""

from __future__ import annotations

import time
from dataclasses import replace

from tumbler.sim.simulation import Outcome, Setup, simulate

LAST_LINES = 24
SHORT = 3  # faults; a story with no more is short enough
SEEDS = 6  # tried for each choice of kinds


def shrink(failed: Outcome, seconds: float = 60.0) -> Outcome:
    """The shortest failing simulation found within this time; the given one when nothing can be left out.

    First the same seed with fewer faults. Where each of them moved the others' moments so much that none can go, other
    seeds are tried with one or two kinds of fault only: the same invariant, another and shorter way to break it.
    """
    until = time.monotonic() + seconds
    best = _fewer(failed, until)
    if len(best.fallen) <= SHORT:
        return best
    kinds = list(dict.fromkeys(fault.kind.name for fault in reversed(best.fallen)))
    choices = [frozenset((kind,)) for kind in kinds] + [frozenset((kinds[0], other)) for other in kinds[1:]]
    for only in choices:
        for seed in range(best.setup.seed, best.setup.seed + SEEDS):
            if time.monotonic() > until:
                return best
            tried = simulate(Setup(seed, _enough(best), None, True, only))
            if _same(tried, failed):
                shorter = _fewer(tried, until)
                if len(shorter.fallen) < len(best.fallen):
                    best = shorter
                if len(best.fallen) <= SHORT:
                    return best
    return best


def _enough(best: Outcome) -> int:
    """Steps that reach the failure; one that shows only when all is mended needs no more than it had."""
    return min(best.setup.steps, best.steps + 2000)


def _same(tried: Outcome, failed: Outcome) -> bool:
    broken, wanted = tried.violation, failed.violation
    return broken is not None and wanted is not None and broken.invariant is wanted.invariant


def _fewer(failed: Outcome, until: float) -> Outcome:
    """Halves of its faults are left out, then smaller parts, then single ones."""
    best = failed

    def still_fails(only: list[int], calm: bool) -> bool:
        nonlocal best
        tried = simulate(replace(best.setup, only=frozenset(only), calm=calm, steps=_enough(best)))
        if not _same(tried, failed):
            return False
        best = tried
        return True

    numbers = [fault.number for fault in failed.fallen]
    if still_fails(numbers, True):
        numbers = [fault.number for fault in best.fallen]
    part = max(1, len(numbers) // 2)
    while numbers and time.monotonic() < until:
        for start in range(0, len(numbers), part):
            left = numbers[:start] + numbers[start + part :]
            if time.monotonic() < until and still_fails(left, best.setup.calm):
                numbers = [fault.number for fault in best.fallen]
                break
        else:
            if part == 1:
                break
            part //= 2
        part = max(1, min(part, len(numbers) // 2))
    return best


def story(outcome: Outcome) -> list[str]:
    """For a person: what broke, the faults that led to it, what happened last, how to see it again."""
    setup = outcome.setup
    again = f"tumbler sim --seed {setup.seed} --steps {setup.steps}"
    if setup.only is not None:
        again += f" --only {','.join(map(str, sorted(setup.only)))}" if setup.only else " --only none"
    again += f" --kinds {','.join(sorted(setup.kinds))}" if setup.kinds is not None else ""
    again += " --calm" if setup.calm else ""
    lines = [f"seed {setup.seed}, {outcome.book}: {outcome.violation}"]
    lines += [f"  {len(outcome.fallen)} faults led to it:"] + [f"    {fault}" for fault in outcome.fallen]
    lines += ["  what happened last:"] + [f"    {line}" for line in outcome.story[-LAST_LINES:]]
    return [*lines, f"  again: {again}"]
