"""The people at the table, played: a dealer who spins, slips and pays, and a supervisor who unlocks and releases."""

from __future__ import annotations

from dicewire import codes

from tumbler.sim.broker import Broker
from tumbler.sim.clockwork import MS, SECOND, Clockwork
from tumbler.sim.controller import Controller
from tumbler.sim.daemon import Daemon
from tumbler.sim.witness import PREFIX, Witness
from tumbler.table.holds import Hold

LOOK_US = 90 * MS
HELP_US = 3 * SECOND


class Dealer:
    def __init__(self, clockwork: Clockwork, controller: Controller, witness: Witness) -> None:
        self._clockwork, self._controller, self._witness = clockwork, controller, witness
        self._rng = clockwork.stream("dealer")
        self._keys = controller._modules["panel"]
        self.slips = 0.03  # chance of an act against the order of play
        self.rests = False  # no new spin is begun
        self._busy_until = 0
        self._seen = -1
        self._acts = {
            codes.PHASE_BETTING_OPEN: self._spin,
            codes.PHASE_NO_SPIN: self._spin,
            codes.PHASE_CLOSING: self._spin,
            codes.PHASE_SPINNING: self._close_bets,
            codes.PHASE_NO_MORE_BETS: self._uncover,
            codes.PHASE_RESULT: self._pay,
            codes.PHASE_LOCKED: self._call_supervisor,
        }

    def start(self) -> None:
        self._clockwork.after(LOOK_US, self._look)

    def _look(self) -> None:
        clockwork, controller = self._clockwork, self._controller
        clockwork.after(LOOK_US, self._look)
        if not controller.on or clockwork.now < self._busy_until:
            return
        phase = controller.phase
        if phase != self._seen:  # takes a moment to notice
            self._seen = phase
            self._busy_until = clockwork.now + int(self._rng.random() * 400 * MS)
            return
        act = self._acts.get(phase)
        if act is not None:
            act()

    def _press(self, key: int) -> None:
        if self._controller.board is not None:
            self._controller.board.panel.pressed.append(key)
        self._busy_until = self._clockwork.now + 100 * MS

    def _slip(self) -> bool:
        return bool(self.slips) and self._rng.random() < self.slips

    def _spin(self) -> None:
        if self.rests:
            return
        self._controller.cover.is_closed = not self._slip()
        self._clockwork.after(60 * MS, lambda: self._press(self._keys.SPIN))
        self._busy_until = self._clockwork.now + 250 * MS

    def _close_bets(self) -> None:
        if self._slip():
            self._controller.cover.is_closed = False
        elif self._slip():
            self._press(self._keys.NO_SPIN)
        else:
            self._press(self._keys.NO_MORE_BETS)

    def _uncover(self) -> None:
        if self._controller.standing_still or self._rng.random() < self.slips / 20:
            self._controller.cover.is_closed = False

    def _pay(self) -> None:
        self._press(self._keys.CONFIRM)

    def _call_supervisor(self) -> None:
        """Who mends what is broken, closes the cover, and unlocks by key."""
        self._busy_until = self._clockwork.now + HELP_US
        board = self._controller.board
        if board is None:
            return
        for chip in board.chips().values():
            chip.gone = False
        board.motor.stalled = False
        self._controller.flash.fail_next = 0
        self._controller.cover.is_closed = True
        board.panel.key_switch = True
        self._witness.may_unlock = True
        self._clockwork.after(200 * MS, lambda: self._press(self._keys.CONFIRM))
        self._clockwork.after(HELP_US - 300 * MS, self._supervisor_leaves)

    def _supervisor_leaves(self) -> None:
        if self._controller.board is not None:
            self._controller.board.panel.key_switch = False


class AreaManager:
    """On the floor, with a tablet: releases a table that the daemon holds for a refused result."""

    def __init__(self, clockwork: Clockwork, daemon: Daemon, broker: Broker) -> None:
        self._clockwork, self._daemon, self._broker = clockwork, daemon, broker
        self._asked = self.releases = 0

    def start(self) -> None:
        self._clockwork.after(4 * SECOND, self._look)

    def _look(self) -> None:
        self._clockwork.after(4 * SECOND, self._look)
        table = self._daemon.table
        if table is None or Hold.RESULT_REFUSED not in table.holds:
            return
        self._asked += 1
        order = {"id": f"r{self._asked}", "by": "anna", "role": "tg_area_manager"}
        if self._broker.command(f"{PREFIX}cmd/release", order):
            self.releases += 1
