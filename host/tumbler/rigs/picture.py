"""What lies in a twin's dome as a picture, for the report of a failure: its dice, seen by the camera above the plate."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from tumbler.twin.physics import Pose


def of_dice(dice: Sequence[Mapping[str, Any]]) -> bytes:
    """A PNG. `dice` as the control socket's status has them: position p in metres, quaternion q."""
    from PIL import Image

    from tumbler.twin.camera import EASY, SETS, render

    out = io.BytesIO()
    frame = render([_pose(die["p"], die["q"]) for die in dice], SETS["white"], EASY, colour=True)
    Image.fromarray(frame).save(out, "PNG")
    return out.getvalue()


def _pose(position: Sequence[float], quaternion: Sequence[float]) -> Pose:
    w, x, y, z = quaternion
    return Pose(
        (position[0], position[1], position[2]),
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        ),
    )
