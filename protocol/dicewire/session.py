"""Session: the one object that a side of the wire uses. Handshake, link and bulk behind bytes in, bytes out, events.

Each turn of the owner's loop: `receive()` what the port has, take every `next_event()`, `send()`, `step()`, write
`to_send()` to the port and tell `sent()` how much it took, wait at most `next_deadline()` ms. Nothing that comes over the
wire makes it raise. Events are tuples; `dicewire.events` says what is in them.
"""

import struct

from dicewire.clock import since
from dicewire.codec import decode, encode_into
from dicewire.codes import (
    DOWN_CLOSED,
    DOWN_CLOSED_BY_PEER,
    DOWN_NO_PROGRESS,
    DOWN_PEER_RESTARTED,
    DOWN_PORT_LOST,
    DOWN_REPLACED,
    DOWN_SILENT,
    REFUSAL_BAD_MESSAGE,
    REFUSAL_UNKNOWN_MESSAGE,
)
from dicewire.events import BULK_DONE, BULK_FAILED, BULK_OFFER, DOWN, MESSAGE, REFUSED, UP
from dicewire.frame import CRC, ENCODED, HEAD, TAG, FrameReader, FrameWriter
from dicewire.handshake import CONTROLLER, HOST, MOST_FRAME, MOST_WINDOW, Answerer
from dicewire.link import FIRST_SEQUENCED, GONE_SILENT, Link, Slot
from dicewire.messages import AUTH, BULK_DATA, BYE, HELLO_REQ, LAYOUTS, NO_SESSION, REJECT
from dicewire.transfers import Transfers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dicewire.bulk import Sink, Source
    from dicewire.opener import Opener

__all__ = (
    "BULK_DONE",
    "BULK_FAILED",
    "BULK_OFFER",
    "CONTROLLER",
    "DOWN",
    "HOST",
    "MESSAGE",
    "PRIORITY_BULK",
    "PRIORITY_COMMAND",
    "PRIORITY_RESULT",
    "REFUSED",
    "UP",
    "Session",
)

PRIORITY_RESULT = 0
PRIORITY_COMMAND = 1
PRIORITY_BULK = 2

_WAY = (0x00, 0x80)
_BACK_OFF_MS = 100  # between two answers to a stranger
_IDLE_MS = 1000
# What a side has where its hello says nothing: window, slots, frames in the writer, bytes in the reader. The controller's
# are 10 KB in all.
_LIMITS = {HOST: (32, 64, 16, 4096), CONTROLLER: (8, 14, 3, 2 * ENCODED)}
_COUNTERS = (
    "bytes_in bytes_out frames_in frames_out crc_errors tag_errors resyncs echoes stale dupes naks retransmits "
    "overruns auth_errors sessions rtt_ms queue"
)


class Session:
    """`hello`: own identity and limits. A host may give window and max_frame, a controller all fields of HELLO.

    Not on the wire, both optional: `slots` (messages that can wait) and `ping_ms` (quiet time before a ping).
    ValueError where the hello does not fit its declaration.
    """

    def __init__(
        self, role: int, key: bytes, hello: "dict[str, Any]", now: int, entropy: "Callable[[int], bytes]"
    ) -> None:
        window, slots, frames, room = _LIMITS[role]
        self.hello = dict(hello)  # the owner may change values in it; the next session has them
        slots = self.hello.pop("slots", slots)
        ping_ms = self.hello.pop("ping_ms", _IDLE_MS)
        self.hello["window"] = window = min(self.hello.get("window", window), MOST_WINDOW)
        self.hello["max_frame"] = min(self.hello.get("max_frame", MOST_FRAME), MOST_FRAME)
        self._counters = {name: 0 for name in _COUNTERS.split()}
        self._role = role
        self._slots = slots
        self._reader = FrameReader(self._counters, room, self._frame)
        self._out = FrameWriter(self._counters, frames)
        self._link = Link(self._counters, self._out, _WAY[role], window, slots, ping_ms, self._deliver)
        self._shake = self._opening(key, entropy, now)
        self._bulk = Transfers(self._link, entropy(1)[0], self._queue_own, self._tell)
        self._events: list[tuple[Any, ...]] = []
        self._most_events = 4 * window + 8
        self._stranger = 0
        self._stranger_at = now - _BACK_OFF_MS
        self._bye = 0
        self._closed = False
        self._now = now

    def _opening(self, key: bytes, entropy: "Callable[[int], bytes]", now: int) -> "Opener | Answerer":
        if self._role == CONTROLLER:
            return Answerer(key, self.hello, entropy)
        from dicewire.opener import Opener  # a controller has no room for what it never does

        return Opener(key, self.hello, entropy, now)

    # What the owner sees

    @property
    def up(self) -> bool:
        return self._link.session != 0

    @property
    def peer(self) -> "dict[str, Any]":
        """The peer's HELLO (or HELLO_REQ), of the last session that opened or tried to."""
        return self._shake.peer

    @property
    def counters(self) -> dict[str, int]:
        """Counts since the start; rtt_ms and queue are gauges. One live dict: copy what must not change."""
        self._counters["queue"] = self._link.depth()
        return self._counters

    def next_event(self) -> "tuple[Any, ...] | None":
        return self._events.pop(0) if self._events else None

    # The owner's turn

    def receive(self, data: "bytes | bytearray | memoryview", now: int) -> None:
        """Bytes from the port, as many as there are."""
        self._now = now
        self._shake.heard = self._shake.heard or len(data) > 0
        self._reader.feed(data)

    def send(self, number: int, values: "dict[str, Any]", now: int, priority: int = -1) -> int:
        """Queues a message. Its handle; 0 when no session is up or the queue is full. ValueError for wrong values."""
        if not self.up:
            return 0
        slot = self._queue(number, values, LAYOUTS[number][0] if priority < 0 else priority, True)
        return 0 if slot is None else slot.handle

    def room(self, number: int) -> int:
        """How many more messages of that number send() takes now."""
        return self._link.room(LAYOUTS[number][0]) if self.up else 0

    def waits(self, handle: int) -> bool:
        """Whether that message is not acknowledged yet."""
        return self._link.waits(handle)

    def step(self, now: int) -> None:
        """Runs the timers. Call it after receive(), so that what waited in the port counts before a time-out does."""
        self._now = now
        if self.up:
            gone = self._link.expired(now)
            if gone:
                self._down(DOWN_SILENT if gone == GONE_SILENT else DOWN_NO_PROGRESS, now)

    def to_send(self, now: int) -> memoryview:
        """Bytes for the port, valid until the next call of the session; empty when there is nothing. Then sent(n)."""
        self._fill(now)
        return self._out.view()

    def sent(self, n: int) -> None:
        """The port took the first n bytes of to_send()."""
        self._out.sent(n)

    def next_deadline(self, now: int) -> int:
        """ms until step() and to_send() have something to do; 0 at once."""
        if self._out.waiting() or self._stranger or self._bye:
            return 0
        if self._shaking() and self._shake.pending(now):
            return 0
        if not self.up:
            return _IDLE_MS if self._closed else self._shake.deadline(now)
        if self._link.has_output() or self._bulk.due():
            return 0
        return self._link.deadline(now)

    def close(self, now: int) -> None:
        """Ends the session; the next to_send() tells the peer. Stays closed until restart()."""
        self._bye = self._link.session
        self._closed = True
        if self.up:
            self._down(DOWN_CLOSED, now)

    def restart(self, now: int) -> None:
        """Opens again after close()."""
        self._closed = False
        self._shake.restart(now, 0)

    def port_lost(self, now: int) -> None:
        """The port is gone, or was opened anew: what was on its way is void. The host handshakes again by itself."""
        self._reader.reset()
        self._out.reset()
        self._stranger = self._bye = 0
        if self.up:
            self._down(DOWN_PORT_LOST, now)
        else:
            self._shake.restart(now, 0)

    def bulk_send(self, kind: int, source: "Source", now: int) -> bool:
        """Offers a transfer, now or when a session is up. False while another one is under way."""
        return self._bulk.out.start(kind, source)

    @property
    def bulk_progress(self) -> int:
        return self._bulk.out.progress

    def bulk_cancel(self, now: int) -> bool:
        """Gives the outgoing transfer up. Whether there was one."""
        return self._bulk.cancel()

    def bulk_accept(self, sink: "Sink", now: int) -> None:
        """Takes the transfer last offered; the first `sink.have` bytes are taken as received already."""
        if self._bulk.into.offered and self._bulk.into.accept(sink):
            self._bulk.received()

    def bulk_refuse(self, code: int, now: int) -> None:
        if self._bulk.into.offered:
            self._bulk.into.refuse(code)

    # Incoming frames

    def _frame(self, buf: bytearray, start: int, end: int) -> None:
        kind, seq, ack, session = struct.unpack_from("<BBBH", buf, start)
        if kind & 0x80 == _WAY[self._role]:
            self._counters["echoes"] += 1
            return
        number, now, link = kind & 0x7F, self._now, self._link
        if HELLO_REQ <= number < FIRST_SEQUENCED:
            self._handshake(number, session, bytes(buf[start + HEAD : end]), now)
        elif not session or session != link.session:
            self._counters["stale"] += 1
            self._stray(number, session, now)
        elif number >= FIRST_SEQUENCED:
            link.data(number, seq, ack, buf, start + HEAD, end, now)
        elif number < NO_SESSION:
            link.control(number, ack, now)
        else:
            self._down(DOWN_CLOSED_BY_PEER if number == BYE else DOWN_PEER_RESTARTED, now)

    def _stray(self, number: int, session: int, now: int) -> None:
        """A frame of a session that is not up here. The other side learns it at once instead of by its pings."""
        if self._role == HOST:
            if number == NO_SESSION and session == self._shake.session and not self.up:
                self._shake.restart(now, _BACK_OFF_MS)
        elif session and number not in (NO_SESSION, BYE) and since(now, self._stranger_at) >= _BACK_OFF_MS:
            self._stranger, self._stranger_at = session, now

    def _handshake(self, number: int, session: int, payload: bytes, now: int) -> None:
        shake = self._shake
        if not self._shaking():
            return
        if number == AUTH and session != shake.session:
            self._stray(number, session, now)
            return
        if shake.frame(number, session, payload, now):
            if self.up:
                self._down(DOWN_REPLACED, now)
            window = min(shake.peer["window"], MOST_WINDOW, self._slots)
            frame = min(shake.peer["max_frame"], self.hello["max_frame"])
            self._link.open(shake.session, shake.key, window, frame, now, shake.rtt)
            shake.opened()
            self._bulk.out.session_up()
            self._counters["sessions"] += 1
            self._events.append((UP, shake.peer))
        self._counters["auth_errors"] = shake.failures
        self._tell_refusal()

    def _deliver(self, number: int, buf: "bytes | bytearray", start: int, end: int) -> bool:
        """The next message of the link. False when there is no room for it: the peer will send it again."""
        if number == BULK_DATA:
            self._bulk.data(memoryview(buf)[start:end])
            return True
        if len(self._events) >= self._most_events:
            return False
        layout = LAYOUTS.get(number)
        if layout is None or not layout[1] & (2 if self._role == HOST else 1):
            self._reject(number, REFUSAL_UNKNOWN_MESSAGE, f"message {number:#04x} is unknown here")
            return True
        try:
            values = decode(number, memoryview(buf)[start:end])
        except ValueError as error:
            self._reject(number, REFUSAL_BAD_MESSAGE, str(error))
            return True
        if number > REJECT:
            self._events.append((MESSAGE, number, values))
        elif number == REJECT:
            self._tell((REFUSED, values["code"], f"the peer rejected message {values['message']:#04x}"))
        else:
            self._bulk.message(number, values)
        return True

    def _reject(self, number: int, code: int, text: str) -> None:
        self._tell((REFUSED, code, text))
        if number != REJECT:
            self._queue_own(REJECT, {"message": number, "code": code})

    # Outgoing frames

    def _shaking(self) -> bool:
        """Whether frames of the handshake matter now: to a controller always, to a host while it has no session."""
        return not self._closed and (self._role == CONTROLLER or not self.up)

    def _queue(self, number: int, values: "dict[str, Any]", priority: int, owned: bool) -> "Slot | None":
        link = self._link
        slot = link.take(priority)
        if slot is None:
            return None
        try:
            limit = link.max_frame - HEAD - CRC - (TAG if LAYOUTS[number][2] else 0)
            n = encode_into(number, values, slot.body, limit)
        except ValueError:
            link.drop(slot)
            raise
        link.queue(slot, number, n, priority, owned)
        return slot

    def _queue_own(self, number: int, values: "dict[str, Any]") -> bool:
        """A message of the session itself. Whether there was a slot for it."""
        return self._queue(number, values, PRIORITY_COMMAND, False) is not None

    def _fill(self, now: int) -> None:
        out, way = self._out, _WAY[self._role]
        if self._bye and out.room():
            out.put(BYE | way, 0, 0, self._bye, b"", 0)
            self._bye = 0
        if self._stranger and out.room():
            out.put(NO_SESSION | way, 0, 0, self._stranger, b"", 0)
            self._stranger = 0
        if self._shaking() and self._shake.pending(now) and out.room():
            frame = self._shake.take(now)
            self._tell_refusal()
            if frame is not None:
                out.put(frame[0] | way, 0, 0, frame[1], frame[2], len(frame[2]))
        if self.up:
            self._bulk.step()
            self._link.fill(now)
            while out.room() and self._bulk.piece():
                self._link.fill(now)

    def _down(self, reason: int, now: int) -> None:
        lost = self._link.close()
        self._out.reset()
        self._bulk.into.session_down()
        if reason != DOWN_REPLACED:
            self._shake.restart(now, 0)
        self._events.append((DOWN, reason, lost))

    def _tell_refusal(self) -> None:
        refusal = self._shake.refusal
        if refusal is not None:
            self._shake.refusal = None
            self._tell((REFUSED, refusal[0], refusal[1]))

    def _tell(self, event: "tuple[Any, ...]") -> None:
        """An event that a stranger can cause: an owner who doesn't look loses it, and not the memory."""
        if len(self._events) < 2 * self._most_events:
            self._events.append(event)
