"""One simulation: the world is built from a seed, faults fall into it, the witness looks after every step.

A step is one turn of the controller's loop, one callback of the daemon's, or one thing that happens between them (bytes that
arrive, a person's act, a fault). After the steps asked for, every fault is mended and the chain must come to rest with all
four agreeing: truth, flash, journal, floor.
"""

from __future__ import annotations

import hashlib
import struct
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from tumbler.sim.broker import Broker
from tumbler.sim.cable import Cable
from tumbler.sim.clockwork import MINUTE, MS, SECOND, Clockwork, clock_text
from tumbler.sim.controller import Controller
from tumbler.sim.daemon import Daemon, compiled
from tumbler.sim.dealer import AreaManager, Dealer
from tumbler.sim.disk import ROOMY_MB, Disk
from tumbler.sim.faults import KINDS, Fault, make_plan
from tumbler.sim.witness import Invariant, Violation, Witness, summary

BOOKS = ("crown-melbourne-sicbo-a", "crown-melbourne-sicbo-a", "crown-melbourne-craps", "crown-perth-crapless")
DEFAULT_STEPS = 200_000
STEP_US = 4 * MS  # about what a step takes of virtual time: how far ahead faults are planned
HEAL_US = 30 * MINUTE
STORY_LINES = 400
_TRACE = struct.Struct("<QB")


@dataclass(frozen=True)
class Setup:
    """What is simulated. `only`: the numbers of the faults that fall, None for all of the seed's plan."""

    seed: int
    steps: int = DEFAULT_STEPS
    only: frozenset[int] | None = None
    calm: bool = False  # dice and dealer do nothing wrong
    kinds: frozenset[str] | None = None  # names of the faults that may fall, None for all


@dataclass
class Outcome:
    setup: Setup
    book: str
    steps: int = 0
    virtual_s: float = 0.0
    seconds: float = 0.0  # of the process, so that a busy machine does not count
    trace: str = ""
    violation: Violation | None = None
    faults: dict[str, int] = field(default_factory=dict)
    fallen: list[Fault] = field(default_factory=list)
    counts: dict[str, Any] = field(default_factory=dict)
    story: list[str] = field(default_factory=list)


class World:
    """Everything that is simulated; what a fault can lay its hand on."""

    clockwork: Clockwork
    cable: Cable
    broker: Broker
    disk: Disk
    controller: Controller
    daemon: Daemon

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.clockwork = clockwork = Clockwork(setup.seed)
        rng = clockwork.stream("world")
        self.book = rng.choice(BOOKS)
        key = rng.randbytes(32)
        self.disk = Disk(clockwork, rng.randbytes(32))
        key_file = self.disk.path.parent.parent / "table.key"
        key_file.touch(0o600)
        key_file.write_text(key.hex())
        self.cable = Cable(clockwork)
        self.broker = Broker(clockwork)
        self.controller = Controller(clockwork, self.cable, self.book, key)
        self.daemon = Daemon(clockwork, self.cable, self.broker, self.disk, self.book, key_file)
        self.story: deque[str] = deque(maxlen=STORY_LINES)
        self.witness = Witness(self.controller, compiled(self.book, 1, option_b_exact=False), self.tell)
        self.dealer = Dealer(clockwork, self.controller, self.witness)
        self.manager = AreaManager(clockwork, self.daemon, self.broker)
        self.kill_in: int | None = None
        self.fallen: list[Fault] = []
        self._join()

    def _join(self) -> None:
        witness, flash = self.witness, self.controller.flash
        flash.on_append, flash.on_failed, flash.on_remove = witness.in_flash, witness.not_in_flash, witness.out_of_flash
        self.controller.on_boot, self.controller.on_turn = self._booted, witness.turned
        self.disk.on_written, self.daemon.on_open = witness.written, self._opened
        self.disk.on_landed, self.broker.on_message = witness.landed, witness.arrived
        if self.setup.calm:
            self.controller.plate.bad = self.dealer.slips = 0.0

    def tell(self, what: str) -> None:
        self.story.append(f"{clock_text(self.clockwork.now)} {what}")

    def _booted(self) -> None:
        self.tell(f"controller: powered on, start {self.controller.boots}")
        self.witness.booted()

    def _opened(self, journal: Any) -> None:
        found = f", recovered: {journal.recovery}" if journal.recovery is not None else ""
        self.tell(f"daemon: started, life {self.daemon.lives}{found}")
        self.witness.opened(journal)

    # --- faults ---------------------------------------------------------------------------------------------------------

    def plan(self) -> None:
        only = self.setup.only
        for fault in make_plan(self.clockwork, self.setup.steps * STEP_US, self.setup.kinds):
            if only is None or fault.number in only:
                self.clockwork.at(fault.at, self._falls(fault))

    def _falls(self, fault: Fault) -> Any:
        def begin() -> None:
            if self.dealer.rests:
                return  # mended already
            self.tell(f"FAULT {fault}")
            self.fallen.append(fault)
            fault.kind.begin(self, fault.how)
            if fault.kind.end is not None:
                end = fault.kind.end
                self.clockwork.after(fault.lasts, lambda: end(self))

        return begin

    def kill_daemon_in(self, callbacks: int) -> None:
        self.kill_in = callbacks

    def stall_line(self, us: int) -> None:
        for way in (self.cable.to_host, self.cable.to_controller):
            way.stalled_until = self.clockwork.now + us

    def mend(self) -> None:
        """Every fault is over; nobody begins a spin any more."""
        self.tell("everything is mended, no new spins")
        self.dealer.rests = True
        for kind in KINDS:
            if kind.end is not None:
                kind.end(self)
        self.cable.mend()
        self.stall_line(0)
        flash, board = self.controller.flash, self.controller.board
        flash.cut_in, flash.fail_next, self.disk.next, self.kill_in = None, 0, None, None
        self.disk.free_mb = ROOMY_MB
        if board is not None:
            board.fuse_in = None
        self.daemon.paused_until = 0
        self.controller.plate.bad = self.dealer.slips = 0.0


def simulate(setup: Setup) -> Outcome:
    """Run it; the outcome has the violation, if there was one."""
    world = World(setup)
    outcome = Outcome(setup, world.book)
    began = time.process_time()
    trace = hashlib.blake2b(digest_size=8)
    try:
        with world.daemon.in_place():
            world.plan()
            world.controller.power_on()
            world.daemon.start()
            world.dealer.start()
            world.manager.start()
            _play(world, outcome, trace)
    except Violation as violation:
        outcome.violation = violation
        world.tell(f"VIOLATED {violation}")
    finally:
        world.daemon.loop.die()
        world.disk.close()
    for line in world.story:
        trace.update(line.encode())
    outcome.trace = trace.hexdigest()
    outcome.seconds = time.process_time() - began
    outcome.virtual_s = world.clockwork.now / SECOND
    outcome.fallen, outcome.story = world.fallen, list(world.story)
    outcome.faults = dict(sorted(Counter(fault.kind.name for fault in world.fallen).items()))
    outcome.counts = {
        **summary(world.witness.counts),
        "kills": world.daemon.kills,
        "power_cuts": world.controller.cuts,
        "spoilt": world.cable.counts.spoilt,
        "unplugs": world.cable.counts.cuts,
        "commits": world.disk.commits,
        "commit_failures": world.disk.failures,
    }
    return outcome


def _play(world: World, outcome: Outcome, trace: Any) -> None:
    _run(world, outcome, trace, world.setup.steps, None)
    world.mend()
    _run(world, outcome, trace, None, world.clockwork.now + HEAL_US)
    world.witness.last(_unrest(world), world.broker.retained)


def _unrest(world: World) -> str:
    """Why the chain is not at rest yet; empty when it is."""
    daemon, controller = world.daemon, world.controller
    if not (daemon.running and controller.on and daemon.table is not None and daemon.table.link.up):
        return "daemon and controller are not joined"
    if controller.store.pending or controller.store.state.open_spin:
        return f"{controller.store.pending} spins are not committed"
    return world.witness.waits_for() or ("" if world.broker.connection is not None else "no broker")


def _run(world: World, outcome: Outcome, trace: Any, steps: int | None, until: int | None) -> None:
    """So many steps, or until all is at rest, at the latest at that time."""
    clockwork, daemon, disk, witness = world.clockwork, world.daemon, world.disk, world.witness
    pack, update, done = _TRACE.pack, trace.update, 0
    try:
        while steps is None or done < steps:
            done += 1
            loop = daemon.loop
            if loop.ready and clockwork.now >= daemon.paused_until:
                loop.run_one()
                update(pack(clockwork.now, 1))
                if world.kill_in is not None:
                    world.kill_in -= 1
                    if world.kill_in <= 0:
                        world.kill_in = None
                        world.tell("daemon: killed")
                        daemon.kill()
            else:
                clockwork.next()()
                update(pack(clockwork.now, 2))
            if disk.died:
                world.tell("daemon: its machine lost power inside a commit")
                daemon.kill()
            if witness.violation is not None:
                raise witness.violation
            if daemon.defect:
                raise Violation(Invariant.DEFECT, f"daemon: {daemon.defect}")
            if until is not None and not done & 63 and (clockwork.now > until or not _unrest(world)):
                return
    finally:
        outcome.steps += done
