"""The third opinion, for small dice on plain ground: which face, laid over the die at any turn, explains its colours best.

Pips of two pixels are too small to be found one by one. Here each die's outline says where its face may lie, and each of
the six faces is tried there as a stamp of ink on a body: the measure is how much of all the colour on the face the two
explain (Fisher's discriminant, so a glare counts little where the ink differs from it). Not for dice on a patterned ground.
"""

from array import array
from math import cos, pi, sin

from controller.reader import scan
from controller.reader.colours import axis_of, colour_at, mean_of
from controller.reader.ink import Pattern, middle
from controller.reader.lumps import LumpFinder, opened

_NOISE = 50.0  # of a colour, squared
_GRID = 0.23  # lattice steps
_INK = 0.38  # radius of a pip, in lattice steps
_TURNS = 15  # in a quarter
_STEPS = (0.185, 0.2, 0.215, 0.23, 0.25, 0.27, 0.29)  # lattice step, in widths of the die

_LARGE = 45  # pixels: larger dice are read by their pips alone
_NEXT = 0.8  # of the best fit: so good a number with more pips is taken, where its pips alone are round
_NARROW = 0.8
_SPOTS = [(1.0 * a, 1.0 * b) for b in (-1, 0, 1) for a in (-1, 0, 1)]
_SPOTS += [(a * _NARROW, 1.0 * b) for a in (-1, 1) for b in (-1, 0, 1)]
_SPOTS += [(1.0 * b, a * _NARROW) for a in (-1, 1) for b in (-1, 0, 1)]
# number, then the spots that bear ink
_STAMPS = (
    (1, (4,)), (2, (0, 8)), (2, (2, 6)), (3, (0, 4, 8)), (3, (2, 4, 6)), (4, (0, 2, 6, 8)), (5, (0, 2, 4, 6, 8)),
    (6, (0, 3, 6, 2, 5, 8)), (6, (0, 1, 2, 6, 7, 8)), (6, (9, 10, 11, 12, 13, 14)), (6, (15, 16, 17, 18, 19, 20)),
)  # fmt: skip


class Stamp:
    """One die: number, centre, step and turn; how well it fits and the next number does; `sure`."""

    __slots__ = (
        "fit",
        "number",
        "off",
        "on",
        "second",
        "second_fit",
        "spelled",
        "spots",
        "step",
        "stray",
        "sure",
        "turn",
        "x",
        "y",
    )

    def has_pip(self, spot):
        """Is there one of its pips at that place?"""
        c, s = self.turn
        for k in self.spots:
            a, b = _SPOTS[k]
            dx = self.x + self.step * (a * c - b * s) - spot.x
            dy = self.y + self.step * (a * s + b * c) - spot.y
            if dx * dx + dy * dy < 0.25 * self.step * self.step:
                return True
        return False


class Stamper:
    """Holds the tables. read() gives the lumps of a picture with their stamps; None where the ground isn't plain or the dice
    are large."""

    def __init__(self):
        homes = bytearray(225 * 3)
        self._counts = [0] * len(_SPOTS)
        for place in range(225):
            a = (place % 15 - 7) * _GRID
            b = (place // 15 - 7) * _GRID
            slot = 3 * place
            for k, (sa, sb) in enumerate(_SPOTS):
                if (a - sa) ** 2 + (b - sb) ** 2 < _INK * _INK:
                    homes[slot] = k + 1
                    slot += 1
                    self._counts[k] += 1
        self._homes = homes
        self._patterns = [Pattern([_SPOTS[k] for k in spots]) for _, spots in _STAMPS]
        self.usual = 24.0  # width of a die in the picture that was read last
        self._sums = array("i", bytes(300))
        self._finder = LumpFinder()

    def read(self, picture, rgb):
        lumps = self._finder.find(picture)
        if lumps is None:
            return None
        singles = sorted([p.wide for p in lumps if p.long < 1.6 * p.wide and p.area > 0.6 * p.wide * p.long])
        usual = singles[len(singles) // 2] if singles else 24.0
        self.usual = usual
        if usual > _LARGE:
            return None
        found = []
        for lump in lumps:
            if lump.wide < 0.45 * usual or lump.blank(picture, rgb):
                continue
            if lump.long < 1.6 * lump.wide and lump.area < 1.9 * usual * usual:
                self._one(picture, rgb, lump)
            else:
                self._several(picture, rgb, lump, usual)
            found.append(lump)
        return found

    def _one(self, picture, rgb, lump):
        stamp = self._search(picture, rgb, lump, lump.inside, lump.wide, True)
        if stamp is not None:
            lump.stamps.append(stamp)
            lump.area = 0

    def _several(self, picture, rgb, lump, usual):
        """Dice that touch: the best is taken out and what is left looked at again. `area` becomes what nobody explained."""
        left = bytearray(lump.inside)
        for _ in range(5):
            stamp = self._search(picture, rgb, lump, left, usual, False)
            if stamp is None or (lump.stamps and stamp.fit < 0.33):
                break
            lump.stamps.append(stamp)
            reach = (0.62 * usual) ** 2
            for i in range(len(left)):
                if left[i]:
                    dx = lump.left + i % lump.w + 0.5 - stamp.x
                    dy = lump.top + i // lump.w + 0.5 - stamp.y
                    if dx * dx + dy * dy < reach:
                        left[i] = 0
            left = opened(opened(left, lump.w), lump.w)
        lump.area = sum(left)

    def _search(self, picture, rgb, lump, inside, wide, single):
        w = lump.w
        spots = []
        first = max(0, inside.find(b"\x01"))
        last = inside.rfind(b"\x01") + 1
        for turn in range(_TURNS):
            c = cos(turn * pi / 2 / _TURNS)
            s = sin(turn * pi / 2 / _TURNS)
            near, far = _feelers(c, s, wide, w)
            for i in range(first, last):
                if inside[i] and _lies(inside, i, near, far, single):
                    spots.append((i, c, s))
        thin = 1 + len(spots) // 900
        best = {}
        for k in range(0, len(spots), thin):
            i, c, s = spots[k]
            x = lump.left + i % w + 0.5
            y = lump.top + i // w + 0.5
            for f in _STEPS:
                self._try(picture, rgb, x, y, c, s, f * wide, best)
        return self._choose(picture, rgb, lump, best, wide, single) if best else None

    def _try(self, picture, rgb, x, y, c, s, step, best):
        """Lays every stamp there; keeps for each stamp the best place so far."""
        f = step * _GRID * 256
        sums = self._sums
        if not scan.probe(
            rgb, picture.w, picture.h, int(x * 256), int(y * 256), int(c * f), int(s * f), self._homes, sums
        ):
            return
        m0 = sums[0] / 225
        m1 = sums[1] / 225
        m2 = sums[2] / 225
        a = sums[3] / 225 - m0 * m0 + _NOISE
        b = sums[4] / 225 - m1 * m1 + _NOISE
        d = sums[5] / 225 - m2 * m2 + _NOISE
        e = sums[6] / 225 - m0 * m1
        g = sums[7] / 225 - m0 * m2
        q = sums[8] / 225 - m1 * m2
        # the inverse of [[a, e, g], [e, b, q], [g, q, d]]
        ia = b * d - q * q
        ie = g * q - e * d
        ig = e * q - b * g
        ib = a * d - g * g
        iq = e * g - a * q
        id_ = a * b - e * e
        det = a * ia + e * ie + g * ig
        for k in range(len(_STAMPS)):
            n = 0
            r0 = r1 = r2 = 0.0
            for spot in _STAMPS[k][1]:
                at = 9 + 3 * spot
                n += self._counts[spot]
                r0 += sums[at]
                r1 += sums[at + 1]
                r2 += sums[at + 2]
            rest = 225 - n
            r0 = (r0 / n - m0) * 225 / rest
            r1 = (r1 / n - m1) * 225 / rest
            r2 = (r2 / n - m2) * 225 / rest
            fit = (
                (r0 * (ia * r0 + 2 * (ie * r1 + ig * r2)) + r1 * (ib * r1 + 2 * iq * r2) + r2 * id_ * r2)
                / det
                * n
                * rest
                / 50625
            )
            if k not in best or fit > best[k][0]:
                best[k] = (fit, x, y, c, s, step)

    def _choose(self, picture, rgb, lump, best, wide, single):
        """The number that fits best, each refined in place, turn and step; then what its own pixels say."""
        top = {}
        most = max([place[0] for place in best.values()])
        for k in best:
            if best[k][0] < 0.5 * most:
                fit = best[k]
            else:
                fit = self._refined(picture, rgb, k, best[k])
            number = _STAMPS[k][0]
            if number not in top or fit[0] > top[number][0]:
                top[number] = fit + (k,)  # noqa: RUF005 - MicroPython has no (*a, b)
        order = sorted(top, key=lambda number: -top[number][0])
        spelled = self._spelled(picture, rgb, lump, top)
        if len(spelled) == 1 and spelled[0] > order[0] and top[spelled[0]][0] > _NEXT * top[order[0]][0]:
            order.remove(spelled[0])  # a glare hides that there are more pips, and the round ones are all explained
            order.insert(0, spelled[0])
        fit, x, y, c, s, step, k = top[order[0]]
        stamp = Stamp()
        stamp.number = order[0]
        stamp.fit = fit
        if not single:  # the next best may be the die beside it: what counts is what else this one could be
            top = self._around(picture, rgb, top[order[0]])
            order = sorted(top, key=lambda number: -top[number][0] - (number == stamp.number))
            spelled = self._spelled(picture, rgb, lump, top)
        stamp.spelled = spelled
        stamp.second = order[1]
        stamp.second_fit = top[order[1]][0]
        stamp.x = x
        stamp.y = y
        stamp.step = step
        stamp.turn = (c, s)
        stamp.spots = _STAMPS[k][1]
        self._inspect(picture, rgb, stamp, wide)
        clear = (
            fit > 0.3
            and fit - stamp.second_fit > 0.05 + 0.1 * fit
            and stamp.on > 0.55
            and stamp.off < 0.45
            and stamp.stray < (0.66 if stamp.number < 4 else 1.0)
        )
        if stamp.spelled == [stamp.number]:
            stamp.sure = clear or (fit > 0.2 and stamp.on > 0.55 and stamp.stray < (2 if stamp.number < 4 else 3))
        else:
            stamp.sure = clear and (not stamp.spelled or stamp.number in stamp.spelled)
        return stamp

    def _spelled(self, picture, rgb, lump, top):
        """The numbers, of those that fit nearly as well as the best, whose pips are all the round ink there is."""
        least = 0.5 * max([place[0] for place in top.values()])
        spelled = []
        for number in top:
            fit, x, y, c, s, step, k = top[number]
            if fit > least and self._patterns[k].on(rgb, picture.w, picture.h, lump, x, y, c, s, step):
                spelled.append(number)
        return spelled

    def _around(self, picture, rgb, place):
        """The best of every number near a place."""
        _, x, y, c, s, step, _ = place
        trial = {}
        for dx in (-2.0, 0.0, 2.0):
            for dy in (-2.0, 0.0, 2.0):
                for turn in range(8):
                    for f in (0.9, 1.0, 1.1):
                        a = turn * pi / 16
                        self._try(
                            picture,
                            rgb,
                            x + dx,
                            y + dy,
                            c * cos(a) - s * sin(a),
                            s * cos(a) + c * sin(a),
                            step * f,
                            trial,
                        )
        top = {}
        for k in trial:
            number = _STAMPS[k][0]
            if number not in top or trial[k][0] > top[number][0]:
                top[number] = trial[k] + (k,)
        return top

    def _refined(self, picture, rgb, k, place):
        for pace in (0.6, 0.3):
            _, x, y, c, s, step = place
            trial = {k: place}
            for dx in (-pace, 0.0, pace):
                for dy in (-pace, 0.0, pace):
                    for turn in (-0.07 * pace, 0.0, 0.07 * pace):
                        for f in (1 - 0.05 * pace, 1.0, 1 + 0.05 * pace):
                            self._try(picture, rgb, x + dx, y + dy, c - s * turn, s + c * turn, step * f, trial)
            place = trial[k]
        return place

    def _inspect(self, picture, rgb, stamp, wide):
        """The second opinion: every pixel of the die's top by itself, between body (0) and ink (1). on: the least of the pips'
        middle values; off: the greatest of the other places'; stray: ink beside the pips, in pips."""
        c, s = stamp.turn
        step = stamp.step
        half = 8
        reach = max(1.61, 0.37 * wide / step) / half
        spots = [_SPOTS[k] for k in stamp.spots]
        rows = []
        for row in range(-half, half + 1):
            for column in range(-half, half + 1):
                a = column * reach
                b = row * reach
                colour = colour_at(
                    rgb, picture.w, picture.h, stamp.x + step * (a * c - b * s), stamp.y + step * (a * s + b * c)
                )
                if colour is not None:
                    away = min([(a - p) * (a - p) + (b - q) * (b - q) for p, q in spots])
                    rows.append((a, b, away, colour))
        ink = [r for r in rows if r[2] < _INK * _INK]
        body = [r for r in rows if r[2] > 0.36 and max(abs(r[0]), abs(r[1])) < 1.62]
        if not ink or not body:
            stamp.on, stamp.off, stamp.stray = 0.0, 1.0, 9.0
            return
        ink = [r[3] for r in ink]
        body = [r[3] for r in body]
        axis = axis_of(ink, body)
        base = mean_of(body)
        full = mean_of(ink)
        span = sum([axis[k] * (full[k] - base[k]) for k in (0, 1, 2)]) or 1.0
        values = [
            (a, b, away, sum([axis[k] * (colour[k] - base[k]) for k in (0, 1, 2)]) / span)
            for a, b, away, colour in rows
        ]
        stamp.on = min([middle([v for a, b, _, v in values if (a - p) ** 2 + (b - q) ** 2 < 0.14]) for p, q in spots])
        others = [p for p in _SPOTS[:9] if min([(p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 for q in spots]) > 0.36]
        stamp.off = max(
            [middle([v for a, b, _, v in values if (a - p) ** 2 + (b - q) ** 2 < 0.14]) for p, q in others] or [0.0]
        )
        stray = len([1 for _, _, away, v in values if away > 0.45 and 0.6 < v < 1.6])
        stamp.stray = stray * reach * reach / (pi * _INK * _INK)


def _feelers(c, s, wide, w):
    """Offsets from a face's centre: eight that must be on the die, and three beyond each of its four sides."""
    near = []
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            if a or b:
                f = wide * (0.36 if a and b else 0.40)
                near.append(_offset(a * f, b * f, c, s, w))
    out = 0.56 * wide + 0.5
    far = []
    for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        far.append([_offset(a * out + b * t * wide, b * out + a * t * wide, c, s, w) for t in (-0.25, 0.0, 0.25)])
    return near, far


def _offset(a, b, c, s, w):
    return round(a * s + b * c) * w + round(a * c - b * s)


def _lies(inside, i, near, far, single):
    """Could a face have its centre here? On the die all around, and off it beyond one of each two opposite sides."""
    n = len(inside)
    for d in near:
        if not 0 <= i + d < n or not inside[i + d]:
            return False
    free = []
    for side in far:
        k = 0
        for d in side:
            if not 0 <= i + d < n or not inside[i + d]:
                k += 1
        free.append(k >= 2)
    if single:
        return (free[0] or free[1]) and (free[2] or free[3])
    return free[0] or free[1] or free[2] or free[3]
