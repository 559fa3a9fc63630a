"""Who sent a command: people with a role and a key, a signature over the command, and a window against replay.

The broker's access list keeps strangers off the command topics; this file makes sure that a person's role is not just
claimed. Not for what a role may do: authority.py.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

WINDOW_S = 30.0  # a signed command is good for this long before and after its `at`
MAX_SEEN = 4096
MAX_TEXT = 64


class AccessRefused(Exception):
    """The sender is not known, not proven, or too late; the message may be shown to the sender."""


class PeopleFileError(Exception):
    """The file of people cannot be used."""


@dataclass(frozen=True)
class Sender:
    """Who stands behind a command."""

    by: str
    role: str


def signed_text(topic: str, command: Mapping[str, Any]) -> bytes:
    """What is signed: the topic and everything of the command but the signature, in one form that both sides make."""
    body = {name: value for name, value in command.items() if name != "sig"}
    return (topic + "\n" + json.dumps(body, sort_keys=True, separators=(",", ":"))).encode()


def sign(topic: str, command: Mapping[str, Any], key: bytes) -> str:
    return hmac.new(key, signed_text(topic, command), hashlib.sha256).hexdigest()


def load_people(path: Path) -> dict[str, tuple[str, bytes]]:
    """name -> (role, key) from a file of sections `[name]` with `role` and `key` (64 hexadecimal digits)."""
    try:
        if path.stat().st_mode & 0o077:
            raise PeopleFileError(f"{path} can be read by others; chmod 600 it")
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PeopleFileError(f"{path}: {error}") from error
    people = {}
    for name, person in data.items():
        if not isinstance(person, dict) or not isinstance(person.get("role"), str):
            raise PeopleFileError(f"{path}: {name}: must be a section with role and key")
        key = person.get("key")
        if not isinstance(key, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", key):
            raise PeopleFileError(f"{path}: {name}.key: must be 64 hexadecimal digits")
        people[name] = (person["role"], bytes.fromhex(key))
    return people


class Access:
    """Decides who a command comes from. `people` None: the broker is trusted and the claimed role believed."""

    def __init__(self, people: Mapping[str, tuple[str, bytes]] | None, now: Callable[[], float]) -> None:
        self._people = people
        self._now = now
        self._seen: dict[tuple[str, str], float] = {}

    def sender(self, topic: str, command: Mapping[str, Any]) -> Sender:
        by, role = command.get("by"), command.get("role")
        if not isinstance(by, str) or not isinstance(role, str) or not 0 < len(by) <= MAX_TEXT:
            raise AccessRefused("a command names who sends it: by and role, as text")
        if self._people is None:
            return Sender(by, role)
        known_role, key = self._people.get(by, ("", b""))
        signature = command.get("sig")
        proven = isinstance(signature, str) and hmac.compare_digest(signature, sign(topic, command, key))
        if not key or not proven:
            raise AccessRefused(f"the signature is not {by}'s")
        if role != known_role:
            raise AccessRefused(f"{by} is {known_role}, not {role}")
        self._refuse_replay(by, command)
        return Sender(by, role)

    def _refuse_replay(self, by: str, command: Mapping[str, Any]) -> None:
        now = self._now()
        try:
            at = datetime.fromisoformat(str(command.get("at"))).timestamp()
        except ValueError as error:
            raise AccessRefused("a signed command carries its time: at, as 2025-01-31T12:00:00Z") from error
        if abs(now - at) > WINDOW_S:
            raise AccessRefused(f"signed {now - at:+.0f} s ago; a command is good for {WINDOW_S:.0f} s")
        self._seen = {seen: until for seen, until in self._seen.items() if until > now}
        one = (by, str(command.get("id")))
        if len(self._seen) >= MAX_SEEN:
            raise AccessRefused(f"more than {MAX_SEEN} commands in {WINDOW_S:.0f} s; wait and send again")
        if one in self._seen:
            raise AccessRefused(f"command {one[1]} of {by} has been seen already")
        self._seen[one] = now + 2 * WINDOW_S
