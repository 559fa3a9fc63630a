"""What a rig can do to a table and see of it. A test names what it needs and is skipped where a rig hasn't it."""

from __future__ import annotations

from enum import Enum


class Capability(Enum):
    DEALER = "play round after round by itself"
    KEYS = "press the dealer's keys, move the cover and the door"
    DICE = "let the dice lie as the test wants"
    TRUTH = "know from elsewhere how the dice lay"
    LAMPS = "see the lamps"
    CAMERA = "show the camera what lies on the plate"
    POWER = "cut the controller's power"
    CABLE = "pull the serial cable out and push it in"
    NOISE = "spoil bytes on the line"
    BREAK = "break a chip and mend it"
    TIME = "measure time by the controller's own cycles"
    FAST = "let table time run faster than the clock"
