"""One verdict from pips (scene.py) and stamps (stamps.py) on the same picture of small dice on plain ground.

Never a vote. A die is read where both say the same, or where one is sure of it by its own two opinions and the other says
nothing there; where they differ, or something of a die's size is read by neither, the picture is refused.
"""

from math import sqrt

from controller.reader import scene

DISAGREE = "disagree"

_BAR = 4.5  # times as long as wide: a box's rim, and no row of dice if not one is seen in it
_FRAGMENTS = 1.7  # times as wide as the lumps: those are parts of dice, or of the ground
_NO_FIT = 0.1  # a stamp that explains less of the colours names no number
_NARROW = 0.7  # widths of a die
_LEAST = 0.065  # radius of a pip in widths of a die; makers' are 0.08 to 0.135
_MOST = 0.16
_ASIDE = 1.15  # widths of a die: so near to its centre a mark may be on its side


class Seen:
    """A die in the picture's own pixels."""

    __slots__ = ("number", "sure", "wide", "x", "y")

    def __init__(self, number, x, y, sure, wide=0.0):
        self.wide = wide
        self.number = number
        self.x = x
        self.y = y
        self.sure = sure


def same(one, scale, other, other_scale, reach):
    """Are two verdicts of a picture, at different sizes of it, the same dice at the same places?"""
    left = [Seen(f.number, f.x / other_scale, f.y / other_scale, f.sure) for f in other.dice]
    for face in one.dice:
        spot = Seen(face.number, face.x / scale, face.y / scale, face.sure)
        match = _at([top for top in left if top.number == face.number], spot, reach)
        if match is None:
            return False
        left.remove(match)
    return not left


def with_first(verdict, scale, first):
    """The verdict at `scale` times the size, unless at first sight something was seen that it doesn't explain."""
    if verdict.reason != scene.OK or first.reason not in (scene.UNEXPLAINED, scene.UNREAD):
        return verdict
    for top in verdict.dice:
        a, b = top.lattice(first.x * scale, first.y * scale)
        if a * a + b * b < 36:
            return verdict
    return scene.Verdict(first.reason, verdict.dice, Seen(0, first.x * scale, first.y * scale, 0.0))


def fragments(verdict, scale, usual):
    """Are the lumps too small for the dice that the pips read?"""
    if verdict.reason != scene.OK:
        return False
    widths = sorted([scene.WIDE * sqrt(face.size()) / scale for face in verdict.dice])
    return widths[len(widths) // 2] > _FRAGMENTS * usual


def between(verdict, scale, lumps, usual, dice, first):
    """`verdict` is of the picture at `scale` times its size, `first` at its own; `usual`: width of a die. 0 dice: as many as
    there are."""
    tops = [Seen(f.number, f.x / scale, f.y / scale, f.sure, scene.WIDE * sqrt(f.size()) / scale) for f in verdict.dice]
    read = verdict.reason == scene.OK
    seen = []
    left = list(tops)
    troubles = []
    for lump in lumps:
        explained = 0
        for stamp in lump.stamps:
            _believe(stamp, lump, left, tops, seen, read, usual, troubles)
        for top in [top for top in left if lump.holds(top)]:
            left.remove(top)
            if not read and top.number == 1 and [stamp for stamp in lump.stamps if stamp.sure and stamp.has_pip(top)]:
                continue  # one pip found of several
            if not read and lump.stamps and _at(seen, top, 0.8 * usual) is not None:
                troubles.append((DISAGREE, top))
                continue
            seen.append(top)
            explained += 1
        if not read and not explained and _unread(lump, seen, tops, usual):
            troubles.append((scene.UNREAD, Seen(0, lump.left + lump.w / 2, lump.top + lump.h / 2, 0.0, usual)))
    seen += left
    if not seen and not troubles:
        return scene.Verdict(scene.NO_DICE)
    if not read:
        for pip in verdict.pips:
            if _loose(pip, scale, lumps, seen, usual):
                troubles.append((scene.UNEXPLAINED, Seen(0, pip.x / scale, pip.y / scale, 0.0, usual)))
    if first.reason == scene.UNEXPLAINED and _at(seen, first, 1.3 * usual) is None:
        troubles.append((scene.UNEXPLAINED, first))
    return scene.judged(seen, troubles, dice)


def _believe(stamp, lump, left, tops, seen, read, usual, troubles):
    """One stamp beside what was read by pips: taken over into `seen`, or into `troubles`."""
    top = _at(left, stamp, 0.3 * usual)
    if top is None and not stamp.sure:
        if not read or _like_die(lump, usual, tops):
            number = stamp.number if stamp.fit > _NO_FIT else 0
            troubles.append((scene.UNREAD, Seen(number, stamp.x, stamp.y, 0.0, usual)))
        return
    if top is None and read:
        troubles.append((DISAGREE, stamp))
        return
    if top is not None and top.number != stamp.number and (stamp.sure or not read or _more(stamp, top)):
        if top.number == 1 and stamp.sure and not read:
            # one pip found of several: no opinion, where the pips by themselves didn't make a reading
            left.remove(top)
            top = None
        elif stamp.sure or top.number == 1 or _more(stamp, top):
            left.remove(top)
            troubles.append((DISAGREE, stamp))
            troubles.append((DISAGREE, top))
            return
    if top is None:
        top = Seen(stamp.number, stamp.x, stamp.y, min(1.0, stamp.fit / 0.6), usual)
    else:
        left.remove(top)
    seen.append(top)


def _at(seen, spot, reach):
    for top in seen:
        if (top.x - spot.x) ** 2 + (top.y - spot.y) ** 2 < reach * reach:
            return top
    return None


def _unread(lump, seen, tops, usual):
    """Is there room for a die in this lump that nobody read?"""
    if _thin(lump, usual):
        return False
    if lump.stamps:
        return len(lump.stamps) * 1.9 * usual * usual < lump.whole or lump.area > 0.5 * usual * usual
    middle = Seen(0, lump.left + lump.w / 2, lump.top + lump.h / 2, 0.0)
    return _at(seen, middle, _ASIDE * usual) is None and _at(tops, middle, _ASIDE * usual) is None


def _thin(lump, usual):
    """Too thin for a die, and none was seen in it: part of one, whose pips then lie on nothing, or a box's rim."""
    return not lump.stamps and (lump.wide < _NARROW * usual or lump.long > _BAR * lump.wide)


def _more(stamp, top):
    """Does the stamp, though not sure, have more pips than were found, each of them ink?"""
    return stamp.number > top.number and stamp.on > 0.55


def _like_die(lump, usual, tops):
    """A single thing of a die's size and shape, with something on it, that is no side of a die that was read."""
    return (
        0.75 * usual < lump.wide < 1.35 * usual
        and lump.long < 1.6 * lump.wide
        and lump.whole > 0.6 * lump.wide * lump.wide
        and _at(tops, Seen(0, lump.left + lump.w / 2, lump.top + lump.h / 2, 0.0), _ASIDE * usual) is None
    )


def _loose(pip, scale, lumps, seen, usual):
    """A mark like a pip on no die: on a plain ground there is nothing that it could be but the pip of one that was overlooked."""
    spot = Seen(0, pip.x / scale, pip.y / scale, 0.0)
    r = pip.r / scale
    if not _LEAST * usual < r < _MOST * usual or pip.contrast() < 50 or pip.uneven:
        return False
    if _at(seen, spot, _ASIDE * usual) is not None:
        return False
    return not [lump for lump in lumps if lump.holds(spot) and not _thin(lump, usual)]
