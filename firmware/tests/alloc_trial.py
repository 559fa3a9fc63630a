# How many bytes each turn of the loop allocates while the motor turns and nothing is said on the wire. Runs on MicroPython:
# alloc_trial.py FIRMWARE TESTS PROTOCOL STATE. STATE is a folder with key.bin, dice.bin and an installed game table.

import gc
import sys

sys.path[:0] = sys.argv[1:4]

import bench_board  # noqa: E402  (found by the path above)
from controller import spin  # noqa: E402
from controller.table import Table  # noqa: E402

TURNS = 100
TAGS = [(bytes((0xE0, 4, 1, 0, 0, 0, die, face)), die, face) for die in range(3) for face in range(1, 7)]


def run_until(table, board, ready):
    for _ in range(5000):
        if ready():
            return
        board.advance(table.step())
    raise SystemExit(table.parts.log.dump().decode())


board = bench_board.Board(sys.argv[4], TAGS)
table = Table(board)
table.start()
run_until(table, board, lambda: table.round.phase == 2)
board.panel.pressed.append(10)
run_until(table, board, lambda: table.parts.spin.state == spin.DRIVE and table.parts.spin.rpm > 100)
gc.collect()
gc.disable()
turns = []
for _ in range(TURNS):
    before = gc.mem_alloc()
    wait = table.step()
    turns.append(gc.mem_alloc() - before)
    board.advance(wait)
    gc.collect()  # what the trial's own board takes is not the table's
assert table.parts.spin.state == spin.DRIVE
print("bytes", sum(turns), "most", max(turns), "turns", TURNS)
