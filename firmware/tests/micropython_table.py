"""The firmware as the device has it: boot.py and main.py on MicroPython with a heap of 192 KB, the twin's chips at its pins.

Dice lie as a test says (no physics), the plate shakes while the motor turns, time runs as fast as it can. The cable ends in
the test's own host session. Not for the table's rules, which are tested faster on the bench (bench_table.py).
"""

import math
import time
from dataclasses import dataclass, field

from bench_host import Host
from bench_table import KEY, SICBO, dice_file
from controller import panel
from dicewire import codes
from dicewire import messages as wire
from tumbler.eye.calibrate import calibration_files
from tumbler.rules.gametable import compile_book
from tumbler.rules.tableplay import Play
from tumbler.twin.board import Board
from tumbler.twin.bus import Bus, Seed
from tumbler.twin.camera import EASY, SETS, TableScene
from tumbler.twin.chips.dice import DIE_EDGE_M, FACE_NORMALS, DiceSet
from tumbler.twin.chips.table import TableChips
from tumbler.twin.flash import Flash
from tumbler.twin.lines import Lines
from tumbler.twin.process import Controller, firmware_tree
from tumbler.twin.provision import READERS
from tumbler.twin.rom import rom_image

STEP_US = 1000
KEY_NAMES = {panel.SPIN: "spin", panel.NO_MORE_BETS: "no_more_bets", panel.CONFIRM: "confirm", panel.NO_SPIN: "no_spin"}
KEY_NAMES.update({face - 1: str(face) for face in range(1, 7)})


@dataclass
class Pose:
    position: tuple
    rotation: tuple


def lying(shown, x, y=0.0):
    """A die on the plate that shows this face."""
    up = tuple(float(v) for v in FACE_NORMALS[shown])
    aside = (up[1], up[2], up[0])  # another axis of the die, whichever
    across = tuple(up[(i + 1) % 3] * aside[(i + 2) % 3] - up[(i + 2) % 3] * aside[(i + 1) % 3] for i in range(3))
    c, s = math.cos(0.35 + 20 * x), math.sin(0.35 + 20 * x)  # no two turned alike, as dice fall
    first = tuple(c * a - s * b for a, b in zip(aside, across, strict=True))
    second = tuple(s * a + c * b for a, b in zip(aside, across, strict=True))
    return Pose((x, y, DIE_EDGE_M / 2), (first, second, up))


@dataclass
class World:
    dice: list = field(default_factory=lambda: [lying(face, x) for face, x in ((1, 0.0), (2, 0.03), (3, -0.03))])
    keys: tuple = ()
    cover_closed: bool = True
    door_closed: bool = True
    acceleration: tuple = (0.0, 0.0, 1.0)


class Cable:
    """Both ends of the line: the twin's Board sees `Line`'s methods, the host the two buffers."""

    def __init__(self):
        self.to_controller = bytearray()
        self.to_host = bytearray()
        self.plugged = False

    def plug(self):
        self.plugged = True

    def unplug(self):
        self.plugged = False
        self.to_controller.clear()
        self.to_host.clear()

    @property
    def waiting(self):
        return len(self.to_controller)

    def take(self, most):
        taken = bytes(self.to_controller[:most])
        del self.to_controller[:most]
        return taken

    def give(self, data):
        self.to_host += data
        return len(data)


class MicropythonTable:
    """`reader` as in fitted.py; with a camera the program runs in place and the dice are rendered. `more`: files
    that it is provisioned with."""

    def __init__(self, folder, book=SICBO, reader="tags", die_set="white", difficulty=EASY, blocks=64, more=None):
        self.image = compile_book(book)
        provision = folder / "provision"
        provision.mkdir(exist_ok=True)
        self.dice = Play(book).dice
        dice_set = DiceSet.made_from(1, self.dice)
        rows = [(dice_set.uid(die, face), die, face) for die in range(self.dice) for face in range(1, 7)]
        for name, data in (more or {}).items():
            (provision / name).write_bytes(data)
        (provision / "key.bin").write_bytes(KEY)
        (provision / "dice.bin").write_bytes(dice_file(rows))
        self.lines = Lines()
        self.flash = Flash(folder / "flash.img", blocks=blocks)
        self.cable = Cable()
        bus = Bus(self.lines, self.flash, self.cable, Seed(1), bytes(range(8)))
        self.world = World()
        del self.world.dice[self.dice :]
        scene = rom = None
        if reader != "tags":
            scene = TableScene(self.world, SETS[die_set], difficulty, 1)
            rom = rom_image(firmware_tree())
            (provision / "readers.bin").write_bytes(bytes((READERS[reader],)))
            for name, data in calibration_files(scene, die_set, self.dice).items():
                (provision / name).write_bytes(data)
        self.scene = scene
        self.chips = TableChips(bus, self.world, dice_set, 1, scene=scene)
        self.controller = Controller(folder, self.flash, provision=provision, rom=rom)
        self.board = Board(self.controller, bus, self.cable, self._advance)
        self.board.on_power.append(self.chips.power)
        self.host = Host(self.cable, KEY, self._wall())
        self.board.power_on()

    def close(self):
        self.board.off()
        self.flash.close()

    @staticmethod
    def _wall():
        return int(time.monotonic() * 1000)

    def _advance(self, us):
        end = self.lines.now_us + us
        while self.lines.now_us < end:
            step = min(STEP_US, end - self.lines.now_us)
            self.lines.now_us += step
            self.chips.step_motor(step / 1e6)
            shake = math.sin(self.lines.now_us / 6000) * min(1.0, abs(self.chips.bridge.motor.rpm) / 300)
            self.world.acceleration = (shake, 0.5 * shake, 1.0 + shake)
            self.chips.advance(self.lines.now_us)

    def turn(self):
        """Until the firmware waits, or one step without power."""
        if not self.board.running:
            self.board.step_off(10_000)
            return
        while self.board.running and not self.board.waiting:
            self.board.serve()
        self.host.step(self._wall())
        if self.board.waiting:
            self.board.release()

    def run(self, ms):
        end = self.lines.now_us + ms * 1000
        while self.lines.now_us < end:
            self.turn()

    def until(self, ready, ms=60000, seconds=30.0, why=""):
        """Table time or wall time, whichever ends first: the wire lives in the latter."""
        end, wall_end = self.lines.now_us + ms * 1000, time.monotonic() + seconds
        while not ready():
            assert self.lines.now_us < end or time.monotonic() < wall_end, f"{why}; {self.controller.last_words()}"
            self.turn()

    @property
    def phase(self):
        state = self.host.last(wire.STATE)
        return state["phase"] if state else codes.PHASE_BOOT

    def until_phase(self, *phases):
        self.until(lambda: self.phase in phases, why=f"phase {phases}, stands at {self.phase}")

    def bring_game(self):
        host = self.host
        self.until(lambda: host.session.up, why="session up")
        host.send_game(self.image.data, self._wall())
        self.until(lambda: host.bulk_ends, why="game table sent")
        host.send(wire.GAME_USE, self._wall(), hash=self.image.hash)
        self.until_phase(codes.PHASE_BETTING_OPEN)

    def heap_free(self):
        """What the firmware itself says after a collection, by the technician's request."""
        req = self.host.next_req()
        self.host.send(wire.SERVICE_REQ, self._wall(), req=req, op=codes.SERVICE_INFO, data=b"")
        self.until(lambda: any(v["req"] == req for v in self.host.all(wire.SERVICE_RSP)), why="SERVICE_RSP")
        lines = self.host.last(wire.SERVICE_RSP)["data"].decode().split("\n")
        return int(dict(line.split("=") for line in lines)["heap_free"])

    def press(self, key):
        self.world.keys = (KEY_NAMES[key],)
        self.run(80)
        self.world.keys = ()
        self.run(80)

    def play(self, *shown):
        self.play_until(codes.PHASE_RESULT, *shown)

    def play_until(self, phase, *shown):
        """A whole spin, up to this phase or a no spin."""
        self.world.cover_closed = True
        self.run(100)
        self.press(panel.SPIN)
        self.until_phase(codes.PHASE_SPINNING, codes.PHASE_NO_MORE_BETS)  # after a no spin the bets are closed still
        self.press(panel.NO_MORE_BETS)
        self.until_phase(codes.PHASE_NO_MORE_BETS)
        self.run(7000)
        if shown:
            self.world.dice = [lying(face, x) for face, x in zip(shown, (0.0, 0.025, -0.025), strict=False)]
        self.world.cover_closed = False
        self.until_phase(phase, codes.PHASE_NO_SPIN)

    def pay(self):
        self.press(panel.CONFIRM)
        self.until_phase(codes.PHASE_BETTING_OPEN)
