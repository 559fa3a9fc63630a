"""Session: the one object that a side of the wire uses. Handshake, link and bulk behind bytes in, bytes out, events.

Each turn of the owner's loop: `receive()` what the port has, take every `next_event()`, `send()`, `step()`, write
`to_send()` to the port and tell `sent()` how much it took, wait at most `next_deadline()` ms. Nothing that comes over the
wire makes it raise.

Events:  (UP, peer's hello)   (DOWN, reason, lost)   (MESSAGE, number, values)   (REFUSED, code, text)
         (BULK_OFFER, kind, size, sha256): answer with bulk_accept or bulk_refuse
         (BULK_DONE, kind, sha256, outgoing)   (BULK_FAILED, kind, code, outgoing)
`lost` holds (handle, number, payload) of every message that was not acknowledged: send it again or drop it.
"""

import struct

from dicewire.bulk import DATA_HEAD, BulkReceiver, BulkSender
from dicewire.clock import since
from dicewire.codec import decode, encode_into
from dicewire.codes import (
    BULK_CODE_CANCELLED,
    BULK_CODE_OK,
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
from dicewire.frame import CRC, ENCODED, HEAD, TAG, FrameReader, FrameWriter
from dicewire.handshake import CONTROLLER, HOST, MOST_FRAME, MOST_WINDOW, Answerer, Opener
from dicewire.link import FIRST_SEQUENCED, Link
from dicewire.messages import (
    ACK,
    AUTH,
    BULK_CANCEL,
    BULK_DATA,
    BULK_END,
    BULK_GRANT,
    BULK_START,
    BYE,
    HELLO_REQ,
    LAYOUTS,
    NAK,
    NO_SESSION,
    PING,
    REJECT,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dicewire.bulk import Sink, Source

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

UP = 1
DOWN = 2
MESSAGE = 3
REFUSED = 4
BULK_OFFER = 5
BULK_DONE = 6
BULK_FAILED = 7

PRIORITY_RESULT = 0
PRIORITY_COMMAND = 1
PRIORITY_BULK = 2

_WAY = (0x00, 0x80)
_BACK_OFF_MS = 100  # between two answers to strangers
# What a side has when its hello says nothing: window, slots, frames in the writer, bytes in the reader.
_LIMITS = {HOST: (32, 64, 16, 4096), CONTROLLER: (8, 14, 3, 2 * ENCODED)}
_COUNTERS = (
    "bytes_in bytes_out frames_in frames_out crc_errors tag_errors resyncs echoes stale dupes naks retransmits "
    "overruns auth_errors sessions rtt_ms queue"
)


class Session:
    """`hello`: own identity and limits. A host may give window and max_frame, a controller all fields of HELLO.

    Not on the wire, both optional: `slots` (messages that can wait) and `ping_ms` (quiet time before a ping).
    """

    def __init__(
        self, role: int, key: bytes, hello: "dict[str, Any]", now: int, entropy: "Callable[[int], bytes]"
    ) -> None:
        window, slots, frames, room = _LIMITS[role]
        self.hello = dict(hello)
        self.hello["window"] = window = min(self.hello.get("window", window), MOST_WINDOW)
        self.hello["max_frame"] = min(self.hello.get("max_frame", MOST_FRAME), MOST_FRAME)
        slots = self.hello.pop("slots", slots)
        ping_ms = self.hello.pop("ping_ms", 1000)
        self._counters = {name: 0 for name in _COUNTERS.split()}
        self._role = role
        self._reader = FrameReader(self._counters, room, self._frame)
        self._out = FrameWriter(self._counters, frames)
        self._link = Link(self._counters, self._out, _WAY[role], window, slots, ping_ms, self._deliver)
        self._slots = slots
        self._shake: Opener | Answerer
        if role == HOST:
            self._shake = Opener(key, self.hello, entropy, now)
        else:
            self._shake = Answerer(key, self.hello, entropy)
        self._bulk_out = BulkSender(entropy(1)[0])
        self._bulk_in = BulkReceiver()
        self._events: list[tuple[Any, ...]] = []
        self._most_events = 4 * window + 8
        self._stranger = 0
        self._stranger_at = now - _BACK_OFF_MS
        self._bye = 0
        self._closed = False
        self._now = now

    # For the owner

    @property
    def up(self) -> bool:
        return self._link.session != 0

    @property
    def peer(self) -> "dict[str, Any]":
        """The peer's HELLO or HELLO_REQ of the last session."""
        return self._shake.peer

    @property
    def counters(self) -> dict[str, int]:
        """Counts since the start; rtt_ms and queue are gauges. The one live dict: copy what must not change."""
        self._counters["queue"] = self._link.depth()
        return self._counters

    def next_event(self) -> "tuple[Any, ...] | None":
        return self._events.pop(0) if self._events else None

    def receive(self, data: "bytes | bytearray | memoryview", now: int) -> None:
        """Bytes from the port, as many as there are."""
        self._now = now
        if self._role == HOST and not self.up and len(data):
            self._shake.heard = True  # type: ignore[union-attr]
        self._reader.feed(data)

    def room(self, number: int) -> int:
        """How many more messages of that number send() takes now."""
        return self._link.room(LAYOUTS[number][0]) if self.up else 0

    def send(self, number: int, values: "dict[str, Any]", now: int, priority: int = -1) -> int:
        """Queues a message. Its handle; 0 when no session is up or the queue is full. ValueError for wrong values."""
        if priority < 0:
            priority = LAYOUTS[number][0]
        if not self.up:
            return 0
        return self._queue(number, values, priority, True)

    def waits(self, handle: int) -> bool:
        """Whether that message is not acknowledged yet."""
        return self._link.waits(handle)

    def to_send(self, now: int) -> memoryview:
        """Bytes for the port, valid until the next call of the session; empty when there is nothing. Then sent(n)."""
        self._fill(now)
        return self._out.view()

    def sent(self, n: int) -> None:
        self._out.sent(n)

    def step(self, now: int) -> None:
        """Runs the timers. Call after receive(), so that what waited in the port counts before a time-out does."""
        self._now = now
        if self.up:
            expired = self._link.expired(now)
            if expired:
                self._down(DOWN_SILENT if expired == 1 else DOWN_NO_PROGRESS, now)

    def next_deadline(self, now: int) -> int:
        """ms until step() or to_send() has something to do; 0 at once."""
        if self._out.waiting():
            return 0
        if (
            self._stranger
            or self._bye
            or (self._shake.pending(now) and not self._closed and not (self.up and self._role == HOST))
        ):
            return 0
        if self.up:
            bulk, link = self._bulk_out, self._link
            if link.has_output() or bulk.start_due or bulk.cancel_due or (bulk.has_data() and link.bulk_room()):
                return 0
            if self._bulk_in.grant_due or self._bulk_in.end_due:
                return 0
            return link.deadline(now)
        return 1000 if self._closed else self._shake.deadline(now)

    def close(self, now: int) -> None:
        """Ends the session and tells the peer; a host stays closed until restart()."""
        self._bye = self._link.session
        self._closed = True
        if self.up:
            self._down(DOWN_CLOSED, now)

    def restart(self, now: int) -> None:
        """Opens again after close()."""
        self._closed = False
        self._shake.restart(now, 0)

    def port_lost(self, now: int) -> None:
        """The port is gone or was opened anew: what was on its way is void. A host handshakes again by itself."""
        self._reader.reset()
        self._out.reset()
        if self.up:
            self._down(DOWN_PORT_LOST, now)
        else:
            self._shake.restart(now, 0)

    def bulk_send(self, kind: int, source: "Source", now: int) -> bool:
        """Offers a transfer, now or when a session is up. False while another one is under way."""
        return self._bulk_out.start(kind, source)

    def bulk_cancel(self, now: int) -> bool:
        """Gives the outgoing transfer up. Whether there was one."""
        kind = self._bulk_out.kind
        if not self._bulk_out.cancel(BULK_CODE_CANCELLED):
            return False
        self._event((BULK_FAILED, kind, BULK_CODE_CANCELLED, True))
        return True

    def bulk_accept(self, sink: "Sink", now: int) -> None:
        """Takes the transfer last offered. `sink.have` bytes are taken as received already."""
        if self._bulk_in.offered and self._bulk_in.accept(sink):
            self._received()

    def bulk_refuse(self, code: int, now: int) -> None:
        if self._bulk_in.offered:
            self._bulk_in.refuse(code)

    # Incoming frames

    def _frame(self, buf: bytearray, start: int, end: int) -> None:
        kind, seq, ack, session = struct.unpack_from("<BBBH", buf, start)
        if kind & 0x80 == _WAY[self._role]:
            self._counters["echoes"] += 1
            return
        number, now, link = kind & 0x7F, self._now, self._link
        if number >= HELLO_REQ and number < FIRST_SEQUENCED:
            self._handshake(number, session, bytes(buf[start + HEAD : end]), now)
        elif not session or session != link.session:
            self._counters["stale"] += 1
            if number == NO_SESSION:
                if self._role == HOST and session and session == self._shake.session and not self.up:
                    self._shake.restart(now, 0)
            elif number != BYE:
                self._answer_stranger(session, now)
        elif number >= FIRST_SEQUENCED:
            link.data(number, seq, ack, buf, start + HEAD, end, now)
        elif number in (ACK, NAK, PING):
            link.control(number, ack, now)
        elif number == NO_SESSION:
            self._down(DOWN_PEER_RESTARTED, now)
        elif number == BYE:
            self._down(DOWN_CLOSED_BY_PEER, now)

    def _answer_stranger(self, session: int, now: int) -> None:
        """A host that talks in a session unknown here learns it at once instead of by its pings."""
        if self._role == CONTROLLER and session and since(now, self._stranger_at) >= _BACK_OFF_MS:
            self._stranger, self._stranger_at = session, now

    def _handshake(self, number: int, session: int, payload: bytes, now: int) -> None:
        shake = self._shake
        if self._closed or (self._role == HOST and self.up):
            return
        if number == AUTH and session != shake.session:
            self._answer_stranger(session, now)
            return
        if shake.frame(number, session, payload, now):
            if self.up:
                self._down(DOWN_REPLACED, now)
            window = min(shake.peer["window"], MOST_WINDOW, self._slots)
            frame = min(shake.peer["max_frame"], self.hello["max_frame"])
            self._link.open(shake.session, shake.key, window, frame, now, shake.rtt)
            shake.opened()
            self._bulk_out.session_up()
            self._counters["sessions"] += 1
            self._event((UP, shake.peer))
        if self._role == CONTROLLER:
            self._counters["auth_errors"] = shake.failures  # type: ignore[union-attr]
        self._tell_refusal()

    def _tell_refusal(self) -> None:
        refusal = self._shake.refusal
        if refusal is not None:
            self._shake.refusal = None
            self._event((REFUSED, refusal[0], refusal[1]))

    def _deliver(self, number: int, buf: "bytes | bytearray", start: int, end: int) -> bool:
        """The next message of the link. False when there is no room for it: the peer will send it again."""
        if number == BULK_DATA:
            self._bulk_data(memoryview(buf)[start:end])
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
            self._event((MESSAGE, number, values))
        else:
            self._bulk_message(number, values)
        return True

    def _reject(self, number: int, code: int, text: str) -> None:
        self._event((REFUSED, code, text))
        if number != REJECT:
            self._queue(REJECT, {"message": number, "code": code}, PRIORITY_COMMAND, False)

    # Bulk

    def _bulk_data(self, view: memoryview) -> None:
        if len(view) > DATA_HEAD:
            transfer, offset = struct.unpack_from("<BI", view, 0)
            if self._bulk_in.data(transfer, offset, view[DATA_HEAD:]):
                self._received()

    def _bulk_message(self, number: int, values: "dict[str, Any]") -> None:
        out, into = self._bulk_out, self._bulk_in
        if number == BULK_START:
            kind = into.kind
            news = into.started(values["transfer"], values["kind"], values["size"], values["sha256"])
            if news == 2:
                self._event((BULK_FAILED, kind, BULK_CODE_CANCELLED, False))
            if news:
                self._event((BULK_OFFER, values["kind"], values["size"], values["sha256"]))
        elif number == BULK_GRANT:
            out.granted(values["transfer"], values["offset"], values["until"])
        elif number == BULK_END:
            sha256 = out.source.sha256 if out.source is not None else b""
            if out.ended(values["transfer"]):
                self._bulk_over(out.kind, sha256, values["code"], True)
        elif number == BULK_CANCEL:
            if into.cancelled(values["transfer"]):
                self._event((BULK_FAILED, into.kind, values["code"], False))
        else:
            self._event((REFUSED, values["code"], f"the peer rejected message {values['message']:#04x}"))

    def _received(self) -> None:
        self._bulk_over(self._bulk_in.kind, self._bulk_in.sha256, self._bulk_in.code, False)

    def _bulk_over(self, kind: int, sha256: bytes, code: int, outgoing: bool) -> None:
        if code == BULK_CODE_OK:
            self._event((BULK_DONE, kind, sha256, outgoing))
        else:
            self._event((BULK_FAILED, kind, code, outgoing))

    def _bulk_step(self) -> None:
        """Queues what the transfers owe. What finds no slot now is owed still and goes at the next turn."""
        out, into = self._bulk_out, self._bulk_in
        if into.end_due:
            values = {"transfer": into.transfer, "code": into.code}
            into.end_due = not self._own(BULK_END, values)
        if into.grant_due:
            values = {"transfer": into.transfer, "offset": into.offset, "until": into.until()}
            into.grant_due = not self._own(BULK_GRANT, values)
        if out.cancel_due:
            out.cancel_due = not self._own(BULK_CANCEL, {"transfer": out.transfer, "code": out.code})
        if out.start_due and out.source is not None:
            source = out.source
            start = {"transfer": out.transfer, "kind": out.kind, "size": source.size, "sha256": source.sha256}
            out.start_due = not self._own(BULK_START, start)

    def _bulk_piece(self) -> bool:
        """Makes one BULK_DATA when nothing better waits. Whether it did."""
        out, link = self._bulk_out, self._link
        if not out.has_data() or not link.bulk_room():
            return False
        slot = link.take(PRIORITY_BULK)
        if slot is None:
            return False
        n = out.fill(slot.view[: link.max_frame - HEAD - CRC])
        if not n:
            link.drop(slot)
            self._event((BULK_FAILED, out.kind, out.code, True))
            return False
        link.queue(slot, BULK_DATA, n, PRIORITY_BULK, False)
        return True

    # Outgoing

    def _own(self, number: int, values: "dict[str, Any]") -> bool:
        """Queues a message of the session itself. Whether there was a slot."""
        before = self._link.depth()
        self._queue(number, values, PRIORITY_COMMAND, False)
        return self._link.depth() > before

    def _queue(self, number: int, values: "dict[str, Any]", priority: int, owned: bool) -> int:
        link = self._link
        slot = link.take(priority)
        if slot is None:
            return 0
        try:
            limit = link.max_frame - HEAD - CRC - (TAG if LAYOUTS[number][2] else 0)
            n = encode_into(number, values, slot.body, limit)
        except ValueError:
            link.drop(slot)
            raise
        return link.queue(slot, number, n, priority, owned)

    def _fill(self, now: int) -> None:
        out, way = self._out, _WAY[self._role]
        if self._bye and out.room():
            out.put(BYE | way, 0, 0, self._bye, b"", 0)
            self._bye = 0
        if self._stranger and out.room():
            out.put(NO_SESSION | way, 0, 0, self._stranger, b"", 0)
            self._stranger = 0
        if not self._closed and not (self.up and self._role == HOST) and self._shake.pending(now) and out.room():
            frame = self._shake.take(now)
            self._tell_refusal()
            if frame is not None:
                out.put(frame[0] | way, 0, 0, frame[1], frame[2], len(frame[2]))
        if self.up:
            self._bulk_step()
            self._link.fill(now)
            while out.room() and self._bulk_piece():
                self._link.fill(now)

    def _down(self, reason: int, now: int) -> None:
        lost = self._link.close()
        self._out.reset()
        self._bulk_in.session_down()
        if reason != DOWN_REPLACED:
            self._shake.restart(now, 0)
        self._event((DOWN, reason, lost))

    def _event(self, event: "tuple[Any, ...]") -> None:
        self._events.append(event)
