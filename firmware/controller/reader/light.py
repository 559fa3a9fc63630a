"""Is the picture fit to be read, and has the table drifted from its calibration: light, focus, dirt. Not for dice.

All by few numbers of the plate at half size: its middle level, its brightest pixels, its steepest edges, its unevenness.
"""

from array import array

from dicewire import codes

from controller.reader import scan
from controller.target import const

_HALF_W = const(160)
_BLOWN = 0.30  # share of the plate that is white
_DARK = 0.45  # of the calibrated light
_EVEN = const(20)  # grey steps between the darkest and brightest: nothing is to be seen
_SHARP = 0.55  # of the calibrated steepness
DIRTY = const(120)  # thousandths of the plate that aren't even, beyond what calibration saw
_DRIFT_LIGHT = 0.25
_DRIFT_FOCUS = 0.14  # softer, at the same light: it costs spins sooner than less light
_GASKET = const(3)  # pixels: its edge is soft
_SLOW = 0.1  # weight of a new measurement

# what drifted: number in EVENT.a
LIGHT = const(1)
FOCUS = const(2)
DIRT = const(4)


class Watch:
    """look() at every frame; `drift` is what has drifted most, 0 for nothing, `amount` how far in thousandths."""

    def __init__(self):
        self._tally = array("H", bytes(128))
        self.ground = 0  # of the last frame
        self.bright = 0
        self.sharp = 0
        self._light = self._focus = 0.0  # slow means of ratios to the calibration, 0 = none yet
        self.drift = self.amount = 0

    def measure(self, half, plate):
        """Middle level and brightest pixels of the plate's middle square; gives how many pixels that is."""
        reach = int(plate.r * 0.35)  # half of the inscribed square's side, at half size
        x, y = int(plate.x) >> 1, int(plate.y) >> 1
        x0, y0, x1, y1 = max(0, x - reach), max(0, y - reach), min(_HALF_W, x + reach), min(_HALF_W * 3 // 4, y + reach)
        scan.tally(half, _HALF_W, x0, y0, x1, y1, self._tally)
        n = (x1 - x0) * (y1 - y0)
        self.ground = self._level(n // 2)
        self.bright = self._level(n - n // 50)
        return n

    def look(self, half, known):
        """What forbids to read this picture: codes.SIGHT_*, 0 for nothing."""
        n = self.measure(half, known.plate)
        white = sum([self._tally[k] for k in range(62, 64)])
        if white > _BLOWN * n:
            return codes.SIGHT_BLOWN_OUT
        if self.bright < _DARK * (known.bright or 100):
            return (
                codes.SIGHT_COVERED
                if self.bright - self._level(n // 50) < _EVEN and self.bright > 24
                else codes.SIGHT_DARK
            )
        if self.bright - self._level(n // 50) < _EVEN:
            return codes.SIGHT_COVERED
        if known.ground:
            self._light = _slow(self._light, self.ground / known.ground)
            self._judge()
        return 0

    def _level(self, count):
        """The grey level that so many pixels don't exceed."""
        k = 0
        while k < 63 and count > self._tally[k]:
            count -= self._tally[k]
            k += 1
        return k * 4 + 2

    def sharp_enough(self, plan, known):
        """By the steepest edges in the windows, each four rows."""
        steps = sorted([steepest(window) for window in plan])
        self.sharp = steps[len(steps) // 2]
        if known.sharp:
            lit = known.ground / self.ground if known.ground and self.ground else 1.0
            self._focus = _slow(self._focus, self.sharp / known.sharp * lit)
            self._judge()
            return self.sharp >= _SHARP * known.sharp
        return True

    def _judge(self):
        worst = 0.0
        self.drift = 0
        for what, ratio, limit in (
            (LIGHT, self._light, _DRIFT_LIGHT),
            (FOCUS, min(self._focus, 1.0), _DRIFT_FOCUS),
        ):
            off = abs(ratio - 1) / limit if ratio else 0.0
            if off > 1 and off > worst:
                worst = off
                self.drift = what
                self.amount = int((ratio - 1) * 1000)

    def forget(self):
        """After a new calibration."""
        self._light = self._focus = 0.0
        self.drift = self.amount = 0


def steepest(window):
    """The step between two neighbours that one pair in fifty exceeds, of every fourth row."""
    counts = [0] * 64
    w = window.w
    plane = window.plane
    n = 0
    for y in range(2, window.h, 4):
        old = plane[y * w]
        for x in range(1, w):
            new = plane[y * w + x]
            counts[abs(new - old) >> 2] += 1
            old = new
            n += 1
    left = n // 50
    k = 63
    while k and left >= counts[k]:
        left -= counts[k]
        k -= 1
    return k * 4 + 2


def grain(floor, plan, plate):
    """Thousandths of the plate's middle square that depart from the ground, windows left out. After things.find()."""
    reach = int(plate.r * 0.35)
    x, y = int(plate.x) >> 1, int(plate.y) >> 1
    inside = (x - reach, y - reach, x + reach, y + reach)
    total = (2 * reach) * (2 * reach)
    marked = scan.count(floor.mask, _HALF_W, *inside)
    for window in plan:
        x0, y0 = max(inside[0], window.left >> 1), max(inside[1], window.top >> 1)
        x1 = min(inside[2], (window.left + window.w) >> 1)
        y1 = min(inside[3], (window.top + window.h) >> 1)
        if x0 < x1 and y0 < y1:
            total -= (x1 - x0) * (y1 - y0)
            marked -= scan.count(floor.mask, _HALF_W, x0, y0, x1, y1)
    return marked * 1000 // max(1, total)


def blank(half, w, h, plate, level):
    """Gives everything outside the plate the level of its ground: rim and housing are no things."""
    x0, y0, r = plate.x / 2, plate.y / 2, (plate.r - _GASKET) / 2
    row = bytes([level]) * w
    for y in range(h):
        dy = y - y0
        reach = r * r - dy * dy
        at = y * w
        if reach <= 0:
            half[at : at + w] = row
            continue
        reach = reach**0.5
        left = max(0, int(x0 - reach))
        right = min(w, int(x0 + reach) + 1)
        half[at : at + left] = row[:left]
        half[at + right : at + w] = row[: w - right]


def _slow(mean, value):
    return value if not mean else mean + _SLOW * (value - mean)
