"""Tags by ISO/IEC 15693-3: how one answers an inventory, and what the reader hears when several answer at once.

Times are slots, not microseconds. Not here: how near a tag is (dice.py), the reader chip (pn5180.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

UID_BYTES = 8
FLAG_HIGH_RATE, FLAG_INVENTORY, FLAG_AFI, FLAG_ONE_SLOT = 0x02, 0x04, 0x10, 0x20
FLAG_SELECT, FLAG_ADDRESS = 0x10, 0x20  # the same bits, where the inventory flag is not set
INVENTORY, STAY_QUIET, RESET_TO_READY = 0x01, 0x02, 0x26
SLOTS = 16
DSFID = 0x00


@dataclass(frozen=True)
class Heard:
    """One reception: the frame without its CRC, and the bit at which two answers first differed."""

    frame: bytes
    collision_bit: int | None = None


class TagField:
    """The tags around one antenna. UIDs are 8 bytes as printed, E0 first; on the air the last byte comes first.

    `in_reach` gives the UIDs that the present field can power; a tag that loses power forgets what it was told.
    """

    def __init__(self, in_reach: Callable[[], Iterable[bytes]]) -> None:
        self._in_reach = in_reach
        self._quiet: set[bytes] = set()
        self._round: bytes | None = None  # the inventory request that is being answered slot by slot
        self._slot = 0

    def power_off(self) -> None:
        self._quiet.clear()
        self._round = None

    def request(self, frame: bytes) -> Heard | None:
        """A frame to all tags; None where nothing answers, as for anything that is not well formed."""
        self._round = None
        if len(frame) < 2 or not frame[0] & FLAG_HIGH_RATE:
            return None  # at the low rate the answer comes too slowly for the receiver
        if frame[0] & FLAG_INVENTORY:
            if frame[1] != INVENTORY:
                return None
            self._round = frame
            self._slot = 0
            return self._answers()
        return self._command(frame)

    def end_of_frame(self) -> Heard | None:
        """The reader's bare EOF: it moves a 16-slot inventory to its next slot."""
        if self._round is None or self._round[0] & FLAG_ONE_SLOT:
            return None
        self._slot += 1
        if self._slot >= SLOTS:
            self._round = None
            return None
        return self._answers()

    def _answers(self) -> Heard | None:
        assert self._round is not None
        answering = [uid for uid in self._in_reach() if uid not in self._quiet and self._is_my_turn(uid, self._round)]
        return overlap([bytes((0x00, DSFID)) + uid[::-1] for uid in answering])

    def _is_my_turn(self, uid: bytes, request: bytes) -> bool:
        at = 3 if request[0] & FLAG_AFI else 2
        if len(request) <= at:
            return False
        bits = request[at]
        mask_bytes = request[at + 1 :]
        most = 64 if request[0] & FLAG_ONE_SLOT else 60
        if bits > most or len(mask_bytes) != (bits + 7) // 8:
            return False
        number = int.from_bytes(uid, "big")
        mask = int.from_bytes(mask_bytes, "little") & ((1 << bits) - 1)
        if number & ((1 << bits) - 1) != mask:
            return False
        return bool(request[0] & FLAG_ONE_SLOT) or number >> bits & 0xF == self._slot

    def _command(self, frame: bytes) -> Heard | None:
        if not frame[0] & FLAG_ADDRESS or len(frame) < 2 + UID_BYTES:
            return None
        uid = frame[2 : 2 + UID_BYTES][::-1]
        if uid not in set(self._in_reach()):
            return None
        if frame[1] == STAY_QUIET:
            self._quiet.add(uid)
            return None  # a tag that is told to be quiet does not even say yes
        if frame[1] == RESET_TO_READY:
            self._quiet.discard(uid)
            return Heard(b"\x00")
        return Heard(b"\x01\x01")  # error: command not supported


def overlap(frames: list[bytes]) -> Heard | None:
    """What arrives when these answers are sent together: equal bits pass, the first unequal one is a collision."""
    if not frames:
        return None
    union = int.from_bytes(frames[0], "little")
    differing = 0
    for frame in frames[1:]:
        value = int.from_bytes(frame, "little")
        differing |= union ^ value
        union |= value
    heard = union.to_bytes(len(frames[0]), "little")
    first = (differing & -differing).bit_length() - 1 if differing else None
    return Heard(heard, first)
