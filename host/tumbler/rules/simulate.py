"""Play a book by the million: thousands of tables at once, every stake walked along its chain by the same dice.

A table of positions and throws takes the place of the rules (`edgechain`), so one numpy look-up moves all tables by a roll.
Only how often each throw came in each position is counted: what was won follows exactly, in fractions. Not here: what it
all means (`simulatestats`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tumbler.rules.edge import exact
from tumbler.rules.edgechain import Chain, Result, Stake
from tumbler.rules.rolltable import roll_table
from tumbler.rules.simulatestats import Sample

TABLES = 8192  # their positions stay in the processor's cache
BLOCK = 32  # rolls between two counts
Progress = Callable[[int], None]  # how many rolls have been made

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Simulation:
    book: str
    rolls: int
    tables: int
    seed: int
    seconds: float
    samples: list[Sample]


class Walk:
    """One stake on all tables."""

    def __init__(self, chain: Chain, tables: int) -> None:
        self.chain = chain
        self.sides = len(chain.throws)
        self.alone = len(chain.positions) == 1  # no table is in another position: the dice alone tell everything
        self.counts = np.zeros(len(chain.positions) * self.sides, np.int64)  # throws in positions
        self._next: Indices = np.array([step.to * self.sides for row in chain.steps for step in row], np.intp)
        self._ends = np.array([step.result is not None for row in chain.steps for step in row], np.bool_)
        self._at: Indices = np.zeros(tables, np.intp)  # position times the number of throws

    def roll(self, throws: NDArray[np.uint8], seen: Indices) -> None:
        """A block of rolls; `seen` is room for what happened."""
        at = self._at
        for throw, row in zip(throws, seen, strict=False):
            np.add(at, throw, out=row)
            np.take(self._next, row, out=at, mode="clip")
        self.counts += np.bincount(seen[: len(throws)].ravel(), minlength=len(self.counts))

    def finish(self, dice: np.random.Generator) -> None:
        """Roll every table on until its wager is decided.

        Whoever stops the clock and drops what is undecided counts too many short lives. With every life that was begun brought
        to its end the mean is right (Wald's identity).
        """
        at = self._at
        while len(at):
            seen = at + dice.integers(0, self.sides, len(at), dtype=np.uint8)
            self.counts += np.bincount(seen, minlength=len(self.counts))
            at = self._next[seen[~self._ends[seen]]]

    def results(self) -> dict[Result, int]:
        """How often the wager ended in which way."""
        counted: dict[Result, int] = {}
        steps = (step for row in self.chain.steps for step in row)
        for step, count in zip(steps, self.counts.tolist(), strict=True):
            if step.result is not None and count:
                counted[step.result] = counted.get(step.result, 0) + count
        return counted


def simulate(
    book_id: str,
    stakes: Sequence[Stake],
    rolls: int,
    *,
    seed: int,
    tables: int = TABLES,
    option_b_exact: bool = False,
    progress: Progress | None = None,
) -> Simulation:
    """At least so many rolls in all, shared out to the tables; each stake is put up again as soon as it is decided."""
    compiled = roll_table(book_id, option_b_exact)
    tables = max(1, min(tables, rolls))
    walks = [Walk(Chain(compiled, stake), tables) for stake in stakes]
    moving = [walk for walk in walks if not walk.alone]
    sides = 6**compiled.game.book.dice
    dice = np.random.Generator(np.random.PCG64(seed))
    seen: Indices = np.empty((BLOCK, tables), np.intp)
    thrown = np.zeros(sides, np.int64)
    each = -(-rolls // tables)
    begun = time.perf_counter()
    for start in range(0, each, BLOCK):
        block = min(BLOCK, each - start)
        throws = dice.integers(0, sides, (block, tables), dtype=np.uint8)
        if len(moving) < len(walks):
            thrown += np.bincount(throws.ravel(), minlength=sides)
        for walk in moving:
            walk.roll(throws, seen)
        if progress is not None:
            progress((start + block) * tables)
    for walk in walks:
        if walk.alone:
            walk.counts += thrown
        else:
            walk.finish(dice)
    seconds = time.perf_counter() - begun
    samples = [Sample(exact(walk.chain), walk.results()) for walk in walks]
    return Simulation(book_id, each * tables, tables, seed, seconds, samples)
