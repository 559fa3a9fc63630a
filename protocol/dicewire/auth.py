"""Keys and proofs: HMAC-SHA-256 on hashlib (MicroPython has no hmac), session key, proofs, tags of frames."""

import hashlib
import struct

TAG = 8
PROOF = 16
_BLOCK = 64


class Key:
    """An HMAC-SHA-256 key with its two padded blocks made once: a tag then costs two hashes and no other work."""

    def __init__(self, secret: bytes) -> None:
        if len(secret) > _BLOCK:
            secret = hashlib.sha256(secret).digest()
        secret = secret + bytes(_BLOCK - len(secret))
        self._inner = bytes([b ^ 0x36 for b in secret])
        self._outer = bytes([b ^ 0x5C for b in secret])
        self._prefix = bytearray(5)

    def mac(self, first: "bytes | bytearray", second: "bytes | bytearray | memoryview" = b"") -> bytes:
        """HMAC-SHA-256 of first + second."""
        inner = hashlib.sha256(self._inner)
        inner.update(first)
        inner.update(second)
        outer = hashlib.sha256(self._outer)
        outer.update(inner.digest())
        return outer.digest()

    def tag(self, count: int, kind: int, payload: "bytes | bytearray | memoryview") -> bytes:
        """Tag of a frame: `count` is its place in the session, never repeated; `kind` its type with direction."""
        struct.pack_into("<IB", self._prefix, 0, count & 0xFFFFFFFF, kind)
        return self.mac(self._prefix, payload)[:TAG]


def session_key(secret: bytes, host_nonce: bytes, controller_nonce: bytes, boot_id: bytes) -> Key:
    return Key(Key(secret).mac(b"dicewire session", host_nonce + controller_nonce + boot_id))


def session_number(host_nonce: bytes, controller_nonce: bytes) -> int:
    """The number in every frame, 1 to 65535. Made without the key, so that a wrong key shows as a wrong proof."""
    digest = hashlib.sha256(host_nonce + controller_nonce).digest()
    return (digest[0] | digest[1] << 8) or 1


def proof(key: Key, who: bytes, hello_req: bytes, hello: bytes) -> bytes:
    """Proof of the key by `who`, over both hellos as they crossed the wire, so that nobody can change them."""
    both = hashlib.sha256(hello_req)
    both.update(hello)
    return key.mac(who, both.digest())[:PROOF]


def same(a: "bytes | memoryview", b: "bytes | memoryview") -> bool:
    """Whether a and b are equal, in a time that doesn't tell where they differ."""
    if len(a) != len(b):
        return False
    differ = 0
    for i in range(len(a)):
        differ |= a[i] ^ b[i]
    return not differ
