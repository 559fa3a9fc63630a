"""The host's end of the cable in a test's own time: dicewire's host session, which commits what it is told to commit."""

import os

from dicewire import messages as wire
from dicewire import session as dw
from dicewire.bulk import MemorySink, MemorySource


class Host:
    def __init__(self, port, key, now):
        self._port = port
        self.session = dw.Session(dw.HOST, key, {}, now, os.urandom)
        self.commits = True
        self.ups = 0
        self.heard = []  # (number, values) in the order of the wire
        self.refusals = []
        self.bulk_ends = []  # (kind, whether it was done)
        self.received = b""
        self._sink = None
        self._req = 0

    def goes_on_from(self, other):
        """What was heard before the table lost its power was heard."""
        self.heard = other.heard
        self._req = other._req

    def step(self, now):
        if self._port.plugged and self._port.to_host:
            data = bytes(self._port.to_host)
            self._port.to_host.clear()
            self.session.receive(data, now)
        self.session.step(now)
        self._take_events(now)
        if not self._port.plugged:
            return
        while len(view := self.session.to_send(now)):
            self._port.to_controller += bytes(view)
            self.session.sent(len(view))

    def _take_events(self, now):
        while (event := self.session.next_event()) is not None:
            if event[0] == dw.UP:
                self.ups += 1
            elif event[0] == dw.MESSAGE:
                self._message(event[1], event[2], now)
            elif event[0] == dw.REFUSED:
                self.refusals.append((event[1], event[2]))
            elif event[0] == dw.BULK_OFFER:
                self._sink = MemorySink(event[2])
                self.session.bulk_accept(self._sink, now)
            elif event[0] in (dw.BULK_DONE, dw.BULK_FAILED):
                self.bulk_ends.append((event[1], event[0] == dw.BULK_DONE))
                if event[0] == dw.BULK_DONE and not event[3]:
                    self.received = bytes(self._sink.data)

    def _message(self, number, values, now):
        self.heard.append((number, values))
        if number in (wire.RESULT, wire.NO_SPIN) and self.commits:
            self.session.send(wire.COMMIT, {"spin": values["spin"]}, now)

    # ---- asking ----

    def send(self, number, now, **values):
        assert self.session.send(number, values, now), "no session, or its queue is full"

    def send_game(self, data, now):
        assert self.session.bulk_send(1, MemorySource(data), now)

    def next_req(self):
        self._req += 1
        return self._req

    # ---- looking ----

    def all(self, *numbers):
        return [values for number, values in self.heard if number in numbers]

    def last(self, number):
        found = self.all(number)
        return found[-1] if found else None

    def events(self, code):
        return [values for values in self.all(wire.EVENT) if values["code"] == code]

    def spins(self):
        """Of every record heard: (spin, message number), in the order of the wire."""
        return [(values["spin"], number) for number, values in self.heard if number in (wire.RESULT, wire.NO_SPIN)]
