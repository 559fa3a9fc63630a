"""Where a face ends: rays from its centre to the first edge, and how even the body is inside. Not for what it spells.

The check that catches a face read in the wrong place: a column of a six taken for a three lies off its die's centre.
"""

from math import sqrt

RAYS = 16
ROUND = (
    (1.0, 0.0), (0.924, 0.383), (0.707, 0.707), (0.383, 0.924), (0.0, 1.0), (-0.383, 0.924), (-0.707, 0.707),
    (-0.924, 0.383), (-1.0, 0.0), (-0.924, -0.383), (-0.707, -0.707), (-0.383, -0.924), (0.0, -1.0),
    (0.383, -0.924), (0.707, -0.707), (0.924, -0.383))  # fmt: skip


def rays(picture, face, start, stop, square, keen=0.08):
    """For each of sixteen directions the lattice steps from the centre to the edge; `stop` where there is none.

    `square`: start at a square of half side `start` (beyond the outer pips) and count in its measure; else a circle.
    """
    pip = face.pips[0]
    octave = pip.octave
    planes = range(len(picture.octaves[octave][2]))
    contrast = max(20, face.body - pip.core)
    jump = max(8, contrast * keen)
    far = max(14, contrast * keen * 2.5)
    pace = (1 << octave) * 0.7 / sqrt(face.size())
    home = _home(picture, face, octave, planes, start, square)
    ends = []
    for cos, sin in ROUND:
        f = 1 / max(abs(cos), abs(sin)) if square else 1.0
        t = start
        level = None
        count = 0
        end = stop
        while t < stop:
            x, y = face.place(t * f * cos, t * f * sin)
            values = [picture.at(octave, plane, 0, x, y) for plane in planes]
            if values[0] < 0:
                end = t
                break
            if level is None:
                level = [(a + b) / 2 for a, b in zip(values, home)]  # noqa: B905 - not on MicroPython
            if (
                max([abs(a - b) for a, b in zip(values, level)]) > jump  # noqa: B905 - not on MicroPython
                or max([abs(a - b) for a, b in zip(values, home)]) > far  # noqa: B905 - not on MicroPython
            ):
                count += 1
                if count == 2:
                    end = t - pace
                    break
            else:
                count = 0
                level = [b + (a - b) * 0.2 for a, b in zip(values, level)]  # noqa: B905 - not on MicroPython
            t += pace
        ends.append(end)
    return ends


def _home(picture, face, octave, planes, start, square):
    """The body's level in each plane: the middle of what lies between the pips, or around a single one."""
    spots = (
        ((0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)) if square else [(c * start, s * start) for c, s in ROUND]
    )
    home = []
    for plane in planes:
        values = sorted([picture.at(octave, plane, 0, *face.place(a, b)) for a, b in spots])
        home.append((values[len(values) // 2] + values[(len(values) - 1) // 2]) / 2)
    return home


def evenness(picture, face):
    """The share of the face's inner pixels, pips left out, that have the body's level."""
    pip = face.pips[0]
    octave, plane, inv = pip.octave, pip.plane, pip.inv
    slack = 0.3 * (face.body - pip.core)
    small = pip.r / sqrt(face.size())
    keep = (small * 1.2 + 0.12) ** 2
    spots = [face.lattice(p.x, p.y) for p in face.pips]
    even = total = 0
    for row in range(-5, 6):
        b = row * 0.25
        for column in range(-5, 6):
            a = column * 0.25
            if min([(a - pa) * (a - pa) + (b - pb) * (b - pb) for pa, pb in spots]) < keep:
                continue
            x, y = face.place(a, b)
            total += 1
            if abs(picture.at(octave, plane, inv, x, y) - face.body) < slack:
                even += 1
    return even / total if total else 0.0
