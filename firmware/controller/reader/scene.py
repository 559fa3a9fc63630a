"""From pips to a verdict on the whole picture: which faces are the tops of dice, and is everything else explained.

Two opinions must agree on every face (faces.py by pips found, lattice.py by raw pixels); its body must be even and end
where a die's would; all tops must be seen under one angle; nothing die-like may be left. Anything else is a refusal with
its reason, because a wrong face is the one failure that is not allowed.
"""

from math import sqrt

from controller.reader import faces as spelling
from controller.reader import judge
from controller.reader import things as ground
from controller.reader.pips import ring_of

OK = "ok"
NO_DICE = "no_dice"
MISSING = "missing"
TOO_MANY = "too_many"
OFF_CENTRE = "off_centre"
UNREAD = "unread"
UNEXPLAINED = "unexplained"

DIE = 13.7  # area of a die in lattice cells
_FAINTEST = 0.35  # of the surest face's contrast, for one on rough ground
WIDE = 3.7  # lattice steps: its width


class Verdict:
    """`reason` is OK or why not; `dice` are the tops that were read; x, y where the trouble is.

    `troubles`: (reason, place) of all that speaks against it, the first of which is the reason.
    """

    def __init__(self, reason, dice=(), at=None, troubles=None):
        self.reason = reason
        self.dice = dice
        self.x = at.x if at is not None else 0
        self.y = at.y if at is not None else 0
        self.troubles = troubles if troubles is not None else [(reason, at)] if at is not None else []


def judged(tops, troubles, dice):
    """The verdict on dice that were read, by what speaks against it and how many there should be."""
    if troubles:
        return Verdict(troubles[0][0], tops, troubles[0][1], troubles)
    if dice and len(tops) != dice:
        return Verdict(MISSING if len(tops) < dice else TOO_MANY, tops)
    return Verdict(OK, tops)


def read(picture, found, dice=0):
    """The verdict on a picture whose pips were found; `dice` 0 takes as many as there are."""
    pips, holders = part(found)
    things = ground.find(picture)
    chosen = []
    doubtful = []
    for face in spelling.find(pips):
        if any([p.face is not None for p in face.pips]):
            continue
        if judge.pattern(picture, face, _own(things, face)):
            _take(face, pips)
            chosen.append(face)
        else:
            doubtful.append(face)
    ratios = sorted([sqrt(f.size()) / f.pips[0].r for f in chosen if f.number > 3])
    ratio = ratios[len(ratios) // 2] if ratios else 2.8
    least = _FAINTEST * surest(chosen).contrast() if chosen else 0
    for pip in pips:
        if pip.face is None:
            face = judge.single(pip, ratio)
            if pip.contrast() < least and not _own(things, face):
                continue  # without_clutter() would drop it
            if judge.one(picture, face, pips, _own(things, face)):
                _take(face, pips)
                chosen.append(face)
            else:
                doubtful.append(face)
    chosen = without_clutter(chosen)
    if len(picture.octaves[0][2]) > 1:
        from controller.reader import photograph

        verdict = photograph.conclude(picture, chosen, pips, holders, things, dice)
    else:
        tops, troubles = conclude(picture, chosen, pips, holders, things)
        verdict = judged(tops, troubles, dice) if tops else Verdict(NO_DICE)
    verdict.pips = pips
    verdict.doubtful = doubtful
    verdict.things = things
    return verdict


def _take(face, pips):
    """Its pips are explained, also as other planes saw them."""
    for own in face.pips:
        for pip in pips:
            if pip.inv == own.inv and abs(pip.x - own.x) < own.r and abs(pip.y - own.y) < own.r:
                pip.face = face


def part(found):
    """Marks that hold other marks are things, not pips: (pips, holders)."""
    holders = []
    small = []
    for pip in sorted(found, key=lambda pip: pip.r):
        held = False
        for q in small:
            if abs(q.x - pip.x) < pip.r and abs(q.y - pip.y) < pip.r and q.r < 0.6 * pip.r:
                if q.contrast() > 0.5 * pip.contrast():
                    held = True
                    break
        if held:
            holders.append(pip)
        else:
            small.append(pip)
    return small, holders


def _own(things, face):
    """The thing that is this face's die, alone and on plain ground; None where there is none."""
    for thing in things:
        if thing.plain and thing.holds(face) and 0.5 < thing.area / (DIE * face.size()) < 2.6:
            return thing
    return None


def surest(chosen):
    return max(chosen, key=lambda f: f.contrast() * (1 + 0.1 * f.number) * (1.3 if f.thing else 1.0))


def without_clutter(chosen):
    """Of faces, those that have the size and contrast of the surest one. Where the ground is rough also its ink."""
    if not chosen:
        return chosen
    best = surest(chosen)
    kept = []
    for f in chosen:
        if not 0.25 < f.size() / best.size() < 4:
            continue
        share = f.contrast() / best.contrast()
        if f.thing:
            enough = share > (0.45 if f.number == 1 and f.pips[0].inv != best.pips[0].inv else 0.2)
        elif best.thing:
            enough = share > _FAINTEST
        else:
            enough = share > 0.45 and f.pips[0].inv == best.pips[0].inv
        if enough:
            kept.append(f)
    return kept


def conclude(picture, chosen, pips, holders, things):
    """(tops, troubles): which faces are the tops of dice, and all that speaks against believing that there are no others."""
    if not chosen:
        return (), []
    tops, sides = tops_of(chosen)
    troubles = []
    for face in sides:
        if [g for g in tops if _overlap(g, face) and abs(shape(g)[2] - shape(face)[2]) < 0.06 and face.number > 1]:
            troubles.append((UNEXPLAINED, face))
    for face in sides:
        if not [g for g in tops if _aside(g, face)] and [g for g in tops if same_kind(face.pips[0], g.pips[0])]:
            troubles.append((UNEXPLAINED, face))
    for pip in pips:
        if pip.face is None and loose(picture, pip, tops):
            troubles.append((UNEXPLAINED, pip))
    for face in tops:
        if face.number == 1 and face.thing is None and [g for g in tops if g.pips[0].inv != face.pips[0].inv]:
            # a light mark on a dark key beside white dice, as far as can be seen
            troubles.append((UNEXPLAINED, face))
        if face.number > 3 or face.thing is None or len([g for g in tops if face.thing.holds(g)]) != 1:
            continue
        if not centred(face) and not judge.surrounded(picture, face):
            troubles.append((OFF_CENTRE, face))
    troubles += [(UNREAD, odd) for odd in unread(things, tops, pips)]
    troubles += [(UNREAD, odd) for odd in unread_body(holders, tops)]
    return tops, troubles


def tops_of(chosen):
    """(tops, sides): all tops are seen under one angle, the one that shows them roundest."""
    shapes = [shape(face) for face in chosen]
    order = sorted(range(len(chosen)), key=lambda k: -shapes[k][2])
    t = shapes[order[0]]
    tops = []
    sides = []
    for k in order:
        s = shapes[k]
        face = chosen[k]
        far = (s[0] - t[0]) ** 2 + (s[1] - t[1]) ** 2
        if s[2] < t[2] - 0.25 or far > 0.09 or [g for g in tops if _overlap(g, face)]:
            sides.append(face)
        else:
            tops.append(face)
    return tops, sides


def shape(face):
    """The ellipse of a circle drawn on the face: how it departs from round (x, y), its aspect and its half length."""
    if face.number in (4, 5):
        a = face.ux * face.ux + face.vx * face.vx
        b = face.ux * face.uy + face.vx * face.vy
        c = face.uy * face.uy + face.vy * face.vy
    else:
        n = len(face.pips)
        a = sum([p.a for p in face.pips]) / n
        b = sum([p.b for p in face.pips]) / n
        c = sum([p.c for p in face.pips]) / n
    half = (a + c) / 2
    swing = sqrt((a - c) * (a - c) / 4 + b * b)
    return (a - c) / (a + c), 2 * b / (a + c), sqrt((half - swing) / (half + swing)), sqrt(half + swing)


def same_kind(pip, top):
    """Could be a pip of a die like this one: the same ink on a body like it, not only the same polarity."""
    if pip.inv != top.inv or pip.plane != top.plane or not 0.55 < pip.r / top.r < 1.7:
        return False
    contrast = top.contrast()
    return (
        abs(pip.core - top.core) < 0.35 * contrast
        and abs(pip.body - top.body) < 0.4 * contrast
        and pip.contrast() > 0.55 * contrast
    )


def in_shade(pip, top):
    """Could be a pip of a die like this one that lies in a shadow: the ink and the size are the same, the body is darker."""
    if pip.inv or top.inv or pip.plane != top.plane or not 0.8 < pip.r / top.r < 1.25:
        return False
    contrast = top.contrast()
    return abs(pip.core - top.core) < 0.25 * contrast and 0.45 * contrast < pip.contrast() < contrast


def loose(picture, pip, tops):
    """A pip like the dice's own, on an even body, that lies on none of them; or on one, but as its top shows pips."""
    if not [g for g in tops if same_kind(pip, g.pips[0]) or in_shade(pip, g.pips[0])]:
        return False
    for top in tops:
        if _aside(top, pip):
            if not _as_on_top(pip, top):
                return False
            break
    around = ring_of(picture, pip.octave, pip.plane, pip.inv, pip.x, pip.y, pip.a, pip.b, pip.c, 2.3)
    return pip.rough < 0.15 * pip.contrast() and around[13] - around[3] < 0.3 * pip.contrast()


def _as_on_top(pip, top):
    """The same size and ellipse as the pips of a top: on a side they are seen flatter. Too small to tell: no."""
    own = top.pips[0]
    if pip.r < 4 or not 0.87 < pip.r / own.r < 1.15:
        return False
    x, y, _, _ = shape(top)
    dx = (pip.a - pip.c) / (pip.a + pip.c) - x
    dy = 2 * pip.b / (pip.a + pip.c) - y
    return dx * dx + dy * dy < 0.01


def centred(face):
    """Does the face lie in the middle of its die's outline? A six that lost a column does not."""
    thing = face.thing
    return (thing.x - face.x) ** 2 + (thing.y - face.y) ** 2 < 0.04 * thing.area


def unread(things, tops, pips):
    """Things that could be dice that were not read, or that hold one more than was read."""
    found = []
    sizes = sorted([g.size() for g in tops])
    die = DIE * sizes[len(sizes) // 2]
    contrast = 0.25 * min([g.contrast() for g in tops])
    radii = sorted([g.pips[0].r for g in tops])
    r = radii[len(radii) // 2]
    for thing in things:
        if not thing.plain:
            continue
        held = [g for g in tops if thing.holds(g)]
        if held:
            # seen from the side a die shows more of itself than its top
            if (
                thing.area
                > sum([max(2.2 * die, DIE * g.size() * max(2.2, 1.9 / shape(g)[2])) for g in held]) + 0.5 * die
            ):
                found.append(thing)
        elif thing.area < 2 * die and [g for g in tops if _aside(g, thing)]:
            continue  # a side of that die
        elif 0.4 * die < thing.area < 4 * die:
            wide = thing.right - thing.left
            high = thing.bottom - thing.top
            if wide < 2.4 * high and high < 2.4 * wide and thing.area > 0.45 * wide * high:
                if [p for p in pips if 0.4 * r < p.r < 2 * r and p.contrast() > contrast and thing.holds(p)]:
                    found.append(thing)
    return found


def unread_body(holders, tops):
    """Marks of a die's size and of the dice's own lightness, with pips on them, where no die was read."""
    found = []
    for top in tops:
        side = 3.7 * sqrt(top.size())
        for mark in holders:
            if (
                mark.inv != top.pips[0].inv
                and 0.38 * side < mark.r < 0.8 * side
                and mark.contrast() > 0.4 * top.contrast()
            ):
                if not [g for g in tops if abs(g.x - mark.x) < 1.2 * mark.r and abs(g.y - mark.y) < 1.2 * mark.r]:
                    found.append(mark)
    return found


def _aside(top, spot):
    """Near enough to be on a side of that die."""
    a, b = top.lattice(spot.x, spot.y)
    return a * a + b * b < 27


def _overlap(top, face):
    """Too near for two dice: a die is 3.7 steps wide."""
    a, b = top.lattice(face.x, face.y)
    return a * a + b * b < 11
