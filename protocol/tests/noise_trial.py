"""Runs on CPython and on MicroPython: a session fed random bytes for long never raises and never grows.

Prints "bytes N grown M" (M: bytes of heap still taken after the last half of the noise; 0 on CPython, which can't say).
Arguments: seed, kilobytes. Not a test module.
"""

import gc
import random
import sys

from dicewire.session import CONTROLLER, HOST, Session

HELLO = {
    "boot_id": bytes(8),
    "epoch": bytes(4),
    "reset_cause": 1,
    "game_hash": bytes(32),
    "dice": 3,
    "firmware": "trial",
    "board": "trial",
    "uid": "00",
}


def taken():
    gc.collect()
    return gc.mem_alloc() if hasattr(gc, "mem_alloc") else 0


def main(seed, kilobytes):
    random.seed(seed)
    both = [
        Session(role, bytes(32), HELLO if role == CONTROLLER else {}, 0, lambda n: bytes(n))
        for role in (HOST, CONTROLLER)
    ]
    piece = bytearray(64)
    before = 0
    now = 0
    for i in range(kilobytes * 16):
        for j in range(64):
            # Rather many zeros: many short frames.
            piece[j] = random.getrandbits(8) if random.getrandbits(3) else 0
        now += 5
        for s in both:
            s.receive(piece, now)
            s.step(now)
            s.sent(len(s.to_send(now)))
            while s.next_event() is not None:
                pass
            assert not s.up
        if i == kilobytes * 8:
            before = taken()
    print("bytes %d grown %d" % (kilobytes * 1024, taken() - before))


main(int(sys.argv[1]), int(sys.argv[2]))
