"""The controller's log: the newest lines in one fixed buffer, for a technician to fetch. Gone at power-off.

Not for events (they go to the host by themselves) and not for spins (they are in the store).
"""

from controller.target import const

SIZE = const(3072)
_LINE_MAX = const(120)


class Log:
    def __init__(self, uptime):
        self._uptime = uptime
        self._buf = bytearray(SIZE)
        self._end = 0  # where the next byte goes
        self._full = False

    def add(self, text):
        for byte in f"{self._uptime.ms} {text}"[:_LINE_MAX].encode() + b"\n":
            self._buf[self._end] = byte
            self._end += 1
            if self._end == SIZE:
                self._end = 0
                self._full = True

    def dump(self):
        """All of it, oldest first; a line cut by the wrap is left out. Allocates: for a technician, never in play."""
        if not self._full:
            return bytes(self._buf[: self._end])
        whole = bytes(self._buf[self._end :]) + bytes(self._buf[: self._end])
        return whole[whole.find(b"\n") + 1 :]
