"""A contact to ground on a pin with its pull-up: the dome's cover, the service door.

Raw, as it stands on the wire now; controller/cover.py waits until it has stopped bouncing.
"""

from machine import Pin


class Switch:
    def __init__(self, gpio: int):
        self._pin = Pin(gpio, Pin.IN, Pin.PULL_UP)

    def closed(self) -> bool:
        """A broken wire reads open, which is the safe side for cover and door."""
        return not self._pin.value()
