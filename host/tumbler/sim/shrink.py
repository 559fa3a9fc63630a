"""From a failing seed to a short story: the fewest faults of its plan that still break the same invariant.

Delta debugging over the numbers of the faults that had fallen: halves are left out first, then smaller parts, then single
ones, as long as the same invariant still breaks. Chance comes in named streams, so what is left mostly goes on as before.
"""

from __future__ import annotations

import time
from dataclasses import replace

from tumbler.sim.simulation import Outcome, simulate

LAST_LINES = 24


def shrink(failed: Outcome, seconds: float = 60.0) -> Outcome:
    """The shortest failing simulation found within this time; the given one when nothing can be left out."""
    assert failed.violation is not None
    wanted = failed.violation.invariant
    until = time.monotonic() + seconds
    best = failed

    def still_fails(only: list[int], calm: bool) -> bool:
        nonlocal best
        tried = simulate(replace(best.setup, only=frozenset(only), calm=calm, steps=best.steps + 2000))
        if tried.violation is None or tried.violation.invariant is not wanted:
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
    again += " --calm" if setup.calm else ""
    lines = [f"seed {setup.seed}, {outcome.book}: {outcome.violation}"]
    lines += [f"  {len(outcome.fallen)} faults led to it:"] + [f"    {fault}" for fault in outcome.fallen]
    lines += ["  what happened last:"] + [f"    {line}" for line in outcome.story[-LAST_LINES:]]
    return [*lines, f"  again: {again}"]
