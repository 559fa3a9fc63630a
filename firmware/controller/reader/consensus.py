"""One verdict from all opinions: every fitted reader must have read, and all must say the same.

Never a vote: one reader that can't read, or two that differ, is a no spin with its reason. The dealer's entry joins as a
further opinion in `with_entry`.
"""

from dicewire import codes


class Consensus:
    """Runs the fitted readers side by side. begin(), then step() until `done`."""

    def __init__(self, readers):
        self._readers = readers  # of (bits of RESULT.opinions, reader); 0: the reader says itself, by `opinions`
        self.done = True
        self.cause = 0
        self.detail = 0
        self.faces = b""
        self.opinions = 0
        self.reads = 0
        self.evidence = b""

    def begin(self, now, dice):
        self.done = False
        for _, reader in self._readers:
            reader.begin(now, dice)

    def step(self, now):
        if self.done:
            return
        waiting = False
        for _, reader in self._readers:
            reader.step(now)
            waiting = waiting or not reader.done
        if not waiting:
            self._conclude()

    def _conclude(self):
        self.done = True
        self.cause = self.detail = self.opinions = 0
        self.faces = self.evidence = b""
        self.reads = 255
        for bit, reader in self._readers:
            if reader.cause:
                self._refuse(reader.cause, reader.detail, reader.evidence)
                return
            bit = bit or reader.opinions
            if self.faces and reader.faces != self.faces:
                self._refuse(codes.CAUSE_DISAGREE, self.opinions | bit, self.faces + reader.faces)
                return
            self.faces = reader.faces
            self.opinions |= bit
            self.reads = min(self.reads, reader.reads)
            self.evidence = reader.evidence
        if not self.opinions:
            self._refuse(codes.CAUSE_UNREADABLE, 0, b"")

    def _refuse(self, cause, detail, evidence):
        self.cause = cause
        self.detail = detail
        self.evidence = evidence
        self.faces = b""
        self.opinions = 0

    def with_entry(self, faces):
        """The dealer's opinion: True when it agrees with the dice as read, and is then counted."""
        if self.cause or faces != self.faces:
            return False
        self.opinions |= codes.READER_DEALER
        return True
