"""Opening a session: versions, keys, limits, silence, strangers. Each refusal is told in words, once."""

from __future__ import annotations

import random

import pytest
from dicewire import codes
from dicewire.frame import FrameReader, FrameWriter
from dicewire.messages import HELLO_REQ, PROTO, SCHEMA_HASH
from dicewire.session import CONTROLLER, HOST, REFUSED, UP, Session

from .wire import IDENTITY, Wire


def _refusals(wire: Wire, role: int) -> list[tuple[int, str]]:
    return [event[1:] for event in wire.told[role] if event[0] == REFUSED]


def test_both_sides_know_each_other_when_it_is_up() -> None:
    wire = Wire().join()
    wire.run(lambda: bool(wire.told[HOST]) and bool(wire.told[CONTROLLER]))
    kind, peer = wire.told[HOST][0]
    assert kind == UP
    assert {name: peer[name] for name in IDENTITY} == IDENTITY
    assert peer["schema_hash"] == SCHEMA_HASH


@pytest.mark.parametrize("seed", range(8))
def test_it_opens_on_a_bad_line(seed: int) -> None:
    wire = Wire(seed)
    for line in wire.lines:
        line.flip = line.drop = 2e-3
    wire.join()


def test_a_wrong_key_is_told_on_both_sides_and_opens_nothing() -> None:
    wire = Wire(keys=(bytes(32), bytes(31) + b"\x01"))
    wire.run(lambda: bool(_refusals(wire, HOST)) and bool(_refusals(wire, CONTROLLER)))
    assert _refusals(wire, CONTROLLER)[0][0] == _refusals(wire, HOST)[0][0] == codes.REFUSAL_KEY
    assert "key" in _refusals(wire, HOST)[0][1]
    for _ in range(20_000):
        wire.turn()
        assert not wire.host.up
        assert not wire.controller.up
    assert len(_refusals(wire, HOST)) == 1, "the same refusal is told once, not with every try"


def _newer_hello_req() -> bytes:
    writer = FrameWriter({"frames_out": 0}, 1)
    body = bytes([PROTO + 1]) + b"\xabcdefgh" + b"fields nobody knows yet"
    writer.put(HELLO_REQ, 0, 0, 0, body, len(body))
    return bytes(writer.view())


def test_a_newer_schema_is_refused_and_both_versions_are_named() -> None:
    controller = Session(CONTROLLER, bytes(32), dict(IDENTITY), 0, random.Random(2).randbytes)
    controller.receive(_newer_hello_req(), 1)
    told = controller.next_event()
    assert told is not None
    assert told[:2] == (REFUSED, codes.REFUSAL_SCHEMA)
    for version in (f"dicewire {PROTO + 1}/ab63646566676866", f"dicewire {PROTO}/{SCHEMA_HASH.hex()}"):
        assert version in told[2]
    assert "update the controller" in told[2]
    answered: list[bytes] = []
    counters = {name: 0 for name in ["bytes_in", "frames_in", "crc_errors", "resyncs"]}
    FrameReader(counters, 1024, lambda buf, a, b: answered.append(bytes(buf[a:b]))).feed(controller.to_send(1))
    assert len(answered) == 1
    assert SCHEMA_HASH.hex().encode() in answered[0]
    assert not controller.up


def test_a_host_tells_a_refusal_of_a_schema_it_cannot_read() -> None:
    """The controller's REFUSE of a version we don't know: its first nine bytes are enough to name both."""
    from dicewire.messages import REFUSE

    host = Session(HOST, bytes(32), {}, 0, random.Random(3).randbytes)
    host.sent(len(host.to_send(0)))
    writer = FrameWriter({"frames_out": 0}, 1)
    body = bytes([PROTO + 3]) + b"12345678" + b"\x01"
    writer.put(REFUSE | 0x80, 0, 0, 0, body, len(body))
    host.receive(writer.view(), 5)
    told = host.next_event()
    assert told is not None
    assert told[1] == codes.REFUSAL_SCHEMA
    assert f"dicewire {PROTO + 3}/" in told[2]
    assert "update the host" in told[2]


def test_silence_and_a_foreign_device_are_told_apart() -> None:
    for answer, code in ((b"", codes.REFUSAL_SILENT), (b"+++ATZ\r\nOK\r\n", codes.REFUSAL_FOREIGN)):
        host = Session(HOST, bytes(32), {}, 0, random.Random(4).randbytes)
        told: list[tuple[object, ...]] = []
        for now in range(0, 20_000, 10):
            out = len(host.to_send(now))
            host.sent(out)
            if out and answer:
                host.receive(answer, now)
            event = host.next_event()
            if event is not None:
                told.append(event)
        assert [event[1] for event in told] == [code]


@pytest.mark.parametrize(("hello", "word"), [({"window": 1}, "window 1"), ({"max_frame": 64}, "frame 64")])
def test_limits_that_cannot_be_met_are_named(hello: dict[str, int], word: str) -> None:
    wire = Wire(controller=hello)
    wire.run(lambda: bool(_refusals(wire, HOST)))
    assert _refusals(wire, HOST)[0][0] == codes.REFUSAL_LIMITS
    assert word in _refusals(wire, HOST)[0][1]


def test_a_forged_hello_ends_nothing() -> None:
    wire = Wire(13).join()
    forger = Session(HOST, b"another key" + bytes(21), {}, 0, random.Random(5).randbytes)
    wire.controller.receive(bytes(forger.to_send(0)), wire.now)
    for _ in range(3_000):
        wire.turn()
    assert wire.host.up
    assert wire.controller.up
    assert wire.controller.counters["sessions"] == 1


def test_a_hello_that_does_not_fit_is_an_error_at_the_start() -> None:
    with pytest.raises(ValueError, match="firmware"):
        Session(CONTROLLER, bytes(32), IDENTITY | {"firmware": "x" * 25}, 0, random.Random(6).randbytes)


def test_closing_is_told_and_opens_again() -> None:
    wire = Wire(14).join()
    wire.host.close(wire.now)
    wire.run(lambda: not wire.controller.up, 1_000)
    for _ in range(3_000):
        wire.turn()
    assert not wire.host.up
    wire.host.restart(wire.now)
    wire.join()
