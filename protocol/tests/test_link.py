"""The link on a bad line: everything arrives once and in order, results go first, a dead peer is noticed."""

from __future__ import annotations

import random

import pytest
from dicewire import codes
from dicewire.messages import COMMIT, EVENT, STATE, TIME
from dicewire.session import CONTROLLER, DOWN, HOST, Session

from .wire import Wire


def _event(n: int) -> dict[str, object]:
    return {"code": n, "severity": 0, "a": n, "b": -n, "uptime_ms": n, "wall_ms": n, "text": f"event {n}"}


def _flood(wire: Wire, count: int) -> None:
    """`count` messages each way, as fast as the queues take them, sent again when a session ends before their ack."""
    waiting = [list(range(count)), list(range(count))]
    send = ((TIME, lambda n: {"wall_ms": n}), (EVENT, _event))
    # What a dying session hands back may have arrived: the owner sends it again under its own number, as RESULT does.
    for role in (HOST, CONTROLLER):
        wire.told[role].clear()

    def event(role: int, told: tuple[object, ...]) -> None:
        if told[0] == DOWN:
            for _, number, payload in told[2]:  # type: ignore[attr-defined]
                assert number == send[role][0]
                back = int.from_bytes(payload[:8], "little") if role == HOST else int.from_bytes(payload[:2], "little")
                waiting[role].append(back)
            waiting[role].sort()

    wire.on_event = event

    def done() -> bool:
        for role, session in enumerate(wire.sides):
            number, values = send[role]
            while waiting[role] and session.send(number, values(waiting[role][0]), wire.now):
                waiting[role].pop(0)
        return not any(waiting) and not any(s.counters["queue"] for s in wire.sides)

    wire.run(done, 600_000)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rate", [0.0, 1e-4, 1e-3, 5e-3])
def test_everything_arrives_once_and_in_order(seed: int, rate: float) -> None:
    wire = Wire(seed).join()
    for line in wire.lines:
        line.flip = line.drop = line.double = rate
    sessions = wire.host.counters["sessions"]
    _flood(wire, 150)
    at_host = [m["a"] for m in wire.messages(HOST, EVENT)]
    at_controller = [m["wall_ms"] for m in wire.messages(CONTROLLER, TIME)]
    if wire.host.counters["sessions"] == sessions:  # one session: exactly once
        assert at_host == at_controller == list(range(150))
    assert set(at_host) == set(at_controller) == set(range(150))
    if rate:
        assert sum(line.hurt for line in wire.lines) > 0
        if rate >= 1e-3:
            assert wire.host.counters["retransmits"] + wire.controller.counters["retransmits"] > 0
    else:
        assert wire.host.counters["retransmits"] == wire.controller.counters["retransmits"] == 0


def test_results_overtake_what_waits() -> None:
    wire = Wire(3, delay=20).join()
    sent = 0
    while wire.host.send(TIME, {"wall_ms": sent}, wire.now):
        sent += 1
    assert wire.host.send(COMMIT, {"spin": 1}, wire.now), "slots are left for results when commands have filled theirs"
    order: list[int] = []
    wire.on_event = lambda role, told: order.append(told[1]) if role == CONTROLLER else None
    wire.run(lambda: len(order) == sent + 1)
    assert order.index(COMMIT) < sent - 1
    assert [m["wall_ms"] for m in wire.messages(CONTROLLER, TIME)] == list(range(sent))


def test_a_silent_peer_is_noticed_and_comes_back() -> None:
    wire = Wire(5).join()
    for line in wire.lines:
        line.cut = True
    wire.run(lambda: not wire.host.up and not wire.controller.up, 20_000)
    wire.turn()
    assert wire.told[HOST][-1][:2] == (DOWN, codes.DOWN_SILENT)
    for line in wire.lines:
        line.cut = False
    wire.join()


def test_a_message_that_cannot_be_delivered_is_handed_back() -> None:
    wire = Wire(6).join()
    wire.lines[HOST].cut = True
    handle = wire.host.send(COMMIT, {"spin": 77}, wire.now)
    wire.run(lambda: not wire.host.up, 30_000)
    wire.turn()
    down = next(event for event in wire.told[HOST] if event[0] == DOWN)
    assert down[1] == codes.DOWN_NO_PROGRESS
    assert down[2] == ((handle, COMMIT, (77).to_bytes(4, "little")),)


def test_a_restarted_controller_is_noticed_at_once() -> None:
    wire = Wire(7).join()
    wire.restart(CONTROLLER, boot_id=b"newboot!")
    wire.host.send(COMMIT, {"spin": 1}, wire.now)
    started = wire.now
    wire.run(lambda: wire.controller.up, 2_000)
    assert wire.now - started < 1_000
    assert wire.host.peer["boot_id"] == b"newboot!"
    assert (DOWN, codes.DOWN_PEER_RESTARTED) in [event[:2] for event in wire.told[HOST]]


def test_a_restarted_host_replaces_its_session() -> None:
    wire = Wire(8).join()
    wire.restart(HOST)
    wire.run(lambda: wire.host.up and wire.controller.counters["sessions"] == 2, 3_000)
    assert (DOWN, codes.DOWN_REPLACED) in [event[:2] for event in wire.told[CONTROLLER]]


def test_tampering_and_noise_are_told_apart() -> None:
    """A frame with a right CRC and a wrong tag is tampering: it is counted as such and never delivered."""
    from dicewire.frame import FrameWriter

    wire = Wire(9).join()
    writer = FrameWriter({"frames_out": 0}, 1)
    body = (5).to_bytes(4, "little") + bytes(8)
    writer.put(COMMIT, 0, 0, wire.host._link.session, body, len(body))
    wire.controller.receive(writer.view(), wire.now)
    assert wire.controller.counters["tag_errors"] == 1
    assert wire.controller.counters["crc_errors"] == 0
    assert wire.controller.next_event() is None
    wire.host.send(COMMIT, {"spin": 6}, wire.now)
    wire.run(lambda: bool(wire.messages(CONTROLLER, COMMIT)))
    assert wire.messages(CONTROLLER, COMMIT) == [{"spin": 6}]


def test_a_recorded_session_cannot_be_played_again() -> None:
    wire = Wire(10).join()
    recorded: list[bytes] = []
    original = wire.lines[HOST].put
    wire.lines[HOST].put = lambda data, now: (recorded.append(data), original(data, now))[1]  # type: ignore[method-assign]
    wire.host.send(COMMIT, {"spin": 9}, wire.now)
    wire.run(lambda: bool(wire.messages(CONTROLLER, COMMIT)))
    for again in range(3):
        wire.controller.receive(b"".join(recorded), wire.now + again)
    wire.run(lambda: not wire.host.counters["queue"])
    assert wire.messages(CONTROLLER, COMMIT) == [{"spin": 9}]
    assert wire.controller.counters["dupes"] >= 3
    wire.restart(CONTROLLER)
    wire.told[CONTROLLER].clear()
    wire.controller.receive(b"".join(recorded), wire.now)
    assert wire.controller.next_event() is None


def test_an_echo_of_ones_own_frames_is_known() -> None:
    host = Session(HOST, bytes(32), {}, 0, random.Random(1).randbytes)
    out = bytes(host.to_send(0))
    host.sent(len(out))
    host.receive(out, 1)
    assert host.counters["echoes"] == 1
    assert host.next_event() is None


def test_windows_and_frames_are_the_smaller_of_both() -> None:
    wire = Wire(11, controller={"window": 3, "max_frame": 180}).join()
    assert wire.controller.send(EVENT, _event(1) | {"text": "x" * 64}, wire.now)
    longest = 0
    for session in wire.sides:
        assert session._link.max_frame == 180
    for n in range(30):
        wire.host.send(TIME, {"wall_ms": n}, wire.now)
    for _ in range(200):
        wire.turn()
        longest = max(longest, len(wire.host._link._flight))
    assert 0 < longest <= 3
    assert len(wire.messages(CONTROLLER, TIME)) == 30


def test_state_of_an_unknown_message_is_rejected_and_the_session_lives() -> None:
    wire = Wire(12).join()
    slot = wire.host._link.take(1)
    assert slot is not None
    wire.host._link.queue(slot, 0x7E, 0, 1, True)
    from dicewire import link as link_room

    link_room.LAYOUTS[0x7E] = link_room.LAYOUTS[TIME]
    try:
        wire.turn()
    finally:
        del link_room.LAYOUTS[0x7E]
    wire.run(lambda: any(e[0] == 4 for e in wire.told[CONTROLLER]) and any(e[0] == 4 for e in wire.told[HOST]))
    assert any(e[0] == 4 and e[1] == codes.REFUSAL_UNKNOWN_MESSAGE and "0x7e" in e[2] for e in wire.told[CONTROLLER])
    assert wire.host.up
    assert wire.controller.up
    assert STATE in link_room.LAYOUTS
