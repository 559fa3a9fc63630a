"""The dealer's panel: names of the keys, and the faces a dealer is entering (Sic Bo 2.2.4(c), 5.1.5(a)).

Not for what a key does in which phase: round.py has that as a table.
"""

from controller import clock
from controller.target import const

# Codes of the keys, as drivers/panel.py gives them; 0 to 5 are the faces 1 to 6.
FACE_SIX = const(5)
CONFIRM = const(6)
UNDO = const(7)
NO_SPIN = const(8)
NO_MORE_BETS = const(9)
SPIN = const(10)

_BUZZ_MS = const(150)


class Entry:
    """Faces pressed so far. A full entry takes no more: undo first."""

    def __init__(self):
        self._faces = bytearray(3)
        self.count = 0
        self.wrong = 0  # full entries that differed from the dice as read

    def clear(self):
        self.count = 0
        self.wrong = 0

    def press(self, face, dice):
        if self.count >= dice:
            return False
        self._faces[self.count] = face
        self.count += 1
        return True

    def undo(self):
        if not self.count:
            return False
        self.count -= 1
        return True

    def faces(self):
        """Sorted, as faces are everywhere."""
        return bytes(sorted(self._faces[: self.count]))

    def refuse(self):
        self.count = 0
        self.wrong += 1


class Panel:
    """Polls the keys, hands each press to a listener, and sounds the buzzer for a moment when one is refused."""

    def __init__(self, keys):
        self._keys = keys
        self.on_key = None  # on_key(key, now) -> whether the key meant something
        self._buzz_until = 0
        self._buzz = self._buzzing = False  # wanted, done: the expander is written here only, and when one changes
        self._announce = self._announcing = False

    def step(self, now):
        self._keys.scan(now)
        if self._buzz and clock.diff(now, self._buzz_until) >= 0:
            self._buzz = False
        if self._buzz != self._buzzing:
            self._keys.buzz(self._buzz)
            self._buzzing = self._buzz
        if self._announce != self._announcing:
            self._keys.announce(self._announce)
            self._announcing = self._announce
        while True:
            key = self._keys.next_key()
            if key < 0:
                return
            if not self.on_key(key, now):
                self.buzz(now)

    def buzz(self, now):
        self._buzz_until = clock.add(now, _BUZZ_MS)
        self._buzz = True

    def announce(self, on):
        """The NO MORE BETS sign."""
        self._announce = on

    def supervisor(self):
        return self._keys.supervisor()
