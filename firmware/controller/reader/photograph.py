"""What a photograph may have in view that a table's plate has not: keys of a laptop, print on a box's rim, dice seen from the
side or cut by the picture's rim. Takes out what can be no die before scene.py concludes.

Dice lie on one ground, whose colours are known from around those that were read. A mark with none of that ground within
reach of a die lies on something else. Not for whether a face is read rightly: judge.py.
"""

from math import sqrt

from controller.reader import scene

_DIE = 5.0  # width of a die in lattice steps, at most
_AROUND = 4.0  # lattice steps from a face's centre: beyond its die
_SLACK = 20  # levels of the ground beyond what was seen of it
_LEAST = 4  # of the 32 places around a mark that must show the ground
_FAINT = 0.7  # of a top's contrast: a pip on the side of that die
_RINGS = (2.2, 2.9, 3.6, 4.3, 5.0, 5.7, 6.4, 7.1)  # radii of a pip: somewhere there a die has another pip or its edge
_STRONGER = 1.6  # times the contrast
_SMOOTH = 0.25  # of a mark's contrast: its surroundings are even
_STRAY = 6  # samples of a plane that may depart to either side
_EVEN = 8  # levels: ground with nothing on it
_ROUND = (
    (1.0, 0.0), (0.924, 0.383), (0.707, 0.707), (0.383, 0.924), (0.0, 1.0), (-0.383, 0.924), (-0.707, 0.707),
    (-0.924, 0.383), (-1.0, 0.0), (-0.924, -0.383), (-0.707, -0.707), (-0.383, -0.924), (0.0, -1.0),
    (0.383, -0.924), (0.707, -0.707), (0.924, -0.383))  # fmt: skip


class Ground:
    """The colours around faces that were read. Where these lie on different grounds it is wide and holds nearly everything."""

    def __init__(self, picture, faces):
        self._picture = picture
        self._octave = min(2, len(picture.octaves) - 1)
        sizes = sorted([face.size() for face in faces])
        self._reach = _DIE * sqrt(sizes[len(sizes) // 2])
        seen = []
        for face in faces:
            for cos, sin in _ROUND:
                values = self._at(*face.place(_AROUND * cos, _AROUND * sin))
                if values is not None:
                    seen.append(values)
        self._ranges = []
        for plane in range(len(picture.octaves[0][2])):
            levels = sorted([values[plane] for values in seen])
            if levels:
                self._ranges.append((levels[len(levels) // 5] - _SLACK, levels[len(levels) * 4 // 5] + _SLACK))

    def _at(self, x, y):
        values = [
            self._picture.at(self._octave, plane, 0, x, y)
            for plane in range(len(self._picture.octaves[self._octave][2]))
        ]
        return values if values[0] >= 0 else None

    def near(self, spot):
        """Is there ground within reach of a die at that place?"""
        n = 0
        for times in (1.0, 1.3):
            for cos, sin in _ROUND:
                values = self._at(spot.x + times * self._reach * cos, spot.y + times * self._reach * sin)
                if values is not None and self._like(values):
                    n += 1
        return n >= _LEAST

    def _like(self, values):
        for value, (low, high) in zip(values, self._ranges):  # noqa: B905 - not on MicroPython
            if not low <= value <= high:
                return False
        return True


def speck(picture, pip):
    """A mark with nothing about it but even ground as far as a die would reach: dirt. A die has another pip there or an edge."""
    most = min(_EVEN, 0.2 * pip.contrast())
    for plane in range(len(picture.octaves[pip.octave][2])):
        levels = []
        for times in _RINGS:
            for cos, sin in _ROUND:
                level = picture.at(pip.octave, plane, 0, pip.x + times * pip.r * cos, pip.y + times * pip.r * sin)
                if level < 0:
                    return False
                levels.append(level)
            levels.sort()
            if levels[-1 - _STRAY] - levels[_STRAY] > most:
                return False
    return True


def conclude(picture, chosen, pips, holders, things, dice):
    """scene.conclude() on what lies on the dice's ground."""
    pips[:] = [pip for pip in pips if pip.face is not None or not speck(picture, pip)]
    if chosen:
        ground = Ground(picture, chosen)
        chosen = [face for face in chosen if face.number > 1 or (ground.near(face) and not on_side(face, chosen))]
        pips[:] = [
            pip for pip in pips if pip.face is not None or ground.near(pip)
        ]  # in place: accord.py asks for them too
        things = [thing for thing in things if ground.near(thing) and not below(thing, chosen)]
    tops, troubles = scene.conclude(picture, chosen, pips, holders, things)
    if not tops:
        return scene.Verdict(scene.NO_DICE)
    troubles += stronger(pips, tops)
    for face in tops:
        if face.number < 4 and cut(picture, face):
            troubles.append((scene.UNREAD, face))
    patterns = [face for face in tops if face.number > 1]
    if len(patterns) > 1:
        ground = Ground(picture, patterns)
        for face in tops:
            # several keys made a ground of their own; a face of more pips is never a key
            if face.number == 1 and not ground.near(face):
                troubles.append((scene.UNEXPLAINED, face))
    return scene.judged(tops, troubles, dice)


def stronger(pips, tops):
    """Even marks far stronger than what was read on a rough ground: that was the ground's own pattern, and the dice are these."""
    if [top for top in tops if top.thing]:
        return []
    best = _STRONGER * max([top.contrast() for top in tops])
    found = [
        pip
        for pip in pips
        if pip.face is None and not pip.plane and pip.contrast() > best and pip.rough < _SMOOTH * pip.contrast()
    ]
    return [(scene.UNREAD, pip) for pip in found] if len(found) > 1 else []


def cut(picture, face):
    """Does the picture's rim cut the die's top? There may be more pips on it than are seen."""
    for a, b in ((1.4, 1.4), (1.4, -1.4), (-1.4, 1.4), (-1.4, -1.4)):
        x, y = face.place(a, b)
        if not (0 <= x < picture.w and 0 <= y < picture.h):
            return True
    return False


def below(thing, faces):
    """A side of a die or its shade: the shorter a top is seen from the side, the farther from it, in its steps, they reach."""
    tops, _ = scene.tops_of(faces) if faces else ((), ())
    if not tops:
        return False
    sizes = sorted([top.size() for top in tops])
    if thing.area > 2 * scene.DIE * sizes[len(sizes) // 2] or [top for top in tops if thing.holds(top)]:
        return False
    for top in tops:
        a, b = top.lattice(thing.x, thing.y)
        if (a * a + b * b) * scene.shape(top)[2] ** 2 < 27:
            return True
    return False


def on_side(one, faces):
    """A single pip, fainter than those of a face so near that it can only be on that die's side."""
    for face in faces:
        if face.number > 1 and face.pips[0].inv == one.pips[0].inv and one.contrast() < _FAINT * face.contrast():
            a, b = face.lattice(one.x, one.y)
            if a * a + b * b < _DIE * _DIE:
                return True
    return False
