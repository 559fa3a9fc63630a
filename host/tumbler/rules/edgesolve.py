"""Exact solution of an absorbing chain: sparse elimination in fractions.

Each unknown is a row of numbers that is `constants[i]` plus the chances in `rows[i]` times the unknowns they lead to. Taking
the far ends first leaves almost nothing to substitute where the chain does not turn back, as with bonus bets.
"""

from __future__ import annotations

from fractions import Fraction

Row = dict[int, Fraction]
Vector = list[Fraction]


class Unending(ValueError):
    """A position from which nothing is ever decided."""


def solve(rows: dict[int, Row], constants: dict[int, Vector]) -> dict[int, Vector]:
    """The unknowns. Takes `rows` and `constants` apart."""
    order = _far_ends_first(rows)
    done: set[int] = set()
    for here in order:
        row, vector = rows[here], constants[here]
        while known := [there for there in row if there in done]:
            for there in known:
                chance = row.pop(there)
                for beyond, weight in rows[there].items():
                    row[beyond] = row.get(beyond, Fraction(0)) + chance * weight
                _add(vector, constants[there], chance)
        stays = row.pop(here, Fraction(0))
        if stays == 1:
            raise Unending(f"position {here} is never left")
        if stays:
            leave = 1 / (1 - stays)
            for there in row:
                row[there] *= leave
            constants[here] = [value * leave for value in vector]
        done.add(here)
    for here in reversed(order):
        for there, chance in rows[here].items():
            _add(constants[here], constants[there], chance)
    return constants


def _add(vector: Vector, other: Vector, times: Fraction) -> None:
    for place, value in enumerate(other):
        if value:
            vector[place] += times * value


def _far_ends_first(rows: dict[int, Row]) -> list[int]:
    """Post-order of a walk through the chain, without recursion: a bonus bet has a thousand positions."""
    order: list[int] = []
    seen: set[int] = set()
    for root in rows:
        if root in seen:
            continue
        seen.add(root)
        path = [(root, iter(rows[root]))]
        while path:
            here, leads = path[-1]
            there = next((place for place in leads if place not in seen), None)
            if there is None:
                order.append(here)
                path.pop()
            else:
                seen.add(there)
                path.append((there, iter(rows[there])))
    return order
