"""The lamps of the layout: winning areas, puck, collected numbers; and whether they really burn.

Which pixels an area has comes from the game table. A dead lamp is found by current, one lamp at a time (`test`), and
after every result by the current of all that are lit. Dark lamps never stop the game: the dice decide (Sic Bo 7.3).
"""

from controller import clock
from controller.target import const

_SETTLE_MS = const(8)  # of the supply and the current sensor, after a change
_CHECK_MS = const(40)
_DEAD_MA = const(10)  # a single lamp at full white that adds less than this is dead
_SLACK_MA = const(25)
_SLACK_PERCENT = const(35)
_FULL_MA = const(36)  # one lamp at full white until the test has measured it
_WHITE = const(765)
_MAX_PIXELS = const(160)


class Lamps:
    def __init__(self, pixels, current, settings):
        self._pixels = pixels
        self._current = current
        self._settings = settings
        self._game = None
        self._sum = 0  # of all channels that are lit
        self._full_ma = _FULL_MA
        self._dark_ma = 0
        self._check_at = 0
        self._checking = False
        self._tested = -1  # pixel under test; -1 = no test
        self._test_at = 0
        self._test_sum = 0
        self.dead = bytearray(_MAX_PIXELS // 8)
        self.dead_count = 0
        self.expected_ma = 0
        self.measured_ma = 0
        self.wrong = False  # set when a check found a difference; whoever reports it clears it

    def use(self, game):
        """Lamps as this game's layout has them. Allocates when their number changes."""
        self._game = game
        if self._pixels.n != game.pixels:
            self._pixels.fit(game.pixels)
        self.clear()

    @property
    def count(self):
        return self._pixels.n if self._game else 0

    def clear(self):
        self._pixels.clear()
        self._sum = 0
        self._pixels.show()
        self._checking = False

    def light(self, areas, puck, collected, now):
        """Light these areas (bit i of byte i // 8), the puck and the collected numbers; step() checks the current."""
        level = self._settings.brightness
        self._pixels.clear()
        self._sum = 0
        game = self._game
        for area in range(game.areas):
            if areas[area >> 3] >> (area & 7) & 1:
                first = game.area_first(area)
                for i in range(first, first + game.area_count(area)):
                    self._set(i, level, level * 3 // 4, level // 4)
        self.mark(puck, collected)
        self._check_at = clock.add(now, _CHECK_MS)
        self._checking = True

    def mark(self, puck, collected):
        """Puck and collected numbers only: they stay between rolls."""
        level = self._settings.brightness
        at = self._game.puck_pixel(puck)
        if at >= 0:
            self._set(at, level, level, level)
        bit = 0
        while collected >> bit:
            if collected >> bit & 1 and self._game.bonus_pixel(bit) >= 0:
                self._set(self._game.bonus_pixel(bit), 0, level, 0)
            bit += 1
        self._pixels.show()

    def paint(self, index, r, g, b):
        """For a technician: one pixel, or all of them with -1. The checks don't follow it."""
        for i in range(self._pixels.n) if index < 0 else (index,):
            self._pixels.set(i, r, g, b)
        self._pixels.show()

    def _set(self, i, r, g, b):
        self._pixels.set(i, r, g, b)
        self._sum += r + g + b

    def step(self, now):
        if self._tested >= 0:
            self._test_step(now)
        elif self._checking and clock.diff(now, self._check_at) >= 0:
            self._checking = False
            self.expected_ma = self._dark_ma + self._sum * self._full_ma // _WHITE
            self.measured_ma = self._current.ma()
            slack = _SLACK_MA + self.expected_ma * _SLACK_PERCENT // 100
            self.wrong = abs(self.measured_ma - self.expected_ma) > slack

    # ---- one lamp at a time ----

    def start_test(self, now):
        self.clear()
        self.dead_count = self._test_sum = 0
        for i in range(len(self.dead)):
            self.dead[i] = 0
        self._tested = 0
        self._test_at = now
        self._lit = False
        self._dark_ma = 0

    @property
    def testing(self):
        return self._tested >= 0

    def _test_step(self, now):
        if clock.diff(now, self._test_at) < _SETTLE_MS:
            return
        self._test_at = now
        if not self._lit:  # all dark for the time it takes to settle
            self._dark_ma = self._current.ma()
            self._lit = True
        else:
            rise = self._current.ma() - self._dark_ma
            if rise < _DEAD_MA:
                self.dead[self._tested >> 3] |= 1 << (self._tested & 7)
                self.dead_count += 1
            else:
                self._test_sum += rise
            self._pixels.set(self._tested, 0, 0, 0)
            self._tested += 1
        if self._tested >= self.count:
            self._end_test()
            return
        self._pixels.set(self._tested, 255, 255, 255)
        self._pixels.show()

    def _end_test(self):
        burning = self.count - self.dead_count
        if burning > 0:
            self._full_ma = self._test_sum // burning
        self._tested = -1
        self.clear()

    def is_dead(self, pixel):
        return self.dead[pixel >> 3] >> (pixel & 7) & 1

    def all_alive(self, areas):
        """Whether every lamp of these areas passed the last test."""
        for area in range(self._game.areas):
            if areas[area >> 3] >> (area & 7) & 1:
                first = self._game.area_first(area)
                for i in range(first, first + self._game.area_count(area)):
                    if self.is_dead(i):
                        return False
        return True
