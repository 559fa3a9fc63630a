"""The journal's own key: seals every record and signs checkpoints and the head file.

A key of its own and not the tables' keys: one journal holds many tables, and a table's key also lives in a controller
under that table. Whoever lacks it can still check the chain, but cannot make a record that passes.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tumbler.journal.errors import JournalKeyError, JournalUnwritable
from tumbler.journal.record import canonical

KEY_BYTES = 32
SEAL_BYTES = 16  # beside every record; 2**128 tries to forge one

# Every use has its own prefix, so that a seal can never be passed off as a signature.
_SEAL, _SIGN = b"tumbler journal seal\n", b"tumbler journal statement\n"


class JournalKey:
    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def seal(self, record_hash: str) -> bytes:
        return hmac.digest(self._secret, _SEAL + record_hash.encode(), hashlib.sha256)[:SEAL_BYTES]

    def sign(self, statement: Mapping[str, Any]) -> dict[str, Any]:
        """The statement with its `mac`."""
        return {**statement, "mac": self._mac(statement)}

    def signed(self, statement: Mapping[str, Any]) -> bool:
        bare = {name: value for name, value in statement.items() if name != "mac"}
        return hmac.compare_digest(str(statement.get("mac", "")), self._mac(bare))

    def _mac(self, statement: Mapping[str, Any]) -> str:
        return hmac.new(self._secret, _SIGN + canonical(statement).encode(), hashlib.sha256).hexdigest()


def default_key_file(journal: Path) -> Path:
    return journal.with_name(journal.name + ".key")


def read_journal_key(path: Path) -> JournalKey:
    try:
        mode, text = path.stat().st_mode, path.read_text("ascii", "replace").strip()
    except OSError as error:
        raise JournalKeyError(
            f"journal key {path} cannot be read: {error.strerror}; put back the key that this journal was made with"
        ) from error
    if mode & 0o077:
        raise JournalKeyError(f"journal key {path} can be read by others (mode {mode & 0o777:04o}); chmod 600 it")
    if not re.fullmatch(rf"[0-9a-fA-F]{{{2 * KEY_BYTES}}}", text):
        raise JournalKeyError(f"journal key {path} must hold {2 * KEY_BYTES} hexadecimal digits and nothing else")
    return JournalKey(bytes.fromhex(text))


def make_journal_key(path: Path) -> JournalKey:
    """A new key, never over an old one; on disk before anything is sealed with it."""
    secret = secrets.token_bytes(KEY_BYTES)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise JournalUnwritable(f"journal key {path} cannot be made: {error.strerror}") from error
    with os.fdopen(fd, "w") as file:
        file.write(secret.hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    return JournalKey(secret)
