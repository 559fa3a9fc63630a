"""Opening a session: HELLO_REQ, HELLO, AUTH, AUTH_OK; refusals. The host opens (Opener), the controller answers
(Answerer).

Frames of the handshake are not sequenced: the host repeats, the controller answers the same thing the same way. A session
that is up stays up until the new one is proved, so that a stray or forged HELLO_REQ ends nothing. Not here: the link.
"""

from dicewire.auth import Key, proof, same, session_key, session_number
from dicewire.clock import since
from dicewire.codec import decode, encode
from dicewire.codes import (
    REFUSAL_BAD_MESSAGE,
    REFUSAL_FOREIGN,
    REFUSAL_KEY,
    REFUSAL_LIMITS,
    REFUSAL_NO_PROOF,
    REFUSAL_SCHEMA,
    REFUSAL_SILENT,
)
from dicewire.messages import AUTH, AUTH_OK, HELLO, HELLO_REQ, PROTO, REFUSE, SCHEMA_HASH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

HOST = 0
CONTROLLER = 1

LEAST_FRAME = 160  # HELLO must fit
MOST_FRAME = 254
LEAST_WINDOW = 2
MOST_WINDOW = 64
_WHO = (b"host", b"controller")
_FIRST_MS = 100
_SLOWEST_MS = 1000
_REFUSED_MS = 5000
_SILENT_AFTER = 5  # HELLO_REQs without an answer
_AUTH_TRIES = 5
_LONGEST_TEXT = 128  # of REFUSE, in letters of ASCII: no refusal has others


def _version(proto: int, schema: bytes) -> str:
    return f"dicewire {proto}/{''.join([f'{b:02x}' for b in schema])}"


def schema_text(side: int, proto: int, schema: bytes) -> str:
    """Names both versions; `side` is the one that speaks here, `proto` and `schema` are the other's."""
    ours, theirs = _WHO[side].decode(), _WHO[1 - side].decode()
    older = ours if proto > PROTO else theirs if proto < PROTO else "older of the two"
    return f"{theirs} speaks {_version(proto, schema)}, {ours} {_version(PROTO, SCHEMA_HASH)}: update the {older}"


class Handshake:
    """What both sides have: the reply that waits to be sent, the refusal that waits to be told, the session."""

    def __init__(self, role: int, secret: bytes, hello: "dict[str, Any]", entropy: "Callable[[int], bytes]") -> None:
        self._role = role
        self._secret = secret
        self._hello = hello
        self._entropy = entropy
        self._reply: tuple[int, int, bytes] | None = None
        self._told: tuple[int, str] | None = None
        self.refusal: tuple[int, str] | None = None
        self.session = 0
        self.key = Key(b"")
        self.peer: dict[str, Any] = {}
        self.rtt = 0
        self.heard = False  # whether any byte came since the last frame that made sense
        self.failures = 0  # wrong proofs

    def _refuse(self, code: int, text: str, session: int, tell_peer: bool) -> None:
        """Tells the owner, once for the same refusal, and the peer."""
        if (code, text) != self._told:
            self._told = self.refusal = (code, text)
        if tell_peer:
            values = {"proto": PROTO, "schema_hash": SCHEMA_HASH, "code": code, "text": text[:_LONGEST_TEXT]}
            self._reply = (REFUSE, session, encode(REFUSE, values))

    def _foreign_schema(self, payload: bytes) -> bool:
        """Whether a HELLO or HELLO_REQ is of another schema: its first nine bytes are the same in every version."""
        if len(payload) < 9:
            self._refuse(REFUSAL_BAD_MESSAGE, "a hello without version", 0, False)
            return True
        if payload[0] == PROTO and payload[1:9] == SCHEMA_HASH:
            return False
        self._refuse(REFUSAL_SCHEMA, schema_text(self._role, payload[0], payload[1:9]), 0, True)
        return True

    def _read_hello(self, number: int, payload: bytes) -> "dict[str, Any] | None":
        if self._foreign_schema(payload):
            return None
        try:
            values = decode(number, payload)
        except ValueError as error:
            self._refuse(REFUSAL_BAD_MESSAGE, str(error), 0, False)
            return None
        if values["max_frame"] < LEAST_FRAME or values["window"] < LEAST_WINDOW:
            text = (
                f"limits: frame {values['max_frame']}, window {values['window']}; least {LEAST_FRAME}, {LEAST_WINDOW}"
            )
            self._refuse(REFUSAL_LIMITS, text, 0, True)
            return None
        return values

    def _own_hello(self, number: int, nonce: bytes) -> bytes:
        return encode(number, dict(self._hello, proto=PROTO, schema_hash=SCHEMA_HASH, nonce=nonce))

    def opened(self) -> None:
        """The session is up: a refusal that comes after this is news again."""
        self._told = None

    def take(self, now: int) -> "tuple[int, int, bytes] | None":
        """(message number, session, payload) to send now, or None."""
        reply = self._reply
        self._reply = None
        return reply

    def pending(self, now: int) -> bool:
        return self._reply is not None


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
        self._interval = min(self._interval * 2, _SLOWEST_MS)
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
        self._auth = proof(self.key, _WHO[HOST], self._request, payload)
        self._expect = proof(self.key, _WHO[CONTROLLER], self._request, payload)
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


class Answerer(Handshake):
    """The controller's side."""

    def __init__(self, secret: bytes, hello: "dict[str, Any]", entropy: "Callable[[int], bytes]") -> None:
        Handshake.__init__(self, CONTROLLER, secret, hello, entropy)
        self._own_hello(HELLO, bytes(16))  # a hello that does not fit is an error at start, not when a host asks
        self._request = b""
        self._answer = b""
        self._expect = b""
        self._proof = b""
        self._proved = 0
        self._at = 0

    def restart(self, now: int, wait: int) -> None:
        """Forgets a half-open session."""
        self._request = b""
        self._expect = b""
        self._proved = 0
        self.session = 0

    def deadline(self, now: int) -> int:
        return _SLOWEST_MS

    def frame(self, number: int, session: int, payload: bytes, now: int) -> bool:
        """A frame of the handshake, whether a session is up or not. True when it opens a new session."""
        if number == HELLO_REQ:
            self._asked(payload, now)
        elif number == AUTH and self.session and session == self.session:
            if same(payload, self._expect):
                self._reply = (AUTH_OK, session, self._proof)
                if self._proved == session:
                    return False  # AUTH_OK was lost; the session is up already
                self._proved = session
                self.rtt = max(0, since(now, self._at))
                return True
            self.failures += 1
            self._refuse(REFUSAL_KEY, "the host's proof is wrong: it holds another key", session, True)
        elif number == REFUSE:
            self._refused_by_host(payload)
        return False

    def _asked(self, payload: bytes, now: int) -> None:
        if payload != self._request:
            values = self._read_hello(HELLO_REQ, payload)
            if values is None:
                return
            nonce = self._entropy(16)
            answer = self._own_hello(HELLO, nonce)
            self.key = session_key(self._secret, values["nonce"], nonce, self._hello["boot_id"])
            self.session = session_number(values["nonce"], nonce)
            self.peer = values
            self._request = payload
            self._answer = answer
            self._expect = proof(self.key, _WHO[HOST], payload, answer)
            self._proof = proof(self.key, _WHO[CONTROLLER], payload, answer)
            self._proved = 0
        self._at = now
        self._reply = (HELLO, 0, self._answer)

    def _refused_by_host(self, payload: bytes) -> None:
        try:
            values = decode(REFUSE, payload)
        except ValueError:
            self._foreign_schema(payload)
            self._reply = None  # a refusal is not answered with a refusal
        else:
            self._refuse(values["code"], values["text"], 0, False)
