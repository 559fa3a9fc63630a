"""The controller as the rest of the table knows it: powered or not, its watchdog, its resets, its bus being served.

Turns the firmware's requests into answers; WAIT turns table time, through the world it was given. Not for when power is
cut (faults.py, control.py) nor for how fast time may run (pace.py).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from enum import IntEnum

from tumbler.twin.bus import MOST_IRQS, Answer, Bus, BusGone, Op
from tumbler.twin.flash import PowerLost
from tumbler.twin.line import Line
from tumbler.twin.process import Controller, FirmwareFailed

HUNG_SECONDS = 10.0  # of wall time without a request: longer than any step of the firmware on the slowest machine
MOST_CRASHES = 5  # in a row, without a minute of table time in between
CRASH_WINDOW_US = 60_000_000
RESTART_US = 50_000  # from reset to the first instruction


class ResetCause(IntEnum):
    """As machine.reset_cause() of the rp2 port has them; its machine.reset() goes through the watchdog."""

    POWER_ON = 1
    WATCHDOG = 3


class Board:
    def __init__(
        self, controller: Controller, bus: Bus, line: Line, advance: Callable[[int], None], boots: int = 0
    ) -> None:
        self._controller = controller
        self._bus = bus
        self._line = line
        self._advance = advance
        self.on_power: list[Callable[[bool], None]] = []
        self.on_stop: list[Callable[[], None]] = []
        self.boots = boots  # in the life of this flash
        self.power_cuts = 0
        self.watchdog_bites = 0
        self.crashes: list[int] = []
        self.boot_us = 0
        self._watchdog_ms = 0
        self._fed_us = 0
        self._start_at_us: int | None = None
        self._start_cause = ResetCause.POWER_ON
        self._waiting = False
        self._reset_wanted = False
        self._asked = time.monotonic()
        bus.on_watchdog = self._watchdog
        bus.on_reset = self._want_reset

    # --- power --------------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self._controller.wire is not None

    @property
    def now_us(self) -> int:
        return self._bus.lines.now_us

    @property
    def boot_id(self) -> str:
        return self._bus.boot_id.hex()

    def power_on(self, cause: ResetCause = ResetCause.POWER_ON) -> None:
        self._start_at_us = None
        self.boots += 1
        self.boot_us = self.now_us
        self._watchdog_ms = 0
        self._waiting = False
        self._reset_wanted = False
        self._asked = time.monotonic()
        self._bus.booted(self.boots, cause)
        self._controller.start()
        self._line.plug()

    def cut_power(self, off_ms: int | None) -> None:
        """The whole table goes dark for so long, or until `restore`; dice in the air fall, the motor coasts."""
        self.power_cuts += 1
        self._stop()
        for hook in self.on_power:
            hook(False)
        self._start_at_us = None
        if off_ms is not None:
            self._start_after(off_ms * 1000, ResetCause.POWER_ON)

    def restore(self) -> None:
        if not self.running:
            self._start_after(0, ResetCause.POWER_ON)

    def crash(self) -> None:
        """The program dies as by a defect of the port: the board stands until the watchdog bites."""
        if self.running:
            self._crashed(killed=True)

    def off(self) -> None:
        self._stop()
        self._start_at_us = None

    def _stop(self) -> None:
        """The microcontroller stops; its USB port goes with it."""
        self._waiting = False
        for hook in self.on_stop:
            hook()
        self._controller.kill()
        self._bus.lines.reset()
        self._line.unplug()

    def _start_after(self, us: int, cause: ResetCause) -> None:
        self._start_at_us = self.now_us + us
        self._start_cause = cause

    def step_off(self, us: int) -> None:
        """Let time pass while the controller does not run; starts it when its moment has come."""
        self._advance(us)
        if self._start_at_us is not None and self.now_us >= self._start_at_us:
            if self._start_cause is ResetCause.POWER_ON:
                for hook in self.on_power:
                    hook(True)
            self.power_on(self._start_cause)

    # --- watchdog and reset -------------------------------------------------------------------------------------

    def _watchdog(self, ms: int) -> None:
        if ms:
            self._watchdog_ms = ms
        self._fed_us = self.now_us

    def _want_reset(self) -> None:
        self._reset_wanted = True

    def _reset(self) -> None:
        self._stop()
        self._start_after(RESTART_US, ResetCause.WATCHDOG)

    def _bite_if_starved(self) -> bool:
        if not self._watchdog_ms or self.now_us - self._fed_us < self._watchdog_ms * 1000:
            return False
        self.watchdog_bites += 1
        self._reset()
        return True

    def check_hung(self) -> None:
        """A loop that never asks the bus stops table time, and with it the watchdog's: then the wall clock decides."""
        if not self.running or self._waiting or time.monotonic() - self._asked < HUNG_SECONDS:
            return
        if not self._watchdog_ms:
            raise FirmwareFailed(
                f"the firmware hangs without a watchdog; its log ends: {self._controller.last_words()}"
            )
        self._advance(self._watchdog_ms * 1000)
        self.watchdog_bites += 1
        self._reset()

    # --- the bus ------------------------------------------------------------------------------------------------

    def fileno(self) -> int:
        wire = self._controller.wire
        return wire.fileno() if wire is not None else -1

    @property
    def waiting(self) -> bool:
        """The firmware waits; table time has moved, and release() lets it go on."""
        return self._waiting

    def asks(self, seconds: float) -> bool:
        """Whether the firmware wants something, waiting so long for it at most."""
        wire = self._controller.wire
        return wire is not None and wire.ready(seconds)

    def serve(self) -> None:
        """Take one request. All but WAIT are answered at once."""
        wire = self._controller.wire
        if wire is None:
            return
        try:
            request = wire.receive()
            self._asked = time.monotonic()
            if request.op is Op.WAIT:
                self._waiting = True
                self._advance(request.c)
                if self.running:  # a cut may have fallen into the wait
                    self._bite_if_starved()
                return
            answer = self._bus.answer(request)
            if self._reset_wanted:
                self._reset()
                return
            self._answer(answer, irqs=False)
        except PowerLost:
            self.cut_power(200)
        except BusGone:
            self._crashed()

    def release(self) -> None:
        self._waiting = False
        self._asked = time.monotonic()
        try:
            self._answer(Answer(), irqs=True)
        except BusGone:
            self._crashed()

    def _answer(self, answer: Answer, irqs: bool) -> None:
        wire = self._controller.wire
        if wire is not None:
            edges = self._bus.lines.take_edges(MOST_IRQS) if irqs else []
            wire.reply(answer, self._bus.lines, self.now_us - self.boot_us, self._line, edges)

    def _crashed(self, killed: bool = False) -> None:
        """The firmware ended by itself. A board would stand in its REPL until the watchdog bites."""
        code = self._controller.kill() if killed else self._controller.ended()
        words = self._controller.last_words()
        if killed:
            self._stop_until_bitten()
            return
        self.crashes = [at for at in self.crashes if self.now_us - at < CRASH_WINDOW_US] + [self.now_us]
        if not self._watchdog_ms or len(self.crashes) >= MOST_CRASHES:
            raise FirmwareFailed(f"the firmware ended with {code}; its log ends: {words}")
        print(f"twin: the firmware ended with {code}: {words.splitlines()[-1:]}", file=sys.stderr, flush=True)
        self._stop_until_bitten()

    def _stop_until_bitten(self) -> None:
        self.watchdog_bites += 1
        self._stop()
        left_us = self._watchdog_ms * 1000 - (self.now_us - self._fed_us)
        self._start_after(max(RESTART_US, left_us), ResetCause.WATCHDOG)
