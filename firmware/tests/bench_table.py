"""A whole table on the bench: the controller's own files, the bench's board, a host on the cable, and a dealer's hands.

Time is virtual: a round takes a few milliseconds of the test's. The power can be cut between any two turns of the loop, or
at any byte that is written to flash.
"""

import struct
import zlib

from bench_board import Board, Reset
from bench_host import Host
from controller import panel
from controller.table import Table
from cuts import CutFiles
from dicewire import codes
from dicewire import messages as wire
from slots import Slots
from tumbler.rules.gametable import compile_book
from tumbler.rules.tableplay import Play

KEY = bytes(range(32))
SICBO = "crown-melbourne-sicbo-a"


def die_rows(dice=3):
    """(uid, die, face) of every tag."""
    return [
        (bytes((0xE0, 4, 1, 0, 0, 0, die, face)), die, face)
        for die in range(dice)
        for face in range(1, 7)
    ]  # fmt: skip


def dice_file(rows):
    body = b"TDM1" + bytes((len(rows),)) + b"".join(uid + bytes((die, face)) for uid, die, face in rows)
    return body + struct.pack("<I", zlib.crc32(body))


class Bench:
    def __init__(self, folder, book=SICBO, game=True, provision=True, host=True, seed=1, program=None):
        self.folder = folder
        self.program = program  # where slots lie, on a table that has them
        self.image = compile_book(book)
        self.dice = Play(book).dice
        self.rows = die_rows(self.dice)
        self.seed = seed
        self.defect_expected = False
        self.files = CutFiles(str(folder))
        if provision:
            self.files.replace("key.bin", KEY)
            self.files.replace("dice.bin", dice_file(self.rows))
        self.host = None
        self._with_host = host
        self.board = None
        self.power_on()
        if game and host:
            self.bring_game()

    # ---- power ----

    def power_on(self, cause=codes.RESET_POWER_ON, budget=None, files=None):
        """A new board on the old flash. What lies on the plate stays as it was."""
        now = self.board.now + 500 if self.board else 0
        old, self.seed = self.board, self.seed + 1
        self.board = Board(str(self.folder), self.rows, now, self.seed, cause)
        if self.program:
            self.board.slots = Slots(str(self.program))
            self.board.slots.choose()
        if old:
            self.board.tags.dice = old.tags.dice
            self.board.cover.is_closed = old.cover.is_closed
        else:
            self.board.tags.dice = [1, 2, 3][: self.dice]
        self.files = files or CutFiles(str(self.folder), budget)
        if self._with_host:
            old_host, self.host = self.host, Host(self.board.port, KEY, self.board.now)
            if old_host:
                self.host.goes_on_from(old_host)
        self.table = Table(self.board, self.files)
        self.table.start()

    @property
    def round(self):
        return self.table.round

    @property
    def state(self):
        return self.table.parts.store.state

    @property
    def phase(self):
        return self.table.round.phase

    # ---- time ----

    def turn(self):
        wait = self.table.step()
        if not self.defect_expected:
            assert not self.table.parts.faults.bits & codes.FAULT_PROGRAM, self.table.parts.log.dump().decode()
        if self.host:
            self.host.step(self.board.now)
        self.board.clock.wait(wait)

    def run(self, ms):
        end = self.board.now + ms
        while self.board.now < end:
            self.turn()

    def until(self, ready, ms=60000, why=""):
        end = self.board.now + ms
        while not ready():
            assert self.board.now < end, f"not in {ms} ms: {why or ready}; phase {self.phase}"
            self.turn()

    def until_phase(self, *phases, ms=60000):
        self.until(lambda: self.phase in phases, ms, f"phase {phases}")

    def until_reset(self, ms=20000):
        try:
            self.run(ms)
        except Reset as reset:
            return reset.cause
        raise AssertionError(f"no reset in {ms} ms")

    # ---- host ----

    def bring_game(self):
        host = self.host
        self.until(lambda: host.session.up, why="session up")
        host.send(wire.SETTINGS, self.board.now, **self.settings())
        host.send_game(self.image.data, self.board.now)
        self.until(lambda: host.bulk_ends, why="game table sent")
        host.send(wire.GAME_USE, self.board.now, hash=self.image.hash)
        self.until(lambda: host.last(wire.GAME_ACTIVE), why="GAME_ACTIVE")
        self.until_phase(codes.PHASE_BETTING_OPEN)

    @staticmethod
    def settings(**changes):
        names = "min_spin_ms min_tumbles entry auto_paid_ms spin_ms spin_rpm still_reads lock_after brightness"
        return {**dict.fromkeys(names.split(), 0), "min_tumbles": 8, **changes}

    def set(self, **changes):
        self.host.send(wire.SETTINGS, self.board.now, **self.settings(**changes))
        self.run(100)

    def command(self, op, arg=0, role=codes.ROLE_TG_AREA_MANAGER):
        req = self.host.next_req()
        self.host.send(wire.COMMAND, self.board.now, req=req, op=op, arg=arg, role=role)
        self.until(lambda: any(v["req"] == req for v in self.host.all(wire.COMMAND_RSP)), why="COMMAND_RSP")
        return next(v["code"] for v in self.host.all(wire.COMMAND_RSP) if v["req"] == req)

    def service(self, op, data=b""):
        req = self.host.next_req()
        self.host.send(wire.SERVICE_REQ, self.board.now, req=req, op=op, data=data)
        self.until(lambda: any(v["req"] == req for v in self.host.all(wire.SERVICE_RSP)), why="SERVICE_RSP")
        answer = next(v for v in self.host.all(wire.SERVICE_RSP) if v["req"] == req)
        return answer["ok"], answer["data"]

    # ---- dealer ----

    def press(self, key):
        self.board.panel.pressed.append(key)
        self.run(30)

    def cover(self, closed):
        self.board.cover.is_closed = closed
        self.run(60)

    def lay(self, *shown):
        """Dice that show these faces."""
        self.board.tags.dice = [7 - face for face in shown]

    def spin(self):
        self.cover(True)
        self.press(panel.SPIN)
        assert self.phase in (codes.PHASE_SPINNING, codes.PHASE_NO_MORE_BETS), self.phase

    def close_bets(self):
        self.press(panel.NO_MORE_BETS)
        assert self.phase == codes.PHASE_NO_MORE_BETS

    def wait_for_rest(self):
        self.until(lambda: not self.table.parts.spin.running, 30000, "the dice rest")

    def to_reading(self):
        self.spin()
        if self.phase == codes.PHASE_SPINNING:
            self.close_bets()
        self.wait_for_rest()
        self.cover(False)

    def play(self, *shown):
        """A round up to its result or no spin."""
        if shown:
            self.lay(*shown)
        self.to_reading()
        self.until_phase(codes.PHASE_RESULT, codes.PHASE_NO_SPIN, codes.PHASE_LOCKED)

    def pay(self):
        self.press(panel.CONFIRM)
        self.until_phase(codes.PHASE_BETTING_OPEN, codes.PHASE_CLOSING)

    def records(self):
        """Every record the controller keeps, oldest first: (spin, kind, values)."""
        store = self.table.parts.store
        first = store.oldest_spin()
        return [(spin, *store.fetch(spin)) for spin in range(first, store.state.last_spin + 1)] if first else []
