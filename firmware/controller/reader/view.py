"""Where a point of the table is seen, and where a pixel looks: the table's camera as it was calibrated. Not for pictures.

Millimetres; the plate is z = 0 with its middle at x = y = 0, y away from the viewer as in the picture up. Pixels are those of the
whole frame, with .5 in a pixel's middle. The lens is a barrel: what is seen at r looks along r (1 + bend r^2).
"""

from math import cos, sin

HEIGHT = 150.0  # of the lens above the plate, as the head is built
EDGE = 16.0  # of a die


class View:
    """x, y: the pixel that the axis meets; focal in pixels; tilts in radians off the vertical."""

    def __init__(self, x, y, focal, bend, tilt_x, tilt_y):
        self.x = x
        self.y = y
        self.focal = focal
        self.bend = bend
        self.tilt_x = tilt_x
        self.tilt_y = tilt_y
        cx, sx, cy, sy = cos(tilt_x), sin(tilt_x), cos(tilt_y), sin(tilt_y)
        self._rows = (cy, sx * sy, -cx * sy, cx, sx, sy, -sx * cy, cx * cy)

    def project(self, x, y, z):
        """The pixel that shows this point."""
        a, b, c, d, e, f, g, h = self._rows
        away = HEIGHT - f * x - g * y - h * z
        sx = (a * x + b * y + c * z) / away
        sy = (d * y + e * z) / away
        px, py = sx, sy
        for _ in range(4):
            by = 1 + self.bend * (px * px + py * py)
            px = sx / by
            py = sy / by
        return self.x + px * self.focal, self.y - py * self.focal

    def lift(self, px, py, z):
        """The point at this height that this pixel shows: x, y."""
        a, b, c, d, e, f, g, h = self._rows
        sx = (px - self.x) / self.focal
        sy = (self.y - py) / self.focal
        by = 1 + self.bend * (sx * sx + sy * sy)
        sx *= by
        sy *= by
        # the ray's direction in the table's axes: (sx, sy, -1) turned by the tilts; the eye is at the turned (0, 0, HEIGHT)
        dx = a * sx - f
        dy = b * sx + d * sy - g
        dz = c * sx + e * sy - h
        t = (z - h * HEIGHT) / dz
        return f * HEIGHT + t * dx, g * HEIGHT + t * dy
