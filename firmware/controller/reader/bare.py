"""Is the plate bare where no die that was read stands? Against the bare plate as it was taught, a quarter of the frame's size.

A die takes its outline, upper face and foot; where both lamps throw a shadow the plate may be darker, and where a lamp is
mirrored it may be brighter. Not for dice: sides.py.
"""

from array import array

from controller.reader import plate
from controller.reader.pip_table import LAMP_HEIGHT, WIDTH
from controller.reader.view import EDGE
from controller.target import const

SIDE = WIDTH // 4
_HALF = EDGE / 2
_GROWN = 1.8  # mm around a die: blur, and the joint between its side and the plate
_DIM = 5.0  # mm around a die: it takes light from the plate on all sides
_TIGHT = 0.3  # mm around a die's foot, where its shadow begins
_PENUMBRA = 1.3  # of its length: the lamp is not a point
_FAINTEST = 20  # grey steps, summed over a thing's cells
_SPECK = 0.16  # of the plate's level: so much, summed so, a speck of dust on the dome takes at most
_STEP = const(4)
_ONE = const(4096)
_GLARE_CELLS = 16  # that the lamp's image on the dome may take


class Bare:
    """Buffers, and the ground as it was taught."""

    def __init__(self, known, cells, mask):
        self.cells = cells
        self.mask = mask
        self._known = known
        self._ground = array("H", bytes(2 * SIDE * SIDE))
        self._sums = array("i", bytes(28))
        self._stack = array("I", bytes(4 * 400))
        self._corners = array("H", bytes(4 * 12))
        for y in range(0, SIDE, _STEP):
            self._lay(y, self._corner_row(y), self._corner_row(y + _STEP))

    def _corner_row(self, y):
        """Of every fourth cell of a row: where it looks, _ONE to the plate's edge, and how bright the plate is there."""
        known, row = self._known, []
        for x in range(0, SIDE + 1, _STEP):
            u, v = known.view.lift(known.left + 4 * x + 2.0, 4 * y + 2.0, 0.0)
            level = max(known.level(0, u, v), known.level(1, u, v))
            row.append((int(u / known.plate_r * _ONE), int(v / known.plate_r * _ONE), int(256 * level)))
        return row

    def _lay(self, top, above, below):
        """The ground of four rows, straight between their corners, in whole numbers: floats for every cell take ten seconds."""
        ground = self._ground
        for at in range(SIDE):
            k, right = at // _STEP, at % _STEP
            left = _STEP - right
            (u, v, level), (u1, v1, level1) = above[k], above[k + 1]
            (u2, v2, level2), (u3, v3, level3) = below[k], below[k + 1]
            u, v, level = u * left + u1 * right, v * left + v1 * right, level * left + level1 * right
            u2, v2, level2 = u2 * left + u3 * right, v2 * left + v3 * right, level2 * left + level3 * right
            for down in range(_STEP):
                up = _STEP - down
                x, y = (u * up + u2 * down) >> 4, (v * up + v2 * down) >> 4
                if x * x + y * y <= _ONE * _ONE:  # elsewhere 0: not looked at
                    ground[SIDE * (top + down) + at] = max(1, min(4095, (level * up + level2 * down) >> 8))

    def levels(self):
        """Of every thirteenth cell of the plate, sorted."""
        return sorted([self.cells[i] for i in range(0, SIDE * SIDE, 13) if self._ground[i]])

    def gain(self, poses):
        """256ths: how bright the plate is against what was taught. The middle of the cells that no die is near."""
        ratios = []
        ground = self._ground
        for i in range(3, SIDE * SIDE, 19):
            if ground[i] and not self.mask[i]:
                ratios.append((self.cells[i] << 12) // ground[i])
        ratios.sort()
        return ratios[len(ratios) // 2] if len(ratios) > 12 else 0

    def strange(self, poses, light, dark):
        """The most cells that hang together where the plate isn't bare; 0 where it is. Specks on the dome are not counted."""
        known = self._known
        mask = self.mask
        ground = self._ground
        row = bytes(SIDE)
        for at in range(0, SIDE * SIDE, SIDE):
            mask[at : at + SIDE] = row
        for pose in poses:
            self._cover(pose, _HALF + _GROWN, 1)
            self._cover(pose, _HALF + _DIM, 16)
            for k in (0, 1):
                self._cover(pose, _HALF + _TIGHT, 2 << 2 * k, known.lamps[k])
        for glare in known.glares:
            if glare[2]:
                self._round(*glare)
        gain = self.gain(poses)
        self.level = gain
        self.pieces = 0
        if not gain:
            return SIDE * SIDE
        plate.stray(self.cells, SIDE, SIDE, ground, gain, mask, light, dark)
        most = 0
        least = max(_FAINTEST, int(known.middle * gain / 256 * _SPECK))
        at = plate.marked(mask, 0, len(mask))
        while at < len(mask):
            n = plate.gather(mask, SIDE, SIDE, at, self._stack, 400, self._sums)
            self.pieces += 1
            if n < 0:
                return SIDE * SIDE
            if self._sums[3] >= least and not (n <= _GLARE_CELLS and self._mirrored(n)):
                most = max(most, n)
            at = plate.marked(mask, at + 1, len(mask))
        return most

    def _mirrored(self, n):
        """Is the thing that was just flooded in the middle of where the lamp is mirrored?"""
        known = self._known
        for glare in known.glares:
            if not glare[2]:
                continue
            x, y = known.view.project(glare[0], glare[1], 0.0)
            dx = self._sums[1] / n + 0.5 - (x - known.left) / 4
            dy = self._sums[2] / n + 0.5 - y / 4
            if dx * dx + dy * dy < 9:
                return True
        return False

    def _cover(self, pose, half, value, lamp=None):
        known = self._known
        view = known.view
        k = 0
        for u, v in ((half, half), (half, -half), (-half, -half), (-half, half)):
            x, y = pose.outward(u, v)
            points = [(x, y, 0.0)]
            if lamp is None:
                points.append((x, y, EDGE))
            else:  # the shadow of the upper corner
                by = _PENUMBRA * EDGE / (LAMP_HEIGHT - EDGE)
                points.append((x + (x - lamp[0]) * by, y + (y - lamp[1]) * by, 0.0))
            for px, py, pz in points:
                px, py = view.project(px, py, pz)
                self._corners[k] = max(0, min(16 * SIDE, int((px - known.left) * 4)))
                self._corners[k + 1] = max(0, min(16 * SIDE, int(py * 4)))
                k += 2
        plate.cover(self.mask, SIDE, SIDE, self._corners, k // 2, value)

    def _round(self, x, y, r):
        k = 0
        for u, v in ((1, 0), (0.7, 0.7), (0, 1), (-0.7, 0.7), (-1, 0), (-0.7, -0.7), (0, -1), (0.7, -0.7)):
            px, py = self._known.view.project(x + r * u, y + r * v, 0.0)
            self._corners[k] = max(0, min(16 * SIDE, int((px - self._known.left) * 4)))
            self._corners[k + 1] = max(0, min(16 * SIDE, int(py * 4)))
            k += 2
        plate.cover(self.mask, SIDE, SIDE, self._corners, 8, 4)
