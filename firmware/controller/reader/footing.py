"""Do the dice that were read stand flat where they were read, and is the rest of the plate bare? Not for what they show.

From the place of a die's upper face follows where a flat die's outline is: the upper square, and the lower one drawn toward
the middle of the plate. A die that is tilted shows more of a side than that; a face read in the wrong place has bare plate
inside its outline; whatever else lies about is outside of all outlines.
"""

from array import array
from math import sqrt

from controller.reader import scan
from controller.reader.outline import ROUND
from controller.target import const

_HALF = 0.2132  # of the plate's radius: half the edge of a die, as its upper face is seen
_DROP = 0.107  # height of a die by that of the camera: so much smaller, and nearer to the middle, its foot is seen
_GROWN = 3.0  # pixels around an outline that belong to it: blur, rounded edges
_RIM = const(6)  # pixels
_LIMIT = const(26)  # grey steps from the ground
_LARGEST = const(75)  # pixels at half size that may depart together: the lamp's reflection on the plate
_LARGEST_SHADE = const(140)  # the same, darker than the plate
_BARE = 0.15  # of the way from the plate's level to the die's: bare plate
_MOST_BARE = const(3)  # of sixteen places inside an outline
_EDGE = 0.2  # of that way: a light die's outline
_MORE = 1.7  # pixels by which a side may seem to stand out
_LESS = -5.0
_WHITEST = const(8)  # grey steps from white
_AWAY = const(7)  # pixels outside where the search for the outline begins


def level(half, w, plate, tops):
    """Of the bare plate: the middle of what is in none of the outlines, of every third pixel."""
    reach = _HALF * plate.r * 1.6
    counts = [0] * 64
    n = 0
    far = (plate.r - _RIM) ** 2
    for y in range(int(plate.y - plate.r) | 1, int(plate.y + plate.r), 6):
        for x in range(int(plate.x - plate.r) | 1, int(plate.x + plate.r), 6):
            if (x - plate.x) ** 2 + (y - plate.y) ** 2 > far:
                continue
            if [1 for f in tops if abs(f.x - x) < reach and abs(f.y - y) < reach]:
                continue
            counts[half[(y >> 1) * w + (x >> 1)] >> 2] += 1
            n += 1
    n //= 2
    k = 0
    while k < 63 and n >= counts[k]:
        n -= counts[k]
        k += 1
    return k * 4 + 2


def stands(window, face, plate, ground):
    """Is there a die all around this face, and no more of its sides in view than of a flat one's?"""
    pip = face.pips[0]
    span = (face.body if not pip.inv else 255 - face.body) - ground
    half = _HALF * plate.r
    bare = 0
    near = 1.5 * pip.r
    for cos, sin in ROUND:
        x = face.x + 0.88 * half * cos
        y = face.y + 0.88 * half * sin
        value = _at(window, x, y)
        if value >= 0 and abs(value - ground) < _BARE * abs(span):
            # pips may have the plate's level; they are in the window's measure
            if not [1 for p in face.pips if abs(p.x + window.left - x) < near and abs(p.y + window.top - y) < near]:
                bare += 1
    if bare > (_MOST_BARE if face.number > 1 else 1) or _middle_hidden(window, face):
        return False
    if face.number == 1 or pip.inv or span < 40:  # a one doesn't say how it is turned; dark dice stand in their shadow
        return True
    ex, ey = _turn(face)
    for _ in range(4):
        ex, ey = -ey, ex
        shift = -_DROP * ((face.x - plate.x) * ex + (face.y - plate.y) * ey)
        more = _stands_out(
            window, face, ex, ey, half, max(half, half * (1 - _DROP) + shift), ground, _EDGE * span, plate
        )
        if more is not None and (more > _MORE or (more < _LESS and shift > half * _DROP)):
            return False
    return True


def _middle_hidden(window, face):
    """May the lamp's reflection hide the middle pip of a three or five, or be taken for one?"""
    pip = face.pips[0]
    if not pip.inv and face.number in (2, 4):
        white = min(250, face.body + 0.25 * face.contrast())
        for cos, sin in (ROUND[0], ROUND[4], ROUND[8], ROUND[12]):
            if _at(window, face.x + 0.5 * pip.r * cos, face.y + 0.5 * pip.r * sin) > white:
                return True
    if pip.inv and face.number in (3, 5):
        cores = sorted([p.core for p in face.pips])
        for p in face.pips:
            x, y = p.x + window.left - face.x, p.y + window.top - face.y
            if x * x + y * y < pip.r * pip.r and p.core < _WHITEST and cores[-1] > 3 * _WHITEST:
                return True
    return False


def _stands_out(window, face, ex, ey, half, expected, ground, limit, plate):
    """By how much the outline to one side is farther out than expected: the middle of five rays; None where none can tell."""
    found = []
    for aside in (-0.6, -0.3, 0.0, 0.3, 0.6):
        x = face.x - ey * aside * half
        y = face.y + ex * aside * half
        t = expected + _AWAY
        if (x + ex * t - plate.x) ** 2 + (y + ey * t - plate.y) ** 2 > (plate.r - 4) ** 2:
            continue
        old = _at(window, x + ex * t, y + ey * t) - ground
        if abs(old) > limit or old < 0 - ground:
            continue
        while t > 0.8 * half:
            t -= 0.5
            new = _at(window, x + ex * t, y + ey * t) - ground
            if abs(new) > limit:
                t += 0.5 * (abs(new) - limit) / max(1, abs(new) - abs(old))
                break
            old = new
        found.append(t - expected)
    found.sort()
    return found[len(found) // 2] if len(found) > 2 else None


def _turn(face):
    """Along a row of pips, of length one; the mean of both directions."""
    u = sqrt(face.ux * face.ux + face.uy * face.uy)
    v = sqrt(face.vx * face.vx + face.vy * face.vy)
    side = 1 if face.ux * face.vy - face.uy * face.vx > 0 else -1
    x = face.ux / u + side * face.vy / v
    y = face.uy / u - side * face.vx / v
    long = sqrt(x * x + y * y)
    return x / long, y / long


def _at(window, x, y):
    return scan.blend(
        window.plane, window.w, window.h, int((x - window.left) * 256), int((y - window.top) * 256)
    )  # -1 outside


def strange(half, w, h, floor, plate, ground, tops):
    """Is there anything on the plate, at half size, outside of the outlines of these dice, that is too large for a reflection?"""
    mask = floor.mask
    rows = bytes(w)
    sums = array("i", bytes(28))
    shade = _LARGEST_SHADE if tops[0].pips[0].inv else _LARGEST
    cells = bytes([ground])
    for y in range(h):
        mask[y * w : y * w + w] = rows
    scan.depart(half, w, h, 8, 1, cells, _LIMIT, mask)
    far = (plate.r - _RIM) / 2
    for y in range(h):
        inside = far * far - (y - plate.y / 2) ** 2
        reach = sqrt(inside) if inside > 0 else -1.0
        _wipe(mask, w, h, y, 0, plate.x / 2 - reach)
        _wipe(mask, w, h, y, plate.x / 2 + reach, w)
    for face in tops:
        _wipe_die(mask, w, h, face, plate)
    at = mask.find(b"\x01")
    while at >= 0:
        dark = half[at] < ground
        n = scan.flood(mask, w, h, at, floor.stack, floor.room, sums)
        if n < 0 or n > (shade if dark else _LARGEST):
            return True
        at = mask.find(b"\x01", at + 1)
    return False


def _wipe_die(mask, w, h, face, plate):
    """Takes a flat die's outline out of the mask: in every row from the leftmost to the rightmost of its corners' joins."""
    half = _HALF * plate.r
    foot = (plate.x + (face.x - plate.x) * (1 - _DROP), plate.y + (face.y - plate.y) * (1 - _DROP))
    if face.number == 1:
        turns = list(ROUND)
        half *= 1.414
    else:
        ex, ey = _turn(face)
        turns = [(ex - ey, ey + ex), (-ex - ey, ex - ey), (ey - ex, -ey - ex), (ex + ey, ey - ex)]
    corners = []
    for x, y, r in ((face.x, face.y, half + _GROWN), (foot[0], foot[1], half * (1 - _DROP) + _GROWN)):
        for cos, sin in turns:
            corners.append(((x + r * cos) / 2, (y + r * sin) / 2))
    low = min([c[1] for c in corners])
    high = max([c[1] for c in corners])
    for y in range(max(0, int(low)), min(h, int(high) + 2)):
        left = w
        right = -1
        for i in range(len(corners)):
            x0, y0 = corners[i]
            for x1, y1 in corners[i + 1 :]:
                if (y0 - y) * (y1 - y) <= 0 and y0 != y1:
                    x = x0 + (x1 - x0) * (y - y0) / (y1 - y0)
                    left = min(left, x)
                    right = max(right, x)
        if left <= right:
            _wipe(mask, w, h, y, left, right + 1)


def _wipe(mask, w, h, y, left, right):
    left = max(0, int(left))
    right = min(w, int(right))
    if left < right:
        mask[y * w + left : y * w + right] = bytes(right - left)
