"""What the store writes: the layout of each record, and its translation to and from named values.

The names are those of the wire messages, but the layout is the store's own: a firmware that speaks a newer wire can
still read, and send, what an older one left in flash.

A record: mark, kind, body length, sequence, committed, body, CRC-32 of all before. The sequence rises by one a
record over the whole life of the store, so a missing record is noticed. `committed` rides on every record: remembering
a COMMIT costs no write of its own.
"""

import binascii
import struct

from controller.target import const

SNAPSHOT = const(1)  # the whole state; first record of every segment, and after any change outside a spin
START = const(2)  # this spin's number is used from now on
RESULT = const(3)
NO_SPIN = const(4)

_MARK = const(0xA7)
_HEAD = "<BBHII"
HEAD_SIZE = const(12)
CRC_SIZE = const(4)
MAX_BODY = const(160)
MAX_RECORD = const(176)

NO_NOTICE = const(255)  # state.closing when no closing notice has been given

_RESULT = "<I3sBBBBBBIHHIIIHQIIBI"
_RESULT_FIELDS = (
    "spin", "faces", "dice", "state_before", "state_after", "puck", "opinions", "reads", "spin_ms",
    "tumbles", "peak_rpm", "nmb_ms", "exposed_ms", "read_ms", "flags", "wall_ms", "uptime_ms", "collected",
    "closing", "faults",
)  # fmt: skip
_NO_SPIN = "<IBHBQIBIBBBB"
_NO_SPIN_FIELDS = (
    "spin", "cause", "detail", "by", "wall_ms", "uptime_ms", "lock", "faults", "streak", "streak_cause",
    "bets_closed", "closing",
)  # fmt: skip
_STATE = "<4sIIIBIBBBBIBBB32sB"
_STATE_SIZE = const(65)
STATE_FIELDS = (
    "epoch", "next_spin", "open_spin", "last_spin", "lock", "faults", "streak", "streak_cause",
    "game_state", "puck", "collected", "closing", "unpaid", "bets_closed", "game_hash",
    "hold",
)  # fmt: skip
# Trailing bytes of variable length, after the fixed fields: lit areas of a result, evidence of a no spin.
_TAIL = {RESULT: "areas", NO_SPIN: "evidence"}
_LAYOUT = {RESULT: (_RESULT, _RESULT_FIELDS), NO_SPIN: (_NO_SPIN, _NO_SPIN_FIELDS)}


class State:
    """What must outlive a power cut, apart from the spins themselves."""

    def __init__(self):
        self.epoch = bytes(4)
        self.next_spin = 1
        self.open_spin = 0  # started and neither result nor no spin yet; 0 = none
        self.last_spin = 0  # last one that is closed
        self.lock = 0
        self.faults = 0
        self.streak = 0  # how many times running the same no spin cause came
        self.streak_cause = 0
        self.game_state = 0
        self.puck = 0
        self.collected = 0
        self.closing = NO_NOTICE  # spins left of a closing notice (Sic Bo 9.8)
        self.unpaid = 0  # a result is shown and not yet paid
        self.bets_closed = 0  # no more bets was announced; a no spin keeps it (Sic Bo 3.2)
        self.game_hash = bytes(32)
        self.hold = 0  # of the host, where only a person lifts it

    def pack(self):
        return struct.pack(_STATE, *[getattr(self, name) for name in STATE_FIELDS])

    def apply(self, kind, body):
        """Follow one record. The same steps at start-up, from flash, and in play."""
        if kind == SNAPSHOT:
            if len(body) < _STATE_SIZE:  # of a firmware that did not know the last fields
                body = bytes(body) + bytes(_STATE_SIZE - len(body))
            for name, value in zip(STATE_FIELDS, struct.unpack_from(_STATE, body)):  # noqa: B905 - MicroPython has no strict=
                setattr(self, name, value)
            return
        if kind == START:
            self.open_spin = struct.unpack_from("<I", body)[0]
            self.next_spin = self.open_spin + 1
            return
        v = unpack(kind, body)
        self.open_spin = 0
        self.last_spin = v["spin"]
        self.closing = v["closing"]
        self.faults = v["faults"]
        if kind == RESULT:
            self.game_state = v["state_after"]
            self.puck = v["puck"]
            self.collected = v["collected"]
            self.unpaid = 1
            self.bets_closed = 0
            self.streak = self.streak_cause = 0
        else:
            self.lock = v["lock"]
            self.streak = v["streak"]
            self.streak_cause = v["streak_cause"]
            self.bets_closed = v["bets_closed"]


def pack(kind, values):
    layout, fields = _LAYOUT[kind]
    return struct.pack(layout, *[values[name] for name in fields]) + bytes(values[_TAIL[kind]])


def unpack(kind, body):
    layout, fields = _LAYOUT[kind]
    values = dict(zip(fields, struct.unpack_from(layout, body)))  # noqa: B905
    values[_TAIL[kind]] = bytes(body[struct.calcsize(layout) :])
    return values


def seal(kind, seq, committed, body):
    data = struct.pack(_HEAD, _MARK, kind, len(body), seq, committed) + body
    return data + struct.pack("<I", binascii.crc32(data))


def parse_head(buf):
    """-> (kind, body length, sequence, committed), or None where no record begins."""
    mark, kind, size, seq, committed = struct.unpack_from(_HEAD, buf)
    if mark != _MARK or not SNAPSHOT <= kind <= NO_SPIN or size > MAX_BODY:
        return None
    return kind, size, seq, committed


def sound(buf, size):
    """Whether the record of this total size at the start of buf is whole."""
    body_end = size - CRC_SIZE
    return binascii.crc32(memoryview(buf)[:body_end]) == struct.unpack_from("<I", buf, body_end)[0]
