# Runs one game table through every state and every throw and prints what it says; on CPython and on MicroPython.
# Arguments: the folder of the controller's files, the file with the table. test_game.py compares the output.

import sys

sys.path.insert(0, sys.argv[1])

from controller.game import GameTable


def throws(dice):
    for a in range(1, 7):
        for b in range(1, 7):
            if dice == 2:
                yield bytes((a, b))
            else:
                for c in range(1, 7):
                    yield bytes((a, b, c))


def long_hand():
    """Throws of two dice that complete every bonus bet, lose some on a 7 and complete some again."""
    for a in range(1, 7):
        for b in range(1, 7):
            if a + b != 7:
                yield bytes((a, b))
    seed = 1
    for _ in range(400):
        seed = (seed * 1103515245 + 12345) & 0x3FFFFFFF
        yield bytes((1 + (seed >> 12) % 6, 1 + (seed >> 20) % 6))


def locked_look_up(game, state, faces):
    """look_up with the heap locked: an allocation in it raises MemoryError."""
    if sys.implementation.name != "micropython":
        game.look_up(state, faces)
        return
    import micropython

    micropython.heap_lock()
    try:
        game.look_up(state, faces)
        game.collect(5, faces)
    finally:
        micropython.heap_unlock()


def main():
    with open(sys.argv[2], "rb") as file:
        data = file.read()
    game = GameTable(data)
    print("game", game.book, game.hash.hex(), game.dice, game.states, game.areas, game.pixels, int(game.symbols))
    for area in range(game.areas):
        print("area", area, game.area_name(area), game.area_first(area), game.area_count(area))
    for state in range(game.states):
        print("state", state, game.puck_at(state), game.puck_pixel(game.puck_at(state)))
        for faces in throws(game.dice):
            locked_look_up(game, state, faces)
            text = "".join(str(face) for face in faces)
            print("roll", state, text, game.next_state, game.puck, bytes(game.lit).hex())
    for bit in range(game.bonus_bits):
        print("bonus", bit, game.bonus_pixel(bit))
    collected = 0
    for faces in long_hand():
        collected = game.collect(collected, faces)
        print("collect", "".join(str(face) for face in faces), collected, game.completed)
    if sys.implementation.name == "micropython":
        import time

        last = bytes([6] * game.dice)
        start = time.ticks_us()
        for _ in range(1000):
            game.look_up(game.states - 1, last)
        print("ns", time.ticks_diff(time.ticks_us(), start))


main()
