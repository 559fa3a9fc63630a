"""What frames of dice lying flat teach, at a desk: the marks on each die and where its outline is found. For the unix port.

The input is one line of JSON: eye.bin as hex, as far as it is known, and the number of frames; then the frames, 320 x 240 bytes
each. The answer is one line of JSON a frame. The host fits the camera to it: host/tumbler/eye/fit.py.
"""

import gc
import json
import sys

from controller.reader import pip_table, plate
from controller.reader.feed import fill
from controller.reader.pip_reader import Buffers, Eye


def look(eye, plane, known):
    """Dice as read, each with its marks, and the offsets of its outline."""
    dice = []
    steep = eye.steepest()
    poses = eye.find()
    for pose in poses or ():
        others = [other for other in poses if other is not pose]
        sides = []
        for side in range(4):
            c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[side]
            edge, at = eye.sides.edge(
                plane, pip_table.WIDTH, pip_table.WIDTH, pose, side, others, known.view, known.inv
            )
            sides.append((edge, known.side(pose, c, s, at)))
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


def main():
    source = sys.stdin.buffer
    head = json.loads(source.readline())
    known = pip_table.unpack(bytes([int(head["eye"][k : k + 2], 16) for k in range(0, len(head["eye"]), 2)]))
    buffers = Buffers()
    eye = Eye(buffers, known)
    frame = bytearray(320 * 240)
    w = pip_table.WIDTH
    for _ in range(head["frames"]):
        fill(source, frame)
        for y in range(240):
            buffers.plane[y * w : y * w + w] = frame[y * 320 + known.left : y * 320 + known.left + w]
        plate.smooth(buffers.plane, w, w, buffers.line)
        print(json.dumps(look(eye, buffers.plane, known)))
        gc.collect()


if __name__ == "__main__":
    main()
