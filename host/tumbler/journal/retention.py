"""How long records are kept, and how a beginning is removed without breaking the chain.

Only a beginning goes, never from the middle. A signed statement takes its place: where the chain goes on (number and
hash) and how far each table's spins had been counted, so that an old result can still not be counted twice. The same
statement is in the chain as a checkpoint. The outbox is not touched: what waits there carries its own payload.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tumbler.journal.chain import Chain

DAY_MS = 86_400_000


@dataclass(frozen=True)
class Retention:
    days: int  # younger records stay
    games: int = 1000  # so many last games of the journal stay, however old

    def __post_init__(self) -> None:
        if self.days < 1 or self.games < 1:
            raise ValueError(f"retention of {self.days} days and {self.games} games: both must be at least 1")


def prune(chain: Chain, rule: Retention, now_ms: int) -> int:
    """Remove what the rule does not keep; returns how many records went."""
    upto = _last_to_go(chain, rule, now_ms)
    if upto is None:
        return 0

    def work() -> int:
        digest = chain.db.execute("SELECT hash FROM record WHERE seq = ?", (upto,)).fetchone()[0]
        base = {"at": now_ms, "hash": digest, "journal": chain.id, "marks": _marks(chain, upto), "upto": upto}
        chain.put_meta("base", chain.key.sign(base))
        chain.insert(chain.checkpoint("pruned", pruned=base), now_ms)
        return chain.db.execute("DELETE FROM record WHERE seq <= ?", (upto,)).rowcount

    return chain.transaction(work)


def _last_to_go(chain: Chain, rule: Retention, now_ms: int) -> int | None:
    cut = [chain.seq - 1]  # the last record always stays: it is the end of the chain
    # By number, not by time: a clock that jumped back must not make a hole.
    young = "SELECT min(seq) FROM record WHERE at_ms >= ?"
    game = "SELECT seq FROM record WHERE game NOT NULL ORDER BY seq DESC LIMIT 1 OFFSET ?"
    for sql, value in ((young, now_ms - rule.days * DAY_MS), (game, rule.games - 1)):
        row = chain.db.execute(sql, (value,)).fetchone()
        if row is not None and row[0] is not None:
            cut.append(row[0] - 1)
        elif sql is game:
            return None  # fewer games than the rule keeps
    first = chain.db.execute("SELECT min(seq) FROM record").fetchone()[0]
    return min(cut) if min(cut) >= first else None


def _marks(chain: Chain, upto: int) -> dict[str, dict[str, int]]:
    """table -> epoch -> the highest spin that has been counted and removed."""
    old: dict[str, Any] = chain.meta("base") or {"marks": {}}
    marks = {table: dict(epochs) for table, epochs in old["marks"].items()}
    sql = "SELECT tbl, game FROM record WHERE game NOT NULL AND seq <= ?"
    for table, result_id in chain.db.execute(sql, (upto,)):
        epoch, _, spin = result_id.rpartition("-")
        if spin.isdecimal():
            epochs = marks.setdefault(table, {})
            epochs[epoch] = max(int(spin), epochs.get(epoch, 0))
    return marks
