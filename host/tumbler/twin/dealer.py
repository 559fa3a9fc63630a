"""The dealer of `--auto`: covers, spins, calls no more bets, uncovers, pays. Knows only what a dealer sees and hears.

The NO MORE BETS sign, the lamps, the buzzer's refusal (nothing turns) and the dome's noise are all there is: so a dealer
recovers from a power cut, a no spin or a locked table as a person does. Times are table time, drawn from a seed. Not for
the firmware's phases, which are never asked.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from dataclasses import dataclass
from enum import Enum

from tumbler.twin.spinwatch import NO_MORE_BETS_KEY, NO_SPIN_KEY, SPIN_KEY
from tumbler.twin.world import World

POLL_US = 5_000
SECOND = 1_000_000
TURNS_WITHIN = 1.0  # seconds from SPIN to the crank's first move; the firmware delays it by chance up to 0.3
SIGN_WITHIN = 0.5
STOOD_STILL = 0.45  # the dome is uncovered so long after the crank stands: earlier it may still be driven
READ_WITHIN = 6.0
REFUSALS_BEFORE_SUPERVISOR = 3
SWEEP_WITHIN = 5.0  # a table that starts tries its lamps one by one within this
STEADY = 0.3  # lamps that have not changed for so long: the trial is over
EVER = 1e9
IDLE_US = 1_000_000_000


class Slip(Enum):
    """What a dealer does wrong, or must do, in one spin."""

    EXPOSED_EARLY = "exposed_early"
    CALLED = "called"


@dataclass(frozen=True)
class Tempo:
    """Seconds, as (least, most). `hold` is how long a finger stays on a key."""

    hold: tuple[float, float]
    bets: tuple[float, float]  # before SPIN
    no_more_bets: tuple[float, float]  # after the dome began to turn
    uncover: tuple[float, float]  # after it stands
    pay: tuple[float, float]  # after the areas are lit
    again: tuple[float, float]  # after a refused key


TEMPI = {
    "human": Tempo((0.09, 0.2), (5.0, 9.0), (1.2, 2.2), (0.4, 1.2), (3.0, 6.0), (1.5, 2.5)),
    "fast": Tempo((0.07, 0.07), (0.02, 0.02), (0.1, 0.1), (0.0, 0.0), (0.05, 0.05), (0.3, 0.3)),
}


@dataclass(frozen=True)
class Look:
    """Wait until this is seen, or so many seconds have passed."""

    seen: Callable[[], bool]
    seconds: float


Script = Generator[float | Look, None, None]


class Dealer:
    def __init__(self, world: World, rng: random.Random, tempo: Tempo, *, enters: bool = False) -> None:
        self._world = world
        self._rng = rng
        self._tempo = tempo
        self._enters = enters  # the table asks for the faces on the panel
        self._script = self._shift()
        self._looking: tuple[Callable[[], bool], int] | None = None
        self._lamps_before = b""
        self._slip: Slip | None = None
        self.slip: Callable[[], Slip | None] = lambda: None  # asked once a round, when the dome turns
        self.tidy: Callable[[], None] = lambda: None  # before the dome is covered: every die in its place
        self.paused = False
        self.rounds = 0  # rounds played to their end, paid or no spin
        self.calls = 0  # of the supervisor

    def start(self) -> None:
        self._world.later(0, self._turn)

    @property
    def idle(self) -> bool:
        """Nothing to do until something happens that may never happen."""
        return self.paused or (self._looking is not None and self._looking[1] - self._world.now_us > IDLE_US)

    # --- the script's motor -------------------------------------------------------------------------------------

    def _turn(self) -> None:
        if self._looking is not None:
            seen, until_us = self._looking
            if not seen() and self._world.now_us < until_us:
                self._world.later(POLL_US, self._turn)
                return
            self._looking = None
        wanted = next(self._script)
        if isinstance(wanted, Look):
            self._looking = (wanted.seen, self._world.now_us + round(wanted.seconds * SECOND))
            self._world.later(POLL_US, self._turn)
        else:
            self._world.later(round(wanted * SECOND), self._turn)

    def _draw(self, span: tuple[float, float]) -> float:
        return span[0] if span[0] == span[1] else self._rng.uniform(*span)

    # --- what a dealer sees -------------------------------------------------------------------------------------

    @property
    def _sign(self) -> bool:
        return self._world.chips.panel.announce

    @property
    def _areas_lit(self) -> bool:
        return self._world.chips.lamps.data != self._lamps_before

    @property
    def _any_lamp(self) -> bool:
        return any(self._world.chips.lamps.data)

    def _steady(self) -> Callable[[], bool]:
        lamps, world = self._world.chips.lamps, self._world
        seen = [lamps.shows, world.now_us]

        def steady() -> bool:
            if lamps.shows != seen[0]:
                seen[:] = [lamps.shows, world.now_us]
            return world.now_us - seen[1] >= STEADY * SECOND

        return steady

    # --- what a dealer does -------------------------------------------------------------------------------------

    def _press(self, key: str) -> Script:
        hold = self._draw(self._tempo.hold)
        self._world.press(key, round(hold * SECOND))
        yield hold + 0.06  # a finger needs a moment to the next key

    def _wait_for_trial(self, seconds: float) -> Script:
        """The table tries every lamp before it opens; a key held down before that would be taken for a stuck one."""
        yield Look(lambda: self._any_lamp, seconds)
        yield Look(self._steady(), EVER)

    def _shift(self) -> Script:
        yield from self._wait_for_trial(EVER)
        while True:
            if self.paused:
                yield self._draw(self._tempo.again)
                continue
            yield self._draw(self._tempo.bets)
            yield from self._start_spin()
            yield from self._play()
            self.rounds += 1

    def _start_spin(self) -> Script:
        refusals = 0
        while True:
            if not self._world.cover_closed:
                self.tidy()
                yield Look(lambda: self._world.still, 4.0)
                self._world.cover(True)
                yield 0.1
            if self.paused:
                yield self._draw(self._tempo.again)
                continue
            yield from self._press(SPIN_KEY)
            yield Look(lambda: self._world.crank_turns, TURNS_WITHIN)
            if self._world.crank_turns:
                return
            refusals += 1
            if self._sign:  # a result still to be paid, from before a power cut
                yield from self._press("confirm")
            else:
                yield from self._wait_for_trial(SWEEP_WITHIN)
            if refusals % REFUSALS_BEFORE_SUPERVISOR == 0 and not self._sign:
                yield from self._call_supervisor()
            yield self._draw(self._tempo.again)

    def _call_supervisor(self) -> Script:
        self.calls += 1
        self.tidy()
        self._world.hold("supervisor")
        yield 0.2
        yield from self._press("confirm")
        self._world.release("supervisor")
        yield from self._wait_for_trial(SWEEP_WITHIN)

    def _play(self) -> Script:
        self._slip = self.slip()
        if self._slip is Slip.CALLED:
            yield self._draw((0.5, 1.5))
            yield from self._press(NO_SPIN_KEY)
            yield Look(lambda: self._world.still, 10.0)
            return
        if self._slip is Slip.EXPOSED_EARLY:
            yield self._draw((0.5, 1.5))
            self._world.cover(False)
            yield Look(lambda: self._world.still, 10.0)
            return
        yield self._draw(self._tempo.no_more_bets)
        yield from self._press(NO_MORE_BETS_KEY)
        yield Look(lambda: self._sign, SIGN_WITHIN)
        if not self._sign and self._world.crank_turns:
            yield from self._press(NO_MORE_BETS_KEY)
        yield Look(lambda: not self._world.crank_turns and not self._world.driven, 12.0)
        yield STOOD_STILL + self._draw(self._tempo.uncover)
        yield Look(lambda: self._world.still, 8.0)
        self._lamps_before = self._world.chips.lamps.data
        self._world.cover(False)
        yield from self._settle()

    def _settle(self) -> Script:
        """The areas light: pay. The sign goes out: a no spin. Neither (a roll on which no area wins): ask by CONFIRM."""
        if self._enters:
            yield 0.5
            yield from self._enter()
        yield Look(lambda: self._areas_lit or not self._sign, READ_WITHIN)
        if not self._sign:
            return
        yield self._draw(self._tempo.pay)
        for _ in range(5):
            yield from self._press("confirm")
            yield Look(lambda: not self._sign, SIGN_WITHIN)
            if not self._sign:
                return
            yield self._draw(self._tempo.again)

    def _enter(self) -> Script:
        from tumbler.twin.lie import look

        for face in look(self._world.physics).faces:
            yield from self._press(str(face))
        yield 1.0
        yield from self._press("confirm")
