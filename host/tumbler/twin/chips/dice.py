"""A set of dice with a tag behind each face, and which of the tags the antenna under the plate can reach.

The reach grows with the transmitter's drive. At the firmware's low power it ends 0.25 mm above a tag whose face lies on
the plate, so a face answers only when it lies flush: a die of 16 mm that is tilted by 1.8 degrees lifts its tag's centre
out of reach. At full power a tag answers from 60 mm, tilted too, so a die that lies on another is heard. Not here: how
the dice came to lie so, the reader chip.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

FACES = (1, 2, 3, 4, 5, 6)
# outward normal of each face in the die's own frame; opposite faces sum to seven
FACE_NORMALS: dict[int, tuple[int, int, int]] = {
    1: (0, 0, 1),
    2: (1, 0, 0),
    3: (0, 1, 0),
    4: (0, -1, 0),
    5: (-1, 0, 0),
    6: (0, 0, -1),
}
DIE_EDGE_M = 0.016
TAG_DEPTH_M = 0.00015  # the tag sits this far behind its face
FULL_REACH_M = 0.06
REACH_POWER = 1.6726  # joins the two ends that matter: 60 mm at full drive, 0.4 mm at the least that the chip can give
LEAST_FACING = 0.5  # cosine between the tag's axis and the field's, which stands upright on the plate
COIL_RADIUS_M = 0.075


class DiePose(Protocol):
    """Where a die is: centre in metres with the plate at z = 0, and the rotation from its frame to the table's."""

    @property
    def position(self) -> Sequence[float]: ...

    @property
    def rotation(self) -> Sequence[Sequence[float]]: ...


DicePoses = Sequence[DiePose]


@dataclass(frozen=True)
class DiceSet:
    """`uids[die][face - 1]`: 8 bytes as printed, E0 first."""

    uids: tuple[tuple[bytes, ...], ...]
    edge: float = DIE_EDGE_M

    @classmethod
    def made_from(cls, seed: int, dice: int, edge: float = DIE_EDGE_M) -> DiceSet:
        """The same seed gives the same tags. E0 04 is ISO 15693 and the tag's maker; the rest is a serial number."""
        return cls(tuple(tuple(_uid(seed, die, face) for face in FACES) for die in range(dice)), edge)

    def uid(self, die: int, face: int) -> bytes:
        return self.uids[die][face - 1]

    def whose(self, uid: bytes) -> tuple[int, int] | None:
        """(die, face) of a tag of this set."""
        for die, tags in enumerate(self.uids):
            if uid in tags:
                return die, tags.index(uid) + 1
        return None

    def in_reach(self, poses: DicePoses, drive: float) -> Iterator[bytes]:
        """The tags that a field of this drive (0 to 1) powers, where dice lie in these poses."""
        reach = FULL_REACH_M * drive**REACH_POWER
        for tags, pose in zip(self.uids, poses, strict=False):
            x, y, z = pose.position
            if x * x + y * y > COIL_RADIUS_M**2:
                continue
            for face, uid in zip(FACES, tags, strict=True):
                up = sum(a * b for a, b in zip(pose.rotation[2], FACE_NORMALS[face], strict=True))
                height = z + up * (self.edge / 2 - TAG_DEPTH_M)
                if abs(up) >= LEAST_FACING and height <= reach:
                    yield uid


def _uid(seed: int, die: int, face: int) -> bytes:
    serial = hashlib.sha256(f"tag {seed} {die} {face}".encode()).digest()
    return b"\xe0\x04" + serial[:6]
