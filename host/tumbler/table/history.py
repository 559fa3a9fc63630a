"""Where a table's game stands by the journal: last spin, game state and clock of an epoch; whether the table is held.

Read from the journal at start and followed record by record, so that a daemon that was killed goes on where it stood.
"""

from __future__ import annotations

from dataclasses import dataclass

from tumbler.journal import Journal, Kind, Record

GAMES = (Kind.RESULT, Kind.NO_SPIN, Kind.REFUSED)
LOOK_BACK = 500  # a controller that was exchanged and came back within this many spins is known again
HOLDING = ("hold", "stop")


@dataclass
class Last:
    """The end of one epoch as far as the journal has it."""

    spin: int | None = None
    state: int | None = None
    collected: int | None = None
    wall_ms: int = 0


class History:
    def __init__(self, journal: Journal, table: str, book: str) -> None:
        self._book = book
        self._epochs: dict[str, Last] = {}
        self.held = False  # by a refused result
        self.ordered = False  # by somebody's `hold`
        self.last_result: Record | None = None
        games = journal.last(table, LOOK_BACK, GAMES)
        for record in games:
            self.follow(record)
        after = games[0].seq if games else 0
        for record in journal.reader.records(table=table, kinds=(Kind.REFUSED, Kind.EVENT), after=after - 1):
            self._follow_holds(record)
        if self.last_result is None:
            self.last_result = next(iter(journal.last(table, 1)), None)

    def of(self, epoch: str) -> Last:
        return self._epochs.setdefault(epoch, Last())

    def follow(self, record: Record) -> None:
        body = record.body
        last = self.of(str(body["epoch"]))
        last.spin = int(body["spin"])
        last.wall_ms = max(last.wall_ms, int(body["wire"]["wall_ms"]))
        if record.kind is Kind.RESULT:
            same_game = body["book"] == self._book
            last.state = int(body["state_after"]) if same_game else None
            last.collected = int(body["collected"]) if same_game else None
            self.last_result = record
        elif record.kind is Kind.REFUSED:
            last.state = last.collected = None  # whose state counts now is for the supervisor to say
        self._follow_holds(record)

    def restart_game(self) -> None:
        """The table was set back to its first state by order."""
        for last in self._epochs.values():
            last.state = last.collected = 0

    def _follow_holds(self, record: Record) -> None:
        code = record.body.get("code")
        if record.body.get("consequence") in HOLDING:
            self.held = True
        elif code == "held":
            self.ordered = True
        elif code == "released":
            self.held = self.ordered = False
        elif code == "game_started":
            self.restart_game()
