"""Is the picture fit to be read, and has the table drifted from its calibration: light, focus, scale. Not for dice."""

from dicewire import codes

from controller.target import const

# what drifted: number in EVENT.a
LIGHT = const(1)
FOCUS = const(2)
SCALE = const(3)

_BLOWN = 0.30  # share of the plate that is white
_DARK = 0.45  # of the calibrated light
_EVEN = const(20)  # grey steps between the darkest and brightest: nothing is to be seen
_SHARP = 0.5  # of the calibrated steepness
_DRIFT_LIGHT = 0.25
_DRIFT_FOCUS = 0.08  # softer, at the same light: it costs spins sooner than less light
_DRIFT_SCALE = 0.015
_ENOUGH = 8
_MANY = 10
_SLOW = 0.1  # weight of a new measurement


class Watch:
    """look() at every frame; `drift` is what has drifted most, 0 for nothing, `amount` how far in thousandths."""

    def __init__(self):
        self.ground = self.bright = self.sharp = 0  # of the last frame
        self.forget()

    def forget(self):
        """After a new calibration."""
        self._light = self._focus = self._scale = 0.0  # slow means of ratios to the calibration, 0 = none yet
        self._soft = 0  # pictures that the focus was measured on
        self.drift = self.amount = 0

    def look(self, cells, bare, known):
        """What forbids to read this picture: codes.SIGHT_*, 0 for nothing."""
        levels = bare.levels()
        n = len(levels)
        self.ground = levels[n // 2]
        self.bright = levels[n - 1 - n // 50]
        low = levels[n // 50]
        if levels[n - 1 - int(_BLOWN * n)] >= 246:
            return codes.SIGHT_BLOWN_OUT
        if self.bright < _DARK * (known.bright or 100):
            return codes.SIGHT_COVERED if self.bright - low < _EVEN and self.bright > 24 else codes.SIGHT_DARK
        if self.bright - low < _EVEN:
            return codes.SIGHT_COVERED
        if known.ground:
            self._light = _slow(self._light, self.ground / known.ground)
            self._judge()
        return 0

    def focus(self, sharp, known):
        self.sharp = sharp
        if known.sharp:
            lit = known.ground / self.ground if known.ground and self.ground else 1.0
            self._soft = min(self._soft + 1, _MANY)
            self._focus += (sharp / known.sharp * lit - self._focus) / self._soft
            self._judge()
            if sharp < _SHARP * known.sharp:
                return codes.SIGHT_OUT_OF_FOCUS
        return 0

    def measured(self, found):
        """Dice that were read: their size tells whether camera or plate moved."""
        for pose in found:
            if pose.number > 3:
                self._scale = _slow(self._scale, pose.scale)
        self._judge()

    def _judge(self):
        worst = 0.0
        self.drift = 0
        for what, ratio, limit in (
            (LIGHT, self._light, _DRIFT_LIGHT),
            # a spin's own shake softens one picture: only many of them tell
            (FOCUS, min(self._focus, 1.0) if self._soft >= _ENOUGH else 0.0, _DRIFT_FOCUS),
            (SCALE, self._scale, _DRIFT_SCALE),
        ):
            off = abs(ratio - 1) / limit if ratio else 0.0
            if off > 1 and off > worst:
                worst = off
                self.drift = what
                self.amount = int((ratio - 1) * 1000)


def _slow(mean, value):
    return value if not mean else mean + _SLOW * (value - mean)
