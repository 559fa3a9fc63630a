"""Is the plate bare where no die that was read stands? Against the bare plate as it was taught, a quarter of the frame's size.

A die takes its outline, upper face and foot; where the lamp throws its shadow the plate may be darker, and where the lamp is
mirrored it may be brighter. Not for dice: sides.py.
"""

from array import array

from controller.reader import plate
from controller.reader.pip_table import LAMP_HEIGHT, WIDTH
from controller.reader.view import EDGE
from controller.target import const

SIDE = WIDTH // 4
_HALF = EDGE / 2
_GROWN = 1.0  # mm around a die: blur, and the joint between its side and the plate
_SOFT = 2.2  # mm around a shadow: the lamp is not a point
_STEP = const(4)
_BITS = const(12)
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
            self._lay(y, self._seen(y), self._seen(y + _STEP))

    def _seen(self, y):
        """Where every fourth cell of a row looks: x and y, _ONE to the plate's edge."""
        known, row = self._known, []
        by = _ONE / known.plate_r
        for x in range(0, SIDE + 1, _STEP):
            u, v = known.view.lift(known.left + 4 * x + 2.0, 4 * y + 2.0, 0.0)
            row.append((int(u * by), int(v * by)))
        return row

    def _lay(self, top, above, below):
        """The ground of some rows, straight between what was worked out, in whole numbers: floats for all take ten seconds."""
        known, ground = self._known, self._ground
        g0, gx, gy = int(256 * known.g0), int(256 * known.gx), int(256 * known.gy)
        gxx, gxy, gyy = int(256 * known.gxx), int(256 * known.gxy), int(256 * known.gyy)
        for at in range(_STEP * len(above) - _STEP):
            k, right = at // _STEP, at % _STEP
            (u0, v0), (u1, v1) = above[k], above[k + 1]
            (u2, v2), (u3, v3) = below[k], below[k + 1]
            left = _STEP - right
            u0, v0 = u0 * left + u1 * right, v0 * left + v1 * right
            u2, v2 = u2 * left + u3 * right, v2 * left + v3 * right
            for down in range(_STEP):
                u = (u0 * (_STEP - down) + u2 * down) // (_STEP * _STEP)
                v = (v0 * (_STEP - down) + v2 * down) // (_STEP * _STEP)
                if u * u + v * v > _ONE * _ONE:
                    continue  # 0: not looked at
                level = g0 + (gx * u + gy * v >> _BITS)
                level += (
                    (gxx * (u * u >> _BITS) >> _BITS)
                    + (gxy * (u * v >> _BITS) >> _BITS)
                    + (gyy * (v * v >> _BITS) >> _BITS)
                )
                ground[SIDE * (top + down) + at] = max(1, min(4095, level >> 4))

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

    def strange(self, poses, light, dark, least):
        """The most cells that hang together where the plate isn't bare; 0 where it is. `least`: fewer are not counted."""
        known = self._known
        mask = self.mask
        ground = self._ground
        row = bytes(SIDE)
        for at in range(0, SIDE * SIDE, SIDE):
            mask[at : at + SIDE] = row
        for pose in poses:
            self._cover(pose, _HALF + _GROWN, 1)
            self._cover(pose, _HALF + _SOFT, 2)
        if known.glare_r > 0:
            self._round(known.glare_x, known.glare_y, known.glare_r)
        gain = self.gain(poses)
        self.level = gain
        self.pieces = 0
        if not gain:
            return SIDE * SIDE
        plate.stray(self.cells, SIDE, SIDE, ground, gain, mask, light, dark)
        most = 0
        at = mask.find(b"\x01")
        while at >= 0:
            n = plate.flood(mask, SIDE, SIDE, at, self._stack, 400, self._sums)
            self.pieces += 1
            if n < 0:
                return SIDE * SIDE
            if n >= least and not (n <= _GLARE_CELLS and self._mirrored(n)):
                most = max(most, n)
            at = mask.find(b"\x01", at + 1)
        return most

    def _mirrored(self, n):
        """Is the thing that was just flooded in the middle of where the lamp is mirrored?"""
        known = self._known
        if known.glare_r <= 0:
            return False
        x, y = known.view.project(known.glare_x, known.glare_y, 0.0)
        dx = self._sums[1] / n + 0.5 - (x - known.left) / 4
        dy = self._sums[2] / n + 0.5 - y / 4
        return dx * dx + dy * dy < 9

    def _cover(self, pose, half, value):
        known = self._known
        view = known.view
        k = 0
        for u, v in ((half, half), (half, -half), (-half, -half), (-half, half)):
            x, y = pose.outward(u, v)
            points = [(x, y, 0.0)]
            if value == 1:
                points.append((x, y, EDGE))
            else:  # the shadow of the upper corner
                by = EDGE / (LAMP_HEIGHT - EDGE)
                points.append((x + (x - known.lamp_x) * by, y + (y - known.lamp_y) * by, 0.0))
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
