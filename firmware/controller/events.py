"""What the table reports beside results: events wait here for the link, faults stand here until they are gone.

Events are not durable: the newest 32 wait while no host listens, the others are counted (service request `info`). What must
not be lost is in the store. The severity of each event is a table here because the wire's declaration, with its texts,
stays on the host; a test holds the two together.
"""

from dicewire import codes

from controller.target import const

_WAITING_MAX = const(32)
_TEXT_MAX = const(64)

_WARNING = (
    codes.EVENT_LAMP_DEAD, codes.EVENT_MEMORY_LOW, codes.EVENT_LOOP_SLOW, codes.EVENT_HOLD, codes.EVENT_ENTRY_DIFFERS,
    codes.EVENT_COMMAND_REFUSED, codes.EVENT_DOOR_OPENED, codes.EVENT_STRUCK, codes.EVENT_STRANGE_TAG,
    codes.EVENT_AUTH_FAILED, codes.EVENT_TAG_FAILED, codes.EVENT_HOST_DOWN, codes.EVENT_STORE_FORMATTED,
    codes.EVENT_CAMERA_DRIFT, codes.EVENT_EVIDENCE_LOST,
)  # fmt: skip
_ERROR = (
    codes.EVENT_PROGRAM_FAILED, codes.EVENT_FAULT_SET, codes.EVENT_RECORD_UNSOUND, codes.EVENT_GAME_REFUSED,
    codes.EVENT_UPDATE_REFUSED, codes.EVENT_UPDATE_ROLLED_BACK,
)  # fmt: skip
_CRITICAL = (codes.EVENT_SELF_TEST_FAILED, codes.EVENT_LOCKED)


def severity(code):
    if code in _CRITICAL:
        return codes.SEVERITY_CRITICAL
    if code in _ERROR:
        return codes.SEVERITY_ERROR
    return codes.SEVERITY_WARNING if code in _WARNING else codes.SEVERITY_INFO


class Events:
    def __init__(self, uptime, log):
        self._uptime = uptime
        self._log = log
        self._waiting = []
        self.lost = 0

    def add(self, code, a=0, b=0, text=""):
        self._log.add(f"event {code} {a} {b} {text}")
        if len(self._waiting) >= _WAITING_MAX:
            self._waiting.pop(0)
            self.lost += 1
        self._waiting.append(
            {
                "code": code,
                "severity": severity(code),
                "a": a,
                "b": b,
                "uptime_ms": self._uptime.uptime_u32(),
                "wall_ms": self._uptime.wall_ms(),
                "text": _fitted(text),
            }
        )

    def put_back(self, event):
        """One that the session could not deliver: it comes before those that wait."""
        if len(self._waiting) < _WAITING_MAX:
            self._waiting.insert(0, event)
        else:
            self.lost += 1

    def first(self):
        """The oldest that waits, or None."""
        return self._waiting[0] if self._waiting else None

    def sent(self):
        self._waiting.pop(0)


def _fitted(text):
    """Not more bytes than the wire takes; never cut inside a character."""
    while len(text.encode()) > _TEXT_MAX:
        text = text[: len(text) - 1]
    return text


class Faults:
    """Faults that stand now, as the bits of STATE.faults. Each coming and going is an event."""

    def __init__(self, events):
        self._events = events
        self.bits = 0

    def set(self, bit, text, told=True):
        if self.bits & bit:
            return
        self.bits |= bit
        if told:
            self._events.add(codes.EVENT_FAULT_SET, bit_number(bit), 0, text)

    def clear(self, bit):
        if self.bits & bit:
            self.bits &= ~bit
            self._events.add(codes.EVENT_FAULT_CLEARED, bit_number(bit))


def bit_number(bit):
    n = 0
    while bit > 1:
        bit >>= 1
        n += 1
    return n
