"""Is this the face of a die? The checks on one face beyond its spelling: lattice, body, outline, centre.

Where the face's die is seen whole on a plain ground its outline is known and the body may be glossy or marbled; elsewhere
the body must be even and rays must find the outline. Not for the picture as a whole: scene.py.
"""

from math import sqrt

from controller.reader import lattice, outline
from controller.reader.faces import Face

_KEEN = (0.08, 0.16, 0.3)  # how large a step counts as an edge, in contrasts: white on wood first, glossy last


# share of the body that must be even, by number of pips; a glossy die on plain ground is known by its outline
_EVEN = (0.0, 0.0, 0.86, 0.86, 0.78, 0.78, 0.78)
_EVEN_KNOWN = (0.0, 0.0, 0.5, 0.25, 0.25, 0.25, 0.25)


def pattern(picture, face, thing):
    """A face of two and more pips; leaves why not in face.why."""
    face.thing = thing
    face.why = ""
    face.ends = ()
    face.even = 0.0
    second = lattice.read(picture, face)
    if second != face.number:
        face.why = "lattice %d" % second
    elif face.sure < (0.25 if thing and face.number < 4 else 0.12):
        face.why = "sure %.2f" % face.sure
    else:
        face.even = outline.evenness(picture, face)
        if face.even < (_EVEN_KNOWN if thing else _EVEN)[face.number]:
            face.why = "even %.2f" % face.even
        elif not thing:
            face.why = _open(picture, face)
    return not face.why


def surrounded(picture, face):
    """Do rays find the outline of a die about the face's centre, the same way to either side?"""
    if face.number == 1:
        return not _ringed(picture, face, _KEEN[:1])
    ends = outline.rays(picture, face, 1.5, 3.0, True, _KEEN[0])
    lopsided = len([k for k in range(8) if abs(ends[k] - ends[k + 8]) > 0.6])
    return len([end for end in ends if end < 2.75]) >= 11 and lopsided < 3


def _open(picture, face):
    """Why rays from the face find no outline of a die; empty where they do. Four pips and more need none."""
    for keen in _KEEN:
        face.ends = outline.rays(picture, face, 1.5, 3.0, True, keen)
        reached = len([end for end in face.ends if end < 2.75])
        if reached >= 9:
            return ""
    return "" if face.number > 3 else "open %d" % reached


def single(pip, ratio):
    """The face that a single pip would be on; `ratio`: lattice step in pip radii."""
    face = Face()
    face.number = 1
    face.pips = [pip]
    face.x = pip.x
    face.y = pip.y
    # a square root of the pip's ellipse, so that in lattice steps it is round
    root = sqrt(pip.a * pip.c - pip.b * pip.b)
    norm = sqrt(pip.a + pip.c + 2 * root)
    face.ux = ratio * (pip.a + root) / norm
    face.uy = face.vx = ratio * pip.b / norm
    face.vy = ratio * (pip.c + root) / norm
    face.error = 0.0
    face.narrow = 1.0
    face.body = pip.body
    face.sure = 1.0
    face.even = 1.0
    face.ends = ()
    return face


def one(picture, face, pips, thing):
    """A face of one pip; leaves why not in face.why."""
    face.thing = thing
    face.why = ""
    pip = face.pips[0]
    if _crowded(face, pips, 11):
        face.why = "crowded"
    elif thing and sqrt((thing.x - pip.x) ** 2 + (thing.y - pip.y) ** 2) < 0.2 * sqrt(thing.area):
        pass
    else:
        face.why = _ringed(picture, face)
    return not face.why


def _ringed(picture, face, keenness=_KEEN):
    """Why rays from a single pip find no die around it; empty where they do."""
    why = ""
    ratio = sqrt(face.size()) / face.pips[0].r
    for keen in keenness:
        face.ends = outline.rays(picture, face, 2.2 / ratio, 3.6, False, keen)
        why = _not_around(face.ends)
        if not why:
            break
    return why


def _crowded(face, pips, reach):
    """Other pips on the face: it isn't a one."""
    pip = face.pips[0]
    far = 3 * max(abs(face.ux), abs(face.uy), abs(face.vx), abs(face.vy)) * 1.5
    for other in pips:
        if (
            other.plane == pip.plane
            and other is not pip
            and abs(other.x - pip.x) < far
            and abs(other.y - pip.y) < far
            and other.inv == pip.inv
            and other.r > 0.5 * pip.r
            and other.contrast() > 0.4 * pip.contrast()
        ):
            a, b = face.lattice(other.x, other.y)
            away = a * a + b * b
            # the other pip of a two is three steps away
            if away < 3.2 or (
                away < reach and 0.8 < other.r / pip.r < 1.25 and abs(other.core - pip.core) < 0.3 * pip.contrast()
            ):
                return True
    return False


def _not_around(ends):
    """Why these ends of rays can't be the outline of a die around a single pip; empty where they can."""
    reached = sorted([end for end in ends if end < 3.4])
    if len(reached) < 11:
        return "open %d" % len(reached)
    if reached[1] < 1.15:
        return "near %.2f" % reached[1]
    lopsided = 0
    for k in range(8):
        if abs(ends[k] - ends[k + 8]) > 0.3 * (ends[k] + ends[k + 8]):
            lopsided += 1
    return "lopsided %d" % lopsided if lopsided > 2 else ""
