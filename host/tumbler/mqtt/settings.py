"""What the link must know of the broker, and when it cannot be used as configured.

The shape of the `[mqtt]` section; tumbler.config has the keys, their texts and their checks.
"""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Protocol


class BrokerSettings(Protocol):
    @property
    def host(self) -> str: ...
    @property
    def port(self) -> int: ...
    @property
    def username(self) -> str | None: ...
    @property
    def password_file(self) -> Path | None: ...
    @property
    def tls(self) -> bool: ...
    @property
    def ca_file(self) -> Path | None: ...
    @property
    def cert_file(self) -> Path | None: ...
    @property
    def private_key_file(self) -> Path | None: ...
    @property
    def client_id(self) -> str | None: ...
    @property
    def keepalive(self) -> int: ...


class BrokerUnusable(Exception):
    """The broker cannot be used for now; the message says why and what to do. The link tries again for ever."""


def password(settings: BrokerSettings) -> str | None:
    """Read at every connect, so that a changed password needs no restart."""
    if settings.password_file is None:
        return None
    try:
        return settings.password_file.read_text("utf-8").split("\n", 1)[0]
    except (OSError, UnicodeDecodeError) as error:
        raise BrokerUnusable(f"mqtt.password_file {settings.password_file} cannot be read: {error}") from error


def tls_context(settings: BrokerSettings) -> ssl.SSLContext | None:
    if not settings.tls:
        return None
    try:
        context = ssl.create_default_context(cafile=str(settings.ca_file) if settings.ca_file else None)
        if settings.cert_file is not None:
            context.load_cert_chain(str(settings.cert_file), str(settings.private_key_file or settings.cert_file))
    except (OSError, ssl.SSLError) as error:
        named = ", ".join(str(file) for file in (settings.ca_file, settings.cert_file) if file)
        raise BrokerUnusable(f"mqtt: the certificates ({named or 'of the system'}) cannot be used: {error}") from error
    return context
