"""The twin: builds the table around the controller and turns the loop in which firmware, world, line and control meet.

One thread. The firmware asks, the twin answers; while the firmware waits, table time moves and the wall clock is kept. Not
for what any part does: each has its file.
"""

from __future__ import annotations

import json
import random
import select
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tumbler.eye.calibrate import calibration_files
from tumbler.rules.gametable import GameImage
from tumbler.twin import truth
from tumbler.twin.board import Board
from tumbler.twin.bus import Bus, Seed
from tumbler.twin.camera import PRESETS, SETS, TableScene
from tumbler.twin.chips.dice import DiceSet
from tumbler.twin.chips.faults import ChipFault, break_chip, mend_chip
from tumbler.twin.chips.table import TableChips
from tumbler.twin.commands import Commands
from tumbler.twin.control import Control
from tumbler.twin.dealer import TEMPI, Dealer
from tumbler.twin.faults import FLASH_BYTES, BoardFault, Faults, Kind, LineFault
from tumbler.twin.flash import Flash
from tumbler.twin.line import Line
from tumbler.twin.lines import Lines
from tumbler.twin.pace import LEAD_SECONDS, LEAST_SLEEP_SECONDS, Pace
from tumbler.twin.physics import Physics
from tumbler.twin.process import Controller, firmware_tree
from tumbler.twin.provision import dice_map, provision
from tumbler.twin.rom import rom_image
from tumbler.twin.spinwatch import PhysicalSpin, SpinWatch, Spoilt
from tumbler.twin.tap import Tap
from tumbler.twin.world import World

OFF_STEP_US = 5_000
QUIET_SECONDS = 0.25  # the longest sleep: signals and the hung check come through
SERVES = 256  # requests in a row before line and control are looked at
DELIVERY_SECONDS = 60.0
TOLD_SLACK_US = 30_000  # a dealer sees the sign go out one look and one turn of the firmware later
NOTEBOOK = "twin.json"


@dataclass(frozen=True)
class Plan:
    """What the person typed."""

    link: Path
    truth: Path
    folder: Path
    key: bytes
    dice: int
    seed: int
    auto: bool = False
    spins: int | None = None
    speed: float = 0.0
    pace: str = "fast"
    enters: bool = False
    control: Path | None = None
    game: GameImage | None = None
    rates: Mapping[Kind, float] = field(default_factory=dict)
    die_set: str = "white"  # as the camera sees them: camera/dieset.py
    difficulty: str = "normal"  # of the camera's picture: camera/difficulty.py
    reader: str = "tags"  # what reads the dice: tags, camera, both


class NotDelivered(Exception):
    """The run is over and the host has not taken every record."""


class Twin:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        seed = Seed(plan.seed)
        self._notebook = plan.folder / NOTEBOOK
        notes = self._read_notes()
        physics = Physics(plan.dice, random.Random(seed.number("dice", notes["spins"])))
        dice_set = DiceSet.made_from(plan.seed, plan.dice + 1)  # one more than belongs: a stranger's
        lines = self._lines()
        self.flash = self._flash()
        self.line = Line(plan.link, seed.number("line"))
        self.tap = Tap()
        self.line.on_give = self.tap.feed
        bus = Bus(lines, self.flash, self.line, seed, seed.bytes(8, "uid"))
        self.world = World(lines, physics)
        self.scene = scene = TableScene(self.world, SETS[plan.die_set], PRESETS[plan.difficulty], plan.seed)
        taught = calibration_files(scene, plan.die_set, plan.dice) if plan.reader != "tags" else None
        provision(plan.folder / "provision", plan.key, dice_map(dice_set, plan.dice), plan.game, plan.reader, taught)
        self.chips = TableChips(bus, self.world, dice_set, plan.seed, scene=scene)
        self.world.attach(self.chips)
        self.board = self._board(bus, notes["boots"])
        self.board.on_power.append(self._power)
        self.board.on_stop.append(self._stopped)
        self.spins = SpinWatch(self.world, notes["spins"], lambda: (self.board.boot_id, self.board.boot_us))
        self.faults = Faults(seed, plan.rates, self)
        self.truth = truth.TruthFile(plan.truth, go_on=bool(notes["spins"]))
        self.dealer: Dealer | None = None
        if plan.auto:
            tempo = TEMPI[plan.pace]
            self.dealer = Dealer(self.world, random.Random(seed.number("dealer")), tempo, enters=plan.enters)
            self.dealer.slip = self.faults.slip
            self.dealer.tidy = self.faults.tidy
            self.dealer.start()
        self._wire_up()
        self.control = Control(plan.control, Commands(self).obey, self.poses) if plan.control else None
        self._pace = Pace(plan.speed)
        self._plug_at: float | None = None
        self._stopping = False
        self._over_since: float | None = None
        self._over_us = 0
        self._last_round: int | None = None

    # --- the controller, which another twin may run elsewhere ---------------------------------------------------------

    def _lines(self) -> Lines:
        return Lines()

    def _flash(self) -> Flash:
        return Flash(self.plan.folder / "flash.img")

    def _board(self, bus: Bus, boots: int) -> Board:
        rom = rom_image(firmware_tree()) if self.plan.reader != "tags" else None
        controller = Controller(self.plan.folder, self.flash, provision=self.plan.folder / "provision", rom=rom)
        return Board(controller, bus, self.line, self.world.advance, boots=boots)

    def _wire_up(self) -> None:
        for kind, rate in self.plan.rates.items():
            if isinstance(kind, LineFault):
                self.set_rate(kind, rate)
        self.spins.on_start += [self.faults.at_start, self._told_start]
        self.spins.on_rest.append(self.faults.at_rest)
        self.spins.on_known += [self._known]

    # --- what happens at the table ------------------------------------------------------------------------------

    def _power(self, on: bool) -> None:
        if not on:
            self.spins.spoil(Spoilt.POWER_CUT)
        self.chips.power(on)
        self._tell({"event": "power", "on": on})

    def _stopped(self) -> None:
        self.spins.spoil(Spoilt.RESTART)
        self.tap.restart()
        self._tell({"event": "stopped", "boot": self.board.boot_id})

    def _told_start(self, spin: PhysicalSpin) -> None:
        at_ms = (spin.start_us - spin.boot_us) // 1000  # as the controller's own uptime has it
        self._tell({"event": "spin", "spin": spin.number, "boot": spin.boot, "at_ms": at_ms})

    def _known(self, spin: PhysicalSpin) -> None:
        self.truth.write(spin)
        self._write_notes()
        self._tell({"event": "rest", **truth.row(spin)})

    def _tell(self, event: dict[str, Any]) -> None:
        if self.control is not None:
            self.control.tell({"t": self.world.now_us / 1e6, **event})

    def _read_notes(self) -> dict[str, int]:
        if not self._notebook.exists():
            return {"spins": 0, "boots": 0}
        notes: dict[str, int] = json.loads(self._notebook.read_text())
        return notes

    def _write_notes(self) -> None:
        """So that a run that goes on with the same flash gives no spin's number and no boot's entropy twice."""
        new = self._notebook.with_suffix(".new")
        new.write_text(json.dumps({"spins": self.spins.count, "boots": self.board.boots}))
        new.replace(self._notebook)

    # --- what faults and commands do ----------------------------------------------------------------------------

    def cause(self, fault: BoardFault, chance: float) -> None:
        """`chance`, 0 to 1, says how long or where."""
        if fault is BoardFault.POWER_CUT:
            self.board.cut_power(50 + round(chance * 1000))
        elif fault is BoardFault.FLASH_CUT:
            self.flash.cut_after(round(chance * FLASH_BYTES), round(chance * 1e9))
        elif fault is BoardFault.CRASH:
            self.board.crash()
        elif fault is BoardFault.UNPLUG:
            self.pull_out(0.05 + chance * 0.5)
        elif fault is BoardFault.STALL:
            self.line.stall(time.monotonic() + chance)
        elif fault is BoardFault.BUMP:
            self.world.bump(0.2 + chance, 80_000)

    def break_for(self, fault: ChipFault, us: int) -> None:
        break_chip(self.chips, fault)
        self.world.later(us, lambda: mend_chip(self.chips, fault))

    def set_rate(self, kind: Kind, rate: float) -> None:
        if isinstance(kind, LineFault):
            for way in (self.line.to_host, self.line.from_host):
                setattr(way.noise, kind.value, rate)
        else:
            self.faults.set_rate(kind, rate)

    def pull_out(self, seconds: float | None) -> None:
        """The cable, for so long or until plug_in."""
        self.line.pull_out()
        self._plug_at = time.monotonic() + seconds if seconds else None

    def plug_in(self) -> None:
        self._plug_at = None
        self.line.push_in(powered=self.board.running)

    def set_speed(self, speed: float) -> None:
        self._pace = Pace(speed, self.world.now_us)

    def stop(self) -> None:
        self._stopping = True

    # --- what can be seen ---------------------------------------------------------------------------------------

    def poses(self) -> dict[str, Any]:
        physics = self.world.physics
        dice = [
            {"p": [round(v, 5) for v in pose.position], "q": [round(v, 5) for v in physics.quaternion(die)]}
            for die, pose in enumerate(physics.poses)
            if physics.present(die)
        ]
        return {
            "t": round(self.world.now_us / 1e6, 4),
            "cover": self.world.cover_closed,
            "rpm": round(self.world.motor_rpm, 1),
            "dice": dice,
        }

    def status(self) -> dict[str, Any]:
        chips, board, line = self.chips, self.board, self.line
        return {
            **self.poses(),
            "door": self.world.door_closed,
            "keys": sorted(self.world.keys),
            "sign": chips.panel.announce,
            "buzzer": chips.panel.buzzer,
            "lamps": [list(colour) for colour in chips.lamps.pixels],
            "lamp_changes": chips.lamps.shows,
            "still": self.world.still,
            "spins": self.spins.count,
            "boot": board.boot_id,
            "boots": board.boots,
            "running": board.running,
            "power_cuts": board.power_cuts,
            "watchdog_bites": board.watchdog_bites,
            "plugged": line.plugged,
            "unplugs": line.unplugs,
            "line": {"to_host": vars(line.to_host.counts), "from_host": vars(line.from_host.counts)},
            "flash_bytes": self.flash.bytes_written,
            "flash_erases": sum(self.flash.erases),
            "phase": self.tap.phase,
            "pending": self.tap.pending,
            "rounds": self.dealer.rounds if self.dealer is not None else 0,
            "faults": self.faults.done,
            "wrong_use": list(chips.wrong_use),
        }

    # --- the loop -----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Until stopped, or until the spins asked for are played and delivered. FirmwareFailed, NotDelivered."""
        self.board.power_on()
        self._write_notes()
        while not self._stopping and not self._all_played():
            self._turn()

    def _turn(self) -> None:
        board, now = self.board, time.monotonic()
        if self._plug_at is not None and now >= self._plug_at:
            self.plug_in()
        self.line.pump_in(now)
        if self.dealer is not None:
            self._pace.idle(self.dealer.idle and self.world.still, self.world.now_us)
        if not board.running:
            board.step_off(OFF_STEP_US)
            self._sleep(self._pace.ahead(self.world.now_us), now)
        elif board.waiting:
            ahead = self._pace.ahead(self.world.now_us)
            if ahead < LEAST_SLEEP_SECONDS or (ahead < LEAD_SECONDS and self.line.waiting):
                board.release()
                self._sleep(0.0, now)
            else:
                self._sleep(ahead, now)
                return
        for _ in range(SERVES):
            if not board.running or board.waiting:
                break
            if not board.asks(QUIET_SECONDS):
                board.check_hung()
                break
            board.serve()
        self.line.pump_out(time.monotonic())

    def _sleep(self, seconds: float, now: float) -> None:
        """At most so long; line and control are served meanwhile, and end it."""
        dues = [due for due in (self.line.next_due(), self.control.next_due() if self.control else None) if due]
        limit = min([max(0.0, seconds), QUIET_SECONDS, *(max(0.0, due - now) for due in dues)])
        readers: list[Any] = [*(self.control.readers() if self.control else ())]
        if self.line.wants_read:
            readers.append(self.line)
        ready, _, _ = select.select(readers, (), (), limit)
        now = time.monotonic()
        for one in ready:
            if one is self.line:
                self.line.pump_in(now)
            elif self.control is not None:
                self.control.handle(one)
        self.line.pump_out(now)
        if self.control is not None and self.control.streams:
            self.control.stream(now)

    def _all_played(self) -> bool:
        """Every spin asked for is in the truth, its round is over, and a host that was there has taken every record."""
        wanted = self.plan.spins
        if wanted is None or self.truth.spins < wanted:
            return False
        if self.dealer is not None:
            if not self.dealer.paused:
                self.dealer.paused = True
                self._last_round = self.dealer.rounds + 1
            if self._last_round is not None and self.dealer.rounds < self._last_round:
                return False
        now = time.monotonic()
        if self._over_since is None:
            self._over_since, self._over_us = now, self.world.now_us
        if not self.line.from_host.counts.bytes:
            return True  # nobody ever listened: the records stay in the flash
        if self.tap.pending == 0 and self._told_since_over():
            return True
        if now - self._over_since > DELIVERY_SECONDS:
            raise NotDelivered(f"{self.tap.pending} records were not taken by the host within {DELIVERY_SECONDS:.0f} s")
        return False

    def _told_since_over(self) -> bool:
        """What the controller last told is of the time when the last record was already stored."""
        uptime_ms = self.tap.uptime_ms
        return uptime_ms is not None and self.board.boot_us + uptime_ms * 1000 >= self._over_us - TOLD_SLACK_US

    def close(self) -> None:
        self.board.off()
        if self.control is not None:
            self.control.close()
        self.truth.close()
        self.flash.close()
