"""What frames of dice lying flat teach, at a desk: the marks on each die and where its outline is found. For the unix port.

The input is one line of JSON: eye.bin as hex, as far as it is known, and the number of throws; then two frames of each, by one
lamp and by the other, 320 x 240 bytes each. The answer is one line of JSON a throw. The host fits the camera to it:
host/tumbler/eye/fit.py.
"""

import gc
import json
import sys

from controller.reader import pip_table, plate
from controller.reader.feed import fill
from controller.reader.pip_reader import Buffers, Eye


def look(eye, first, second, known):
    """Dice as read, each with its marks, and the offsets of its outline."""
    smoothed(eye, plate.darker, first, second, known)
    dice = []
    steep = eye.steepest()
    poses = eye.find() or ()
    for step, frame in ((2, second), (3, first), (4, second)):
        smoothed(eye, plate.crop, frame, frame, known)
        if step < 4:
            eye.turn(poses, step == 3)
        if step > 2:
            eye.outline(poses, step - 3)
    for pose in poses:
        sides = [(edge, at, lit, known.side(at)) for edge, at, lit, clear in eye.edges(pose, poses) if clear]
        dice.append(
            {
                "number": pose.number,
                "second": pose.second,
                "x": pose.x,
                "y": pose.y,
                "c": pose.c,
                "s": pose.s,
                "off": pose.off,
                "scale": pose.scale,
                "marks": [
                    (m.x, m.y, m.r, m.body - m.core, slot % 3 - 1, slot // 3 - 1)
                    for m, slot in zip(pose.marks, pose.slots)  # noqa: B905 - not on MicroPython
                ],
                "sides": sides,
            }
        )
    return {"dice": dice, "sharp": steep}


def smoothed(eye, merge, first, second, known):
    """Both frames in the plane, as the reader takes them."""
    w = pip_table.WIDTH
    plane = eye.buffers.plane
    plate.crop(first, 320, 240, known.left, plane, 0, w)
    merge(second, 320, 240, known.left, plane, 0, w)
    plate.smooth(plane, w, w, eye.buffers.line)


def main():
    source = sys.stdin.buffer
    head = json.loads(source.readline())
    known = pip_table.unpack(bytes([int(head["eye"][k : k + 2], 16) for k in range(0, len(head["eye"]), 2)]))
    eye = Eye(Buffers(), known)
    first = bytearray(320 * 240)
    second = bytearray(320 * 240)
    for _ in range(head["throws"]):
        fill(source, first)
        fill(source, second)
        print(json.dumps(look(eye, first, second, known)))
        gc.collect()


if __name__ == "__main__":
    main()
