"""The reliable link of one session: every message arrives once and in order, or the session goes down. Both ways alike.

A message has a place: a count that never repeats in the session; its low 8 bits are the frame's seq. The receiver keeps
what comes after a gap and asks once for the gap (NAK); the sender repeats the oldest frame on NAK, on time-out, and step by
step while it recovers. Results go before commands, commands before bulk; order holds within each of the three.
Not here: opening a session, the meaning of messages.
"""

from dicewire.auth import TAG, Key, same
from dicewire.clock import since
from dicewire.frame import LONGEST, FrameWriter
from dicewire.messages import ACK, LAYOUTS, NAK, PING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_SEQUENCED = 0x10
RTO_FLOOR = 25
RTO_CEILING = 1000
TRIES = 8  # sent again this often without an answer: the message is lost for good and the session with it
PINGS = 4  # unanswered: the peer is gone
GONE_SILENT = 1
GONE_STUCK = 2
_RESERVED = (0, 2, 4)  # slots that a priority leaves to those above it


class Slot:
    """A message that waits for its acknowledgement: payload and tag as they cross the wire."""

    def __init__(self) -> None:
        self.body = bytearray(LONGEST)
        self.view = memoryview(self.body)
        self.n = 0
        self.size = 0  # with tag
        self.number = 0
        self.priority = 0
        self.handle = 0
        self.count = 0
        self.sent_at = 0
        self.again = False


class Link:
    def __init__(
        self,
        counters: dict[str, int],
        out: FrameWriter,
        way: int,
        window: int,
        slots: int,
        ping_ms: int,
        deliver: "Callable[[int, bytes | bytearray, int, int], bool]",
    ) -> None:
        self._counters = counters
        self._out = out
        self._way = way
        self._window = window
        self._ping_ms = ping_ms
        self._deliver = deliver
        self._free = [Slot() for _ in range(slots)]
        self._pending: list[list[Slot]] = [[], [], []]
        self._flight: list[Slot] = []
        self._kept: dict[int, tuple[int, bytes]] = {}
        self._handle = 0
        self._key = Key(b"")
        self.session = 0
        self.max_frame = LONGEST
        self.open(0, self._key, 2, LONGEST, 0, 100)

    def open(self, session: int, key: Key, peer_window: int, max_frame: int, now: int, rtt: int) -> None:
        """A new session: counts from zero. What still waited was handed back by close()."""
        self.session = session
        self._key = key
        self.max_frame = max_frame
        self._send_window = peer_window
        self._next_count = 0
        self._bulk_flying = 0
        self._expected = 0
        self._kept.clear()
        self._ack_due = False
        self._nak_due = False
        self._nak_count = -1
        self._recover = -1
        self._resend = False
        self._tries = 0
        self._pings = 0
        self._timer = now
        self._last_out = now
        self._srtt8 = rtt * 8
        self._var4 = rtt * 2
        self._rto = min(max(rtt * 3, RTO_FLOOR), RTO_CEILING)

    def close(self) -> tuple[tuple[int, int, bytes], ...]:
        """Ends the session. What was not acknowledged: (handle, message number, payload), in order of sending."""
        lost = []
        for group in (self._flight, self._pending[0], self._pending[1], self._pending[2]):
            for slot in group:
                if slot.handle:
                    lost.append((slot.handle, slot.number, bytes(slot.view[: slot.n])))
                self._free.append(slot)
            group.clear()
        self._kept.clear()
        self.session = 0
        return tuple(lost)

    # Outgoing

    def room(self, priority: int) -> int:
        """How many messages of that priority can be queued now."""
        return max(0, len(self._free) - _RESERVED[priority])

    def take(self, priority: int) -> "Slot | None":
        """A free slot, or None. Give it back with queue() or drop()."""
        return self._free.pop() if len(self._free) > _RESERVED[priority] else None

    def drop(self, slot: Slot) -> None:
        self._free.append(slot)

    def queue(self, slot: Slot, number: int, n: int, priority: int, owned: bool) -> None:
        """Queues a filled slot. Its handle is 0 where it is the session's own message, which nobody sends again."""
        self._handle += 1 if owned else 0
        slot.number, slot.n, slot.priority, slot.again = number, n, priority, False
        slot.handle = self._handle if owned else 0
        self._pending[priority].append(slot)

    def waits(self, handle: int) -> bool:
        """Whether the message with that handle is still unacknowledged."""
        for group in (self._flight, self._pending[0], self._pending[1], self._pending[2]):
            for slot in group:
                if slot.handle == handle:
                    return True
        return False

    def depth(self) -> int:
        return len(self._flight) + len(self._pending[0]) + len(self._pending[1]) + len(self._pending[2])

    def bulk_room(self) -> bool:
        """Whether a piece of bulk may go now: nothing better waits, and the window keeps two places for results."""
        return (
            not (self._pending[0] or self._pending[1] or self._pending[2])
            and len(self._flight) < self._send_window
            and self._bulk_flying < max(1, self._send_window - 2)
            and len(self._free) > _RESERVED[2]
        )

    def has_output(self) -> bool:
        return (
            self._resend
            or self._ack_due
            or self._nak_due
            or (
                len(self._flight) < self._send_window and bool(self._pending[0] or self._pending[1] or self._pending[2])
            )
        )

    def fill(self, now: int) -> None:
        """Moves frames into the writer as far as it has room: NAK, what must be repeated, what is new, else an ACK."""
        out = self._out
        if self._nak_due and out.room():
            self._nak_due = self._ack_due = False
            self._control(NAK, now)
            self._counters["naks"] += 1
        if self._resend and out.room():
            self._resend = False
            if self._flight:
                self._flight[0].again = True
                self._timer = now
                self._counters["retransmits"] += 1
                self._transmit(self._flight[0], now)
        while len(self._flight) < self._send_window and out.room():
            slot = self._next()
            if slot is None:
                break
            if not self._flight:
                self._timer = now
            self._flight.append(slot)
            slot.sent_at = now
            self._transmit(slot, now)
        if self._ack_due and out.room():
            self._ack_due = False
            self._control(ACK, now)

    def _next(self) -> "Slot | None":
        for waiting in self._pending:
            if waiting:
                slot = waiting.pop(0)
                slot.count = self._next_count
                self._next_count += 1
                slot.size = n = slot.n
                if LAYOUTS[slot.number][2]:
                    slot.body[n : n + TAG] = self._key.tag(slot.count, slot.number | self._way, slot.view[:n])
                    slot.size += TAG
                if slot.priority == 2:
                    self._bulk_flying += 1
                return slot
        return None

    def _transmit(self, slot: Slot, now: int) -> None:
        self._ack_due = False
        self._last_out = now
        ack = self._expected & 0xFF
        self._out.put(slot.number | self._way, slot.count & 0xFF, ack, self.session, slot.view, slot.size)

    def _control(self, number: int, now: int) -> None:
        self._last_out = now
        self._out.put(number | self._way, 0, self._expected & 0xFF, self.session, b"", 0)

    # Incoming

    def control(self, number: int, ack: int, now: int) -> None:
        """An ACK, NAK or PING of this session."""
        self._pings = 0
        self._acknowledged(ack, now)
        if number == NAK:
            if self._flight and self._flight[0].count & 0xFF == ack:
                self._resend = True
        elif number == PING:
            self._ack_due = True

    def data(self, number: int, seq: int, ack: int, buf: bytearray, start: int, end: int, now: int) -> None:
        """A sequenced frame of this session; buf[start:end] is payload and tag."""
        self._pings = 0
        ahead = (seq - self._expected) & 0xFF
        layout = LAYOUTS.get(number)
        if ahead < self._window and layout is not None and layout[2]:
            end -= TAG
            if end < start or not self._genuine(number, self._expected + ahead, buf, start, end):
                self._counters["tag_errors"] += 1
                return  # its ack is not believed either; the true frame comes again by the sender's timer
        self._acknowledged(ack, now)
        if ahead == 0:
            if not self._accept(number, buf, start, end):
                return
            while self._kept:
                kept = self._kept.get(self._expected)
                if kept is None or not self._accept(kept[0], kept[1], 0, len(kept[1])):
                    break
            if self._kept and self._expected not in self._kept:
                self._gap()
        elif ahead < self._window:
            if self._expected + ahead in self._kept:
                self._counters["dupes"] += 1
            else:
                self._kept[self._expected + ahead] = (number, bytes(buf[start:end]))
            self._gap()
        elif ahead >= 128:
            self._counters["dupes"] += 1
        else:
            return
        self._ack_due = True

    def _genuine(self, number: int, count: int, buf: bytearray, start: int, end: int) -> bool:
        want = self._key.tag(count, number | (self._way ^ 0x80), memoryview(buf)[start:end])
        return same(want, memoryview(buf)[end : end + TAG])

    def _accept(self, number: int, buf: "bytes | bytearray", start: int, end: int) -> bool:
        if not self._deliver(number, buf, start, end):
            self._counters["overruns"] += 1
            return False
        self._kept.pop(self._expected, None)
        self._expected += 1
        return True

    def _gap(self) -> None:
        if self._nak_count != self._expected:
            self._nak_count = self._expected
            self._nak_due = True

    def _acknowledged(self, ack: int, now: int) -> None:
        flight = self._flight
        if not flight:
            return
        n = (ack - flight[0].count) & 0xFF
        if not n or n > len(flight):
            return
        clean = True  # Karn: an answer to a frame sent twice, or held up by one, measures nothing
        for _ in range(n):
            slot = flight.pop(0)
            clean = clean and not slot.again
            sent_at = slot.sent_at
            if slot.priority == 2:
                self._bulk_flying -= 1
            self._free.append(slot)
        if clean:
            self._measured(since(now, sent_at))
        self._tries = 0
        self._timer = now
        self._resend = False
        if flight and flight[0].count < self._recover:
            self._resend = True  # this one was sent before the time-out too: its fate is not worth another time-out

    def _measured(self, rtt: int) -> None:
        """Smoothed round-trip time and deviation (RFC 6298), in eighths and quarters of a ms."""
        error = rtt - (self._srtt8 >> 3)
        self._srtt8 += error
        self._var4 += abs(error) - (self._var4 >> 2)
        self._rto = min(max((self._srtt8 >> 3) + self._var4, RTO_FLOOR), RTO_CEILING)
        self._counters["rtt_ms"] = self._srtt8 >> 3

    # Time

    def expired(self, now: int) -> int:
        """Runs the timers. 0 where all is well, GONE_SILENT, or GONE_STUCK when a message can't be delivered."""
        if self._flight and since(now, self._timer) >= self._rto:
            self._tries += 1
            if self._tries > TRIES:
                return GONE_STUCK
            self._timer = now
            self._rto = min(self._rto * 2, RTO_CEILING)
            self._recover = self._flight[-1].count + 1
            self._resend = True
        elif since(now, self._last_out) >= self._ping_ms and not self._flight:
            if self._pings >= PINGS:
                return GONE_SILENT
            self._pings += 1
            self._last_out = now
            if self._out.room():
                self._control(PING, now)
        return 0

    def deadline(self, now: int) -> int:
        """ms until expired() has something to do."""
        if self._flight:
            return max(0, self._rto - since(now, self._timer))
        return max(0, self._ping_ms - since(now, self._last_out))
