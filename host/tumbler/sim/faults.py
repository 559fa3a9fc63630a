"""Every fault there is, one row each: how often, how long, what begins it and what ends it. A seed gives a plan of them.

A plan is a list with a number for each fault, so that a failing seed can be shrunk: the same plan without some of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tumbler.sim.clockwork import MINUTE, MS, SECOND, Clockwork, clock_text
from tumbler.sim.disk import ROOMY_MB, CommitFault

if TYPE_CHECKING:
    from tumbler.sim.simulation import World

Begin = Callable[["World", float], None]
End = Callable[["World"], None]


@dataclass(frozen=True)
class Kind:
    name: str
    weight: float
    begin: Begin  # the number, 0 to 1, says how much
    text: str
    end: End | None = None
    longest_s: float = 0.0


@dataclass(frozen=True)
class Fault:
    number: int
    at: int
    kind: Kind
    how: float
    lasts: int

    def __str__(self) -> str:
        lasts = f" for {self.lasts / SECOND:.1f} s" if self.lasts else ""
        return f"[{self.number}] {clock_text(self.at)} {self.kind.name}{lasts}: {self.kind.text}"


def _jump(world: World, how: float) -> None:
    """Mostly minutes; now and then a day and more, which no drift explains."""
    far = 36 * 3600_000 if how > 0.9 else 20 * 60_000
    world.daemon.wall_offset_ms += int((how * 2 % 1 - 0.5) * 2 * far)


def _standing(fault: CommitFault) -> Begin:
    return lambda world, how: setattr(world.disk, "standing", fault)


def _no_standing(world: World) -> None:
    world.disk.standing = None


def _chip(world: World, how: float) -> None:
    if world.controller.board is not None:
        chips = list(world.controller.board.chips().values())
        chips[int(how * len(chips))].gone = True


def _mend(world: World) -> None:
    if world.controller.board is not None:
        for chip in world.controller.board.chips().values():
            chip.gone = False
        world.controller.board.motor.stalled = False


def _stall(world: World, how: float) -> None:
    if world.controller.board is not None:
        world.controller.board.motor.stalled = True


def _fuse(world: World, how: float) -> None:
    if world.controller.board is not None:
        world.controller.board.fuse_in = 1 + int(how**3 * 2000)


def _pause(world: World, how: float) -> None:
    world.daemon.paused_until = world.clockwork.now + int(how * 40 * SECOND)


def _rot(world: World, how: float) -> None:
    """One area in every win set: the controller lights it when it must not, and not when it must."""
    game = world.controller.table.round.game if world.controller.on else None
    if game is not None:
        data = bytearray(game._data)
        area = int(how * game.areas)
        for at in range(game._bitmaps + area // 8, game._lamps, game._width):
            data[at] ^= 1 << area % 8
        game._data = data
        world.controller.rotten = True


def _restart(world: World) -> None:
    """Whoever is called to a table that lights wrongly switches it off and on."""
    if world.controller.on and world.controller.rotten:
        world.controller.cut(SECOND)


def _set(part: str, name: str, value: object) -> Begin:
    return lambda world, how: setattr(getattr(world, part), name, value)


def _unset(part: str, name: str, value: object) -> End:
    return lambda world: setattr(getattr(world, part), name, value)


KINDS: tuple[Kind, ...] = (
    Kind("noise", 10, lambda w, how: w.cable.set_noise(10 ** (-4 + 2.5 * how)), "bytes are flipped, dropped, inserted, "
         "doubled and repeated", lambda w: w.cable.set_noise(0), 30),
    Kind("unplug", 6, lambda w, how: w.cable.pull(), "the cable is pulled out", lambda w: w.cable.push(), 20),
    Kind("long_unplug", 0.3, lambda w, how: w.cable.pull(), "the cable stays out", lambda w: w.cable.push(), 900),
    Kind("delay", 3, lambda w, how: w.cable.set_delay(int(how * 400), int(how * 300)), "bytes arrive late",
         lambda w: w.cable.set_delay(0, 0), 20),
    Kind("host_pauses", 3, _pause, "the daemon does not get to run, and reads nothing"),
    Kind("line_stalls", 3, lambda w, how: w.stall_line(int(how * 25 * SECOND)), "nothing passes on the line"),
    Kind("power_cut", 8, lambda w, how: w.controller.cut(100 * MS + int(how * 5 * SECOND)), "the controller loses power"),
    Kind("power_cut_inside", 8, _fuse, "the controller loses power inside a turn, at some use of a part"),
    Kind("flash_cut", 10, lambda w, how: setattr(w.controller.flash, "cut_in", 1 + int(how * 400)),
         "the controller loses power inside a write to flash"),
    Kind("flash_errors", 2, lambda w, how: setattr(w.controller.flash, "fail_next", 1 + int(how * 3)),
         "writes to flash fail after some of their bytes"),
    Kind("flash_worn", 1, lambda w, how: setattr(w.controller.flash, "worn", True), "the flash is worn: one write in 50 fails",
         lambda w: setattr(w.controller.flash, "worn", False), 60),
    Kind("flash_unreadable", 2, lambda w, how: setattr(w.controller.flash, "unreadable", True), "the flash cannot be read",
         lambda w: setattr(w.controller.flash, "unreadable", False), 3),
    Kind("flash_full", 1, lambda w, how: setattr(w.controller.flash, "full", True), "the flash has no room",
         lambda w: setattr(w.controller.flash, "full", False), 20),
    Kind("kill", 8, lambda w, how: w.kill_daemon_in(1 + int(how * 60)), "kill -9 of the daemon between two callbacks"),
    Kind("crash_in_commit", 6, _set("disk", "next", CommitFault.CRASH), "the host loses power inside a commit: torn log"),
    Kind("sync_fails", 3, _standing(CommitFault.SYNC_FAILS), "the disk fails to sync", _no_standing, 12),
    Kind("sync_fails_late", 3, _set("disk", "next", CommitFault.SYNC_FAILS_LATE),
         "a sync is said to have failed and its bytes are there"),
    Kind("disk_unreadable", 2, _set("disk", "unreadable", True), "the disk cannot be read",
         _unset("disk", "unreadable", False), 25),
    Kind("disk_full", 2, _standing(CommitFault.FULL), "the disk is full", _no_standing, 20),
    Kind("disk_low", 1, _set("disk", "free_mb", 5), "the disk is nearly full", _unset("disk", "free_mb", ROOMY_MB), 40),
    Kind("disk_slow", 3, _set("disk", "slow_us", 6 * SECOND), "a sync takes seconds", _unset("disk", "slow_us", 2 * MS), 30),
    Kind("broker_gone", 4, lambda w, how: w.broker.vanish(), "the broker is gone", _unset("broker", "up", True), 60),
    Kind("broker_silent", 3, lambda w, how: w.broker.fall_silent(), "the broker keeps silent",
         _unset("broker", "silent", False), 60),
    Kind("broker_forgets", 3, lambda w, how: w.broker.forget(), "the broker is restarted and has forgotten everything"),
    Kind("broker_refuses", 2, _set("broker", "refuses", True), "the broker refuses every other message",
         _unset("broker", "refuses", False), 30),
    Kind("broker_closed", 1, _set("broker", "closed_door", True), "the broker accepts nobody new",
         _unset("broker", "closed_door", False), 30),
    Kind("broker_late", 3, _set("broker", "late_us", 30 * SECOND), "the broker answers late, up to 30 s",
         _unset("broker", "late_us", 0), 60),
    Kind("clock_jumps", 2, _jump, "the host's wall clock jumps"),
    Kind("clock_drifts", 1, lambda w, how: setattr(w.controller, "drift", (how - 0.5) * 0.1),
         "the controller's clock runs up to 5 % fast or slow from its next start"),
    Kind("chip_gone", 2, _chip, "a chip does not answer", _mend, 15),
    Kind("memory_rots", 2, _rot, "an area of the game table in the controller's memory is wrong", _restart, 40),
    Kind("motor_stalls", 2, _stall, "the motor is stalled", _mend, 30),
)  # fmt: skip
BY_NAME = {kind.name: kind for kind in KINDS}
GAPS = (1.5, 4.0, 12.0)  # seconds between two faults, on the average; drawn by the seed


def make_plan(clockwork: Clockwork, horizon: int, only: frozenset[str] | None = None) -> list[Fault]:
    """What befalls until then. `only`: names of kinds; these then come as often as all others would."""
    rng = clockwork.stream("plan")
    gap = rng.choice(GAPS)
    weights = [kind.weight * rng.choice((0, 1, 1, 3)) for kind in KINDS]  # each seed has faults of its own liking
    if only is not None:
        weights = [kind.weight if kind.name in only else 0.0 for kind in KINDS]
    if not any(weights):
        return []
    plan: list[Fault] = []
    at = 0
    if clockwork.stream("away").random() < 0.15 and only is None:  # a long time without a host: the ring fills up
        plan.append(Fault(0, 60 * SECOND, BY_NAME["long_unplug"], 0.5, 15 * MINUTE))
    while True:
        at += int(rng.expovariate(1 / gap) * SECOND)
        if at >= horizon:
            return plan
        kind = rng.choices(KINDS, weights)[0]
        lasts = int((0.05 + 0.95 * rng.random()) * kind.longest_s * SECOND)
        plan.append(Fault(len(plan), at, kind, rng.random(), lasts))
