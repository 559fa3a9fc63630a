"""Opening a session: HELLO_REQ, HELLO, AUTH, AUTH_OK; refusals. What both sides have, and the controller's, which answers;
the host's, which opens, is in opener.py.

Frames of the handshake are not sequenced: the host repeats, the controller answers the same thing the same way. A session
that is up stays up until the new one is proved, so that a stray or forged HELLO_REQ ends nothing. Not here: the link.
"""

from dicewire.auth import Key, proof, same, session_key, session_number
from dicewire.clock import since
from dicewire.codec import decode, encode
from dicewire.codes import (
    REFUSAL_BAD_MESSAGE,
    REFUSAL_KEY,
    REFUSAL_LIMITS,
    REFUSAL_SCHEMA,
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
WHO = (b"host", b"controller")
SLOWEST_MS = 1000
_LONGEST_TEXT = 128  # of REFUSE, in letters of ASCII: no refusal has others


def _version(proto: int, schema: bytes) -> str:
    return f"dicewire {proto}/{''.join([f'{b:02x}' for b in schema])}"


def schema_text(side: int, proto: int, schema: bytes) -> str:
    """Names both versions; `side` is the one that speaks here, `proto` and `schema` are the other's."""
    ours, theirs = WHO[side].decode(), WHO[1 - side].decode()
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
        return SLOWEST_MS

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
            self._expect = proof(self.key, WHO[HOST], payload, answer)
            self._proof = proof(self.key, WHO[CONTROLLER], payload, answer)
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
