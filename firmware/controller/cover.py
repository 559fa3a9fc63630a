"""The dome's cover and the service door: two switches, debounced, and when each last changed.

Not for what an open cover means: round.py knows that by the phase of play.
"""

from controller import clock
from controller.target import const

_STEADY_MS = const(20)


class Switch:
    """Closed when its contact has read closed for 20 ms; open likewise. The first reading counts at once."""

    def __init__(self, contact, now):
        self._contact = contact
        self.closed = contact.closed()
        self.changed_at = now
        self._differs = False
        self._differs_since = now

    def step(self, now):
        """-> True on the step at which the switch is found to have changed."""
        if self._contact.closed() == self.closed:
            self._differs = False
            return False
        if not self._differs:
            self._differs = True
            self._differs_since = now
            return False
        if clock.diff(now, self._differs_since) < _STEADY_MS:
            return False
        self.closed = not self.closed
        self.changed_at = self._differs_since
        self._differs = False
        return True
