"""THE declaration of the wire: every message, its fields, widths, direction, priority and whether it carries a tag.

`python -m dicewire.declared` makes from it: `dicewire/messages.py` (layouts for both sides), the host's types, the JSON
Schema and docs/protocol.md. Change a row here, raise PROTO where a released version is out, run that command.

On the wire: fixed fields in declared order, little-endian, without padding; then the variable ones, each with a length
byte (`rest` has none: it fills the frame).
"""

from typing import NamedTuple

from dicewire.declared.codes import (
    CAUSES,
    COMMAND_CODES,
    COMMANDS,
    DRIFTS,
    ENTRIES,
    FAULTS,
    HOLDS,
    INPUTS,
    LOCKS,
    PHASES,
    READERS,
    RESET_CAUSES,
    RESULT_FLAGS,
    ROLES,
    SERVICE_OPS,
)
from dicewire.declared.eventcodes import EVENTS, SEVERITIES
from dicewire.declared.linkcodes import BULK_CODES, BULK_KINDS, GAME_CODES, REFUSALS
from dicewire.declared.table import Table

PROTO = 1  # raised with every change of this file after a release

C2H, H2C, BOTH = "C>H", "H>C", "both"
RESULT, COMMAND, BULK, UNSEQUENCED = "result", "command", "bulk", "unsequenced"


class Field(NamedTuple):
    """`kind`: u8 u16 u32 u64 i16 i32, b<N> (N bytes), str<N> (UTF-8, at most N bytes), bytes<N> (at most N), rest."""

    name: str
    kind: str
    text: str
    table: Table | None = None


class Message(NamedTuple):
    number: int
    name: str
    way: str
    priority: str
    tagged: bool
    text: str
    fields: tuple[Field, ...]


_PROTO = Field("proto", "u8", "version of the sender's declaration; this field and the next never move")
_HASH = Field("schema_hash", "b8", "first 8 bytes of the SHA-256 of the sender's declaration")
_NONCE = Field("nonce", "b16", "fresh random bytes for this session")
_FRAME = Field("max_frame", "u16", "largest frame the sender can take, before COBS (64 to 254)")
_WINDOW = Field("window", "u8", "frames the sender can hold (2 to 64)")
_SPIN = Field("spin", "u32", "number of the spin in this epoch, never reused")
_WALL = Field("wall_ms", "u64", "wall clock, ms since 1970 UTC, 0 where unknown")
_UPTIME = Field("uptime_ms", "u32", "ms since the controller started")
_COLLECTED = Field(
    "collected", "u32", "numbers collected for bonus bets, one bit a number, set after set of the game table"
)
_PUCK = Field("puck", "u8", "0 off, else the point it stands on")
_TRANSFER = Field("transfer", "u8", "number of the transfer, chosen by its sender")
_REQ = Field("req", "u16", "number that joins request and answer")

LINK_MESSAGES = (
    Message(0x01, "ACK", BOTH, UNSEQUENCED, False, "Nothing but the head: its ack is the next sequence expected.", ()),
    Message(0x02, "NAK", BOTH, UNSEQUENCED, False, "As ACK, and: that frame is missing. One a gap.", ()),
    Message(0x03, "PING", BOTH, UNSEQUENCED, False, "Asks for an ACK when the line was quiet.", ()),
    Message(0x04, "NO_SESSION", BOTH, UNSEQUENCED, False, "The session named in the head is unknown here.", ()),
    Message(0x05, "BYE", BOTH, UNSEQUENCED, False, "The sender closes the session.", ()),
    Message(
        0x08,
        "HELLO_REQ",
        H2C,
        UNSEQUENCED,
        False,
        "Opens a session; repeated until answered.",
        (_PROTO, _HASH, _NONCE, _FRAME, _WINDOW),
    ),
    Message(
        0x09,
        "HELLO",
        C2H,
        UNSEQUENCED,
        False,
        "Answers HELLO_REQ.",
        (
            _PROTO,
            _HASH,
            _NONCE,
            _FRAME,
            _WINDOW,
            Field("boot_id", "b8", "random, new at every start of the controller"),
            Field("epoch", "b4", "random, new when the controller's store is formatted; first part of a result_id"),
            Field("reset_cause", "u8", "why it started", RESET_CAUSES),
            Field("game_hash", "b32", "SHA-256 of the game table in use, zero for none"),
            Field("dice", "u8", "dice the table has"),
            Field("firmware", "str24", "version of the firmware"),
            Field("board", "str16", "board, as in firmware/boards"),
            Field("uid", "str32", "unique id of the controller, hex"),
        ),
    ),
    Message(
        0x0A,
        "AUTH",
        H2C,
        UNSEQUENCED,
        False,
        "The host's proof of the key.",
        (Field("proof", "b16", "HMAC over role and both hellos"),),
    ),
    Message(
        0x0B,
        "AUTH_OK",
        C2H,
        UNSEQUENCED,
        False,
        "The controller's proof; the session is up.",
        (Field("proof", "b16", "HMAC over role and both hellos"),),
    ),
    Message(
        0x0C,
        "REFUSE",
        BOTH,
        UNSEQUENCED,
        False,
        "No session, and why; names both versions where they differ.",
        (_PROTO, _HASH, Field("code", "u8", "reason", REFUSALS), Field("text", "str128", "for people")),
    ),
)

BULK_MESSAGES = (
    Message(
        0x10,
        "BULK_START",
        BOTH,
        COMMAND,
        True,
        "Offers a transfer; sent again after every new session until it has ended.",
        (
            _TRANSFER,
            Field("kind", "u8", "what it carries", BULK_KINDS),
            Field("size", "u32", "bytes"),
            Field("sha256", "b32", "of all bytes"),
        ),
    ),
    Message(
        0x11,
        "BULK_GRANT",
        BOTH,
        COMMAND,
        False,
        "The receiver has all before `offset` and takes more up to `until`.",
        (_TRANSFER, Field("offset", "u32", "next byte wanted"), Field("until", "u32", "end of the window")),
    ),
    Message(
        0x12,
        "BULK_DATA",
        BOTH,
        BULK,
        False,
        "A piece.",
        (_TRANSFER, Field("offset", "u32", "where it belongs"), Field("data", "rest", "the bytes")),
    ),
    Message(
        0x13,
        "BULK_END",
        BOTH,
        COMMAND,
        True,
        "The receiver's last word on a transfer.",
        (_TRANSFER, Field("code", "u8", "how it ended", BULK_CODES)),
    ),
    Message(
        0x14,
        "BULK_CANCEL",
        BOTH,
        COMMAND,
        True,
        "The sender gives a transfer up.",
        (_TRANSFER, Field("code", "u8", "why", BULK_CODES)),
    ),
    Message(
        0x15,
        "REJECT",
        BOTH,
        COMMAND,
        False,
        "A message that arrived was not understood; it is not acted upon.",
        (Field("message", "u8", "its number"), Field("code", "u8", "why", REFUSALS)),
    ),
)

CONTROLLER_MESSAGES = (
    Message(
        0x20,
        "STATE",
        C2H,
        COMMAND,
        False,
        "Where the round stands. Sent on every change and after UP.",
        (
            Field("phase", "u8", "phase of the round", PHASES),
            _SPIN,
            Field("game_state", "u8", "state in the game table"),
            _PUCK,
            Field("lock", "u8", "why locked", LOCKS),
            Field("faults", "u32", "faults that stand", FAULTS),
            Field("inputs", "u16", "switches", INPUTS),
            Field("pending", "u16", "records not committed yet"),
            Field("hold", "u8", "why no new spin may start", HOLDS),
            _UPTIME,
            _COLLECTED,
        ),
    ),
    Message(
        0x21,
        "RESULT",
        C2H,
        RESULT,
        True,
        "A spin that counts. Kept by the controller, and sent again in every new session, until COMMIT.",
        (
            _SPIN,
            Field("faces", "b3", "ascending; 0 where there is no third die comes last"),
            Field("dice", "u8", "dice read"),
            Field("state_before", "u8", "game state before"),
            Field("state_after", "u8", "game state after"),
            _PUCK,
            Field("opinions", "u8", "whose opinions agree", READERS),
            Field("reads", "u8", "still reads that agreed"),
            Field("spin_ms", "u32", "how long the dice were tumbled"),
            Field("tumbles", "u16", "revolutions or tumbles counted"),
            Field("peak_rpm", "u16", "highest speed of the motor"),
            Field("nmb_ms", "u32", "no more bets, ms after the start of the spin"),
            Field("exposed_ms", "u32", "cover opened, ms after the start of the spin"),
            Field("read_ms", "u32", "read complete, ms after the start of the spin"),
            Field("flags", "u16", "circumstances", RESULT_FLAGS),
            _WALL,
            _UPTIME,
            _COLLECTED,
            Field("areas", "bytes32", "winning areas, bit i = area i of the game table"),
        ),
    ),
    Message(
        0x22,
        "NO_SPIN",
        C2H,
        RESULT,
        True,
        "A spin that does not count. Kept and sent again like RESULT.",
        (
            _SPIN,
            Field("cause", "u8", "why", CAUSES),
            Field("detail", "u16", "number that belongs to the cause (current, count, fault bit)"),
            Field("by", "u8", "who called it", ROLES),
            _WALL,
            _UPTIME,
            Field("evidence", "bytes64", "what the reader saw"),
        ),
    ),
    Message(
        0x23,
        "EVENT",
        C2H,
        COMMAND,
        False,
        "Something happened beside results.",
        (
            Field("code", "u16", "what", EVENTS),
            Field("severity", "u8", "how much it matters", SEVERITIES),
            Field("a", "i32", "first number of the event's text"),
            Field("b", "i32", "second number of the event's text"),
            _UPTIME,
            _WALL,
            Field("text", "str64", "words of the event's text"),
        ),
    ),
    Message(
        0x24,
        "HEALTH",
        C2H,
        COMMAND,
        False,
        "Gauges and counters since start, sent at an interval.",
        (
            _UPTIME,
            Field("heap_free", "u32", "bytes of heap free now"),
            Field("heap_low", "u32", "lowest so far"),
            Field("loop_max_ms", "u16", "longest turn of the main loop since the last HEALTH"),
            Field("flash_erases", "u32", "sectors erased by the store"),
            Field("ring_used", "u16", "records in the ring that are not committed"),
            Field("ring_size", "u16", "records the ring holds"),
            Field("spins", "u32", "spins since start"),
            Field("no_spins", "u32", "no spins since start"),
            Field("supply_mv", "u16", "supply"),
            Field("lamp_ma", "u16", "lamp current"),
            Field("temperature", "i16", "of the controller, tenths of a degree"),
            Field("frames_in", "u32", "frames taken"),
            Field("frames_out", "u32", "frames sent"),
            Field("crc_errors", "u32", "frames with a wrong CRC"),
            Field("tag_errors", "u32", "frames with a wrong tag"),
            Field("retransmits", "u32", "frames sent again"),
            Field("naks", "u32", "NAKs sent"),
            Field("dupes", "u32", "frames that came twice"),
            Field("resyncs", "u32", "times the decoder had to find the next delimiter"),
            Field("rtt_ms", "u16", "smoothed round-trip time"),
            Field("queue", "u8", "messages waiting"),
            Field("drift", "u8", "what of the camera has drifted most from its calibration", DRIFTS),
            Field("drift_by", "i16", "how far, in thousandths of what was calibrated"),
        ),
    ),
    Message(
        0x25,
        "SERVICE_RSP",
        C2H,
        COMMAND,
        False,
        "Answer to SERVICE_REQ.",
        (_REQ, Field("ok", "u8", "1 done, 0 not: data says why"), Field("data", "bytes200", "depends on op")),
    ),
    Message(
        0x26,
        "GAME_ACTIVE",
        C2H,
        COMMAND,
        True,
        "Answer to GAME_USE.",
        (
            Field("hash", "b32", "SHA-256 of the table asked for"),
            Field("ok", "u8", "1 in use"),
            Field("code", "u8", "why not", GAME_CODES),
        ),
    ),
    Message(
        0x27,
        "COMMAND_RSP",
        C2H,
        COMMAND,
        False,
        "Answer to COMMAND.",
        (_REQ, Field("code", "u8", "what became of it", COMMAND_CODES)),
    ),
)

HOST_MESSAGES = (
    Message(
        0x40,
        "COMMIT",
        H2C,
        RESULT,
        True,
        "The RESULT or NO_SPIN of that spin is in the journal; the controller may overwrite it.",
        (_SPIN,),
    ),
    Message(0x41, "TIME", H2C, COMMAND, False, "The wall clock.", (_WALL,)),
    Message(
        0x42,
        "HOLD",
        H2C,
        COMMAND,
        True,
        "No new spins, or go on.",
        (Field("on", "u8", "1 hold, 0 go on"), Field("reason", "u8", "why", HOLDS)),
    ),
    Message(
        0x43,
        "COMMAND",
        H2C,
        COMMAND,
        True,
        "People's commands, authorised by the daemon. Answered by COMMAND_RSP.",
        (
            _REQ,
            Field("op", "u8", "what", COMMANDS),
            Field("arg", "u32", "depends on op"),
            Field("role", "u8", "who", ROLES),
        ),
    ),
    Message(
        0x44,
        "SETTINGS",
        H2C,
        COMMAND,
        True,
        "How the table plays; sent after every UP.",
        (
            Field("min_spin_ms", "u32", "shortest spin that counts"),
            Field("min_tumbles", "u16", "fewest tumbles that count"),
            Field("entry", "u8", "dealer's entry", ENTRIES),
            Field("auto_paid_ms", "u32", "paid by itself after this time; 0: the dealer confirms"),
            Field("spin_ms", "u32", "length of the motor's profile"),
            Field("spin_rpm", "u16", "speed of the motor"),
            Field("still_reads", "u8", "reads that must agree"),
            Field("lock_after", "u8", "same faults in a row that lock the table"),
            Field("brightness", "u8", "of the lamps, 0 to 255"),
        ),
    ),
    Message(
        0x45,
        "SERVICE_REQ",
        H2C,
        COMMAND,
        True,
        "A technician's request. Answered by SERVICE_RSP.",
        (_REQ, Field("op", "u8", "what", SERVICE_OPS), Field("data", "bytes200", "depends on op")),
    ),
    Message(
        0x46,
        "GAME_USE",
        H2C,
        COMMAND,
        True,
        "Use the game table with that hash from the next spin on. Answered by GAME_ACTIVE.",
        (Field("hash", "b32", "SHA-256 of the table"),),
    ),
)

MESSAGES = LINK_MESSAGES + BULK_MESSAGES + CONTROLLER_MESSAGES + HOST_MESSAGES
