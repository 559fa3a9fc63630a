"""The host's side of opening a session: asks, proves itself, believes the controller's proof. handshake.py has the other side.

A file of its own, because a controller does without it.
"""

from dicewire.auth import proof, same, session_key, session_number
from dicewire.clock import since
from dicewire.codec import decode
from dicewire.codes import (
    REFUSAL_BAD_MESSAGE,
    REFUSAL_FOREIGN,
    REFUSAL_KEY,
    REFUSAL_NO_PROOF,
    REFUSAL_SILENT,
)
from dicewire.handshake import CONTROLLER, HOST, SLOWEST_MS, WHO, Handshake
from dicewire.messages import AUTH, AUTH_OK, HELLO, HELLO_REQ, REFUSE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_FIRST_MS = 100
_REFUSED_MS = 5000
_SILENT_AFTER = 5  # HELLO_REQs without an answer
_AUTH_TRIES = 5


class Opener(Handshake):
    """The host's side."""

    def __init__(self, secret: bytes, hello: "dict[str, Any]", entropy: "Callable[[int], bytes]", now: int) -> None:
        Handshake.__init__(self, HOST, secret, hello, entropy)
        self.restart(now, 0)

    def restart(self, now: int, wait: int) -> None:
        """Begins again with a fresh nonce, `wait` ms from now."""
        self._nonce = self._entropy(16)
        self._request = self._own_hello(HELLO_REQ, self._nonce)
        self._auth = b""
        self._expect = b""
        self._tries = 0
        self._interval = _FIRST_MS
        self._at = now
        self._wait = wait
        self.session = 0
        self.heard = False  # bytes of the session before say nothing about who answers now

    def deadline(self, now: int) -> int:
        return max(0, self._wait - since(now, self._at))

    def pending(self, now: int) -> bool:
        return self._reply is not None or self.deadline(now) == 0

    def take(self, now: int) -> "tuple[int, int, bytes] | None":
        if self._reply is not None or self.deadline(now) > 0:
            return Handshake.take(self, now)
        if self._auth and self._tries >= _AUTH_TRIES:
            self._refuse(REFUSAL_NO_PROOF, "the controller answers HELLO but not AUTH", 0, False)
            self.restart(now, _FIRST_MS)
            return None
        self._tries += 1
        self._at = now
        self._wait = self._interval
        self._interval = min(self._interval * 2, SLOWEST_MS)
        if self._auth:
            return (AUTH, self.session, self._auth)
        if self._tries > _SILENT_AFTER:
            if self.heard:
                self._refuse(REFUSAL_FOREIGN, "what answers on this port is no dicewire controller", 0, False)
            else:
                self._refuse(REFUSAL_SILENT, "nothing answers on this port", 0, False)
            self.heard = False
        return (HELLO_REQ, 0, self._request)

    def frame(self, number: int, session: int, payload: bytes, now: int) -> bool:
        """A frame of the handshake while no session is up. True when it opens the session."""
        self.heard = False
        if number == HELLO and not self._auth:
            self._greeted(payload, now)
        elif number == AUTH_OK and self._auth and session == self.session:
            if same(payload, self._expect):
                return True
            self.failures += 1
            self._refuse(REFUSAL_KEY, "the controller's proof is wrong: it holds another key", session, True)
            self._again_later(now)
        elif number == REFUSE and session == self.session:
            self._refused(payload, now)
        return False

    def _greeted(self, payload: bytes, now: int) -> None:
        values = self._read_hello(HELLO, payload)
        if values is None:
            self._again_later(now)
            return
        self.peer = values
        self.rtt = since(now, self._at) if self._tries == 1 else _FIRST_MS
        self.session = session_number(self._nonce, values["nonce"])
        self.key = session_key(self._secret, self._nonce, values["nonce"], values["boot_id"])
        self._auth = proof(self.key, WHO[HOST], self._request, payload)
        self._expect = proof(self.key, WHO[CONTROLLER], self._request, payload)
        self._tries = 0
        self._interval = _FIRST_MS
        self._at = now
        self._wait = 0

    def _refused(self, payload: bytes, now: int) -> None:
        try:
            values = decode(REFUSE, payload)
        except ValueError:
            if not self._foreign_schema(payload):
                self._refuse(REFUSAL_BAD_MESSAGE, "a refusal that can't be read", 0, False)
        else:
            self._refuse(values["code"], values["text"], 0, False)
        self._again_later(now)

    def _again_later(self, now: int) -> None:
        self.restart(now, _REFUSED_MS)
