"""Makes protocol/vectors.json: frames as they cross the wire, which both sides must write and read alike.

Written with the textbook forms (byte-wise COBS, zlib, hmac) and not with dicewire's own code, so that the vectors are a
second opinion and not an echo. Values are made from the declaration: lowest, highest and something between.
"""

import hashlib
import hmac
import json
import struct
import zlib
from typing import Any

from dicewire.declared.layout import REST, STRING, bounds, fixed_bytes, is_integer, layout
from dicewire.declared.messages import C2H, MESSAGES, PROTO, Field, Message
from dicewire.declared.runtime import MADE_BY

_KEY = bytes(range(32))
_HOST_NONCE = bytes(range(16))
_CONTROLLER_NONCE = bytes(range(16, 32))
_BOOT_ID = bytes(range(32, 40))
_SESSION = 0x0100  # a zero byte in every head: COBS has something to do
_COUNT = 0x0102


def stuffed(data: bytes) -> bytes:
    """COBS as its paper has it: groups of a code and the bytes before the next zero. `data` has at most 254 bytes."""
    return b"".join(bytes([len(group) + 1]) + group for group in data.split(b"\x00")) + b"\x00"


def _integer(field: Field, case: int, at: int) -> int:
    low, high = bounds(field)
    return (low, high, low + (0x0123456789ABCDEF >> at % 8) % (high - low + 1))[case]


def _octets(n: int, case: int, at: int) -> bytes:
    return (bytes(n), b"\xff" * n, bytes((i * 37 + at) % 256 for i in range(n)))[case]


def _values(message: Message, case: int) -> dict[str, Any]:
    longest = {v.name: (v.limit, v.kind) for v in layout(message).variable}
    values: dict[str, Any] = {}
    for at, field in enumerate(message.fields):
        if is_integer(field):
            values[field.name] = _integer(field, case, at)
        elif fixed_bytes(field):
            values[field.name] = _octets(fixed_bytes(field), case, at)
        else:
            limit, kind = longest[field.name]
            n = (0, limit, limit // 3)[case]
            # Two bytes of UTF-8 a letter, so that lengths in bytes and in letters differ.
            values[field.name] = ("ä" * (n // 2)) if kind == STRING else _octets(n, case, at)
    return values


def _payload(message: Message, values: dict[str, Any]) -> bytes:
    fixed = b""
    for field in message.fields:
        if is_integer(field):
            fixed += values[field.name].to_bytes(int(field.kind[1:]) // 8, "little", signed=field.kind[0] == "i")
        elif fixed_bytes(field):
            fixed += values[field.name]
    for name, _, kind in layout(message).variable:
        data = values[name].encode() if kind == STRING else values[name]
        fixed += data if kind == REST else bytes([len(data)]) + data
    return fixed


def _session_key() -> bytes:
    return hmac.digest(_KEY, b"dicewire session" + _HOST_NONCE + _CONTROLLER_NONCE + _BOOT_ID, "sha256")


def _tag(kind: int, payload: bytes) -> bytes:
    return hmac.digest(_session_key(), struct.pack("<IB", _COUNT, kind) + payload, "sha256")[:8]


def framed(kind: int, seq: int, ack: int, session: int, body: bytes) -> bytes:
    raw = struct.pack("<BBBH", kind, seq, ack, session) + body
    return stuffed(raw + struct.pack("<I", zlib.crc32(raw)))


def _vector(message: Message, case: int) -> dict[str, Any]:
    values = _values(message, case)
    payload = _payload(message, values)
    kind = message.number | (0x80 if message.way == C2H else 0)
    body = payload + (_tag(kind, payload) if message.tagged else b"")
    ack = (0, 255, 7)[case]
    return {
        "message": message.name,
        "values": {name: v.hex() if isinstance(v, bytes) else v for name, v in values.items()},
        "bytes": [name for name, v in values.items() if isinstance(v, bytes)],
        "kind": kind,
        "seq": _COUNT & 0xFF,
        "ack": ack,
        "session": _SESSION,
        "payload": payload.hex(),
        "tagged": message.tagged,
        "frame": framed(kind, _COUNT & 0xFF, ack, _SESSION, body).hex(),
    }


def _damaged() -> list[dict[str, str]]:
    """Frames that must not come through, with the counter that each raises."""
    raw = struct.pack("<BBBH", 0x41, 1, 2, _SESSION) + bytes(8)
    good = framed(0x41, 1, 2, _SESSION, bytes(8))
    flipped = bytearray(raw + struct.pack("<I", zlib.crc32(raw)))
    flipped[7] ^= 0x10
    return [
        {"what": "a bit flipped in the payload", "counter": "crc_errors", "bytes": stuffed(bytes(flipped)).hex()},
        {"what": "CRC of zero", "counter": "crc_errors", "bytes": stuffed(raw + bytes(4)).hex()},
        {"what": "shorter than a head and a CRC", "counter": "resyncs", "bytes": "0301020100"},
        {"what": "a code that points behind the frame", "counter": "resyncs", "bytes": "f0" + good[1:].hex()},
        {"what": "cut in the middle", "counter": "resyncs", "bytes": good[: len(good) // 2].hex() + "00"},
        {"what": "longer than any frame", "counter": "resyncs", "bytes": "01" * 600 + "00"},
        {"what": "two frames grown together", "counter": "crc_errors", "bytes": (good[:-1] + good).hex()},
    ]


def vectors() -> dict[str, Any]:
    return {
        "about": f"Frames that every implementation writes and reads alike. {MADE_BY}",
        "proto": PROTO,
        "session": {
            "key": _KEY.hex(),
            "host_nonce": _HOST_NONCE.hex(),
            "controller_nonce": _CONTROLLER_NONCE.hex(),
            "boot_id": _BOOT_ID.hex(),
            "session_key": _session_key().hex(),
            "number": (int.from_bytes(hashlib.sha256(_HOST_NONCE + _CONTROLLER_NONCE).digest()[:2], "little") or 1),
            "count": _COUNT,
        },
        "messages": [_vector(m, case) for m in MESSAGES for case in ((0, 1, 2) if m.fields else (0,))],
        "damaged": _damaged(),
    }


def vectors_file() -> str:
    made = vectors()
    rows = {name: ",\n  ".join(json.dumps(row) for row in made.pop(name)) for name in ("messages", "damaged")}
    head = ",\n".join(f' "{name}": {json.dumps(value)}' for name, value in made.items())
    lists = ",\n".join(f' "{name}": [\n  {text}\n ]' for name, text in rows.items())
    return f"{{\n{head},\n{lists}\n}}\n"
