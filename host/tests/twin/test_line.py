"""The serial line: a pty at a stable path, its cable, and noise that repeats with its seed."""

from __future__ import annotations

import errno
import os
import random
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
from tumbler.twin.line import BUFFER_BYTES, Line, Noise, Way


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    made = Line(tmp_path / "controller", 7)
    made.plug()
    yield made
    made.unplug()


def opened(line: Line) -> int:
    fd = os.open(line.link, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(fd)
    return fd


def test_bytes_cross_both_ways_whatever_they_are(line: Line) -> None:
    host = opened(line)
    every = bytes(range(256))
    os.write(host, every)
    line.pump_in(time.monotonic())
    assert line.take(300) == every
    assert line.give(every) == 256
    line.pump_out(time.monotonic())
    assert os.read(host, 300) == every
    os.close(host)


def test_a_pulled_cable_kills_the_port_and_the_same_path_lives_again(line: Line) -> None:
    host = opened(line)
    line.pull_out()
    assert not line.link.is_symlink()
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        os.write(host, b"x")
    os.close(host)
    line.plug()  # the controller restarts: the cable is still out
    assert not line.plugged
    line.push_in(powered=True)
    host = opened(line)
    os.write(host, b"again")
    line.pump_in(time.monotonic())
    assert line.take(9) == b"again"
    os.close(host)


def test_a_host_that_does_not_read_fills_the_buffers_and_no_more(line: Line) -> None:
    host = opened(line)
    sent = 0
    for _ in range(1000):
        took = line.give(bytes(512))
        line.pump_out(time.monotonic())
        sent += took
        if not took:
            break
    assert line.give(b"x") == 0
    assert line.unsent == BUFFER_BYTES
    assert sent < 100_000
    os.close(host)


def test_a_host_that_leaves_does_not_hang_the_line_up(line: Line) -> None:
    os.close(opened(line))
    line.pump_in(time.monotonic())
    assert line.plugged
    host = opened(line)
    os.write(host, b"back")
    line.pump_in(time.monotonic())
    assert line.take(9) == b"back"
    os.close(host)


def test_noise_repeats_with_its_seed_and_is_counted() -> None:
    noise = Noise(flip=0.001, drop=0.01, insert=0.01, double=0.01, burst=0.002)
    data = bytes(range(256)) * 20
    out = []
    for seed in (3, 3, 4):
        way = Way(random.Random(seed), noise)
        way.put(data, 0.0)
        out.append((way.arrived(0.0), vars(way.counts)))
    assert out[0] == out[1]
    assert out[0][0] != out[2][0] != data
    assert all(out[0][1][name] > 0 for name in ("flips", "drops", "inserts", "doubles", "bursts"))


def test_a_bit_error_rate_is_one_of_bits() -> None:
    way = Way(random.Random(1), Noise(flip=0.001))
    data = bytes(50_000)
    way.put(data, 0.0)
    wrong = sum(byte.bit_count() for byte in way.arrived(0.0))
    assert 300 < wrong < 500  # 400 000 bits


def test_delayed_bytes_keep_their_order() -> None:
    way = Way(random.Random(1), Noise(delay=0.01, jitter=0.05))
    for i in range(50):
        way.put(bytes((i,)), i * 0.001)
    assert way.arrived(0.005) == b""
    assert way.arrived(1.0) == bytes(range(50))


def test_a_stalled_line_keeps_what_it_has(line: Line) -> None:
    host = opened(line)
    os.set_blocking(host, False)
    now = time.monotonic()
    line.stall(now + 60.0)
    line.give(b"late")
    line.pump_out(now)
    with pytest.raises(BlockingIOError):
        os.read(host, 9)
    line.pump_out(now + 61.0)
    assert os.read(host, 9) == b"late"
    os.close(host)
